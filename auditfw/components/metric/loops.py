"""Metrics of refine loops: what they solved, what they spent, and what another stop rule would have saved or lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from auditfw.core.records import SHARE, Estimate, Range, Role, Side
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopCounts
from auditfw.kinds.registry import register

LABELS: frozenset[Role] = frozenset({"reference", "candidate", "baseline"})
READINGS: frozenset[Role] = frozenset({"reference", "candidate"})
CANDIDATES: frozenset[Role] = frozenset({"candidate"})


def _share(part: int, n: int, missing: int, why: str) -> Estimate:
    if n == 0:
        return Estimate(None, 0, missing, undefined=why)
    low, high = wilson(part, n)
    return Estimate(part / n, n, missing, low, high)


def _sum(sample: LoopCounts, value: float) -> Estimate:
    known = sample.counted > 0
    return Estimate(value if known else None, sample.counted, sample.missing, undefined=None if known else sample.why)


def _mean(sample: LoopCounts, total: float) -> Estimate:
    return _sum(sample, total / sample.counted if sample.counted else 0.0)


def _traced(sample: LoopCounts, value: int) -> Estimate | None:
    """A fact of the stored traces, which only the live reading has."""
    return _sum(sample, float(value)) if sample.traced else None


def _usage(sample: LoopCounts, value: float, unknown: int) -> Estimate:
    """A sum over the loops that reported it."""
    counted, missing = sample.counted - unknown, sample.missing + unknown
    why = None if counted else (sample.why if not sample.counted else "the replies do not report it")
    return Estimate(value if counted else None, counted, missing, undefined=why)


def _paired(sample: LoopCounts, value: float) -> Estimate:
    missing = sample.counted + sample.missing - sample.paired
    why = None if sample.paired else "no loop is known both for this reading and for every iteration"
    return Estimate(value if sample.paired else None, sample.paired, missing, undefined=why)


@register("metric", "solve_rate")
@dataclass(frozen=True)
class SolveRate:
    """Computes the share of problems whose training examples are all right, with its 95 % Wilson interval."""

    roles: ClassVar[frozenset[Role]] = LABELS
    better: ClassVar[Side] = "higher"
    range: ClassVar[Range] = SHARE

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _share(sample.solved, sample.counted, sample.missing, sample.why)


@register("metric", "test_rate")
@dataclass(frozen=True)
class TestRate:
    """Computes the share of problems whose test outputs are all right, where they are known and an attempt is returned.

    With its 95 % Wilson interval.
    """

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "higher"
    range: ClassVar[Range] = SHARE

    def __call__(self, sample: LoopCounts) -> Estimate:
        missing = sample.missing + sample.counted - sample.tested if sample.tested else 0
        return _share(sample.tests_right, sample.tested, missing, "no test output is known")


@register("metric", "mean_soft_score")
@dataclass(frozen=True)
class MeanSoftScore:
    """Computes the mean soft score of the returned attempts, 0 where none is returned."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "higher"
    range: ClassVar[Range] = SHARE

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _mean(sample, sample.score.value)


@register("metric", "mean_requests")
@dataclass(frozen=True)
class MeanRequests:
    """Computes the mean number of requests per problem, including failed ones."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _mean(sample, sample.requests)


@register("metric", "total_requests")
@dataclass(frozen=True)
class TotalRequests:
    """Counts the requests, including failed ones."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _sum(sample, float(sample.requests))


@register("metric", "total_attempts")
@dataclass(frozen=True)
class TotalAttempts:
    """Counts the iterations."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _sum(sample, float(sample.attempts))


@register("metric", "total_seconds")
@dataclass(frozen=True)
class TotalSeconds:
    """Sums the seconds spent on the run's clock, including pauses and failed requests, where all of them are known."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _usage(sample, sample.seconds.value, sample.seconds_unknown)


