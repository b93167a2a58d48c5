"""Metrics of right and wrong labels: error rates, shifts and flips against the reference, and what a probe accepts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from auditfw.core.records import PERCENT, SHARE, Estimate, Role
from auditfw.core.statistics import benjamini_hochberg
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.label_counts import (
    LabelCounts,
    blank_rate,
    churn_percent,
    delta_points,
    error_percent,
    error_points,
    flip_test,
    shift,
    wrong_rate,
)
from auditfw.formulas.people.estimates import PeoplesEstimates
from auditfw.kinds.metric_styles import metric

EVERY: frozenset[Role] = frozenset({"reference", "candidate"})
CANDIDATES: frozenset[Role] = frozenset({"candidate"})
REFERENCE: frozenset[Role] = frozenset({"reference"})


def _own(pairs: LabelCounts, value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value, pairs.counted, pairs.missing, low, high, None if value is not None else pairs.why)


def _paired(pairs: LabelCounts, value: float | None) -> Estimate:
    why = None if value is not None else pairs.why_unpaired
    return Estimate(value, pairs.paired, pairs.unpaired, undefined=why)


@runtime_checkable
class Counted(Protocol):
    """A sample that counts its trials with a number, and those without one, and says why none has one."""

    counted: int
    missing: int
    why: str


@metric("n", EVERY, takes=Counted)
def n(sample: Counted) -> Estimate:
    """Counts the trials that have a label."""
    return Estimate(float(sample.counted), sample.counted, sample.missing)


@metric(
    "error_rate",
    EVERY,
    takes=(LabelCounts, PeoplesEstimates),
    better="lower",
    range=PERCENT,
    title="error",
    unit="%",
    digits=2,
)
def error_rate(sample: LabelCounts | PeoplesEstimates) -> Estimate | None:
    """Computes the share of wrong labels in percent, with its 95 % Wilson interval, by item.

    Of labels by people it is the share of all trials, as far as they tell; of the readings beside them that of theirs.
    """
    if isinstance(sample, PeoplesEstimates):
        return sample.by_metric.get("error_rate")
    n = sample.counted
    if n == 0:
        return _own(sample, None)
    rate = wrong_rate(sample)
    return _own(sample, error_percent(sample.right, n), 100 * rate.low, 100 * rate.high)


@metric("no_answer", EVERY, takes=LabelCounts, better="lower", range=PERCENT, title="no answer", unit="%", digits=2)
def no_answer(sample: LabelCounts) -> Estimate | None:
    """Computes the share of labelled trials for which parsing leaves an empty answer, in percent."""
    if sample.stored:
        return None
    n = sample.counted
    if n == 0:
        return _own(sample, None)
    rate = blank_rate(sample)
    return _own(sample, 100 * sample.blank / n, 100 * rate.low, 100 * rate.high)


@metric(
    "delta_pp", CANDIDATES, takes=LabelCounts, range=(-100.0, 100.0), title="Δ", unit="pp", digits=2, notation="signed"
)
def delta_pp(sample: LabelCounts) -> Estimate:
    """Computes the error rate minus the reference's, in percentage points, with its 95 % interval by item."""
    if not sample.paired:
        return _paired(sample, None)
    moved = shift(sample)
    low, high = error_points(moved.low, moved.high)
    return replace(_paired(sample, delta_points(sample)), low=low, high=high)


@metric("flips", CANDIDATES, takes=LabelCounts, title="changed labels")
def flips(sample: LabelCounts) -> Estimate:
    """Counts the labels that differ from the reference's."""
    return _paired(sample, float(sample.to_true + sample.to_false) if sample.paired else None)


@metric("flips_to_true", CANDIDATES, takes=LabelCounts, title="→ right")
def flips_to_true(sample: LabelCounts) -> Estimate:
    """Counts the labels that were wrong in the reference and are right here."""
    return _paired(sample, float(sample.to_true) if sample.paired else None)


@metric("flips_to_false", CANDIDATES, takes=LabelCounts, title="→ wrong")
def flips_to_false(sample: LabelCounts) -> Estimate:
    """Counts the labels that were right in the reference and are wrong here."""
    return _paired(sample, float(sample.to_false) if sample.paired else None)


@metric("churn", CANDIDATES, takes=LabelCounts, range=PERCENT, title="churn", unit="%", digits=2)
def churn(sample: LabelCounts) -> Estimate:
    """Computes the share of labels that change in both directions alike, in percent, which the error rate hides.

    Twice the rarer of the flips to true and to false, of the trials with both labels; with its 95 % interval by item.
    """
    if not sample.paired:
        return _paired(sample, None)
    value, low, high = churn_percent(sample)
    return replace(_paired(sample, value), low=low, high=high)


def _share(pairs: LabelCounts, rate: ClusteredRate | str | None) -> Estimate | None:
    """A share of drawn trials in percent, with its interval."""
    if rate is None:
        return None
    if isinstance(rate, str):
        return Estimate(None, 0, pairs.counted, undefined=rate)
    return Estimate(100 * rate.share, rate.trials, 0, 100 * rate.low, 100 * rate.high)


@metric(
    "near_rate",
    REFERENCE,
    takes=LabelCounts,
    keeps=("near",),
    better="lower",
    range=PERCENT,
    title="near misses",
    unit="%",
    digits=2,
)
def near_rate(sample: LabelCounts) -> Estimate | None:
    """Computes the share of answers that are right in another form and count as wrong, in percent.

    With its 95 % interval by item; of the trials drawn by audit.near.
    """
    return _share(sample, sample.near)


