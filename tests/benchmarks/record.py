"""The figures of releases: a line for each benchmark and release, and new figures beside the last line."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from .harness import Options

HISTORY = Path(__file__).with_name("history.jsonl")
SLIDE = 1.25  # times the last figure
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class Change(NamedTuple):
    """A figure as it was and as it is: all of them are costs, so that less is better."""

    name: str
    before: float | None
    now: float

    @property
    def ratio(self) -> float | None:
        """How many times as much it is; None where there was none, or nothing."""
        return self.now / self.before if self.before else None

    def slid(self, most: float) -> bool:
        """Whether it is more than so many times what it was."""
        return self.ratio is not None and self.ratio > most


def run(arguments: list[str]) -> int:
    """Compares the figures of a benchmark with those of the last release, and with --version keeps them."""
    options = _options(arguments)
    figures = {name: value for part in options.figures for name, value in part.items()}
    last = last_of(options.history, options.benchmark)
    changes = compared(figures, last["figures"] if last else {})
    print(_title(options.benchmark, last))
    print("\n".join(_lines(changes, options.most)))
    if options.version is not None:
        append(options.history, entry(options.benchmark, options.version, options.date, figures))
        print(f"kept in {options.history}")
    return 1 if any(one.slid(options.most) for one in changes) else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    options = Options(run)
    options.add_argument("benchmark", help="the name of the benchmark")
    options.add_argument("figures", nargs="+", type=_figures, help="NAME=COST, or a file that --figures of one wrote")
    options.add_argument("--version", help="keep the figures as those of this release")
    options.add_argument("--date", help="the day on which they were measured, as in 2026-11-23 (with --version)")
    options.add_argument("--history", type=Path, default=HISTORY, help="the file (default: history.jsonl here)")
    options.add_argument(
        "--most", type=float, default=SLIDE, help=f"times the last figure is a slide (default {SLIDE})"
    )
    chosen = options.parse_args(arguments)
    if chosen.version is not None and not DAY.fullmatch(chosen.date or ""):
        options.error("--version needs --date as in 2026-11-23")
    return chosen


def _figures(text: str) -> dict[str, float]:
    """Figures as they are typed, or as a file holds them."""
    name, mark, value = text.partition("=")
    figures = {name: value} if mark else json.loads(Path(text).read_text("utf-8"))
    return {str(key): float(one) for key, one in figures.items()}


def entry(benchmark: str, version: str, date: str, figures: Mapping[str, float]) -> dict[str, Any]:
    """The line of a benchmark and release, with the machine that it ran on."""
    machine = {"cpu": cpu_model(), "cores": cores()}
    return {"benchmark": benchmark, "version": version, "date": date, **machine, "figures": dict(figures)}


def append(path: Path, line: Mapping[str, Any]) -> None:
    """Adds a line to a history."""
    with path.open("a", encoding="utf-8", newline="\n") as stream:
        stream.write(json.dumps(line, ensure_ascii=False) + "\n")


def last_of(path: Path, benchmark: str) -> dict[str, Any] | None:
    """The last line of a benchmark; None where there is none."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    own = [line for line in map(json.loads, lines) if line["benchmark"] == benchmark]
    return own[-1] if own else None


def compared(figures: Mapping[str, float], before: Mapping[str, float]) -> list[Change]:
    """Each figure beside the last one of its name."""
    return [Change(name, before.get(name), now) for name, now in figures.items()]


def _title(benchmark: str, last: Mapping[str, Any] | None) -> str:
    if last is None:
        return f"{benchmark}: no release before"
    machine = f"{last['cpu']}, {last['cores']} cores"
    other = "" if (last["cpu"], last["cores"]) == (cpu_model(), cores()) else "; THIS IS ANOTHER MACHINE"
    return f"{benchmark}: {last['version']} of {last['date']} ({machine}{other}), and now"


def _lines(changes: Iterable[Change], most: float) -> Iterable[str]:
    for name, before, now in changes:
        one = Change(name, before, now)
        times = "" if one.ratio is None else f"{one.ratio:>8.2f} x"
        shown = "new" if before is None else f"{before:g}"
        yield f"{name:<32}{shown:>10}{now:>10g}{times}{'  SLIDE' if one.slid(most) else ''}"


def cpu_model() -> str:
    """The name of the processor, "unknown" where the system does not say."""
    try:
        names = re.findall(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text("utf-8", "replace"))
    except OSError:
        names = []
    return names[0].strip() if names else "unknown"


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
