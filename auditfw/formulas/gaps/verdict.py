"""What follows of a gap and its parts: rules and their status, which parts are named first, and whether they cancel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from auditfw.formulas.clusters import ClusteredRate

from .intervals import Gap, GapPart

GapStatus = Literal["broken", "fragile", "unknown", "stable"]
LEAST_MOVED = 0.005  # of a gap that is turned
LEAST_ITEMS = 20
CANCELS = 2  # times the gap is the largest part


@dataclass(frozen=True)
class GapBounds:
    """Where the rules fire, shares: `compare.truths`, `compare.scoring`, `compare.difference`, `audit.precision`."""

    truths: float = 0.01
    scoring: float = 0.1
    difference: float = 0.02
    precision: float = 0.03


@dataclass(frozen=True)
class GapRule:
    """A rule that was tried: its number with its interval (shares, or items), the bound, and whether it fired."""

    name: str
    status: GapStatus
    value: float | None
    low: float | None
    high: float | None
    bound: float
    fired: bool


@dataclass(frozen=True)
class Conditions:
    """What is known beside the gap: the rates over common items, and whether prompts and rules are recorded.

    `truths`: of items with another truth; `scoring`: of trials that the two rules label differently (as
    `TwoLogs.rules_differ`); each None where it cannot be known.
    """

    truths: ClusteredRate | None
    scoring: ClusteredRate | None
    recorded: bool = True


def gap_rules(gap: Gap, conditions: Conditions, bounds: GapBounds | None = None) -> list[GapRule]:
    """All rules, the gravest first: `status_of` is the status of the first that fired."""
    at = bounds or GapBounds()
    moved, rest = gap.moved, gap.parts["rest"]
    beyond = moved.direction != 0 and moved.value is not None
    size = abs(moved.value or 0.0)
    turned = gap.gap.direction not in (0, rest.direction)
    numbers = moved.value, moved.low, moved.high
    return [
        _rate_rule("truths_differ", conditions.truths, at.truths),
        _rate_rule("rules_differ", conditions.scoring, at.scoring),
        GapRule("gap_turned", "fragile", *numbers, LEAST_MOVED, beyond and size >= LEAST_MOVED and turned),
        GapRule("gap_moved", "fragile", *numbers, at.precision, beyond and size >= at.precision),
        GapRule("not_recorded", "unknown", None, None, None, 0.0, not conditions.recorded),
        GapRule("few_items", "unknown", gap.common, None, None, LEAST_ITEMS, gap.common < LEAST_ITEMS),
        GapRule("rest_open", "unknown", rest.value, rest.low, rest.high, at.difference, _open(rest, at.difference)),
    ]


def status_of(rules: Sequence[GapRule]) -> GapStatus:
    """The status of the first rule that fired, `stable` without one."""
    return next((rule.status for rule in rules if rule.fired), "stable")


def _rate_rule(name: str, of: ClusteredRate | None, bound: float) -> GapRule:
    """A rule on the lower end of a rate."""
    if of is None:
        return GapRule(name, "broken", None, None, None, bound, False)
    return GapRule(name, "broken", of.share, of.low, of.high, bound, of.low > bound)


def _open(rest: GapPart, difference: float) -> bool:
    """Whether an interval holds 0 and reaches beyond a difference on either side of it."""
    if rest.low is None or rest.high is None:
        return rest.why != "same"
    return rest.low <= 0 <= rest.high and (rest.low < -difference or rest.high > difference)


def by_size(gap: Gap) -> list[GapPart]:
    """The parts that differ from 0, the largest first, in the order of PARTS where two are equal."""
    return sorted((part for part in gap.parts.values() if part.value), key=lambda part: -abs(part.value or 0.0))


def parts_cancel(gap: Gap) -> bool:
    """Whether the largest part exceeds twice the gap and is beyond chance."""
    largest = next(iter(by_size(gap)), None)
    if largest is None or largest.value is None or gap.gap.value is None:
        return False
    return largest.direction != 0 and abs(largest.value) > CANCELS * abs(gap.gap.value)
