"""A release over several benchmarks: is each entry within what it may lose, and what follows for all of them.

Whether a drop exceeds its bound is decided by its whole 95 % interval (non-inferiority with a margin: Piaggio and
others 2012, JAMA 308), so that a healthy candidate is not refused for noise. Numbers are in the metric's own unit,
percent as a rule.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

EntryStatus = Literal["breach", "held", "undecided", "missing", "not comparable"]
EntryTier = Literal["critical", "supporting", "advisory"]
Undecided = Literal["inconclusive", "pass", "value"]
Release = Literal["GO", "NO-GO", "INCONCLUSIVE"]

UNDECIDED: Mapping[EntryTier, Undecided] = {"critical": "inconclusive", "supporting": "value", "advisory": "pass"}
ALWAYS = 100.0
STOPS: tuple[EntryStatus, ...] = ("breach", "missing", "not comparable")


@dataclass(frozen=True)
class Limited:
    """A number with its interval and the bound that it may not exceed; an end that nobody knows is infinite."""

    value: float
    low: float
    high: float
    bound: float

    def status(self, by_value: bool = False) -> EntryStatus:
        """Breach where the lower end is above the bound, held where the upper one is at most that; or by the value."""
        if by_value:
            return "held" if self.within else "breach"
        return "breach" if self.low > self.bound else "held" if self.high <= self.bound else "undecided"

    @property
    def within(self) -> bool:
        return self.value <= self.bound


def limited_drop(change: tuple[float, float | None, float | None], bound: float, higher_better: bool = True) -> Limited:
    """What the candidate loses on the baseline, which may be up to `bound`.

    `change` is baseline less candidate, paired, with the ends of its interval (None: not known).
    """
    return _turned(change, bound, 1 if higher_better else -1)


def limited_relative(drop: Limited, baseline: float, bound: float, below: float = ALWAYS) -> Limited | None:
    """The same in percent of the baseline's value; None where that is not below `below`, and nothing is asked.

    `below` of 100 or more is always. The baseline counts as exact. Of a baseline of 0 any loss is infinitely large.
    """
    if baseline >= below and below < ALWAYS:
        return None
    value, low, high = (_percent(one, abs(baseline)) for one in (drop.value, drop.low, drop.high))
    return Limited(value, low, high, bound)


def _percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else math.copysign(math.inf, part) if part else 0.0


def limited_value(rate: tuple[float, float | None, float | None], bound: float, least: bool = True) -> Limited:
    """The candidate's own number, with the ends of its interval, that is to be at `least` the bound; or at most."""
    return _turned(rate, -bound if least else bound, -1 if least else 1)


def _turned(number: tuple[float, float | None, float | None], bound: float, sign: int) -> Limited:
    value, low, high = number
    ends = -math.inf if low is None else low, math.inf if high is None else high
    low, high = ends if sign > 0 else (-ends[1], -ends[0])
    return Limited(sign * value, low, high, bound)


@dataclass(frozen=True)
class SuiteEntry:
    """A benchmark of a suite: the tier, what is limited, and what is known beside the numbers.

    - `missing`: there is no run of it, no label table, or no such metric; `exit_code` is that of its job, if any;
    - `comparable`: False where two different things were measured;
    - `gates_failed`: a gate of the candidate did;
    - `undecided`: what an undecided entry asks for, None for what is usual in its tier;
    - `by_value`: the estimate alone decides, as in other tools;
    - `gates_open`: a gate of the candidate is inconclusive.
    """

    tier: EntryTier = "supporting"
    limits: Sequence[Limited] = ()
    missing: bool = False
    exit_code: int = 0
    comparable: bool = True
    gates_failed: bool = False
    undecided: Undecided | None = None
    by_value: bool = False
    gates_open: bool = False

    @property
    def status(self) -> EntryStatus:
        """Missing, not comparable, else the worst of its limits: breach, undecided, held."""
        if self.missing or self.exit_code >= 2:
            return "missing"
        if not self.comparable:
            return "not comparable"
        each = {one.status(self.by_value) for one in self.limits}
        if self.gates_failed or "breach" in each:
            return "breach"
        return "undecided" if self.gates_open or "undecided" in each else "held"

    @property
    def stops(self) -> bool:
        """Whether it alone makes NO-GO of the suite; advisory entries never do."""
        return self.tier != "advisory" and self.status in STOPS

    @property
    def asks(self) -> bool:
        """Whether it is undecided and asks: by `value` where an estimate is beyond its bound, or a gate open."""
        if self.tier == "advisory" or self.status != "undecided":
            return False
        rule = self.undecided or UNDECIDED[self.tier]
        return rule == "inconclusive" or (
            rule == "value" and (self.gates_open or not all(one.within for one in self.limits))
        )


def release(entries: Sequence[SuiteEntry]) -> Release:
    """NO-GO where an entry stops it, else INCONCLUSIVE where one asks for more, else GO. Raises ValueError of none."""
    if not entries:
        raise ValueError("a suite needs an entry")
    if any(one.stops for one in entries):
        return "NO-GO"
    return "INCONCLUSIVE" if any(one.asks for one in entries) else "GO"


def exit_code(entries: Sequence[SuiteEntry]) -> int:
    """0 for GO; the code of the first entry that stops the suite since its job ended with 2 or above; else 1."""
    if release(entries) == "GO":
        return 0
    return next((one.exit_code for one in entries if one.stops and one.exit_code >= 2), 1)
