"""Counts of right and wrong labels of one reading beside the reference: what the parsing metrics read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditfw.core.statistics import mcnemar_exact

from .clusters import ClusteredRate, rate_of, single_trials
from .shifts import ClusteredShift, ShiftSums, shift_of

if TYPE_CHECKING:
    from .best_of import BestOf
    from .budget.cells import CellTrials
    from .clusters import ItemSums
    from .people.same_answers import GradedTwice
    from .probe_rates import ProbeRates
    from .repeats.repeated import ItemRepeats
    from .sign_flips import SignFlips


@dataclass(frozen=True)
class LabelItems:
    """The labels of one reading in one cell by item: wrong ones, those without an answer, changes."""

    wrong: ItemSums
    blank: ItemSums
    to_true: ItemSums
    to_false: ItemSums
    shift: ShiftSums
    flips: SignFlips


@dataclass(frozen=True)
class Reproduction:
    """How many of the `labelled` trials do not get their stored label from the best rule; None where `why` says so."""

    missed: int | None
    labelled: int
    why: str | None = None


@dataclass(frozen=True)
class TurnedCount:
    """How many pairs of values a reading turns round, of so many that the reference resolves; `why` there is none."""

    turned: int | None
    resolved: int = 0
    why: str = ""


@dataclass(frozen=True)
class LabelCounts:
    """The labels of one reading in one cell, crossed with the reference's.

    `right` and `wrong` count the reading's own labels, `missing` the audited trials where it has none; `blank` of the
    wrong ones are empty answers. `kept_right, to_false, to_true, kept_wrong` count the trials where both have one.
    `why` is the reason where nothing can be counted. `items` is None where the source has none: each trial is its own.
    `stored` says that the labels came with the data: nobody knows of their answers. `probe` is what was seen of the
    scorer on the trials drawn, `orders` the pairs that a compared reading turns, `reproduction` how well rules give all
    stored labels, `findings` the value of each kind of finding, or why it was not looked for; all None for a cell.
    `near` is the share of answers that are right in another form and count as wrong, `false_rights` that of the right
    ones with another number; a text says why it is not known.
    `budget` are the trials of the reference by the class of each, `best` what the best of its values is worth, or why
    that is not known; `same` is how the stored labels grade the same answers; None for other readings. `repeats` are
    those of items, where a metric asks for them, or why there are none.
    """

    right: int
    wrong: int
    missing: int
    blank: int
    kept_right: int
    to_false: int
    to_true: int
    kept_wrong: int
    why: str = "no trial with a label"
    why_unpaired: str = "no trial with both labels"
    items: LabelItems | None = None
    stored: bool = False
    orders: TurnedCount | None = None
    probe: ProbeRates | None = None
    reproduction: Reproduction | None = None
    findings: Mapping[str, float | str] | None = None
    near: ClusteredRate | str | None = None
    false_rights: ClusteredRate | str | None = None
    budget: CellTrials | None = None
    best: BestOf | str | None = None
    same: GradedTwice | str | None = None
    repeats: ItemRepeats | str | None = None

    @property
    def counted(self) -> int:
        return self.right + self.wrong

    @property
    def paired(self) -> int:
        return self.kept_right + self.to_false + self.to_true + self.kept_wrong

    @property
    def unpaired(self) -> int:
        return self.counted + self.missing - self.paired


def error_percent(right: int, n: int) -> float:
    """The error rate in percent, (1 - right/n) * 100, computed in exactly this order."""
    return (1 - right / n) * 100


def delta_points(pairs: LabelCounts) -> float:
    """The reading's error rate less the reference's, in percentage points, over the trials where both have a label."""
    n = pairs.paired
    alternative = error_percent(pairs.kept_right + pairs.to_true, n)
    return alternative - error_percent(pairs.kept_right + pairs.to_false, n)


# Rates, shifts and tests of one reading's labels, by item; where the source has no items each trial is its own.


def wrong_rate(labels: LabelCounts) -> ClusteredRate:
    """The share of wrong labels; there must be a label."""
    return rate_of(single_trials(labels.counted, labels.wrong) if labels.items is None else labels.items.wrong)


def blank_rate(labels: LabelCounts) -> ClusteredRate:
    """The share of empty answers; there must be a label."""
    return rate_of(single_trials(labels.counted, labels.blank) if labels.items is None else labels.items.blank)


def flip_rates(labels: LabelCounts) -> tuple[ClusteredRate, ClusteredRate]:
    """The shares of labels changed to right and to wrong; there must be a pair."""
    if labels.items is None:
        up, down = (single_trials(labels.paired, changed) for changed in (labels.to_true, labels.to_false))
        return rate_of(up), rate_of(down)
    return rate_of(labels.items.to_true), rate_of(labels.items.to_false)


def churn_percent(labels: LabelCounts) -> tuple[float, float, float]:
    """Twice the rarer of the flips to right and to wrong, in percent of the pairs, and its ends; there must be a pair.

    That many labels change without a trace in the error rate: the rarer flips, and as many the other way. The ends are
    twice the lesser of the two shares' lower ends and of their upper ends, so that the lower one is above a bound only
    where both shares are above half of it.
    """
    up, down = flip_rates(labels)
    value = 200 * min(labels.to_true, labels.to_false) / labels.paired
    return value, 200 * min(up.low, down.low), min(100.0, 200 * min(up.high, down.high))


def shift_sums(labels: LabelCounts) -> ShiftSums:
    """What the shift against the reference needs of the items: changes to right less changes to wrong."""
    if labels.items is not None:
        return labels.items.shift
    n, up, down = labels.paired, labels.to_true, labels.to_false
    return ShiftSums(
        items=n, trials=n, total=up - down, absolute=up + down, size_squares=n, squares=up + down, cross=up - down,
        changed=up + down,
    )  # fmt: skip


def shift(labels: LabelCounts) -> ClusteredShift:
    """The shift of the share of right labels against the reference; there must be a pair."""
    return shift_of(shift_sums(labels))


def error_points(low: float, high: float) -> tuple[float, float]:
    """The ends of a shift of the share of right labels as ends of one of the error rate, in percentage points."""
    return 0.0 - 100 * high, 0.0 - 100 * low


def flip_test(labels: LabelCounts) -> float:
    """The exact two-sided p-value of the changes: McNemar's, or by item that of all signs of the items' sums."""
    return mcnemar_exact(labels.to_true, labels.to_false) if labels.items is None else labels.items.flips.p
