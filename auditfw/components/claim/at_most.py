"""The claim that a metric is at most so much."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.claims import BoundStatement
from auditfw.kinds.registry import register


@register("claim", "at_most")
@dataclass(frozen=True)
class AtMostClaim:
    """Claims that a metric is at most `value` where a condition holds; without `where`, of all trials.

    `where` is a SQL condition over the columns of the run's `by`, `value` in the metric's unit.
    """

    value: float
    metric: str = "error_rate"
    where: str | None = None

    def __call__(self) -> BoundStatement:
        return BoundStatement(self.metric, self.where, self.value, at_most=True)
