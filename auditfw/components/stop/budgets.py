"""The stop rule of the live loop."""

from __future__ import annotations

from auditfw.core.errors import UsageError
from auditfw.kinds.ledger import Ledger, StopBounds
from auditfw.kinds.registry import declare
from auditfw.kinds.solving import Clock

LONGEST_PAUSE = 300.0


@declare("stop", "budgets")
class Budgets(StopBounds):
    """Ends the live loop at the first success or when a budget is used up, and returns the best attempt.

    Budgets are tested before each request and hold for one problem; the remaining time limits the request's timeout.
    - `max_iterations`, `max_total_time` (seconds), `max_total_timeouts`, `max_tokens`, `max_cost`: the budgets;
    - `request_timeout`: the seconds that one request may take; `retries`: how often a failed request is repeated within
      one iteration, after `retry_delay` seconds that grow by `retry_factor`; all of this counts against the budgets;
    - `return_best_result`: false returns nothing unless all training examples are right;
    - `target_score`: below 1, an attempt that reaches it ends the loop as a success (solved only when exact);
    - `patience`: the loop ends after this many iterations without a strictly better score;
    - `ties`: which of two equally good attempts is the best;
    - `unknown_usage`: if time, tokens or cost have a budget and a reply does not report what it used: `refuse` ends the
      loop, `allow` goes on without counting it;
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
            raise UsageError("request_timeout", "expected a number above 0", 0, "write null for no limit")

    def timeout(self, ledger: Ledger) -> float | None:
        """The most seconds the next request may take: its own limit, and no more than are left."""
        left = None if self.max_total_time is None else self.max_total_time - ledger.reported_seconds
        if self.request_timeout is None or left is None:
            return left if self.request_timeout is None else self.request_timeout
        return min(self.request_timeout, left)

    def pause(self, failures: int, asked: float | None) -> float:
        """Seconds to wait after so many failures in one iteration; `asked` is what the other side asks for."""
        return min(max(self.retry_delay * self.retry_factor ** (failures - 1), asked or 0.0), LONGEST_PAUSE)
