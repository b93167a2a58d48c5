"""Metrics of the probe: what a scorer accepts of answers that are held against other truths, or know nothing."""

from __future__ import annotations

from auditfw.core.records import PERCENT, Estimate, Role
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.metric_styles import metric

EVERY: frozenset[Role] = frozenset({"reference", "candidate"})


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
