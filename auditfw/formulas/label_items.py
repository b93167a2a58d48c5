"""Rates, shifts and tests of one reading's labels, by item; where the source has no items each trial is its own."""

from __future__ import annotations

from auditfw.core.statistics import mcnemar_exact

from .clusters import ClusteredRate, rate_of, single_trials
from .label_counts import LabelCounts
from .shifts import ClusteredShift, ShiftSums, shift_of


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
