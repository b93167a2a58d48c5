"""Times the source of Inspect AI's logs beside unpacking them alone, and beside the package's own table of samples."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from auditfw.components.files import zstd
from auditfw.components.files.archive import LOCAL, archive_of
from auditfw.components.files.files import File
from auditfw.components.source.inspect import Inspect

from .log_writer import write_log
from .process import as_installed, measured, python

COLUMNS = ["raw_text", "ground_truth", "stored"]
GOAL_UNPACKING, GOAL_TABLE, GOAL_MEMORY = 2, 5, 150
SAMPLES_DF = """
import sys, time
from types import SimpleNamespace
import tiktoken
plain = lambda text, **_: list(text.encode())
tiktoken.get_encoding = tiktoken.encoding_for_model = lambda name: SimpleNamespace(encode=plain, encode_ordinary=plain)
from inspect_ai.analysis import samples_df
start = time.process_time()
print(len(samples_df(sys.argv[1], quiet=True)), time.process_time() - start)
"""


def run(arguments: list[str]) -> int:
    """Times reading a log of Inspect AI, beside unpacking it and beside inspect_ai's samples_df."""
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks logs", description=run.__doc__)
    parser.add_argument("--samples", type=int, default=20_000, help="samples (default 20000)")
    parser.add_argument("--bytes", type=int, default=52_000, help="bytes of JSON of a sample, about (default 52000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds by turns, minima are shown (default 3)")
    parser.add_argument("--inspect", metavar="PYTHON", help="a Python that has inspect-ai, pandas and pyarrow")
    options = parser.parse_args(arguments)
    if min(options.samples, options.bytes, options.rounds) < 1:
        parser.error("--samples, --bytes and --rounds are 1 or more")
    as_installed()
    with tempfile.TemporaryDirectory(prefix="auditfw-benchmark-") as folder:
        log = Path(folder) / "made-up.eval"
        total = write_log(log, options.samples, options.bytes)
        print(f"{options.samples:,} samples, {total / 1e6:,.0f} MB of JSON in {log.stat().st_size / 1e6:,.0f} MB")
        return 0 if compared(log, options.rounds, options.inspect) else 1


def compared(log: Path, rounds: int, inspect: str | None) -> bool:
    """Times every way by turns and prints the table; true where all goals are met."""
    ways = {one: python("auditfw.benchmarks.logs", one, str(log)) for one in WAYS}
    if inspect is not None:
        ways["samples_df"] = [inspect, "-c", SAMPLES_DF, str(log)]
    costs: dict[str, list[ReadingCost]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, command in ways.items():
            costs[name].append(_spent(name, command, log.with_suffix(".out")))
    _show(costs)
    audit = measured(python("auditfw", str(log), "report=[]", "gate=[]", *_place(log)), log.with_suffix(".out"))
    memory = max(audit.main_mb or 0, audit.child_mb or 0)
    print(f"whole audit, two workers: {audit.seconds:.2f} s, {memory:.0f} MB the largest process")
    return _met(costs, memory)


class ReadingCost(NamedTuple):
    """Processor seconds of the work in a process, seconds and megabytes of the whole process."""

    busy: float
    seconds: float
    memory: float


def _place(log: Path) -> list[str]:
    return ["engine.workers=2", f"hydra.run.dir='{log.parent / 'run'}'"]


def _spent(name: str, command: Sequence[str], output: Path) -> ReadingCost:
    cost = measured(command, output)
    printed = output.read_text("utf-8")
    if cost.exit_code:
        raise SystemExit(f"{name}: exit code {cost.exit_code}\n{printed[-2000:]}")
    return ReadingCost(float(printed.split()[-1]), cost.seconds, cost.main_mb or 0)


def _least(costs: Sequence[ReadingCost]) -> float:
    return min(one.busy for one in costs)


def _show(costs: Mapping[str, Sequence[ReadingCost]]) -> None:
    """Processor seconds of the work (least and most), beside those of reading; seconds and memory of the process."""
    ours = _least(costs["read"])
    print(f"{'':<12}{'CPU s':>8}{'most':>8}{'of read':>9}{'process s':>11}{'MB':>7}")
    for name, taken in costs.items():
        busy, whole = f"{_least(taken):>8.2f}{max(taken).busy:>8.2f}", min(one.seconds for one in taken)
        memory = max(one.memory for one in taken)
        print(f"{name:<12}{busy}{_least(taken) / ours:>8.2f}x{whole:>11.2f}{memory:>7.0f}")


def _met(costs: Mapping[str, Sequence[ReadingCost]], memory: float) -> bool:
    """Prints which goals are reached; true where all are."""
    ours, largest = _least(costs["read"]), max(memory, *(one.memory for one in costs["read"]))
    goals = {
        f"reading takes at most {GOAL_UNPACKING} x unpacking": ours <= GOAL_UNPACKING * _least(costs["unpack"]),
        f"each process has under {GOAL_MEMORY} MB": largest < GOAL_MEMORY,
    }
    if "samples_df" in costs:
        goals[f"samples_df takes at least {GOAL_TABLE} x reading"] = _least(costs["samples_df"]) >= GOAL_TABLE * ours
    for goal, met in goals.items():
        print(f"{'reached' if met else 'MISSED'}: {goal}")
    return all(goals.values())


def unpack(path: str) -> int:
    """The bytes of a log's samples, read and unpacked one by one, their checksums tried as zipfile does."""
    decompress, total = zstd.library().decompress, 0
    with open(path, "rb") as stream:
        for member in archive_of(File(path)).members:
            stream.seek(member.offset)
            start = LOCAL + len(member.name.encode())
            packed = stream.read(start + member.packed)[start:]
            data = decompress(packed)
            total += len(data)
            if zlib.crc32(data) != member.checksum:
                raise ValueError(member.name)
    return total


def read(path: str) -> int:
    """The samples of a log, read as the audit does: completion, truth, label and cells."""
    evidence = Inspect(path=path).open(COLUMNS, [])
    return sum(len(next(iter(task().columns.values()))) for task in evidence.tasks)


WAYS: Mapping[str, Callable[[str], int]] = {"unpack": unpack, "read": read}


def main(arguments: Sequence[str]) -> None:
    """Runs one way on a log, in this process; prints what it gave, and the processor seconds of the work."""
    way, start = WAYS[arguments[0]], time.process_time()
    print(way(arguments[1]), time.process_time() - start)


if __name__ == "__main__":
    main(sys.argv[1:])
