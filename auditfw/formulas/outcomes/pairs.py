"""One outcome of several scenarios: the number intended beside the number that came."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEAST = 6  # scenarios below which nothing is concluded
MOSTLY = 0.9  # the share of the scenarios in which a fault that is in all of them shows, whatever the noise
CLEAR = 0.8
VARIES, MISSES = 0.2, 0.5


@dataclass(frozen=True)
class OutcomePairs:
    """Numbers `intended` and `actual` by scenario, NaN where there is none, and the `room` about the intended one.

    All three are of shape (scenarios,), in the unit of the outcome.
    """

    intended: Floats
    actual: Floats
    room: Floats

    @property
    def has_both(self) -> Flags:
        """The scenarios that have both numbers."""
        return np.asarray(np.isfinite(self.intended) & np.isfinite(self.actual))

    @cached_property
    def complete(self) -> OutcomePairs:
        """The scenarios alone that have both numbers."""
        rows = self.has_both
        return self if rows.all() else OutcomePairs(self.intended[rows], self.actual[rows], self.room[rows])

    @cached_property
    def without_zeros(self) -> OutcomePairs:
        """The scenarios alone that have both numbers, and neither of them 0."""
        pairs = self.complete
        rows = (pairs.intended != 0) & (pairs.actual != 0)
        return pairs if rows.all() else OutcomePairs(pairs.intended[rows], pairs.actual[rows], pairs.room[rows])

    def __len__(self) -> int:
        return len(self.intended)

    @property
    def error(self) -> Floats:
        """The size of the error."""
        return np.abs(self.actual - self.intended)


def varies(intended: Floats, room: Floats) -> bool:
    """Whether no constant serves an outcome: the intended median misses in half of the scenarios.

    By more than the larger of the `room` and 20 % of the intended number. Shapes (scenarios,), NaN where no number is
    intended; the room may be NaN where none is declared.
    """
    there = np.isfinite(intended)
    numbers = intended[there]
    if len(numbers) < 2:
        return False
    allowed = np.fmax(room[there], VARIES * np.abs(numbers))
    return bool((np.abs(numbers - np.median(numbers)) > allowed).mean() >= MISSES)
