"""What must be met: in how many scenarios some outcome of level must was missed, and where first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from auditfw.audits.alignment.actual import MISSING, Outcomes
from auditfw.audits.alignment.intended import Floats, KeyScores
from auditfw.core.imports import np
from auditfw.core.records import Value
from auditfw.formulas.alignment import AlignmentRule
from auditfw.formulas.clusters import ClusteredMean, clustered_sums
from auditfw.formulas.outcome_columns import ROUNDING, ROUNDING_AT_ZERO
from auditfw.kinds.scenarios import Weights

# The same outcomes under other weights of direction and magnitude: a reading for each.

Number = TypeVar("Number", int, float)
ItemTotals = dict[Value, tuple[int, float]]  # of each item: how many scores, and their sum


@dataclass
class OtherScores:
    """The scores of a batch under other weights: `combined` of each key, `overall` of each scenario."""

    combined: Sequence[Floats]
    overall: Floats


def other_rules(rule: AlignmentRule, weights: Mapping[str, Weights]) -> dict[str, AlignmentRule]:
    """The formulas under each of several weights, by name."""
    return {name: replace(rule, weights=one) for name, one in weights.items()}


def reweighted(one: KeyScores, rule: AlignmentRule) -> KeyScores:
    """A key's scores under other weights; where only a change is meant, direction stays the score."""
    combined: Any = rule.combine(one.direction, one.magnitude)
    if one.compared.change is not None:
        combined = np.where(one.compared.moves, one.direction, combined)
    return replace(one, combined=np.asarray(combined))


def totals_of(items: Sequence[Value], overall: Floats, rows: Any) -> ItemTotals:
    """The scores of the rows (None: all) added up by item; empty where scenarios have no items."""
    totals: ItemTotals = {}
    if items:
        places = range(len(overall)) if rows is None else rows.tolist()
        for i in (i for i in places if not np.isnan(overall[i])):
            n, total = totals.get(items[i], (0, 0.0))
            totals[items[i]] = n + 1, total + float(overall[i])
    return totals


def merge_totals(into: dict[Value, tuple[int, Number]], other: Mapping[Value, tuple[int, Number]]) -> None:
    """Adds the totals of another block."""
    for item, (n, total) in other.items():
        before = into.get(item, (0, 0))
        into[item] = before[0] + n, before[1] + total


def mean_over_items(items: ItemTotals) -> ClusteredMean:
    """The mean of the scores with its interval over items; there must be a score."""
    return clustered_sums([n for n, _ in items.values()], [total for _, total in items.values()])


SHOWN = 3


@dataclass(frozen=True)
class Miss:
    """One outcome that had to be met and was not; `actual` is NaN where the simulator did not give it.

    `assumed` says that it declares no tolerance, so that `audit.tolerance` is that of it; `returned` that it came.
    """

    scenario: str
    key: str
    low: float
    high: float
    actual: float
    assumed: bool = False
    returned: bool = True


@dataclass
class MustCounts:
    """Scenarios with an outcome of level must, those that missed one, and the first misses.

    `alone` counts by key the scenarios that missed one of that key only. `items` holds for each item its scenarios and
    those that missed one; it is empty where each is its own item.
    """

    scenarios: int = 0
    missed: int = 0
    first: list[Miss] = field(default_factory=list)
    items: dict[Value, tuple[int, int]] = field(default_factory=dict)
    alone: Counter[str] = field(default_factory=Counter)

    def merge(self, other: MustCounts) -> None:
        """Adds the scenarios that come after."""
        self.scenarios += other.scenarios
        self.missed += other.missed
        self.first = [*self.first, *other.first][:SHOWN]
        self.alone.update(other.alone)
        merge_totals(self.items, other.items)


@dataclass
class Requirements:
    """What must be met, counted in both ways: which of them holds is known when all scenarios have been read.

    Where some intention names its level (`named`), `every` outcome but those of level should must be met; where none
    does, those that say themselves when they are met, by a bound, a tolerance or a direction (`bounded`).
    """

    named: bool = False
    every: MustCounts = field(default_factory=MustCounts)
    bounded: MustCounts = field(default_factory=MustCounts)

    def merge(self, other: Requirements) -> None:
        """Adds the scenarios that come after."""
        self.named = self.named or other.named
        self.every.merge(other.every)
        self.bounded.merge(other.bounded)

    @property
    def counts(self) -> MustCounts:
        """Those that hold; without a scenario where nothing is required."""
        return self.every if self.named else self.bounded

    @property
    def by_bounds(self) -> bool:
        """Whether bounds alone say what must be met."""
        return not self.named and self.bounded.scenarios > 0


