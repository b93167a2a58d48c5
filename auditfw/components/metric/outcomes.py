"""Metrics of alignment that compare scenario by scenario: with null simulators, with noise, by medians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from auditfw.core.records import Estimate, Range, Role, Side
from auditfw.formulas.outcome_columns import OutcomeCounts
from auditfw.kinds.registry import register

from .alignment import CANDIDATES, NO_REPLICATES, Score


@register("metric", "above_free")
@dataclass(frozen=True)
class AboveFree:
    """Computes the score minus that of the best trivial baseline, paired by scenario, with its 95 % t interval."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "higher"
    range: ClassVar[Range] = (-1.0, 1.0)

    def __call__(self, sample: OutcomeCounts) -> Estimate | None:
        return None if sample.above is None else sample.above()


@register("metric", "median_relative_error")
@dataclass(frozen=True)
class MedianRelativeError:
    """Computes the median distance of the outcomes relative to the intended size, on the sampled scenarios."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: OutcomeCounts) -> Estimate | None:
        return None if sample.median_error is None else sample.median_error()


@register("metric", "within_noise")
@dataclass(frozen=True)
class WithinNoise(Score):
    """Computes the share of outcomes whose intended value is in the 95 % t interval of the mean over replicates."""

    def __call__(self, sample: OutcomeCounts) -> Estimate:
        within = sample.within
        missing = sample.matched + sample.missing - within.n
        if not within.n:
            return Estimate(None, 0, missing, undefined=NO_REPLICATES)
        return Estimate(within.mean, within.n, missing)