@register("metric", "longest_seconds")
@dataclass(frozen=True)
class LongestSeconds:
    """Finds the seconds of the longest loop."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _usage(sample, sample.longest, sample.seconds_unknown)


@register("metric", "saved_requests")
@dataclass(frozen=True)
class SavedRequests:
    """Counts the requests saved compared with a loop that always makes every iteration, even after a success."""

    title: ClassVar[str] = "requests fewer than run_all"
    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "higher"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _sum(sample, float(sample.base_requests - sample.requests))


@register("metric", "saved_seconds")
@dataclass(frozen=True)
class SavedSeconds:
    """Sums the seconds saved compared with a loop that makes every iteration, estimated from the mean of those made."""

    title: ClassVar[str] = "seconds fewer than run_all"
    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "higher"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _usage(sample, sample.base_seconds.value - sample.spent_seconds.value, sample.saved_unknown)


@register("metric", "regret")
@dataclass(frozen=True)
class Regret:
    """Computes the mean soft score lost compared with making every iteration and returning the best attempt."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _paired(sample, sample.regret.value / sample.paired if sample.paired else 0.0)


@register("metric", "solves_lost")
@dataclass(frozen=True)
class SolvesLost:
    """Counts the problems that this reading leaves unsolved but every iteration would have solved."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _paired(sample, float(sample.lost))


@register("metric", "timeouts")
@dataclass(frozen=True)
class Timeouts:
    """Counts the requests that timed out, judged by the type of the solver's exception."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _sum(sample, float(sample.timeouts))


@register("metric", "tokens")
@dataclass(frozen=True)
class Tokens:
    """Sums the tokens of the problems for which every reply reported them."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _usage(sample, float(sample.tokens), sample.tokens_unknown)


@register("metric", "cost")
@dataclass(frozen=True)
class CostMetric:
    """Sums the cost of the problems for which every reply reported one, in the solver's unit."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate:
        return _usage(sample, sample.cost.value, sample.cost_unknown)


@register("metric", "best_not_last")
@dataclass(frozen=True)
class BestNotLast:
    """Counts the loops whose best stored attempt is strictly better than the last one."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES

    def __call__(self, sample: LoopCounts) -> Estimate | None:
        return _traced(sample, sample.better)


@register("metric", "best_tied")
@dataclass(frozen=True)
class BestTied:
    """Counts the loops whose last attempt ties with the best one before it, so that the tie rule decides."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES

    def __call__(self, sample: LoopCounts) -> Estimate | None:
        return _traced(sample, sample.tied)


@register("metric", "wrong_shapes")
@dataclass(frozen=True)
class WrongShapes:
    """Counts the stored attempts with an output of a different shape than expected."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate | None:
        return _traced(sample, sample.misshapen)


@register("metric", "contradictions")
@dataclass(frozen=True)
class Contradictions:
    """Counts the problems whose recorded label differs from the loop's result."""

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate | None:
        if not sample.traced:
            return None
        why = None if sample.labelled else "the source has no column 'stored'"
        value = float(sample.contradicted) if sample.labelled else None
        return Estimate(value, sample.labelled, sample.counted + sample.missing - sample.labelled, undefined=why)


@register("metric", "record_differences")
@dataclass(frozen=True)
class RecordDifferences:
    """Counts the recorded scores and successes of attempts that differ from what the scoring computes.

    A score is the same within half a unit of the last digit as written.
    """

    roles: ClassVar[frozenset[Role]] = CANDIDATES
    better: ClassVar[Side] = "lower"

    def __call__(self, sample: LoopCounts) -> Estimate | None:
        if not sample.traced:
            return None
        why = None if sample.recorded else "the attempts have no recorded score or success"
        return Estimate(float(sample.disputed) if sample.recorded else None, sample.recorded, 0, undefined=why)


@register("metric", "wrong_on_tests")
@dataclass(frozen=True)
class WrongOnTests:
    """Computes the share of answers that solve training and are wrong on the tests, with its 95 % Wilson interval."""

    roles: ClassVar[frozenset[Role]] = READINGS
    better: ClassVar[Side] = "lower"
    range: ClassVar[Range] = SHARE

    def __call__(self, sample: LoopCounts) -> Estimate:
        missing = sample.solved - sample.solved_tested
        return _share(sample.solved_wrong, sample.solved_tested, missing, "no solved problem has tests that are known")
