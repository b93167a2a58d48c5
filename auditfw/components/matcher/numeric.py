"""The matcher that compares numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from auditfw.core.errors import UsageError
from auditfw.core.records import Refusal
from auditfw.formulas.markers import (
    first_value,
    last_number,
    mentioned,
)
from auditfw.kinds.registry import declare

NOISE = 1e-9


@declare("matcher", "numeric")
class Numeric:
    """Compares as numbers; undefined if the truth contains none.

    `which` says which number of the answer counts: the first (also a fraction), the last, or any that is mentioned,
    read so loosely that the digits of .5 count as a 5. Two numbers are equal if they differ by at most `tolerance`, or
    by at most `relative` times the truth: by default the noise of floating point, of which whole numbers have none, so
    that two of them are equal only if all their digits are.
    """

    tolerance: float = 0.0
    relative: float = NOISE
    which: Literal["first", "last", "any"] = "first"

    def __post_init__(self) -> None:
        for setting in ("tolerance", "relative"):
            if getattr(self, setting) < 0:
                raise UsageError(
                    setting, "expected a number of 0 or more", getattr(self, setting), "write 0 for exact equality"
                )

    @property
    def family(self) -> str:
        """How it compares: any number that is mentioned is the truth somewhere in the answer."""
        return "containment" if self.which == "any" else "equality"

    def __call__(self, answer: str, truth: str) -> bool | None:
        wanted = first_value(truth)
        if wanted is None:
            return None
        return any(value == wanted or self._near(value, wanted) for value in self._values(answer))

    def _near(self, value: Decimal, wanted: Decimal) -> bool:
        room = Decimal(repr(self.tolerance))
        if self.relative > NOISE or not (_is_whole(value) and _is_whole(wanted)):
            room = max(room, abs(wanted) * Decimal(repr(self.relative)))
        return abs(value - wanted) <= room

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that holds no number, None otherwise."""
        return Refusal("hold no number") if first_value(truth) is None else None

    def _values(self, answer: str) -> list[Decimal]:
        if self.which == "any":
            return list(mentioned(answer))
        value = first_value(answer if self.which == "first" else last_number(answer))
        return [] if value is None else [value]


def _is_whole(value: Decimal) -> bool:
    return value == value.to_integral_value()
