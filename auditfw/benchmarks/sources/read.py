"""Times the sources of every format beside unpacking alone and beside the fastest decoder at hand alone."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from auditfw.benchmarks.process import PROC, as_installed, measured, python
from auditfw.components.source.csv import CsvSource
from auditfw.components.source.inspect import Inspect
from auditfw.components.source.json import JsonSource
from auditfw.components.source.jsonl import JsonLinesSource
from auditfw.components.source.lm_eval import LmEval
from auditfw.components.source.parquet import ParquetSource
from auditfw.kinds.evidence import Source, one_pass_of

from .decoders import COLUMNS, DECODERS, Row, plain, unpacked
from .writer import FILES

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
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks sources", description=run.__doc__)
    parser.add_argument("--mb", type=int, default=1_000, help="megabytes of each file, decoded (default 1000)")
    parser.add_argument("--small", type=int, default=100, help="those of the smaller one (default 100)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds by turns, minima are shown (default 3)")
    parser.add_argument("--formats", default=",".join(FILES), help="of these only (default: all)")
    parser.add_argument("--figures", type=Path, metavar="FILE", help="write the figures, for `record`")
    options = parser.parse_args(arguments)
    names = options.formats.split(",")
    if min(options.mb, options.small, options.rounds) < 1 or not set(names) <= set(FILES):
        parser.error(f"--mb, --small and --rounds are 1 or more, --formats of {', '.join(FILES)}")
    as_installed()
    costs: list[FormatCost] = []
    print(
        f"{'CPU s/GB':<12}{'ours':>8}{'decoder':>9}{'unpack':>8}{'x decoder':>11}{'MB':>8}{'small MB':>10}{'rows':>10}"
    )
    for name in names:
        with tempfile.TemporaryDirectory(prefix="auditfw-benchmark-") as folder:
            costs.append(_format(name, Path(folder), options))
    if options.figures:
        options.figures.write_text(json.dumps(figures(costs)) + "\n", "utf-8", newline="\n")
    return 0 if _met(costs) else 1


def _format(name: str, folder: Path, options: argparse.Namespace) -> FormatCost:
    """Writes the two files of a format, reads both by all ways, and prints the line."""
    file, write = FILES[name]
    paths = folder / "small" / file, folder / "large" / file
    for target, size in zip(paths, (options.small, options.mb), strict=True):
        target.parent.mkdir()
        write(target, size * MEGABYTE)
    rows = compared(name, str(paths[0]))
    small, large = map(str, paths)
    ways = {"ours": large, "decoder": large, "unpack": large, "small": small}
    costs: dict[str, list[ProcessCost]] = {way: [] for way in ways}
    for _ in range(options.rounds):
        for way, path in ways.items():
            costs[way].append(_spent(way, name, path, folder / "out"))
    best = {way: ProcessCost(min(c.busy for c in taken), max(c.memory for c in taken)) for way, taken in costs.items()}
    cost = FormatCost(name, _gigabytes(name, large), best["ours"], best["small"], best["decoder"], best["unpack"])
    per = [one.busy / cost.size for one in (cost.ours, cost.decoder, cost.unpack)]
    memory = f"{cost.ours.memory:>8.0f}{cost.small.memory:>10.0f}"
    print(f"{name:<12}{per[0]:>8.2f}{per[1]:>9.2f}{per[2]:>8.2f}{cost.ratio:>10.2f}x{memory}{rows:>10,}", flush=True)
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
    words = "ours" if way == "small" else way
    cost = measured(python("auditfw.benchmarks.sources.read", words, name, path), output)
    if cost.exit_code:
        raise SystemExit(f"{name}: exit code {cost.exit_code}\n{output.read_text('utf-8')[-2000:]}")
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
    goals: dict[str, list[str]] = {
        f"at most {GOAL} x the decoder with its unpacking": [one.name for one in costs if one.ratio > GOAL],
        f"memory at most {GROWTH} x that of the small file": [
            one.name for one in costs if one.ours.memory > GROWTH * one.small.memory
        ],
    }
    for goal, missed in goals.items():
        print(f"{'MISSED' if missed else 'reached'}: {goal}" + (f" ({', '.join(missed)})" if missed else ""))
    return not any(goals.values())


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
    busy = time.process_time() - start
    print(json.dumps([busy, _peak()]))


def _peak() -> float:
    """The largest memory of this process in megabytes, without that of whoever started it; 0 without /proc."""
    try:
        status = (PROC / "self" / "status").read_text("utf-8", "replace")
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


if __name__ == "__main__":
    main(sys.argv[1:])