def must_flags(one: KeyScores, gave: Any) -> Any:
    """The scenarios in which a key is of level must: those that `gave` anything, whether or not they gave this key."""
    must = (one.codes <= MISSING) & gave
    return must if one.should is None else must & ~one.should


def must_counts(
    keys: Sequence[KeyScores], flags: Sequence[Any], met: Sequence[Any], names: Sequence[str], items: Sequence[Value]
) -> MustCounts:
    """Counts a batch; `flags` and `met` say of each key where it must be met and is, `names` names the scenarios."""
    counts = MustCounts()
    if not keys:
        return counts
    wrong = [own & ~there for own, there in zip(flags, met, strict=True)]
    must, missed = np.any(flags, axis=0), np.any(wrong, axis=0)
    counts.scenarios, counts.missed = int(must.sum()), int(missed.sum())
    once = np.sum(wrong, axis=0) == 1
    counts.alone.update({one.key: n for one, own in zip(keys, wrong, strict=True) if (n := int((own & once).sum()))})
    for i in np.flatnonzero(missed)[:SHOWN].tolist():
        key = next(one for one, own in zip(keys, wrong, strict=True) if own[i])
        change = key.compared.change is not None and bool(key.compared.change[i])
        low, high = (np.nan, np.nan) if change else (key.compared.low[i], key.compared.high[i])
        assumed = key.bounded is None or not key.bounded[i]
        returned = bool(key.codes[i] != MISSING)
        miss = Miss(names[i], key.key, float(low), float(high), float(key.compared.actual[i]), assumed, returned)
        counts.first.append(miss)
    for i in np.flatnonzero(must).tolist() if items else ():
        n, wrong_before = counts.items.get(items[i], (0, 0))
        counts.items[items[i]] = n + 1, wrong_before + int(missed[i])
    return counts


# Whether the simulator gives the same when a scenario runs again.


@dataclass(frozen=True)
class RepeatDifference:
    """An outcome that its scenario gave otherwise when it ran again; `far` says that this may change what is met.

    `apart` says that it ran in a process of its own.
    """

    scenario: str
    key: str
    first: float
    second: float
    far: bool
    apart: bool = False

    @property
    def numbers(self) -> list[float | None]:
        """Both numbers, None for one that is not finite."""
        return [number if np.isfinite(number) else None for number in (self.first, self.second)]


@dataclass(frozen=True)
class FirstRun:
    """What some scenarios gave when they ran first: outcomes by key, and the scores of those that are intended."""

    names: Sequence[str]
    outcomes: Mapping[str, Floats]
    scores: Mapping[str, KeyScores]
    tolerance: float

    def taken(self, place: int) -> FirstRun:
        """One of the scenarios alone."""
        rows = [place]
        outcomes = {key: column[rows] for key, column in self.outcomes.items()}
        scores = {key: one.taken(rows) for key, one in self.scores.items()}
        return FirstRun([self.names[place]], outcomes, scores, self.tolerance)

    def differing(self, again: Outcomes, apart: bool = False) -> list[RepeatDifference]:
        """The outcomes that came otherwise when the same scenarios ran again."""
        differences = []
        for key, first in self.outcomes.items():
            second, one = again.column(key)[0], self.scores.get(key)
            far = np.zeros(len(first), bool) if one is None else far_apart(one, second, self.tolerance)
            for i in np.flatnonzero(moved(first, second)).tolist():
                numbers = float(first[i]), float(second[i])
                differences.append(RepeatDifference(self.names[i], key, *numbers, bool(far[i]), apart))
        return differences


def moved(first: Floats, second: Floats) -> Any:
    """Where two runs differ by more than rounding."""
    return ~np.isclose(first, second, rtol=ROUNDING, atol=ROUNDING_AT_ZERO, equal_nan=True)


def far_apart(one: KeyScores, second: Floats, tolerance: float) -> Any:
    """Where two runs differ by more than half the tolerance; where there is none (a bound), one alone is met."""
    of, bounded = one.compared, False if one.bounded is None else one.bounded
    with np.errstate(all="ignore"):
        assumed = tolerance * np.maximum(np.abs(of.low), of.floor)
        room = np.where(bounded, (of.high - of.low) / 2, assumed)
        turned = of.met(tolerance, bounded) != replace(of, actual=second).met(tolerance, bounded)
        gone = np.isnan(of.actual) != np.isnan(second)
        far = np.where(np.isfinite(room), np.abs(of.actual - second) > room / 2, turned)
        return one.matched & (far | gone)
