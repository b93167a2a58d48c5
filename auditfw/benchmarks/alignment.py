"""Times the alignment audit against a plain loop over scenarios, and compares every score of both."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from .outcomes import KEYS, SCORES, TIMES, prepare
from .process import Cost, measured, python

PARTS = {
    "recorded outcomes, scored": ("scored.recorded", "loop.recorded"),
    "recorded outcomes, all files": ("whole.recorded", "loop.recorded"),
    "vectorised simulator": ("scored.vectorised", "loop.simulated"),
    "vectorised, in its own process": ("scored.vectorised-apart", "loop.simulated"),
    "scalar simulator": ("scored.scalar", "loop.simulated"),
    "scalar, in its own process": ("scored.scalar-apart", "loop.simulated"),
}
SHOWN = 15


def run(arguments: list[str]) -> int:
    """Times the alignment audit against a plain loop over scenarios and compares every score of both."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder, options.scenarios, options.seed)
        loops = min(options.loop, options.scenarios)
        print(f"{options.scenarios:,} scenarios x {len(KEYS)} keys; CPU seconds; the loop on {loops:,}, scaled up")
        print(f"{'':<32}{'scenarios':>10}{'seconds':>10}{'x loop':>8}{'main MB':>9}{'child MB':>9}")
        of_loops = {part: _part(folder, part, loops, loops) for part in ("loop.recorded", "loop.simulated")}
        for part, (seconds, cost) in of_loops.items():
            _print_row(f"plain {part.replace('.', ', ')}", loops, seconds, None, cost)
        for title, (part, loop) in PARTS.items():
            seconds, cost = _part(folder, part, options.scenarios, loops)
            scaled = of_loops[loop][0] * options.scenarios / loops
            _print_row(title, options.scenarios, seconds, scaled / seconds, cost)
        return 1 if _differ(folder) else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m auditfw.benchmarks alignment", description=run.__doc__)
    parser.add_argument("--scenarios", type=int, default=1_000_000, help="scenarios of 4 keys each (default 1000000)")
    parser.add_argument("--loop", type=int, default=100_000, help="how many of them the loop runs (default 100000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the outcomes (default 0)")
    return parser.parse_args(arguments)


def _part(folder: Path, part: str, scenarios: int, compare: int) -> tuple[float, Cost]:
    """Runs a part in a process of its own: its processor seconds, and what that process took from outside."""
    log = folder / "log.txt"
    command = python("auditfw.benchmarks.outcomes", str(folder), part, str(scenarios), str(compare))
    cost = measured(command, log)
    if cost.exit_code:
        tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-SHOWN:])
        raise SystemExit(f"{' '.join(command)}\nexit code {cost.exit_code}\n{tail}")
    return float(json.loads((folder / TIMES.format(part)).read_text("utf-8"))["seconds"]), cost


def _print_row(title: str, scenarios: int, seconds: float, ratio: float | None, cost: Cost) -> None:
    memory = "".join(f"{'-' if mb is None else format(mb, '.0f'):>9}" for mb in (cost.main_mb, cost.child_mb))
    print(f"{title:<32}{scenarios:>10,}{seconds:>10.2f}{'' if ratio is None else f'{ratio:.1f}':>8}{memory}")


def _differ(folder: Path) -> bool:
    """Compares every score that a loop gave with the audit's, bit by bit."""
    differing = compared = 0
    for part, loop in PARTS.values():
        how, _, name = part.partition(".")
        if how != "scored":
            continue
        stored = "loop" if loop.endswith("recorded") else "loop-simulated"
        wanted, actual = (np.load(folder / SCORES.format(one)) for one in (stored, name))
        differing += int((wanted.view(np.int64) != actual.view(np.int64)).sum())
        compared += wanted.size
    print(f"scores compared: {compared:,}, not bit-identical: {differing:,}")
    return differing > 0
