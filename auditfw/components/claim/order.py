"""The claim that the values of a column have an order."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.claims import OrderStatement
from auditfw.kinds.registry import register


@register("claim", "order")
@dataclass(frozen=True)
class OrderClaim:
    """Claims that the values of a column of the run's `by` keep their order: all pairs of them are compared."""

    of: str
    metric: str = "error_rate"

    def __call__(self) -> OrderStatement:
        return OrderStatement(self.metric, self.of)
