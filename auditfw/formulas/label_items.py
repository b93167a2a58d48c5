"""Intervals and tests of one reading's labels, by item where the source has items, else with each trial its own."""

from __future__ import annotations

from auditfw.core.statistics import mcnemar_exact, wilson

from .clusters import rate_of
from .label_counts import LabelCounts
from .shifts import ShiftSums


def wrong_interval(labels: LabelCounts) -> tuple[float, float]:
    """The 95 % interval of the share of wrong labels, from 0 to 1; there must be a label."""
    if labels.items is None:
        return wilson(labels.wrong, labels.counted)
    rate = rate_of(labels.items.wrong)
    return rate.low, rate.high


def blank_interval(labels: LabelCounts) -> tuple[float, float]:
    """The 95 % interval of the share of empty answers, from 0 to 1; there must be a label."""
    if labels.items is None:
        return wilson(labels.blank, labels.counted)
    rate = rate_of(labels.items.blank)
    return rate.low, rate.high


def flip_intervals(labels: LabelCounts) -> tuple[tuple[float, float], tuple[float, float]]:
    """The 95 % intervals of the shares of labels changed to right and to wrong; there must be a pair."""
    if labels.items is None:
        return wilson(labels.to_true, labels.paired), wilson(labels.to_false, labels.paired)
    up, down = rate_of(labels.items.to_true), rate_of(labels.items.to_false)
    return (up.low, up.high), (down.low, down.high)


def effects(labels: LabelCounts) -> tuple[float | None, float]:
    """The design effect of the share of wrong labels and its effective number of trials; there must be a label.

    The effect is None of one item, and of one label throughout.
    """
    if labels.items is None:
        return (1.0 if labels.right and labels.wrong else None), float(labels.counted)
    rate = rate_of(labels.items.wrong)
    return rate.design_effect, rate.n_eff


def shift_sums(labels: LabelCounts) -> ShiftSums:
    """What the shift against the reference needs of the items: changes to right less changes to wrong."""
    if labels.items is not None:
        return labels.items.shift
    n, up, down = labels.paired, labels.to_true, labels.to_false
    return ShiftSums(
        items=n, trials=n, total=up - down, absolute=up + down, size_squares=n, squares=up + down, cross=up - down,
        changed=up + down,
    )  # fmt: skip


def flip_test(labels: LabelCounts) -> float:
    """The exact two-sided p-value of the changes: McNemar's, or by item that of all signs of the items' sums."""
    return mcnemar_exact(labels.to_true, labels.to_false) if labels.items is None else labels.items.flips.p
