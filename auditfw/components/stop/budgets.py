"""Stop rules: when a refine loop ends. One is live, others are replayed on the attempts it stored."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from auditfw.core.errors import UsageError
from auditfw.kinds.ledger import Ledger, Pick, StopReason, Ties
from auditfw.kinds.registry import register
from auditfw.kinds.solving import Clock

LONGEST_PAUSE = 300.0
Unknown = Literal["refuse", "allow"]


@dataclass(frozen=True)
class Bounds:
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
                raise UsageError(field.name, "must not be negative", value)
        if self.patience == 0:
            raise UsageError("patience", "must be 1 or more", 0, "null switches it off")
        if not 0.0 <= self.target_score <= 1.0:
            raise UsageError("target_score", "must lie between 0 and 1", self.target_score)

    def __call__(self, ledger: Ledger) -> StopReason | None:
        """Why to stop before the next request, or None to go on."""
        if ledger.exact or self._reached(ledger):
            return "success"
        if self.max_iterations is not None and ledger.iterations >= self.max_iterations:
            return "iterations"
        if self.max_total_time is not None and ledger.seconds >= self.max_total_time:
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
            ledger.told_tokens >= self.max_tokens or (refuse and ledger.tokens is None)
        ):
            return "tokens"
        if self.max_cost is not None and (ledger.told_cost >= self.max_cost or (refuse and ledger.cost is None)):
            return "cost"
        return None

    def _stuck(self, ledger: Ledger) -> StopReason | None:
        return "patience" if self.patience is not None and ledger.idle >= self.patience else None


@register("stop", "budgets")
@dataclass(frozen=True)
class Budgets(Bounds):
    """Ends the live loop on success at once, else when a budget is used up, and returns the best attempt.

    Budgets are tested before each request and hold for one problem; the time left clamps the request's timeout.
    - `max_iterations`, `max_total_time` (seconds), `max_total_timeouts`, `max_tokens`, `max_cost`: the budgets;
    - `request_timeout`: the most seconds of one request; `retries`: how often a request that failed is repeated within
      one iteration, after `retry_delay` seconds that grow by `retry_factor`: all of it is charged;
    - `return_best_result`: false returns nothing unless all training examples are right;
    - `target_score`: below 1, an attempt that reaches it ends the loop as a success (solved it is only when exact);
    - `patience`: ends after so many iterations without a strictly better score;
    - `ties`: which of two equally good attempts is the best;
    - `unknown_usage`: what a reply without usage means under a budget of tokens or cost: stop, or go on uncounted;
    - `clock`: "work" (seconds as the solver counts them) or "wall"; null takes the solver's own.
    """

    max_iterations: int = 10
    max_total_timeouts: int | None = 15
    request_timeout: float | None = 900.0
    retries: int = 1
    retry_delay: float = 5.0
    retry_factor: float = 2.0
    return_best_result: bool = True
    clock: Clock | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.request_timeout == 0:
            raise UsageError("request_timeout", "must be more than 0", 0, "null means no limit")

    def timeout(self, ledger: Ledger) -> float | None:
        """The most seconds the next request may take: its own limit, and no more than are left."""
        left = None if self.max_total_time is None else self.max_total_time - ledger.seconds
        if self.request_timeout is None or left is None:
            return left if self.request_timeout is None else self.request_timeout
        return min(self.request_timeout, left)

    def pause(self, failures: int, asked: float | None) -> float:
        """Seconds to wait after so many failures in one iteration; `asked` is what the other side asks for."""
        return min(max(self.retry_delay * self.retry_factor ** (failures - 1), asked or 0.0), LONGEST_PAUSE)


@register("stop_rule", "limits")
@dataclass(frozen=True)
class LimitsRule(Bounds):
    """Says where a loop would have stopped under other budgets, by what was stored of its attempts.

    The budgets of the live rule, all off by default; `pick` says whether the best stored attempt is returned or the
    last. A stored attempt is whole: one that crosses a budget of time still counts.
    """

    pick: Pick = "best"
