"""Times the consistency audit with other readers of JSON Lines in the place of the native scanner."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import Any, cast

from auditfw.__main__ import main as command
from auditfw.components.files.formats.jsonl import LineRange
from auditfw.components.source.pairs import Quick
from auditfw.core.records import Places
from auditfw.kinds.judgements import PLACE

from .agreement import write
from .process import Taken, python, timed

Way = tuple[str, ...]
Columns = dict[str, Sequence[Any]]
GOAL_RATIO = 2
FEW = 100
OURS = "native scanner"


def run(arguments: list[str]) -> int:
    """Times the consistency audit with its own scanner of lines, msgspec, orjson and json, one process each."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks readers", description=run.__doc__)
    parser.add_argument("--records", type=int, default=200_000, help="JSON records (default 200000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds by turns, minima are shown (default 3)")
    options = parser.parse_args(arguments)
    if options.records < FEW or options.rounds < 1:
        parser.error(f"--records is {FEW} or more, --rounds 1 or more")
    with tempfile.TemporaryDirectory(prefix="auditfw-benchmark-") as folder:
        return 1 if compared(Path(folder), options.records, options.rounds) else 0


def compared(folder: Path, n: int, rounds: int) -> bool:
    """Times every reader that is installed by turns; true where a result differs from ours."""
    for name, size in (("few", FEW), ("all", n)):
        write(folder / f"{name}.jsonl", size)
    there = [name for name, (package, _) in READERS.items() if find_spec(package)]
    for name in READERS:
        if name not in there:
            print(f"{name} left out: {READERS[name][0]} is not installed")
    costs: dict[tuple[str, str], list[Taken]] = {}
    results: dict[str, bytes] = {}
    for turn in range(rounds):
        for name in there:
            for what in ("few", "all"):
                runs = folder / f"{turn}-{len(costs)}-{name.replace(' ', '-')}-{what}"
                costs.setdefault((name, what), []).append(_timed(name, folder / f"{what}.jsonl", runs))
            results[name] = (runs / "result.json").read_bytes()
    _show(there, costs, n)
    wrong = [name for name in there if results[name] != results[OURS]]
    print("results: " + (f"DIFFERENT: {', '.join(wrong)}" if wrong else "the same bytes"))
    return bool(wrong)


def _timed(name: str, path: Path, folder: Path) -> Taken:
    words = ["experiment=cross_agent", "source=pairs", f"source.path='{path}'", "engine.workers=1", "report=[json]"]
    return timed(name, python("auditfw.benchmarks.readers", name, *words, f"hydra.run.dir='{folder}'"))


def _show(there: Iterable[str], costs: Mapping[tuple[str, str], list[Taken]], n: int) -> None:
    """Minima of wall and processor seconds; the records alone are what more than a few of them take."""
    print(f"{f'{n:,} records':<16}{'wall s':>10}{'CPU s':>10}{'of ours':>10}{'records alone':>16}")
    wall = {key: min(one.wall for one in taken) for key, taken in costs.items()}
    cpu = {key: min(one.cpu for one in taken) for key, taken in costs.items()}
    ours = cpu[OURS, "all"], cpu[OURS, "all"] - cpu[OURS, "few"]
    for name in there:
        every, alone = cpu[name, "all"], cpu[name, "all"] - cpu[name, "few"]
        ratios = f"{every / ours[0]:>8.1f} x{alone / ours[1]:>14.1f} x"
        print(f"{name:<16}{wall[name, 'all']:>10.2f}{every:>10.2f}{ratios}")
    print(f"goal: the others take at least {GOAL_RATIO} x the processor seconds of ours")


def _by_rows(loads: Callable[[bytes], Any]) -> Callable[[bytes, Mapping[str, Way]], Columns]:
    """A reader of one line after the other."""

    def read(data: bytes, wanted: Mapping[str, Way]) -> Columns:
        rows = [loads(line) for line in data.split(b"\n") if line]
        return {name: _dug(rows, way) for name, way in wanted.items()}

    return read


def _dug(rows: Iterable[Any], way: Way) -> list[Any]:
    found = list(rows)
    for step in way:
        found = [row.get(step) if isinstance(row, dict) else None for row in found]
    return found


def _json() -> Callable[[bytes, Mapping[str, Way]], Columns]:
    return _by_rows(json.loads)


def _orjson() -> Callable[[bytes, Mapping[str, Way]], Columns]:
    import orjson

    return _by_rows(orjson.loads)


def _msgspec() -> Callable[[bytes, Mapping[str, Way]], Columns]:
    """A typed decoder, which makes objects of the wanted fields only."""
    import msgspec

    names: dict[str, str] = {}
    decoders: dict[Any, Any] = {}

    def struct(tree: Mapping[str, Any]) -> Any:
        fields = [(names.setdefault(key, f"f{len(names)}"), _type(struct, inner), None) for key, inner in tree.items()]
        own = {names[key]: key for key in tree}
        return msgspec.defstruct(f"Struct{len(names)}", fields, gc=False, rename=own)

    def read(data: bytes, wanted: Mapping[str, Way]) -> Columns:
        key = tuple(wanted.values())
        if key not in decoders:
            decoders[key] = msgspec.json.Decoder(struct(_tree(key)))
        rows = decoders[key].decode_lines(data)
        return {name: _taken(rows, [names[step] for step in way]) for name, way in wanted.items()}

    return read


def _type(struct: Callable[[Mapping[str, Any]], Any], inner: Mapping[str, Any]) -> Any:
    return struct(inner) | None if inner else Any


def _tree(ways: Iterable[Way]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for way in ways:
        at = tree
        for step in way:
            at = at.setdefault(step, {})
    return tree


def _taken(rows: Iterable[Any], way: Sequence[str]) -> list[Any]:
    found = list(rows)
    for step in way:
        get = attrgetter(step)
        found = [None if row is None else get(row) for row in found]
    return found


READERS: dict[str, tuple[str, Callable[[], Any] | None]] = {
    OURS: ("auditfw", None),
    "msgspec": ("msgspec", _msgspec),
    "orjson": ("orjson", _orjson),
    "json": ("json", _json),
}


def _instead(read: Callable[[bytes, Mapping[str, Way]], Columns]) -> Callable[..., Columns]:
    def columns(task: Quick, kernel: Any, wanted: Mapping[str, Way]) -> Columns:
        block, file = cast(LineRange, task.reading.block), task.reading.shape.file
        made = read(block.piece.content(), wanted)
        return {**made, PLACE: Places(f"{file.path}:", range(block.start, block.start + len(made["id"])))}

    return columns


def main(arguments: list[str]) -> None:
    """Runs the command line with the named reader: it gives no faults, so it is for sound records only."""
    make = READERS[arguments[0]][1]
    if make is not None:
        Quick._columns = _instead(make())  # type: ignore[method-assign]  # in this process alone
    sys.argv[1:] = arguments[1:]
    command()


if __name__ == "__main__":
    main(sys.argv[1:])
