"""Loops counted: the outcome of each reading of a refine loop, and the sums over many that the metrics read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditfw.core.statistics import ExactSum
from auditfw.kinds.ledger import StopReason


@dataclass(frozen=True, slots=True)
class LoopView:
    """One reading of one loop; `solved` is None where it cannot be known, and then the rest has no meaning.

    `score` is the soft score of what is returned, 0.0 where nothing is; `iteration` numbers the attempt returned.
    `measured` is False for a recorded label, which has neither score nor cost.
    """

    solved: bool | None
    score: float = 0.0
    iteration: int | None = None
    reason: StopReason | None = None
    attempts: int = 0
    requests: int = 0
    seconds: float | None = 0.0
    timeouts: int = 0
    tokens: int | None = None
    cost: float | None = None
    tests: bool | None = None
    measured: bool = True


@dataclass
class LoopCounts:
    """One reading of many loops, with what it is compared with: the loop that always makes every iteration.

    `counted` loops have a value, `missing` ones have none; `base_requests` are what the counted ones would have cost
    without any stop, `base_seconds` and `spent_seconds` what those took whose seconds are known both ways (others are
    `saved_unknown`), without any stop and as they are; `paired`, `lost` and `regret` compare with what all iterations
    would have given.
    `traced` marks the live reading, which alone has facts of the stored trace: `better` counts loops whose best attempt
    beats the last one, `tied` those whose last attempt equals an earlier best. Of solved loops whose tests are known
    (`solved_tested`) those with a wrong test are `solved_wrong`. `findings` are
    the value of each kind of finding, or why it was not looked for: of the reference, not of a cell.
    """

    measured: bool = True
    traced: bool = False
    counted: int = 0
    missing: int = 0
    solved: int = 0
    score: ExactSum = field(default_factory=ExactSum)
    attempts: int = 0
    requests: int = 0
    seconds: ExactSum = field(default_factory=ExactSum)
    seconds_unknown: int = 0
    longest: float = 0.0
    timeouts: int = 0
    tokens: int = 0
    tokens_unknown: int = 0
    cost: ExactSum = field(default_factory=ExactSum)
    cost_unknown: int = 0
    tested: int = 0
    tests_right: int = 0
    solved_tested: int = 0
    solved_wrong: int = 0
    base_requests: int = 0
    base_seconds: ExactSum = field(default_factory=ExactSum)
    spent_seconds: ExactSum = field(default_factory=ExactSum)
    saved_unknown: int = 0
    paired: int = 0
    lost: int = 0
    regret: ExactSum = field(default_factory=ExactSum)
    better: int = 0
    tied: int = 0
    misshapen: int = 0
    labelled: int = 0
    contradicted: int = 0
    why: str = "no loop with a result"
    findings: Mapping[str, float | str] | None = None

    def add(self, view: LoopView, all_of_it: LoopView, traits: Traits) -> None:
        """Counts one loop; `all_of_it` is what every iteration would have given."""
        self.measured = view.measured
        if view.solved is None:
            self.missing += 1
            return
        self.counted += 1
        self.solved += view.solved
        if traits.stored is not None:
            self.labelled += 1
            self.contradicted += traits.stored != view.solved
        if not view.measured:
            return
        self._spend(view, all_of_it)
        self.better += traits.better
        self.tied += traits.tied
        self.misshapen += traits.misshapen
        if all_of_it.solved is not None:
            self.paired += 1
            self.lost += all_of_it.solved and not view.solved
            self.regret.add(all_of_it.score - view.score)

    def _spend(self, view: LoopView, all_of_it: LoopView) -> None:
        self.score.add(view.score)
        self.attempts += view.attempts
        self.requests += view.requests
        self.seconds.add(view.seconds or 0.0)
        self.seconds_unknown += view.seconds is None
        self.longest = max(self.longest, view.seconds or 0.0)
        self.timeouts += view.timeouts
        self.tokens += view.tokens or 0
        self.tokens_unknown += view.tokens is None
        self.cost.add(view.cost or 0.0)
        self.cost_unknown += view.cost is None
        self.tested += view.tests is not None
        self.tests_right += view.tests is True
        self.solved_tested += bool(view.solved) and view.tests is not None
        self.solved_wrong += bool(view.solved) and view.tests is False
        self.base_requests += all_of_it.requests
        if view.seconds is None or all_of_it.seconds is None:
            self.saved_unknown += 1
            return
        self.spent_seconds.add(view.seconds)
        self.base_seconds.add(all_of_it.seconds)


@dataclass(frozen=True, slots=True)
class Traits:
    """Facts of one stored trace: its recorded label, how its best attempt compares with its last."""

    stored: bool | None = None
    better: bool = False
    tied: bool = False
    misshapen: int = 0


def traits(scores: Sequence[float | None], misshapen: int, stored: bool | None) -> Traits:
    """The facts of a trace from its attempts' scores, None where one could not be evaluated."""
    known = [score for score in scores if score is not None]
    last, before = (known[-1], known[:-1]) if known else (None, [])
    if last is None or not before:
        return Traits(stored, misshapen=misshapen)
    return Traits(stored, max(before) > last, max(before) == last, misshapen)
