"""The claim that one side is better than another."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.core.errors import UsageError
from auditfw.kinds.claims import SideStatement
from auditfw.kinds.registry import register


@register("claim", "difference")
@dataclass(frozen=True)
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
