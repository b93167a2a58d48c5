"""The books of a refine loop: what each attempt gave and cost, the best so far, why a loop ends; and its budgets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Literal, Protocol

from auditfw.core.errors import UsageError

from .solving import Clock

StopReason = Literal["success", "iterations", "time", "timeouts", "tokens", "cost", "patience", "error"]
Ties = Literal["latest", "earliest"]
Pick = Literal["best", "last"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What requests cost: their number, seconds with pauses, those that timed out, tokens and cost.

    `seconds`, `tokens` and `cost` are None where a reply did not report them.
    """

    requests: int = 0
    seconds: float | None = 0.0
    timeouts: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0


@dataclass(frozen=True)
class Tried:
    """One finished iteration of a loop, numbered from 1.

    `score` is the mean score over the training examples, None where nothing could be evaluated; `exact` says that all
    of them are right. `answered` is False where no request of the iteration was answered, `why` then says why.
    `misshapen` counts outputs of another shape than expected; `tests` says whether all known test outputs are right;
    `ended` is the reason why the loop ended within this iteration, between two requests.
    """

    number: int
    score: float | None
    exact: bool
    spent: Spent
    answered: bool = True
    program: str = ""
    feedback: str = ""
    why: str = ""
    misshapen: int = 0
    tests: bool | None = None
    ended: StopReason | None = None


@dataclass(frozen=True)
class Ledger:
    """The finished iterations of a loop, and what the one under way has spent so far (`open`)."""

    tried: Sequence[Tried] = ()
    open: Spent = Spent()

    @cached_property
    def _all(self) -> list[Spent]:
        return [*(one.spent for one in self.tried), self.open]

    @property
    def iterations(self) -> int:
        """Finished iterations."""
        return len(self.tried)

    @cached_property
    def requests(self) -> int:
        """Requests sent, failed ones too."""
        return sum(spent.requests for spent in self._all)

    @cached_property
    def reported_seconds(self) -> float:
        """Seconds that are known to be spent, pauses and failed requests too; summed exactly and rounded once."""
        return math.fsum(spent.seconds or 0.0 for spent in self._all)

    @cached_property
    def seconds(self) -> float | None:
        """Seconds spent; None where a reply did not report them."""
        return None if any(spent.seconds is None for spent in self._all) else self.reported_seconds

    @cached_property
    def timeouts(self) -> int:
        """Requests that timed out."""
        return sum(spent.timeouts for spent in self._all)

    @cached_property
    def reported_tokens(self) -> int:
        """Tokens of the requests that reported them."""
        return sum(spent.tokens or 0 for spent in self._all)

    @cached_property
    def tokens(self) -> int | None:
        """Tokens spent; None where a request did not report it."""
        return None if any(spent.tokens is None for spent in self._all) else self.reported_tokens

    @cached_property
    def reported_cost(self) -> float:
        """Cost of the requests that reported it."""
        return math.fsum(spent.cost or 0.0 for spent in self._all)

    @cached_property
    def cost(self) -> float | None:
        """Cost in the solver's unit; None where a request did not report it."""
        return None if any(spent.cost is None for spent in self._all) else self.reported_cost

    @property
    def exact(self) -> bool:
        """Whether the last iteration got every training example right."""
        return bool(self.tried) and self.tried[-1].exact

    @cached_property
    def idle(self) -> int:
        """How many of the last iterations brought no strictly better score."""
        best, since = -1.0, 0
        for one in self.tried:
            better = one.score is not None and one.score > best
            best, since = (one.score or 0.0, 0) if better else (best, since + 1)
        return since

    def best(self, ties: Ties = "latest") -> Tried | None:
        """The stored attempt of the highest score, a score of 0 too; None where nothing was evaluated."""
        known = [(one.score, one) for one in self.tried if one.score is not None]
        if not known:
            return None
        highest = max(score for score, _ in known)
        tied = [one for score, one in known if score == highest]
        return tied[-1] if ties == "latest" else tied[0]

    def last(self) -> Tried | None:
        """The last attempt that was evaluated."""
        return next((one for one in reversed(self.tried) if one.score is not None), None)

    def first(self, n: int) -> Ledger:
        """The books as they stood after n iterations."""
        return Ledger(self.tried[:n])


