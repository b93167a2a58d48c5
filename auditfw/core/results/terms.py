"""The numbers of gates as data: a bound with its side, and what a gate of several numbers looks at."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

BoundSide = Literal["min", "max", "between"]
Bound = float | tuple[float, float] | None


@dataclass(frozen=True)
class GateTerm:
    """One of the numbers that a gate without a metric of its own looks at, with its bound where it has one.

    Of a gate on the answer it is a rule that decided: `metric` is the rule's name.
    """

    metric: str
    reading: str | None
    bound: Bound = None
    side: BoundSide | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None


def sided(low: float | None, high: float | None) -> tuple[Bound, BoundSide | None]:
    """A bound and its side, of the least and the largest number that is allowed."""
    low, high = (end if end is not None and isfinite(end) else None for end in (low, high))
    if low is not None and high is not None:
        return (low, high), "between"
    return (low, "min") if low is not None else (high, None if high is None else "max")
