"""The matcher that compares numbers."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from auditfw.core.errors import UsageError
from auditfw.core.records import Refusal
from auditfw.formulas.markers import (
    first_value,
    last_number,
    mentioned,
)
from auditfw.kinds.registry import register


@register("matcher", "numeric")
@dataclass(frozen=True)
class Numeric:
    """Compares as numbers; undefined if the truth contains none.

    `which` says which number of the answer counts: the first (also a fraction), the last, or any that is mentioned,
    read so loosely that the digits of .5 count as a 5. Two numbers are equal if they differ by at most `tolerance`, or
    by at most `relative` times the truth.
    """

    tolerance: float = 0.0
    relative: float = 0.0
    which: Literal["first", "last", "any"] = "first"

    def __post_init__(self) -> None:
        for setting in ("tolerance", "relative"):
            if getattr(self, setting) < 0:
                raise UsageError(
                    setting, "expected a number of 0 or more", getattr(self, setting), "write 0 for exact equality"
                )

    def __call__(self, answer: str, truth: str) -> bool | None:
        wanted = first_value(truth)
        if wanted is None:
            return None
        room = max(Decimal(repr(self.tolerance)), abs(wanted) * Decimal(repr(self.relative)))
        return any(value == wanted or abs(value - wanted) <= room for value in self._values(answer))

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that holds no number, None otherwise."""
        return Refusal("hold no number") if first_value(truth) is None else None

    def _values(self, answer: str) -> list[Decimal]:
        if self.which == "any":
            return list(mentioned(answer))
        value = first_value(answer if self.which == "first" else last_number(answer))
        return [] if value is None else [value]
