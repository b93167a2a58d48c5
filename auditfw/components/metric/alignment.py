"""Metrics of alignment: how near actual outcomes come to intended ones, by key, over all and scenario by scenario."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from auditfw.core.errors import UsageError
from auditfw.core.records import SHARE, Estimate, Range, Role
from auditfw.core.statistics import Moments, Ratio
from auditfw.formulas.outcome_columns import OutcomeColumn, OutcomeCounts
from auditfw.kinds.metric_styles import Declared, metric

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CANDIDATES: frozenset[Role] = frozenset({"candidate"})
SCORE: Declared = {"takes": OutcomeCounts, "better": "higher", "range": SHARE}  # a mean of scores, or a share
NO_SCENARIO, NO_REPLICATES = "no scenario has a score", "needs audit.replicates of 2 or more"


def _mean(moments: Moments | Ratio, missing: int, why: str, low: float = 0.0, high: float = 1.0) -> Estimate:
    if not moments.n:
        return Estimate(None, 0, missing, undefined=why)
    ends = moments.interval(low, high) or (None, None)
    return Estimate(moments.mean, moments.n, missing, *ends)


def _of_key(sample: OutcomeCounts, moments: Moments | Ratio) -> Estimate | None:
    return None if sample.key is None else _mean(moments, sample.missing, sample.why_empty)


def _over_scenarios(sample: OutcomeCounts, number: Callable[[Moments], float]) -> Estimate | None:
    """A number made from the overall scores of the scenarios that have one."""
    if sample.key is not None:
        return None
    moments, missing = sample.overall, sample.scenarios - sample.overall.n
    if not moments.n:
        return Estimate(None, 0, missing, undefined=NO_SCENARIO)
    return Estimate(number(moments), moments.n, missing)


@metric("direction", CANDIDATES, **SCORE)
def direction(sample: OutcomeCounts) -> Estimate | None:
    """Computes a key's mean direction score, with its 95 % t interval over scenarios."""
    return _of_key(sample, sample.direction)


@metric("magnitude", CANDIDATES, **SCORE)
def magnitude(sample: OutcomeCounts) -> Estimate | None:
    """Computes a key's mean magnitude score, with its 95 % t interval over scenarios."""
    return _of_key(sample, sample.magnitude)


@metric("combined", CANDIDATES, **SCORE)
def combined(sample: OutcomeCounts) -> Estimate | None:
    """Computes a key's mean combined score, with its 95 % t interval over scenarios."""
    return _of_key(sample, sample.overall)


@metric("mean_overall", CANDIDATES, **SCORE)
def mean_overall(sample: OutcomeCounts) -> Estimate | None:
    """Computes the mean of the scenarios' overall scores, with its 95 % t interval over scenarios, or over items."""
    missing = sample.scenarios - sample.overall.n
    if sample.key is not None:
        return None
    mean = _mean(sample.overall, missing, NO_SCENARIO)
    return mean if sample.ends is None else replace(mean, low=sample.ends[0], high=sample.ends[1])


@metric("std_overall", CANDIDATES, takes=OutcomeCounts)
def std_overall(sample: OutcomeCounts) -> Estimate | None:
    """Computes the population standard deviation of the scenarios' overall scores."""
    return _over_scenarios(sample, lambda moments: moments.deviation)


@metric("min_overall", CANDIDATES, **SCORE)
def min_overall(sample: OutcomeCounts) -> Estimate | None:
    """Finds the smallest of the scenarios' overall scores."""
    return _over_scenarios(sample, lambda moments: moments.least)


@metric("max_overall", CANDIDATES, **SCORE)
def max_overall(sample: OutcomeCounts) -> Estimate | None:
    """Finds the largest of the scenarios' overall scores."""
    return _over_scenarios(sample, lambda moments: moments.largest)


