"""Metrics of same answers that were graded more than once: how often the grades differ, and how many are wrong."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from auditfw.core.records import PERCENT, Estimate, Role
from auditfw.formulas.people.same_answers import GradedTwice
from auditfw.kinds.metric_styles import metric

GRADED: frozenset[Role] = frozenset({"reference", "candidate"})


@runtime_checkable
class Graded(Protocol):
    """A sample that knows how its rater graded the same answers, or why that is not known; None: of a cell, say."""

    @property
    def same(self) -> GradedTwice | str | None: ...


@metric("two_grades", GRADED, takes=Graded, better="lower", range=PERCENT, title="two grades", unit="%", digits=2)
def two_grades(sample: Graded) -> Estimate | None:
    """Computes the share of pairs of same answers that have two grades in percent, with its 95 % interval, by item."""
    same = sample.same
    if not isinstance(same, GradedTwice):
        return _unknown(same)
    rate, pairs = same.rate, int(same.pairs.pairs.sum())
    if rate is None:
        return Estimate(None, pairs, undefined=_few(same))
    return Estimate(100 * rate.share, pairs, 0, 100 * rate.low, 100 * rate.high)


@metric("same_pairs", GRADED, takes=Graded, better="higher", title="same pairs")
def same_pairs(sample: Graded) -> Estimate | None:
    """Counts the pairs of same answers to one question that both have a grade."""
    same = sample.same
    if not isinstance(same, GradedTwice):
        return _unknown(same)
    pairs = int(same.pairs.pairs.sum())
    return Estimate(float(pairs), pairs)


@metric(
    "grade_error", GRADED, takes=Graded, better="lower", range=(0.0, 50.0), title="wrong at least", unit="%", digits=2
)
def grade_error(sample: Graded) -> Estimate | None:
    """Computes how many grades in percent are wrong at least, by the pairs of same answers with two grades."""
    same = sample.same
    if not isinstance(same, GradedTwice):
        return _unknown(same)
    pairs = int(same.pairs.pairs.sum())
    if same.error is None:
        return Estimate(None, pairs, undefined=_few(same))
    value, low, high = (None if one is None else 100 * one for one in same.error)
    if value is None:
        return Estimate(None, pairs, undefined="more than half of the pairs have two grades")
    return Estimate(value, pairs, 0, low, high)


@metric("favoured", GRADED, takes=Graded, better="lower")
def favoured(sample: Graded) -> Estimate | None:
    """Counts the values of columns that were preferred, or the contrary, among same answers with two grades."""
    same = sample.same
    if not isinstance(same, GradedTwice):
        return _unknown(same)
    pairs = int(same.pairs.pairs.sum())
    if same.favoured is None:
        return Estimate(None, pairs, undefined="no column of by has 2 to 50 values, or the labels are of a rule")
    return Estimate(float(same.favoured), pairs)


def _unknown(why: str | None) -> Estimate | None:
    return None if why is None else Estimate(None, 0, undefined=why)


def _few(same: GradedTwice) -> str:
    return f"fewer than {same.least:,} pairs of same answers"