@metric(
    "false_rights",
    CANDIDATES,
    takes=LabelCounts,
    better="lower",
    range=PERCENT,
    title="false rights",
    unit="%",
    digits=2,
)
def false_rights(sample: LabelCounts) -> Estimate | None:
    """Computes the share of answers that a reading calls right though their last number is another one, in percent.

    Where the truths are numbers; with its 95 % interval by item, of the trials drawn by audit.near.
    """
    return _share(sample, sample.false_rights)


@metric(
    "best_of_floor",
    REFERENCE,
    takes=LabelCounts,
    better="lower",
    range=PERCENT,
    title="best by luck",
    unit="pp",
    digits=1,
)
def best_of_floor(sample: LabelCounts) -> Estimate | None:
    """Computes how far the best of several models would lie above their mean if none differed, in points.

    Of those that label the same items, three or more: audit.best says how it is drawn.
    """
    best = sample.best
    if best is None:
        return None
    if isinstance(best, str):
        return Estimate(None, 0, sample.counted, undefined=best)
    return Estimate(100 * best.gain, sample.counted, sample.missing)


@metric("mismatches", frozenset({"baseline"}), takes=LabelCounts, better="lower")
def mismatches(sample: LabelCounts) -> Estimate:
    """Counts the stored labels that the baseline does not reproduce."""
    return _paired(sample, float(sample.to_true + sample.to_false) if sample.paired else None)


@metric("unreproduced", frozenset({"baseline"}), takes=LabelCounts)
def unreproduced(sample: LabelCounts) -> Estimate | None:
    """Counts the stored labels that the best rule does not reproduce: the baseline, or the best of a search."""
    known = sample.reproduction
    if known is None:
        return None
    value = None if known.missed is None else float(known.missed)
    return Estimate(value, known.labelled, undefined=known.why)


@metric("mcnemar_p", CANDIDATES, takes=LabelCounts, range=SHARE, title="p", notation="p_value")
def mcnemar_p(sample: LabelCounts) -> Estimate:
    """Computes McNemar's exact p-value of the changed labels: small where one direction clearly prevails.

    McNemar's test; where an item has several trials, that of all signs of the items' changes.
    """
    return _paired(sample, flip_test(sample) if sample.paired else None)


@metric("mcnemar_q", CANDIDATES, takes=LabelCounts, range=SHARE, cells_only=True, title="q", notation="p_value")
class McNemarAdjusted:
    """Computes each cell's McNemar p-value, adjusted over all cells by the method of Benjamini and Hochberg."""

    def __call__(self, sample: LabelCounts) -> Estimate:
        return _paired(sample, flip_test(sample) if sample.paired else None)

    def across(self, estimates: Sequence[Estimate]) -> list[Estimate]:
        """Adjusts the p-values of all cells of a reading; cells without one stay undefined."""
        defined = [e.value for e in estimates if e.value is not None]
        adjusted = iter(benjamini_hochberg(defined))
        return [e if e.value is None else replace(e, value=next(adjusted)) for e in estimates]


@metric("turned_pairs", CANDIDATES, takes=LabelCounts, better="lower", title="reversed pairs")
def turned_pairs(sample: LabelCounts) -> Estimate | None:
    """Counts the pairs of values of a column of `by` that differ significantly in the reference and are reversed here.

    Of all columns of `by` with 2 to 50 values, and of those of claims of an order.
    """
    orders = sample.orders
    if orders is None:
        return None
    if orders.turned is None:
        return Estimate(None, orders.resolved, undefined=orders.why)
    return Estimate(float(orders.turned), orders.resolved)


@metric("design_effect", EVERY, takes=LabelCounts, title="design effect", digits=2)
def design_effect(sample: LabelCounts) -> Estimate:
    """Computes the variance of the error rate relative to that of as many independent trials; at least 1."""
    if sample.counted == 0:
        return _own(sample, None)
    effect = wrong_rate(sample).design_effect
    why = None if effect is not None else "one item, or one label throughout"
    return replace(_own(sample, effect), undefined=why)


@metric("n_eff", EVERY, takes=LabelCounts, title="effective n", digits=1)
def n_eff(sample: LabelCounts) -> Estimate:
    """Computes the number of independent trials that would estimate the error rate as precisely as these."""
    return _own(sample, wrong_rate(sample).n_eff if sample.counted else None)


def _percent(sample: LabelCounts, rate: ClusteredRate | None, why: str) -> Estimate:
    """A share of the trials drawn in percent; `why` where there is none."""
    if rate is None:
        return Estimate(None, 0, sample.counted + sample.missing, undefined=why)
    missing = sample.counted + sample.missing - rate.trials
    return Estimate(100 * rate.share, rate.trials, missing, 100 * rate.low, 100 * rate.high)


@metric("luck", EVERY, takes=LabelCounts, range=PERCENT, unit="%", digits=2)
def luck(sample: LabelCounts) -> Estimate | None:
    """Computes the share of sampled answers accepted for the truth of the next item of their cell, in percent."""
    return None if sample.probe is None else _percent(sample, sample.probe.luck, sample.probe.why_luck)


@metric("either_way", EVERY, takes=LabelCounts, range=PERCENT, title="either way", unit="%", digits=2)
def either_way(sample: LabelCounts) -> Estimate | None:
    """Computes the share of accepted answers that are also accepted for another truth of their cell, in percent."""
    if sample.probe is None:
        return None
    return _percent(sample, sample.probe.either_way, sample.probe.why_either_way)


@metric("constant_accepted", EVERY, takes=LabelCounts, range=PERCENT, title="constant accepted", unit="%", digits=2)
def constant_accepted(sample: LabelCounts) -> Estimate | None:
    """Computes the largest share of sampled trials on which one constant answer is accepted, in percent.

    Of empty text, all options, the most frequent truth of a cell, the question, "yes no" and a refusal; all truths
    joined do not count, for nobody can give them without knowing them.
    """
    return None if sample.probe is None else _percent(sample, sample.probe.constant, sample.probe.why)
