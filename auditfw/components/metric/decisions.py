"""Metrics of arbitration: what a policy would ship, and which agreements it overrules."""

from __future__ import annotations

from typing import Any

from auditfw.core.records import SHARE, Estimate
from auditfw.core.statistics import wilson
from auditfw.formulas.agreement.ratings import MISSING, Judged
from auditfw.kinds.metric_styles import metric


@metric("shipped_rate", frozenset({"decision"}), range=SHARE)
def shipped_rate(sample: Any) -> Estimate | None:
    """Computes the share of decided items whose final label is acceptable, with its 95 % Wilson interval."""
    if not isinstance(sample, Judged) or sample.candidate is None:
        return None
    ratings, place = sample.ratings, sample.ratings.column(sample.candidate)
    codes = {i for i, label in enumerate(ratings.labels) if label in sample.acceptable}
    if not sample.counted:
        return Estimate(None, 0, sample.missing, undefined="no item was decided")
    if "acceptable" in sample.unfit:
        return Estimate(None, sample.counted, sample.missing, undefined=sample.unfit["acceptable"])
    shipped = sum(n for pattern, n in ratings.items() if pattern[place] in codes)
    low, high = wilson(shipped, sample.counted)
    return Estimate(shipped / sample.counted, sample.counted, sample.missing, low, high)


@metric("overruled", frozenset({"decision"}))
def overruled(sample: Any) -> Estimate | None:
    """Counts the items on which all raters gave one label and the policy decided another."""
    if not isinstance(sample, Judged) or sample.candidate is None:
        return None
    ratings, place = sample.ratings, sample.ratings.column(sample.candidate)
    own = [ratings.column(rater) for rater in sample.members]
    total = 0
    for pattern, n in ratings.items():
        labels = {pattern[i] for i in own} - {MISSING}
        total += n if len(labels) == 1 and pattern[place] not in (MISSING, *labels) else 0
    return Estimate(float(total), sample.counted, sample.missing)
