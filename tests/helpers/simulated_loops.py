"""Refine loops made up by how people work on tasks: a task is understood at some attempt, or never; seeded.

An attempt that understands solves training and, as a rule, passes the tests; understanding is seldom lost. Scores are
recorded, with the digits that somebody's log has. Faults are planted into such loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from made_loops import audit

import auditfw

Attempt = dict[str, Any]


@dataclass
class MadeLoops:
    """Tasks with a list of attempts each, by id; `item` says what a task is a trial of; settings of the audit."""

    tasks: dict[str, list[Attempt]]
    item: dict[str, str] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def every(self) -> list[Attempt]:
        return [one for attempts in self.tasks.values() for one in attempts]

    def audited(self, folder: Path) -> auditfw.Result:
        """The audit of these records."""
        example = {"input": "x", "output": 1}
        problems = [
            {"id": task, "train": [example], "test": [example], "item": self.item.get(task)} for task in self.tasks
        ]
        attempts = [{"problem": task, **one} for task, tries in self.tasks.items() for one in tries]
        return audit(folder, problems, attempts, **{"scoring": "recorded", **self.settings})


def attempt(rng: np.random.Generator, solved: bool, passed: bool, digits: int) -> Attempt:
    """What a log says of an attempt: the score on training, whether the tests pass, seconds."""
    score = 1.0 if solved else float(rng.beta(2, 3) * 0.98)
    if rng.random() < 0.01:
        score += 1e-9 * rng.choice([-1.0, 1.0]) if solved else 0.0
    shown = max(0.0, min(1.0, score))
    return {"outputs": [score, float(passed)], "score": round(shown, digits), "seconds": round(rng.gamma(2, 3), 2)}


def healthy(seed: int, tasks: int | None = None, most: int | None = None) -> MadeLoops:
    """Loops of 10 to 200 tasks and 1 to 10 attempts without a fault, with up to 3 % of what happens to anybody."""
    rng = np.random.default_rng([seed, 40])
    n = tasks or int(rng.choice([10, 20, 40, 100, 200]))
    most = most or int(rng.integers(1, 11))
    hard, lost, late = rng.beta(1.2, 1.2, n), rng.uniform(0, 0.03), rng.uniform(0, 0.03) * rng.integers(0, 2)
    digits, timed = int(rng.choice([2, 3, 6, 17])), rng.random() < 0.8
    made = {f"t{task}": _tries(rng, hard[task], most, (lost, late, digits)) for task in range(n)}
    loops = MadeLoops(made)
    if not timed:
        for one in loops.every:
            one["seconds"] = None
    return loops


def _tries(rng: np.random.Generator, hard: float, most: int, habits: tuple[float, float, int]) -> list[Attempt]:
    lost, late, digits = habits
    tries, understood = [], False
    for _ in range(most):
        if rng.random() < late:
            tries.append({"why": "timeout", "seconds": 60.0})
            continue
        understood = rng.random() >= lost if understood else bool(rng.random() > hard**0.7)
        solved = understood if rng.random() < 0.97 else not understood
        tries.append(attempt(rng, solved, understood, digits))
        if solved:
            break
    return tries


def runs_of_items(seed: int, items: int = 20, runs: int = 8) -> MadeLoops:
    """Several runs of each item, where iterating turns some items for good and as many for bad, in most of its runs."""
    rng = np.random.default_rng([seed, 41])
    made, item = {}, {}
    for at in range(items):
        way = rng.choice(["same", "falls", "rises"], p=[0.2, 0.4, 0.4])
        for run in range(runs):
            first = way == "falls" if way != "same" and rng.random() < 0.95 else rng.random() < 0.5
            last = way == "rises" if way != "same" and rng.random() < 0.95 else first
            made[f"t{at}/{run}"] = [attempt(rng, False, bool(first), 3), attempt(rng, True, bool(last), 3)]
            item[f"t{at}/{run}"] = f"t{at}"
    return MadeLoops(made, item)


# Faults


def failed_attempts(loops: MadeLoops, rng: np.random.Generator) -> None:
    """Three in ten attempts end without an output, the first for certain."""
    for at, one in enumerate(loops.every):
        if at == 0 or rng.random() < 0.3:
            one.pop("outputs", None)
            one |= {"why": "connection reset", "score": None}


def other_records(loops: MadeLoops, rng: np.random.Generator) -> None:
    """A tenth of the recorded scores is that of another attempt: one end of the range for the other."""
    kept = [one for one in loops.every if "outputs" in one]
    for at in rng.choice(len(kept), max(1, len(kept) // 10), replace=False):
        kept[at]["score"] = 0.0 if kept[at]["outputs"][0] > 0.5 else 1.0


def untimed(loops: MadeLoops, rng: np.random.Generator) -> None:
    """Half of the log, or all of it, has no seconds."""
    every = loops.every
    for one in every[: len(every) // int(rng.integers(1, 3))]:
        one["seconds"] = None


def unsolved(loops: MadeLoops, rng: np.random.Generator) -> None:
    """No attempt solves training."""
    for one in loops.every:
        if "outputs" in one:
            score = float(rng.uniform(0, 0.9))
            one |= {"outputs": [score, 0.0], "score": round(score, 3)}


def early_ends(loops: MadeLoops, rng: np.random.Generator) -> None:
    """Patience ends the loops of tasks that make no progress: what more attempts give these is not known."""
    for at, (task, tries) in enumerate(loops.tasks.items()):
        if at == 0 or rng.random() < 0.4:
            loops.tasks[task] = [attempt(rng, False, False, 3) for _ in range(3)]
            for one, score in zip(loops.tasks[task], (0.5, 0.4, 0.3), strict=True):
                one |= {"outputs": [score, 0.0], "score": score}
        elif at == 1:
            loops.tasks[task] = [attempt(rng, True, True, 3)]
        elif not tries:
            del loops.tasks[task]
    loops.settings |= {"stop": {"max_iterations": 6, "patience": 2}}


def falls(share: float) -> Callable[[MadeLoops, np.random.Generator], None]:
    """Iterating turns such a share of the answers that pass the tests after one attempt wrong, and few right."""

    def plant(loops: MadeLoops, rng: np.random.Generator) -> None:
        rise = rng.uniform(0, 0.1)
        for tries in loops.tasks.values():
            right = rng.random() < 0.6
            last = rng.random() >= share if right else rng.random() < rise
            tries[:] = [attempt(rng, False, bool(right), 3), attempt(rng, True, bool(last), 3)]

    return plant


PLANTED: dict[str, Callable[[MadeLoops, np.random.Generator], None]] = {
    "no_attempt_answers": failed_attempts,
    "records_differ": other_records,
    "seconds_missing": untimed,
    "survivors": early_ends,
    "nothing_solved": unsolved,
    "tests_fall": falls(0.6),
}
LEAST = {"tests_fall": 40}  # tasks, where a fault needs them


def planted(kinds: tuple[str, ...], times: int) -> Iterator[MadeLoops]:
    """Loops of 10 to 200 tasks with these faults, one after the other."""
    sizes = [n for n in (10, 20, 40, 100, 200) if n >= max(LEAST.get(kind, 0) for kind in kinds)]
    for seed in range(times):
        rng = np.random.default_rng([seed, 42])
        loops = healthy(seed + 1_000, sizes[seed % len(sizes)], 4)
        for kind in kinds:
            PLANTED[kind](loops, rng)
        yield loops
