"""The solver that refines a simulator's parameters until the simulator does what was intended."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from hashlib import sha256
from typing import Any, ClassVar

from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.formulas.parameter_search import Scale, Side, search, side, written
from auditfw.kinds.registry import declare
from auditfw.kinds.simulation import Simulator
from auditfw.kinds.solving import Ask, Clock, Problem, Reply

START = "params"
REPEATS = 10_000


@declare("solver", "tune")
class Tune:
    """Proposes parameters within the simulator's bounds, one set per request, from the scores of the earlier ones.

    It begins at `start` (or at the problem's fact `params`, or in the middle of each range), tries `explore` points
    spread over the ranges, and improves the best by the simplex method of Nelder and Mead, whose first step is `step`
    of a range. Parameters that an input fixes are not changed.

    - `only`: the parameters to refine; empty: all that the simulator has bounds for;
    - `bounds`: {parameter: [low, high]}, narrower ranges, or ranges for a simulator that has none;
    - `scale`: equal steps ("linear") or equal ratios ("log"); "auto" takes ratios for positive ranges whose ends differ
      by a factor of 20 or more;
    - `digits`: significant digits of a proposal; `seed` shifts the points spread over the ranges;
    - `seconds`: the seconds that a request counts on the work clock.
    """

    simulator: Simulator
    only: tuple[str, ...] = ()
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    start: dict[str, float] = field(default_factory=dict)
    scale: Scale = "auto"
    explore: int = 3
    step: float = 0.3
    digits: int = 8
    seed: int = 0
    seconds: float = 0.01

    clock: ClassVar[Clock] = "work"
    programs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if self.explore < 0:
            raise UsageError("explore", "expected a whole number of 0 or more", self.explore)
        if not 0.0 < self.step <= 0.5:
            raise UsageError("step", "expected a number above 0 and at most 0.5", self.step)
        if not 1 <= self.digits <= 17:
            raise UsageError("digits", "expected a whole number from 1 to 17", self.digits)
        if not 0.0 < self.seconds < math.inf:
            raise UsageError("seconds", "expected a number above 0", self.seconds)
        for name, (low, high) in self.bounds.items():
            if not low <= high:
                raise UsageError(f"bounds.{name}", "the lower end is above the upper", f"{low:g}, {high:g}")

    def check(self) -> None:
        """Finds the ranges. Raises UsageError for a parameter there is not, or a range without an end."""
        sides = self._sides()
        for name, value in self.start.items():
            if name not in sides:
                do = nearest(name, sorted(sides))
                raise UsageError(f"solver.start.{name}", "is not a parameter to refine", None, do)
            if not sides[name].low <= value <= sides[name].high:
                problem = f"{value:g} is not within [{sides[name].low:g}, {sides[name].high:g}]"
                raise UsageError(f"solver.start.{name}", "is out of bounds", problem)

    def __call__(self, ask: Ask) -> Reply:
        sides = {name: one for name, one in self._sides().items() if name not in _fixed(ask.problem)}
        if not sides:
            do = "leave one out of source.fixed or solver.only"
            raise DataError(f"problem '{ask.problem.id}'", "fixes every parameter", None, do)
        known = {attempt.program: attempt.score for attempt in ask.history}
        walk = search(self._begin(ask.problem, sides), self._stream(ask.problem), self.explore, self.step)
        point = next(walk)
        for _ in range(REPEATS):
            params = {n: one.value(share, self.digits) for (n, one), share in zip(sides.items(), point, strict=True)}
            program = written(params)
            if program not in known:
                return Reply(program=program, seconds=self.seconds)
            point = walk.send(known[program])
        return Reply(why="no parameters are left that were not tried", seconds=self.seconds)

    def _begin(self, problem: Problem, sides: Mapping[str, Side]) -> tuple[float, ...]:
        params = problem.facts.get(START)
        start: dict[str, Any] = dict(params) if isinstance(params, Mapping) else {}
        start |= self.start
        return tuple(one.share(start[name]) if name in start else 0.5 for name, one in sides.items())

    def _stream(self, problem: Problem) -> int:
        drawn = sha256(f"{self.seed}\0tune\0{problem.id}".encode("utf-8", "replace")).digest()
        return int.from_bytes(drawn[:8], "big")

    def _sides(self) -> dict[str, Side]:
        """The range of each parameter to refine, in the order of their names."""
        allowed = self.simulator.limits()
        limits = {**(allowed or {}), **self.bounds}
        known = limits if allowed is None else allowed
        for name in (*self.only, *self.bounds):
            where = "solver.only" if name in self.only else f"solver.bounds.{name}"
            if name not in known:
                raise UsageError(where, f"the simulator has no parameter '{name}'", None, nearest(name, sorted(known)))
            low, high = known[name]
            if not low <= limits[name][0] <= limits[name][1] <= high:
                problem = f"{limits[name][0]:g} to {limits[name][1]:g}, not within {low:g} to {high:g}"
                raise UsageError(f"solver.bounds.{name}", "is wider than the simulator's bounds", problem)
        if not limits:
            do = "write solver.bounds={NAME: [LOW, HIGH]}, or simulator.bounds"
            raise UsageError("solver.bounds", "the simulator has no bounds to search within", None, do)
        names = sorted(self.only or limits)
        for name in names:
            if not all(math.isfinite(end) for end in limits[name]):
                do = f"write solver.bounds.{name}=[LOW, HIGH], or leave it out of solver.only"
                raise UsageError("solver.bounds", f"the range of '{name}' has no end", None, do)
        return {name: side(*limits[name], self.scale) for name in names}


def _fixed(problem: Problem) -> set[str]:
    """The parameters that some example's input sets."""
    inputs = [one.input for one in (*problem.train, *problem.test)]
    return {str(name) for params in inputs if isinstance(params, Mapping) for name in params}
