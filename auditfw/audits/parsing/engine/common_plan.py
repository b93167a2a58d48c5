"""Several plans as one: each parser, each normalizer with its matcher, and each reading once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.core.memo import Distinct
from auditfw.kinds.capabilities import Named

from .plan import ReadingPlan


class CommonPlan:
    """One plan for all of these, and the numbers that their parsers, normalizers and readings have in it.

    A plan that is the only one stays as it is; parts of several have numbers for names.
    """

    def __init__(self, plans: Sequence[ReadingPlan]) -> None:
        parsers, ends = Distinct[Any](), Distinct[tuple[Any, Any]]()
        readings: dict[tuple[int, int], int] = {}
        if len(plans) == 1:
            [self.plan] = plans
            self.parsers, self.ends = [[*range(len(self.plan.parsers))]], [[*range(len(self.plan.normalizers))]]
            self.readings = [[*range(len(self.plan.readings))]]
            return
        self.parsers = [[parsers.number(named.part) for named in plan.parsers] for plan in plans]
        self.ends = [[ends.number(end) for end in _ends(plan)] for plan in plans]
        self.readings = [
            [readings.setdefault((own[p], theirs[n]), len(readings)) for p, n in plan.readings]
            for plan, own, theirs in zip(plans, self.parsers, self.ends, strict=True)
        ]
        self.plan = _plan(parsers, ends, list(readings))


def _ends(plan: ReadingPlan) -> list[tuple[Any, Any]]:
    """What a plan compares by: each of its normalizers with its matcher."""
    return [(named.part, plan.matcher_of(n)) for n, named in enumerate(plan.normalizers)]


def _plan(parsers: Sequence[Any], ends: Sequence[tuple[Any, Any]], readings: Sequence[tuple[int, int]]) -> ReadingPlan:
    normalizers, matchers = zip(*ends, strict=True)
    named = [tuple(Named(str(i), part) for i, part in enumerate(parts)) for parts in (parsers, normalizers, matchers)]
    return ReadingPlan(named[0], named[1], matchers[0], tuple(readings), named[2])
