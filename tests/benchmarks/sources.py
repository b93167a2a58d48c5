"""Times the sources of every format beside unpacking alone and beside the fastest decoder at hand alone."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from auditfw.components.source.formats import CsvSource, JsonLinesSource, JsonSource, ParquetSource
from auditfw.components.source.inspect import Inspect
from auditfw.components.source.lm_eval import LmEval
from auditfw.kinds.evidence import Source, one_pass_of

from .data.writer import FILES
from .harness import Options, as_installed, by_turns, child, line, measured, peak_mb, reached, workplace
from .plain.decoders import COLUMNS, DECODERS, Row, plain, unpacked

GOAL = 2.5  # times the fastest decoder with its unpacking
GROWTH = 1.3  # times the memory of the small file
MEGABYTE = 1_000_000
SOURCES: Mapping[str, type[Any]] = {
    "jsonl": JsonLinesSource,
    "jsonl.gz": JsonLinesSource,
    "jsonl.zst": JsonLinesSource,
    "json": JsonSource,
    "csv": CsvSource,
    "parquet": ParquetSource,
    "lm_eval": LmEval,
    "inspect": Inspect,
}


class ProcessCost(NamedTuple):
    """Processor seconds of the work in a process, and megabytes of the process."""

    busy: float
    memory: float


class FormatCost(NamedTuple):
    """A format: the gigabytes that the larger file decodes to, the least costs of each way, and of the small file."""

    name: str
    size: float
    ours: ProcessCost
    small: ProcessCost
    decoder: ProcessCost
    unpack: ProcessCost

    @property
    def ratio(self) -> float:
        return self.ours.busy / self.decoder.busy


def run(arguments: list[str]) -> int:
    """Times reading each format, a gigabyte, beside unpacking and the fastest decoder; memory at two sizes."""
    options = Options(run)
    options.number("--mb", 1_000, "megabytes of each file, decoded")
    options.number("--small", 100, "those of the smaller one")
    options.number("--rounds", 3, "rounds by turns, minima are shown")
    options.add_argument("--formats", default=",".join(FILES), help="of these only (default: all)")
    options.add_argument("--figures", type=Path, metavar="FILE", help="write the figures, for `record`")
    chosen = options.parse_args(arguments)
    names = chosen.formats.split(",")
    if not set(names) <= set(FILES):
        options.error(f"--formats are of {', '.join(FILES)}")
    as_installed()
    costs: list[FormatCost] = []
    line("CPU s/GB", "ours", "decoder", "unpack", "x decoder", "MB", "small MB", "rows", wide=12)
    for name in names:
        with workplace() as folder:
            costs.append(_format(name, folder, (chosen.small, chosen.mb), chosen.rounds))
    if chosen.figures:
        chosen.figures.write_text(json.dumps(figures(costs)) + "\n", "utf-8", newline="\n")
    return 0 if _met(costs) else 1


def _format(name: str, folder: Path, sizes: tuple[int, int], rounds: int) -> FormatCost:
    """Writes the two files of a format, reads both by all ways, and prints the line."""
    file, write = FILES[name]
    paths = folder / "small" / file, folder / "large" / file
    for target, size in zip(paths, sizes, strict=True):
        target.parent.mkdir()
        write(target, size * MEGABYTE)
    rows = compared(name, str(paths[0]))
    small, large = map(str, paths)
    ways = {"ours": large, "decoder": large, "unpack": large, "small": small}
    work = {way: partial(_spent, way, name, path, folder / "out") for way, path in ways.items()}
    best = {
        way: ProcessCost(min(one.busy for one in taken), max(one.memory for one in taken))
        for way, taken in by_turns(work, rounds).items()
    }
    cost = FormatCost(name, _gigabytes(name, large), best["ours"], best["small"], best["decoder"], best["unpack"])
    each = (one.busy / cost.size for one in (cost.ours, cost.decoder, cost.unpack))
    line(name, *each, f"{cost.ratio:.2f} x", cost.ours.memory, cost.small.memory, rows, wide=12)
    return cost


def compared(name: str, path: str) -> int:
    """How many rows a file has. Raises SystemExit where ours are not those of plain Python."""
    mine = [(str(word), text, str(truth), _label(label)) for word, text, truth, label in rows(name, path)]
    plainly = [(str(word), text, str(truth), _label(label)) for word, text, truth, label in plain(name, path)]
    if mine != plainly:
        raise SystemExit(f"{name}: rows that plain Python reads otherwise")
    return len(mine)


def _label(value: Any) -> bool:
    return value is True or value == 1 or value in ("True", "C")


def _gigabytes(name: str, path: str) -> float:
    """What a file decodes to: the texts of a table, the bytes of all others."""
    if name == "parquet":
        return sum(len(str(value).encode()) for row in _table(path) for value in row) / 1e9
    return unpacked(path) / 1e9


def _table(path: str) -> Iterator[tuple[Any, ...]]:
    import polars as pl

    return pl.read_parquet(path).iter_rows()


def _spent(way: str, name: str, path: str, output: Path) -> ProcessCost:
    measured(name, child("sources", "ours" if way == "small" else way, name, path), output=output)
    return ProcessCost(*json.loads(output.read_text("utf-8")))


def figures(costs: Sequence[FormatCost]) -> dict[str, float]:
    """The figures of a release: processor seconds a gigabyte, times the decoder, and memory, by format."""
    made: dict[str, float] = {}
    for one in costs:
        made[f"{one.name} CPU s/GB"] = round(one.ours.busy / one.size, 3)
        made[f"{one.name} x decoder"] = round(one.ratio, 3)
        made[f"{one.name} MB"] = round(one.ours.memory, 1)
    return made


def _met(costs: Sequence[FormatCost]) -> bool:
    """Prints which goals are reached; true where all are."""
    missed: dict[str, list[str]] = {
        f"at most {GOAL} x the decoder with its unpacking": [one.name for one in costs if one.ratio > GOAL],
        f"memory at most {GROWTH} x that of the small file": [
            one.name for one in costs if one.ours.memory > GROWTH * one.small.memory
        ],
    }
    return reached({goal + (f" ({', '.join(names)})" if names else ""): not names for goal, names in missed.items()})


def source(name: str, path: str) -> Source:
    """The source of a format."""
    made: Source = SOURCES[name](path=path)
    return made


def batches(name: str, path: str) -> Iterator[Any]:
    """The batches of a file, its ids and checksum with them, as the parsing audit reads it."""
    evidence = source(name, path).open(list(COLUMNS[1:]), [])
    once = one_pass_of(evidence.tasks)
    for task in evidence.tasks if once is None else once.tasks:
        yield task()
        if once is not None:
            once.take(getattr(task, "note", b""))
    if once is not None:
        once.finish()
    evidence.inputs()


def rows(name: str, path: str) -> Iterator[Row]:
    """The rows of a file, as our source reads them."""
    for batch in batches(name, path):
        yield from zip(*(batch.columns[column] for column in COLUMNS), strict=True)


def main(arguments: Sequence[str]) -> None:
    """Reads a file one way, in this process; prints the processor seconds of the work, and the megabytes."""
    way, name, path = arguments
    start = time.process_time()
    if way == "ours":
        for batch in batches(name, path):
            len(batch.columns["id"])
    else:
        (unpacked if way == "unpack" else DECODERS[name])(path)
    print(json.dumps([time.process_time() - start, peak_mb()]))
