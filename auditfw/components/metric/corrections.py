"""Metrics of a judge's positive rate beside people's labels of a part of its items (`audit.truth`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from auditfw.core.records import Estimate, Range, Role
from auditfw.formulas.agreement.ratings import Judged
from auditfw.kinds.metric_styles import metric

if TYPE_CHECKING:
    from auditfw.formulas.people.judge_rates import CorrectedRates
    from auditfw.formulas.people.shares import Share

JUDGES: frozenset[Role] = frozenset({"reference", "candidate", "decision"})
PERCENT: Range = (0.0, 100.0)
NO_TRUTH = "no rater is named that labelled a part of the items: write audit.truth={rater: NAME, sampling: random}"
NO_LABEL = "it gave no label here"


def _estimate(sample: Any, made: Callable[[CorrectedRates], Estimate]) -> Estimate | None:
    """What is made of the rates of a sample; None of the rater that the others are corrected by."""
    if not isinstance(sample, Judged) or sample.candidate is None or sample.candidate == sample.truth:
        return None
    if sample.corrected is None:
        return Estimate(None, 0, undefined=NO_LABEL if sample.truth else NO_TRUTH)
    return made(sample.corrected)


def _of_people(rates: CorrectedRates, share: Share | None, why: str, cut: bool = True) -> Estimate:
    """A share in percent, cut at 0 and 100."""
    left = rates.items - rates.labels
    if share is None:
        return Estimate(None, rates.labels, left, undefined=why)
    low, high = (0.0, 100.0) if cut else (-100.0, 100.0)
    value, least, most = (min(max(100 * number, low), high) for number in (share.value, share.low, share.high))
    return Estimate(value, rates.labels, left, least, most)


@metric("positive_rate", JUDGES, takes=Judged, range=PERCENT, title="says positive", unit="%", digits=1)
def positive_rate(sample: Any) -> Estimate | None:
    """Computes on how many of its items a judge gives the positive label of `audit.truth`, in percent.

    The interval is of new items.
    """

    def made(rates: CorrectedRates) -> Estimate:
        own = rates.own
        return Estimate(100 * own.share, rates.items, 0, 100 * own.low, 100 * own.high)

    return _estimate(sample, made)


@metric("corrected_rate", JUDGES, takes=Judged, range=PERCENT, title="corrected", unit="%", digits=1)
def corrected_rate(sample: Any) -> Estimate | None:
    """Computes a judge's positive rate corrected by people's labels of a part (post-strata), in percent.

    The interval is of new items.
    """
    return _estimate(sample, lambda rates: _of_people(rates, rates.corrected, rates.why))


@metric("ppi_rate", JUDGES, takes=Judged, range=PERCENT, title="PPI++", unit="%", digits=1)
def ppi_rate(sample: Any) -> Estimate | None:
    """Computes a judge's positive rate corrected by PPI++, in percent, cut at 0 and 100."""
    return _estimate(sample, lambda rates: _of_people(rates, rates.ppi, rates.why))


@metric("rogan_gladen_rate", JUDGES, takes=Judged, range=PERCENT, title="Rogan-Gladen", unit="%", digits=1)
def rogan_gladen_rate(sample: Any) -> Estimate | None:
    """Computes a judge's positive rate by its sensitivity and specificity (Rogan-Gladen), in percent.

    It is cut at 0 and 100, and undefined where the judge does not tell.
    """
    return _estimate(sample, lambda rates: _of_people(rates, rates.rogan_gladen, rates.why_no_rogan_gladen))


@metric(
    "judge_off_pp", JUDGES, takes=Judged, range=(-100.0, 100.0), title="off", unit="pp", digits=1, notation="signed"
)
def judge_off_pp(sample: Any) -> Estimate | None:
    """Computes a judge's positive rate less the corrected one of these items, in percentage points."""
    return _estimate(sample, lambda rates: _of_people(rates, rates.off, rates.why, cut=False))


@metric("label_worth", JUDGES, takes=Judged, better="higher", title="a label is worth", unit="×", digits=2)
def label_worth(sample: Any) -> Estimate | None:
    """Computes of how many labels of people one is worth at most, by what the judge says of all its items."""

    def made(rates: CorrectedRates) -> Estimate:
        left = rates.items - rates.labels
        why = rates.why_no_worth
        return Estimate(rates.worth, rates.labels, left, undefined=why if rates.worth is None else None)

    return _estimate(sample, made)
