"""Metrics of right and wrong labels: error rates, shifts and flips against the reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from auditfw.core.records import PERCENT, SHARE, Estimate, Notation, Range, Role, Side
from auditfw.core.statistics import benjamini_hochberg
from auditfw.formulas.label_counts import LabelCounts, delta_points, error_percent
from auditfw.formulas.label_items import blank_rate, churn_percent, error_points, flip_test, shift, wrong_rate
from auditfw.kinds.registry import register

EVERY: frozenset[Role] = frozenset({"reference", "candidate"})
CANDIDATES: frozenset[Role] = frozenset({"candidate"})


def _own(pairs: LabelCounts, value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value, pairs.counted, pairs.missing, low, high, None if value is not None else pairs.why)


def _paired(pairs: LabelCounts, value: float | None) -> Estimate:
    why = None if value is not None else pairs.why_unpaired
    return Estimate(value, pairs.paired, pairs.unpaired, undefined=why)


@register("metric", "n")
@dataclass(frozen=True)
class Count:
    """Counts the trials that have a label."""

    roles: ClassVar[frozenset[Role]] = EVERY

    def __call__(self, sample: Any) -> Estimate:
        return _own(sample, float(sample.counted))


@register("metric", "error_rate")
@dataclass(frozen=True)
class ErrorRate:
    """Computes the share of wrong labels in percent, with its 95 % Wilson interval, by item."""

    roles: ClassVar[frozenset[Role]] = EVERY
    better: ClassVar[Side] = "lower"
    range: ClassVar[Range] = PERCENT
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "error"
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 2

    def __call__(self, sample: LabelCounts) -> Estimate:
        n = sample.counted
        if n == 0:
            return _own(sample, None)
        rate = wrong_rate(sample)
        return _own(sample, error_percent(sample.right, n), 100 * rate.low, 100 * rate.high)


@register("metric", "no_answer")
@dataclass(frozen=True)
class NoAnswer:
    """Computes the share of labelled trials for which parsing leaves an empty answer, in percent."""

    roles: ClassVar[frozenset[Role]] = EVERY
    better: ClassVar[Side] = "lower"
    range: ClassVar[Range] = PERCENT
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "no answer"
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 2

    def __call__(self, sample: LabelCounts) -> Estimate | None:
        if sample.stored:
            return None
        n = sample.counted
        if n == 0:
            return _own(sample, None)
        rate = blank_rate(sample)
        return _own(sample, 100 * sample.blank / n, 100 * rate.low, 100 * rate.high)


@register("metric", "delta_pp")
@dataclass(frozen=True)
class Delta:
    """Computes the error rate minus the reference's, in percentage points, with its 95 % interval by item."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    range: ClassVar[Range] = (-100.0, 100.0)
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "Δ"
    unit: ClassVar[str] = "pp"
    digits: ClassVar[int] = 2
    notation: ClassVar[Notation] = "signed"

    def __call__(self, sample: LabelCounts) -> Estimate:
        if not sample.paired:
            return _paired(sample, None)
        moved = shift(sample)
        low, high = error_points(moved.low, moved.high)
        return replace(_paired(sample, delta_points(sample)), low=low, high=high)


@register("metric", "flips")
@dataclass(frozen=True)
class FlipsMetric:
    """Counts the labels that differ from the reference's."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "changed labels"

    def __call__(self, sample: LabelCounts) -> Estimate:
        return _paired(sample, float(sample.to_true + sample.to_false) if sample.paired else None)


@register("metric", "flips_to_true")
@dataclass(frozen=True)
class FlipsToTrue:
    """Counts the labels that were wrong in the reference and are right here."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "→ right"

    def __call__(self, sample: LabelCounts) -> Estimate:
        return _paired(sample, float(sample.to_true) if sample.paired else None)


