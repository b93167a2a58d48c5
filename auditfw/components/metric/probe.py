"""Metrics of the probe: what a scorer accepts of answers that are held against other truths, or know nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from auditfw.core.records import PERCENT, Estimate, Range, Role
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.registry import register

EVERY: frozenset[Role] = frozenset({"reference", "candidate"})


def _percent(sample: LabelCounts, rate: ClusteredRate | None, why: str) -> Estimate:
    """A share of the trials drawn in percent; `why` where there is none."""
    if rate is None:
        return Estimate(None, 0, sample.counted + sample.missing, undefined=why)
    missing = sample.counted + sample.missing - rate.trials
    return Estimate(100 * rate.share, rate.trials, missing, 100 * rate.low, 100 * rate.high)


@register("metric", "luck")
@dataclass(frozen=True)
class Luck:
    """Computes the share of sampled answers accepted for the truth of the next item of their cell, in percent."""

    roles: ClassVar[frozenset[Role]] = EVERY
    range: ClassVar[Range] = PERCENT
    takes: ClassVar[type] = LabelCounts
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 2

    def __call__(self, sample: LabelCounts) -> Estimate | None:
        return None if sample.probe is None else _percent(sample, sample.probe.luck, sample.probe.why_luck)


@register("metric", "either_way")
@dataclass(frozen=True)
class EitherWay:
    """Computes the share of accepted answers that are also accepted for another truth of their cell, in percent."""

    roles: ClassVar[frozenset[Role]] = EVERY
    range: ClassVar[Range] = PERCENT
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "either way"
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 2

    def __call__(self, sample: LabelCounts) -> Estimate | None:
        if sample.probe is None:
            return None
        return _percent(sample, sample.probe.either_way, sample.probe.why_either_way)


@register("metric", "constant_accepted")
@dataclass(frozen=True)
class ConstantAccepted:
    """Computes the largest share of sampled trials on which one constant answer is accepted, in percent.

    Of empty text, all options, the most frequent truth of a cell, the question, "yes no" and a refusal; all truths
    joined do not count, for nobody can give them without knowing them.
    """

    roles: ClassVar[frozenset[Role]] = EVERY
    range: ClassVar[Range] = PERCENT
    takes: ClassVar[type] = LabelCounts
    title: ClassVar[str] = "constant accepted"
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 2

    def __call__(self, sample: LabelCounts) -> Estimate | None:
        return None if sample.probe is None else _percent(sample, sample.probe.constant, sample.probe.why)
