"""Times the alignment audit against a plain loop over scenarios, and compares every score of both."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from .harness import Cost, Options, child, differ, line, measured, workplace
from .plain.outcomes import KEYS, SCORES, TIMES, prepare

LOOPS = ("loop.recorded", "loop.simulated")
PARTS = {
    "recorded outcomes, scored": ("scored.recorded", "loop.recorded"),
    "recorded outcomes, all files": ("whole.recorded", "loop.recorded"),
    "vectorised simulator": ("scored.vectorised", "loop.simulated"),
    "vectorised, in its own process": ("scored.vectorised-apart", "loop.simulated"),
    "scalar simulator": ("scored.scalar", "loop.simulated"),
    "scalar, in its own process": ("scored.scalar-apart", "loop.simulated"),
}


def run(arguments: list[str]) -> int:
    """Times the alignment audit against a plain loop over scenarios and compares every score of both."""
    options = Options(run)
    options.number("--scenarios", 1_000_000, "scenarios of 4 keys each")
    options.number("--loop", 100_000, "how many of them the loop runs")
    options.number("--seed", 0, "seed of the outcomes", least=0)
    chosen = options.parse_args(arguments)
    n, loops = chosen.scenarios, min(chosen.loop, chosen.scenarios)
    with workplace() as folder:
        prepare(folder, n, chosen.seed)
        print(f"{n:,} scenarios x {len(KEYS)} keys; CPU seconds; the loop on {loops:,}, scaled up")
        line("", "scenarios", "seconds", "x loop", "main MB", "child MB")
        of_loops = {}
        for part in LOOPS:
            of_loops[part], cost = _part(folder, part, loops, loops)
            line(f"plain {part.replace('.', ', ')}", loops, of_loops[part], "", cost.main_mb, cost.child_mb)
        for title, (part, loop) in PARTS.items():
            seconds, cost = _part(folder, part, n, loops)
            line(title, n, seconds, of_loops[loop] * n / loops / seconds, cost.main_mb, cost.child_mb)
        return 1 if _differ(folder) else 0


def _part(folder: Path, part: str, scenarios: int, compare: int) -> tuple[float, Cost]:
    """Runs a part in a process of its own: its processor seconds, and what that process took from outside."""
    cost = measured(part, child("plain.outcomes", str(folder), part, str(scenarios), str(compare)))
    return float(json.loads((folder / TIMES.format(part)).read_text("utf-8"))), cost


def _differ(folder: Path) -> bool:
    """Compares every score that a loop gave with the audit's, bit by bit."""
    differences, compared = [], 0
    for part, loop in PARTS.values():
        if part.startswith("scored."):
            wanted, actual = (np.load(folder / SCORES.format(one)) for one in (loop, part))
            n = int((wanted.view(np.int64) != actual.view(np.int64)).sum())
            differences += [part] * n
            compared += wanted.size
    return differ("scores", differences, compared)
