"""What benchmarks do alike: commands measured from outside, work by turns, tables, and numbers that must not differ.

As a program it runs a command to the end of the last process that it started. A process whose parent has ended is
handed to the first process of the system, and its processor time to nobody: worker processes end after their command.
Here they are handed to this program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from compileall import compile_dir
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import auditfw
from auditfw.core.processes import adopt, python, python_code

T = TypeVar("T")
HOME = Path(__file__).resolve().parents[1]
PROC, INTERVAL = Path("/proc"), 0.05
SHOWN = 20
PREFIX = "auditfw-benchmark-"


class Cost(NamedTuple):
    """Wall seconds of a command, processor seconds of it and all that it started, of which some may end after it.

    `main_mb` and `child_mb` are the peak megabytes of its own process and of the largest that it started: None where
    the system has no /proc, or where it started none.
    """

    wall: float
    cpu: float
    main_mb: float | None = None
    child_mb: float | None = None

    @property
    def seconds(self) -> tuple[float, float]:
        """Both of them."""
        return self.wall, self.cpu


def command(*words: str) -> list[str]:
    """The words that start auditfw as a user does, with this interpreter."""
    return python("-m", "auditfw", *words)


def child(module: str, *arguments: str) -> list[str]:
    """The words that run the `main` of a module of these benchmarks in a process of its own."""
    code = f"sys.path.insert(0, {str(HOME)!r}); from benchmarks.{module} import main; main(sys.argv[1:])"
    return python_code(code, *arguments)


def as_installed() -> None:
    """Compiles the package's modules in place, as an installation does: else a run may compile them each time."""
    compile_dir(Path(auditfw.__file__).parent, quiet=2)


def measured(name: str, words: Sequence[str], folder: Path | None = None, output: Path | None = None) -> Cost:
    """Runs a command in a folder to the end of all its processes; what it prints goes into a file, or is dropped.

    Raises SystemExit, with the name, where it ends otherwise than with a verdict.
    """
    env = {**os.environ, "COLUMNS": "100"}
    with tempfile.TemporaryDirectory(prefix=PREFIX) as scratch:
        printed = output or Path(scratch, "output")
        done = subprocess.run(
            child("harness", str(printed), *words), cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        cost, code = json.loads(done.stdout) if done.returncode == 0 else ([], done.returncode)
        if code not in (0, 1):
            tail = printed.read_text("utf-8", "replace") if printed.exists() else ""
            raise SystemExit(f"{name}: exit code {code}\n{(tail + done.stderr)[-2000:]}")
    return Cost(*cost)


def main(arguments: Sequence[str]) -> None:
    """Runs a command, its output in a file; prints what it took when all that it started has ended."""
    if sys.platform == "win32":
        raise NotImplementedError  # the benchmarks need Linux or macOS
    import resource

    output, *words = arguments
    adopt()
    peaks: dict[int, float] = {}
    with open(output, "wb") as stream:
        start = time.perf_counter()
        process = subprocess.Popen(words, stdout=stream)
        watch = threading.Thread(target=_watch, args=(process.pid, peaks), daemon=True)
        watch.start()
        code = process.wait()
        wall = time.perf_counter() - start
    while _reaped():
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    largest = peaks.pop(process.pid, None)
    print(json.dumps([[wall, used.ru_utime + used.ru_stime, largest, max(peaks.values(), default=None)], code]))


def _reaped() -> bool:
    """Waits for a process; false where none is left."""
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        return False
    return True


def _watch(root: int, peaks: dict[int, float]) -> None:
    """Polls the peak memory of a process and of those below it, as long as it is there."""
    while (PROC / str(root)).is_dir():
        waiting = [root]
        while waiting:
            pid = waiting.pop()
            try:
                peaks[pid] = peak_mb(str(pid))
                tasks = list((PROC / str(pid) / "task").iterdir())
                waiting += [int(below) for task in tasks for below in (task / "children").read_text("ascii").split()]
            except (OSError, StopIteration):
                continue
        time.sleep(INTERVAL)


def peak_mb(pid: str = "self") -> float:
    """The largest memory of a process, in megabytes. Raises OSError or StopIteration where the system tells none."""
    status = (PROC / pid / "status").read_text("utf-8", "replace")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmHWM:"))


def spent(call: Callable[[], T]) -> tuple[Cost, T]:
    """What a call took in this process, and what it gave."""
    start, busy = time.perf_counter(), time.process_time()
    result = call()
    return Cost(time.perf_counter() - start, time.process_time() - busy), result


def by_turns(work: Mapping[str, Callable[[], T]], rounds: int, warm: int = 0) -> dict[str, list[T]]:
    """What each piece of work gave, round by round, one after the other in each; the first rounds may be to warm up."""
    results: dict[str, list[T]] = {name: [] for name in work}
    for turn in range(warm + rounds):
        for name, call in work.items():
            result = call()
            if turn >= warm:
                results[name].append(result)
    return results


def line(name: str, *cells: object, wide: int = 32) -> None:
    """Prints a line of a table: numbers to two digits, from 1,000 on to none; a dash for None."""
    print(f"{name:<{wide}}" + "".join(f"{_cell(cell):>12}" for cell in cells), flush=True)


def _cell(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.2f}"
    return "-" if cell is None else f"{cell:,}" if isinstance(cell, int) else str(cell)


def differ(what: str, differences: Sequence[str], compared: int) -> bool:
    """Prints how many numbers were compared and which are different; true where any is."""
    print(f"{what} compared: {compared:,}, different: {len(differences):,}")
    for difference in differences[:SHOWN]:
        print(f"  {difference}")
    return bool(differences)


def reached(goals: Mapping[str, bool]) -> bool:
    """Prints which goals are reached; true where all are."""
    for goal, met in goals.items():
        print(f"{'reached' if met else 'MISSED'}: {goal}")
    return all(goals.values())


class Options(argparse.ArgumentParser):
    """The options of a benchmark; numbers are 1 or more unless said otherwise."""

    def __init__(self, run: Callable[[list[str]], int]) -> None:
        name = run.__module__.rpartition(".")[2]
        super().__init__(prog=f"python -m tests.benchmarks {name}", description=run.__doc__)

    def number(self, flag: str, default: int | None, help: str, least: int = 1, **more: Any) -> None:
        """Adds an option that takes a whole number."""

        def number(text: str) -> int:
            if (value := int(text)) < least:
                raise argparse.ArgumentTypeError(f"{value} is below {least}")
            return value

        shown = help if default is None else f"{help} (default {default})"
        self.add_argument(flag, type=number, default=default, help=shown, **more)

    def keep(self) -> None:
        """Adds the option to keep what is made."""
        self.add_argument("--keep", type=Path, metavar="FOLDER", help="keep data and runs here, and use what is there")


@contextmanager
def workplace(keep: Path | None = None) -> Iterator[Path]:
    """Gives the folder to work in: the one to keep, or one that is removed."""
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep.resolve()
        return
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        yield Path(folder)