@metric("mean_direction_accuracy", CANDIDATES, **SCORE)
def mean_direction_accuracy(sample: OutcomeCounts) -> Estimate | None:
    """Computes the mean direction score over all keys of all scenarios, with its 95 % t interval over scenarios."""
    return None if sample.key is not None else _mean(sample.direction, sample.missing, sample.why_empty)


@metric("mean_magnitude_accuracy", CANDIDATES, **SCORE)
def mean_magnitude_accuracy(sample: OutcomeCounts) -> Estimate | None:
    """Computes the mean magnitude score over all keys of all scenarios, with its 95 % t interval over scenarios."""
    return None if sample.key is not None else _mean(sample.magnitude, sample.missing, sample.why_empty)


@metric("n_scenarios", CANDIDATES, takes=OutcomeCounts)
def n_scenarios(sample: OutcomeCounts) -> Estimate | None:
    """Counts the scenarios, including those without outcomes."""
    missing = sample.scenarios - sample.overall.n
    return None if sample.key is not None else Estimate(float(sample.scenarios), sample.overall.n, missing)


@metric("free_overall", CANDIDATES, takes=OutcomeCounts, range=SHARE)
def free_overall(sample: OutcomeCounts) -> Estimate | None:
    """Computes the mean overall score of the best trivial baseline, a null simulator that ignores the parameters."""
    if sample.key is not None or sample.free is None:
        return None
    return Estimate(sample.free, sample.overall.n, sample.scenarios - sample.overall.n)


@metric("must_met", CANDIDATES, **SCORE)
def must_met(sample: OutcomeCounts) -> Estimate:
    """Computes the share of required outcomes (level must) met; `audit.tolerance` is for those that declare none."""
    return _met(sample, "must")


@metric("should_met", CANDIDATES, **SCORE)
def should_met(sample: OutcomeCounts) -> Estimate:
    """Computes the share of desired outcomes (level should) met; `audit.tolerance` is for those that declare none."""
    return _met(sample, "should")


def _met(sample: OutcomeCounts, level: str) -> Estimate:
    n = sample.levels.get(level, 0)
    if not n:
        return Estimate(None, 0, sample.missing, undefined=f"no outcome of level {level}")
    return Estimate(sample.levels.get(f"{level} met", 0) / n, n, sample.missing)


@metric("noise", CANDIDATES, takes=OutcomeCounts, notation="any_size")
def noise(sample: OutcomeCounts) -> Estimate | None:
    """Computes a key's standard deviation between replicates of a scenario, pooled over scenarios."""
    if sample.key is None:
        return None
    if not sample.variance.n:
        return Estimate(None, 0, sample.missing, undefined=NO_REPLICATES)
    return Estimate(math.sqrt(sample.variance.mean), sample.variance.n, sample.missing)


@metric("noise_floor", CANDIDATES, takes=OutcomeCounts)
def noise_floor(sample: OutcomeCounts) -> Estimate:
    """Computes the magnitude score lost to noise alone: the mean distance of a replicate from the replicates' mean."""
    return _mean(sample.loss, sample.missing, NO_REPLICATES)


