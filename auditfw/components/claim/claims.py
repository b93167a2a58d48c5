"""Claims: that a metric is at least or at most so much, that one side is better, that values have an order."""

from __future__ import annotations

from auditfw.core.errors import UsageError
from auditfw.kinds.context import BoundStatement, OrderStatement, SideStatement
from auditfw.kinds.registry import declare


@declare("claim", "at_least")
class AtLeastClaim:
    """Claims that a metric is at least `value` where a condition holds; without `where`, of all trials.

    `where` is a SQL condition over the columns of the run's `by`, `value` in the metric's unit.
    """

    value: float
    metric: str = "error_rate"
    where: str | None = None

    def __call__(self) -> BoundStatement:
        return BoundStatement(self.metric, self.where, self.value, at_most=False)


@declare("claim", "at_most")
class AtMostClaim:
    """Claims that a metric is at most `value` where a condition holds; without `where`, of all trials.

    `where` is a SQL condition over the columns of the run's `by`, `value` in the metric's unit.
    """

    value: float
    metric: str = "error_rate"
    where: str | None = None

    def __call__(self) -> BoundStatement:
        return BoundStatement(self.metric, self.where, self.value, at_most=True)


@declare("claim", "difference")
class DifferenceClaim:
    """Claims that a metric is better where `better` holds than where `than` holds, by more than `by` in its unit.

    Both are SQL conditions over the columns of the run's `by`. A negative `by` claims only that the first is not worse
    by more than this.
    """

    better: str
    than: str
    metric: str = "error_rate"
    by: float = 0.0

    def __post_init__(self) -> None:
        if self.better.split() == self.than.split():
            raise UsageError("than", "is the same condition as better", self.than, "name two sides")

    def __call__(self) -> SideStatement:
        return SideStatement(self.metric, self.better, self.than, self.by)


@declare("claim", "order")
class OrderClaim:
    """Claims that the values of a column of the run's `by` keep their order: all pairs of them are compared."""

    of: str
    metric: str = "error_rate"

    def __call__(self) -> OrderStatement:
        return OrderStatement(self.metric, self.of)
