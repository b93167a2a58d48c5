"""Runs a command as a process of its own and measures it from outside."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from compileall import compile_dir
from dataclasses import dataclass
from math import fsum
from pathlib import Path

from auditfw.core.processes import python as interpreter

PROC = Path("/proc")
INTERVAL = 0.05
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True)
class Cost:
    """What a process took: wall seconds, peak megabytes of itself and of its largest descendant, CPU seconds of all.

    Memory is None where the system has no /proc, and for descendants where there were none; so are CPU seconds, which
    miss the last moments of each process.
    """

    seconds: float
    main_mb: float | None
    child_mb: float | None
    exit_code: int
    busy: float | None = None


@dataclass(frozen=True)
class Taken:
    """Wall seconds of a command, and CPU seconds of it and all that it started, of which some may end after it."""

    wall: float
    cpu: float


def python(module: str, *arguments: str) -> list[str]:
    """Makes the command line that runs a module with this interpreter."""
    return interpreter("-m", module, *arguments)


def as_installed() -> None:
    """Compiles the package's modules in place, as an installation does: else a run may compile them each time."""
    compile_dir(Path(__file__).parents[1], quiet=2)


def measured(command: Sequence[str], log: Path) -> Cost:
    """Runs the command to its end, its output in `log`, and polls the peak memory of its process tree."""
    peaks: dict[int, float] = {}
    busy: dict[int, float] = {}
    with log.open("wb") as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        while process.poll() is None:
            _poll(process.pid, peaks, busy)
            try:
                process.wait(INTERVAL)
            except subprocess.TimeoutExpired:
                continue
        seconds = time.perf_counter() - start
    main = peaks.pop(process.pid, None)
    spent = fsum(busy.values()) if busy else None
    return Cost(seconds, main, max(peaks.values(), default=None), process.returncode, spent)


def timed(name: str, command: Sequence[str], folder: Path | None = None) -> Taken:
    """Runs an audit, in a folder, to the end of all its processes, its output dropped.

    Raises SystemExit, with the name, where it ends otherwise than with a verdict.
    """
    if sys.platform == "win32":
        raise NotImplementedError  # the benchmarks need Linux or macOS
    env = {**os.environ, "COLUMNS": "100"}
    whole = python("auditfw.benchmarks.whole", *command)
    done = subprocess.run(whole, cwd=folder, capture_output=True, encoding="utf-8", check=False, env=env)
    wall, cpu, code = done.stdout.split() if done.returncode == 0 else (0, 0, done.returncode)
    if int(code) not in (0, 1):
        raise SystemExit(f"{name}: exit code {code}\n{done.stderr[-2000:]}")
    return Taken(float(wall), float(cpu))


def _poll(root: int, peaks: dict[int, float], busy: dict[int, float]) -> None:
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        try:
            status = (PROC / str(pid) / "status").read_text("utf-8", "replace")
            ticks = (PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[11:13]
            waiting += [int(child) for task in _tasks(pid) for child in (task / "children").read_text("ascii").split()]
        except OSError:
            continue
        busy[pid] = sum(map(int, ticks)) / TICKS
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                peaks[pid] = int(line.split()[1]) / 1024


def _tasks(pid: int) -> list[Path]:
    return list((PROC / str(pid) / "task").iterdir())