@register("metric", "flips_to_false")
@dataclass(frozen=True)
class FlipsToFalse:
    """Counts the labels that were right in the reference and are wrong here."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "→ wrong"

    def __call__(self, sample: LabelCounts) -> Estimate:
        return _paired(sample, float(sample.to_false) if sample.paired else None)


@register("metric", "churn")
@dataclass(frozen=True)
class Churn:
    """Computes the share of labels that change in both directions alike, in percent, which the error rate hides.

    Twice the rarer of the flips to true and to false, of the trials with both labels; with its 95 % interval by item.
    """

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    range: ClassVar[Range] = PERCENT
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "churn"
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 2

    def __call__(self, sample: LabelCounts) -> Estimate:
        if not sample.paired:
            return _paired(sample, None)
        value, low, high = churn_percent(sample)
        return replace(_paired(sample, value), low=low, high=high)


@register("metric", "mismatches")
@dataclass(frozen=True)
class Mismatches:
    """Counts the stored labels that the baseline does not reproduce."""

    roles: ClassVar[frozenset[Role]] = frozenset({"baseline"})
    better: ClassVar[Side] = "lower"
    takes: ClassVar[type] = LabelCounts

    def __call__(self, sample: LabelCounts) -> Estimate:
        return _paired(sample, float(sample.to_true + sample.to_false) if sample.paired else None)


@register("metric", "unreproduced")
@dataclass(frozen=True)
class Unreproduced:
    """Counts the stored labels that the best rule does not reproduce: the baseline, or the best of a search."""

    roles: ClassVar[frozenset[Role]] = frozenset({"baseline"})
    takes: ClassVar[type] = LabelCounts

    def __call__(self, sample: LabelCounts) -> Estimate | None:
        known = sample.reproduction
        if known is None:
            return None
        value = None if known.missed is None else float(known.missed)
        return Estimate(value, known.labelled, undefined=known.why)


@register("metric", "mcnemar_p")
@dataclass(frozen=True)
class McNemar:
    """Computes McNemar's exact p-value of the changed labels: small where one direction clearly prevails.

    McNemar's test; where an item has several trials, that of all signs of the items' changes.
    """

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    range: ClassVar[Range] = SHARE
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "p"
    notation: ClassVar[Notation] = "p_value"

    def __call__(self, sample: LabelCounts) -> Estimate:
        return _paired(sample, flip_test(sample) if sample.paired else None)


@register("metric", "mcnemar_q")
@dataclass(frozen=True)
class McNemarAdjusted:
    """Computes each cell's McNemar p-value, adjusted over all cells by the method of Benjamini and Hochberg."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    range: ClassVar[Range] = SHARE
    takes: ClassVar[type] = LabelCounts
    cells_only: ClassVar[bool] = True
    title: ClassVar[str] = "q"
    notation: ClassVar[Notation] = "p_value"

    def __call__(self, sample: LabelCounts) -> Estimate:
        return McNemar()(sample)

    def across(self, estimates: Sequence[Estimate]) -> list[Estimate]:
        """Adjusts the p-values of all cells of a reading; cells without one stay undefined."""
        defined = [e.value for e in estimates if e.value is not None]
        adjusted = iter(benjamini_hochberg(defined))
        return [e if e.value is None else replace(e, value=next(adjusted)) for e in estimates]


@register("metric", "turned_pairs")
@dataclass(frozen=True)
class TurnedPairs:
    """Counts the pairs of values of a column of `by` that differ significantly in the reference and are reversed here.

    Of all columns of `by` with 2 to 50 values, and of those of claims of an order.
    """

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "lower"
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "reversed pairs"

    def __call__(self, sample: LabelCounts) -> Estimate | None:
        orders = sample.orders
        if orders is None:
            return None
        if orders.turned is None:
            return Estimate(None, orders.resolved, undefined=orders.why)
        return Estimate(float(orders.turned), orders.resolved)


@register("metric", "design_effect")
@dataclass(frozen=True)
class DesignEffect:
    """Computes the variance of the error rate relative to that of as many independent trials; at least 1."""

    roles: ClassVar[frozenset[Role]] = EVERY
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "design effect"
    digits: ClassVar[int] = 2

    def __call__(self, sample: LabelCounts) -> Estimate:
        if sample.counted == 0:
            return _own(sample, None)
        effect = wrong_rate(sample).design_effect
        why = None if effect is not None else "one item, or one label throughout"
        return replace(_own(sample, effect), undefined=why)


@register("metric", "n_eff")
@dataclass(frozen=True)
class EffectiveTrials:
    """Computes the number of independent trials that would estimate the error rate as precisely as these."""

    roles: ClassVar[frozenset[Role]] = EVERY
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "effective n"
    digits: ClassVar[int] = 1

    def __call__(self, sample: LabelCounts) -> Estimate:
        return _own(sample, wrong_rate(sample).n_eff if sample.counted else None)
