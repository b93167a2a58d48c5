"""The budgets that stop rules have, live or replayed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from auditfw.core.errors import UsageError
from auditfw.kinds.ledger import Ledger, StopReason, Ties

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