class StopRule(Protocol):
    """Says of a loop's ledger why to stop before the next request, or None to go on.

    It may also declare which stored attempt is returned:

    - `pick`: the "best" or the "last";
    - `ties`: of equally good ones the "latest" or the "earliest".
    """

    def __call__(self, ledger: Ledger) -> StopReason | None: ...


class Stop(Protocol):
    """The stop rule of the live loop: its budgets, how often a failed request is repeated, what is returned.

    `timeout(ledger)` is the most seconds of the next request; `pause(failures, asked)` the seconds to wait after so
    many failures within one iteration, where the other side may ask for some. It may also declare `max_tokens`, the
    most tokens of a loop, None for any number.
    """

    max_iterations: int
    max_total_time: float | None
    request_timeout: float | None
    max_cost: float | None
    retries: int
    return_best_result: bool
    ties: Ties
    clock: Clock | None

    def timeout(self, ledger: Ledger) -> float | None: ...

    def pause(self, failures: int, asked: float | None) -> float: ...

    def __call__(self, ledger: Ledger) -> StopReason | None: ...


Unknown = Literal["refuse", "allow"]


@dataclass(frozen=True)
class StopBounds:
    """The budgets that every stop rule has; None means without bound.

    Tested in this order, before each request: what the loop was asked to reach, iterations, time, timeouts, tokens,
    cost, patience. Source: the decision flow of the self-auditing refine loop of poetiq-ai/poetiq-arc-agi-solver.
    """

    max_iterations: int | None = None
    max_total_time: float | None = None
    max_total_timeouts: int | None = None
    target_score: float = 1.0
    patience: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    unknown_usage: Unknown = "refuse"
    ties: Ties = "latest"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float) and not isinstance(value, bool) and not value >= 0:
                raise UsageError(field.name, "expected a number of 0 or more", value)
        if self.patience == 0:
            raise UsageError("patience", "expected a whole number of 1 or more", 0, "write null to switch it off")
        if not 0.0 <= self.target_score <= 1.0:
            raise UsageError("target_score", "expected a number from 0 to 1", self.target_score)

    def __call__(self, ledger: Ledger) -> StopReason | None:
        """Why to stop before the next request, or None to go on."""
        if ledger.exact or self._reached(ledger):
            return "success"
        if self.max_iterations is not None and ledger.iterations >= self.max_iterations:
            return "iterations"
        refuse = self.unknown_usage == "refuse"
        if self.max_total_time is not None and (
            ledger.reported_seconds >= self.max_total_time or (refuse and ledger.seconds is None)
        ):
            return "time"
        # A budget of 0 timeouts lets a loop without any timeout run, as the reference does.
        if self.max_total_timeouts is not None and ledger.timeouts >= max(1, self.max_total_timeouts):
            return "timeouts"
        return self._spent(ledger) or self._stuck(ledger)

    def _reached(self, ledger: Ledger) -> bool:
        last = ledger.tried[-1].score if ledger.tried else None
        return self.target_score < 1.0 and last is not None and last >= self.target_score

    def _spent(self, ledger: Ledger) -> StopReason | None:
        refuse = self.unknown_usage == "refuse"
        if self.max_tokens is not None and (
            ledger.reported_tokens >= self.max_tokens or (refuse and ledger.tokens is None)
        ):
            return "tokens"
        if self.max_cost is not None and (ledger.reported_cost >= self.max_cost or (refuse and ledger.cost is None)):
            return "cost"
        return None

    def _stuck(self, ledger: Ledger) -> StopReason | None:
        return "patience" if self.patience is not None and ledger.idle >= self.patience else None
