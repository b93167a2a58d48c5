"""Metrics of refine loops: what they solved, what they spent, and what another stop rule would have saved or lost."""

from __future__ import annotations

from auditfw.core.records import SHARE, Estimate, Role
from auditfw.core.statistics import wilson
from auditfw.formulas.loop_counts import LoopCounts
from auditfw.kinds.metric_styles import metric

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


@metric("solve_rate", LABELS, takes=LoopCounts, better="higher", range=SHARE)
def solve_rate(sample: LoopCounts) -> Estimate:
    """Computes the share of problems whose training examples are all right, with its 95 % Wilson interval."""
    return _share(sample.solved, sample.counted, sample.missing, sample.why)


@metric("test_rate", READINGS, takes=LoopCounts, better="higher", range=SHARE)
def test_rate(sample: LoopCounts) -> Estimate:
    """Computes the share of problems whose test outputs are all right, where they are known and an attempt is returned.

    With its 95 % Wilson interval.
    """
    missing = sample.missing + sample.counted - sample.tested if sample.tested else 0
    return _share(sample.tests_right, sample.tested, missing, "no test output is known")


@metric("mean_soft_score", READINGS, takes=LoopCounts, better="higher", range=SHARE)
def mean_soft_score(sample: LoopCounts) -> Estimate:
    """Computes the mean soft score of the returned attempts, 0 where none is returned."""
    return _mean(sample, sample.score.value)


@metric("mean_requests", READINGS, takes=LoopCounts, better="lower")
def mean_requests(sample: LoopCounts) -> Estimate:
    """Computes the mean number of requests per problem, including failed ones."""
    return _mean(sample, sample.requests)


@metric("total_requests", READINGS, takes=LoopCounts, better="lower")
def total_requests(sample: LoopCounts) -> Estimate:
    """Counts the requests, including failed ones."""
    return _sum(sample, float(sample.requests))


@metric("total_attempts", READINGS, takes=LoopCounts, better="lower")
def total_attempts(sample: LoopCounts) -> Estimate:
    """Counts the iterations."""
    return _sum(sample, float(sample.attempts))


@metric("total_seconds", READINGS, takes=LoopCounts, better="lower")
def total_seconds(sample: LoopCounts) -> Estimate:
    """Sums the seconds spent on the run's clock, including pauses and failed requests, where all of them are known."""
    return _usage(sample, sample.seconds.value, sample.seconds_unknown)


@metric("longest_seconds", READINGS, takes=LoopCounts, better="lower")
def longest_seconds(sample: LoopCounts) -> Estimate:
    """Finds the seconds of the longest loop."""
    return _usage(sample, sample.longest, sample.seconds_unknown)


@metric("saved_requests", CANDIDATES, takes=LoopCounts, better="higher", title="requests fewer than run_all")
def saved_requests(sample: LoopCounts) -> Estimate:
    """Counts the requests saved compared with a loop that always makes every iteration, even after a success."""
    return _sum(sample, float(sample.base_requests - sample.requests))


@metric("saved_seconds", CANDIDATES, takes=LoopCounts, better="higher", title="seconds fewer than run_all")
def saved_seconds(sample: LoopCounts) -> Estimate:
    """Sums the seconds saved compared with a loop that makes every iteration, estimated from the mean of those made."""
    return _usage(sample, sample.base_seconds.value - sample.spent_seconds.value, sample.saved_unknown)


@metric("regret", CANDIDATES, takes=LoopCounts, better="lower")
def regret(sample: LoopCounts) -> Estimate:
    """Computes the mean soft score lost compared with making every iteration and returning the best attempt."""
    return _paired(sample, sample.regret.value / sample.paired if sample.paired else 0.0)


@metric("solves_lost", CANDIDATES, takes=LoopCounts, better="lower")
def solves_lost(sample: LoopCounts) -> Estimate:
    """Counts the problems that this reading leaves unsolved but every iteration would have solved."""
    return _paired(sample, float(sample.lost))


@metric("timeouts", READINGS, takes=LoopCounts, better="lower")
def timeouts(sample: LoopCounts) -> Estimate:
    """Counts the requests that timed out, judged by the type of the solver's exception."""
    return _sum(sample, float(sample.timeouts))


@metric("tokens", READINGS, takes=LoopCounts, better="lower")
def tokens(sample: LoopCounts) -> Estimate:
    """Sums the tokens of the problems for which every reply reported them."""
    return _usage(sample, float(sample.tokens), sample.tokens_unknown)


@metric("cost", READINGS, takes=LoopCounts, better="lower")
def cost(sample: LoopCounts) -> Estimate:
    """Sums the cost of the problems for which every reply reported one, in the solver's unit."""
    return _usage(sample, sample.cost.value, sample.cost_unknown)


@metric("best_not_last", CANDIDATES, takes=LoopCounts)
def best_not_last(sample: LoopCounts) -> Estimate | None:
    """Counts the loops whose best stored attempt is strictly better than the last one."""
    return _traced(sample, sample.better)


@metric("best_tied", CANDIDATES, takes=LoopCounts)
def best_tied(sample: LoopCounts) -> Estimate | None:
    """Counts the loops whose last attempt ties with the best one before it, so that the tie rule decides."""
    return _traced(sample, sample.tied)


@metric("wrong_shapes", CANDIDATES, takes=LoopCounts, better="lower")
def wrong_shapes(sample: LoopCounts) -> Estimate | None:
    """Counts the stored attempts with an output of a different shape than expected."""
    return _traced(sample, sample.misshapen)


@metric("contradictions", CANDIDATES, takes=LoopCounts, better="lower")
def contradictions(sample: LoopCounts) -> Estimate | None:
    """Counts the problems whose recorded label differs from the loop's result."""
    if not sample.traced:
        return None
    why = None if sample.labelled else "the source has no column 'stored'"
    value = float(sample.contradicted) if sample.labelled else None
    return Estimate(value, sample.labelled, sample.counted + sample.missing - sample.labelled, undefined=why)


@metric("wrong_on_tests", READINGS, takes=LoopCounts, better="lower", range=SHARE)
def wrong_on_tests(sample: LoopCounts) -> Estimate:
    """Computes the share of answers that solve training and are wrong on the tests, with its 95 % Wilson interval."""
    missing = sample.solved - sample.solved_tested
    return _share(sample.solved_wrong, sample.solved_tested, missing, "no solved problem has tests that are known")