@dataclass(frozen=True)
class Each:
    """A mean over single outcomes; keys apart, with a 95 % t interval over scenarios."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    range: ClassVar[Range] = (0.0, math.inf)
    why: ClassVar[str] = "no outcome was scored"

    def __call__(self, sample: OutcomeCounts) -> Estimate:
        moments = sample.further.get(self, Moments())
        missing = sample.matched + sample.missing - moments.n
        if not moments.n:
            return Estimate(None, 0, missing, undefined=self.why)
        ends = None if sample.key is None else moments.interval(*self.range)
        return Estimate(moments.mean, moments.n, missing, *(ends or (None, None)))

    def each(self, outcomes: OutcomeColumn) -> Floats:
        """A number for each outcome, NaN where it has none."""
        raise NotImplementedError


@metric("absolute_error", CANDIDATES, takes=OutcomeCounts, better="lower", notation="any_size")
class AbsoluteError(Each):
    """Computes the mean distance of the outcomes from what was intended, in their own units."""

    def each(self, outcomes: OutcomeColumn) -> Floats:
        return _apart(outcomes)


@metric("relative_error", CANDIDATES, takes=OutcomeCounts, better="lower")
class RelativeError(Each):
    """Computes the mean distance of the outcomes relative to the intended size; intended values of 0 are left out."""

    why: ClassVar[str] = "no outcome with an intended number other than 0"

    def each(self, outcomes: OutcomeColumn) -> Floats:
        import numpy as np

        with np.errstate(all="ignore"):
            size = np.abs(outcomes.target)
            return np.where(size > 0, _apart(outcomes) / size, np.nan)


@metric("log_ratio", CANDIDATES, takes=OutcomeCounts)
class LogRatio(Each):
    """Computes the mean absolute log10(actual / intended): 1 is a factor of ten; ratios not above 0 are left out."""

    why: ClassVar[str] = "no outcome with a ratio above 0"

    def each(self, outcomes: OutcomeColumn) -> Floats:
        import numpy as np

        with np.errstate(all="ignore"):
            ratio = outcomes.actual / outcomes.target
            return np.where(ratio > 0, np.abs(np.log10(np.where(ratio > 0, ratio, 1.0))), np.nan)


@metric("within_band", CANDIDATES, takes=OutcomeCounts, better="higher", range=SHARE)
class WithinBand(Each):
    """Computes the share of outcomes within `absolute` plus `relative` times the intended size."""

    relative: float = 0.1
    absolute: float = 0.0

    def __post_init__(self) -> None:
        for name in ("relative", "absolute"):
            if getattr(self, name) < 0:
                raise UsageError(name, "expected a number of 0 or more", getattr(self, name))

    def each(self, outcomes: OutcomeColumn) -> Floats:
        import numpy as np

        with np.errstate(all="ignore"):
            apart, room = _apart(outcomes), self.absolute + self.relative * np.abs(outcomes.target)
            return np.where(np.isfinite(apart), (apart <= room).astype(np.float64), np.nan)


@metric("one_sided", CANDIDATES, takes=OutcomeCounts, range=SHARE)
class OneSided(Each):
    """Computes the mean magnitude score if only outcomes `below`, or only those `above`, the intended value lose."""

    costs: Literal["below", "above"] = "below"

    def each(self, outcomes: OutcomeColumn) -> Floats:
        import numpy as np

        with np.errstate(all="ignore"):
            target = outcomes.target
            gap = target - outcomes.actual if self.costs == "below" else outcomes.actual - target
            score = 1.0 - np.maximum(0.0, gap) / np.maximum(np.abs(target), outcomes.floor)
            return np.where(np.isfinite(gap), np.maximum(0.0, score), np.nan)


@metric("change_direction", CANDIDATES, takes=OutcomeCounts, better="higher", range=SHARE)
class ChangeDirection(Each):
    """Computes the share of outcomes that moved in the intended direction from the baseline scenario."""

    why: ClassVar[str] = "needs audit.baseline, the label of a scenario"

    def each(self, outcomes: OutcomeColumn) -> Floats:
        return outcomes.moved_as_meant()


def _apart(outcomes: OutcomeColumn) -> Floats:
    import numpy as np

    with np.errstate(all="ignore"):
        return np.asarray(np.abs(outcomes.actual - outcomes.target))


@metric("above_free", CANDIDATES, takes=OutcomeCounts, better="higher", range=(-1.0, 1.0))
def above_free(sample: OutcomeCounts) -> Estimate | None:
    """Computes the score minus that of the best trivial baseline, paired by scenario, with its 95 % t interval."""
    return None if sample.above is None else sample.above()


@metric("median_relative_error", CANDIDATES, takes=OutcomeCounts, better="lower")
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
