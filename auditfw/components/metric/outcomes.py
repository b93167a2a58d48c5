"""Metrics of alignment that compare scenario by scenario: with null simulators, with noise, by medians."""

from __future__ import annotations

from auditfw.core.records import Estimate
from auditfw.formulas.outcome_columns import OutcomeCounts
from auditfw.kinds.metric_styles import metric

from .alignment import CANDIDATES, NO_REPLICATES, SCORE


@metric("above_free", CANDIDATES, better="higher", range=(-1.0, 1.0))
def above_free(sample: OutcomeCounts) -> Estimate | None:
    """Computes the score minus that of the best trivial baseline, paired by scenario, with its 95 % t interval."""
    return None if sample.above is None else sample.above()


@metric("median_relative_error", CANDIDATES, better="lower")
def median_relative_error(sample: OutcomeCounts) -> Estimate | None:
    """Computes the median distance of the outcomes relative to the intended size, on the sampled scenarios."""
    return None if sample.median_error is None else sample.median_error()


@metric("within_noise", CANDIDATES, **SCORE)
def within_noise(sample: OutcomeCounts) -> Estimate:
    """Computes the share of outcomes whose intended value is in the 95 % t interval of the mean over replicates."""
    within = sample.within
    missing = sample.matched + sample.missing - within.n
    if not within.n:
        return Estimate(None, 0, missing, undefined=NO_REPLICATES)
    return Estimate(within.mean, within.n, missing)
