"""The labels of raters as codes, and what each rater is held against: a reference, or what others say of an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .no_label import BY_PROGRAMS

Codes = NDArray[Any]
Numbers = NDArray[np.float64]
NONE = -1
LARGEST = 1e100  # whose square is a number, too
MOSTLY = 0.95  # of the labels are numbers where all are taken for numbers


@dataclass(frozen=True)
class RatedItems:
    """Labels of raters for items: `codes` (raters × items) are places in `names`, NONE where there is no label.

    Items are in the order of the source. `reference` is the place of the rater that the others are held against; None:
    each is held against what most of the others say. `groups` are numbers of what the items are trials of, None where
    each is its own; `values` are the labels as numbers, NaN for one that is none, None: as they are written.
    """

    names: Sequence[str]
    codes: Codes
    reference: int | None = None
    groups: Codes | None = None
    values: Sequence[float] | None = None

    @cached_property
    def numbers(self) -> Numbers:
        """The names as numbers, and behind the last NaN for NONE; NaN for every name that is no finite number."""
        values = map(_number, self.names) if self.values is None else self.values
        return np.array([*values, np.nan])

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often each rater gives each label, raters × labels."""
        k = len(self.names)
        return np.array([np.bincount(row + 1, minlength=k + 1)[1:] for row in self.codes]).reshape(len(self.codes), k)

    @cached_property
    def numeric(self) -> bool:
        """Whether the labels are numbers, but for a few, and for the words of programs."""
        own = np.array([name not in BY_PROGRAMS for name in self.names], bool)
        counts, finite = self.counts.sum(0), np.isfinite(self.numbers[:-1])
        return bool(counts[own].sum() and counts[own & finite].sum() >= MOSTLY * counts[own].sum())

    @cached_property
    def candidates(self) -> Sequence[int]:
        """The raters that are looked at: all but the reference; of two without a reference the second."""
        if self.reference is None and len(self.codes) == 2:
            return [1]
        return [rater for rater in range(len(self.codes)) if rater != self.reference]

    def against(self, rater: int) -> Codes:
        """The codes that a rater is held against: the reference's, else the label of most others; a tie is NONE."""
        alone = self._alone(rater)
        if alone is not None:
            return alone
        items, own = np.arange(self.codes.shape[1]), self.codes[rater]
        counts = self._counts.copy()
        counts[own, items] -= 1  # the last row is that of NONE
        most = counts[:-1].max(0)
        single = (most > 0) & ((counts[:-1] == most).sum(0) == 1)
        return np.where(single, counts[:-1].argmax(0), NONE)

    def numbers_against(self, rater: int) -> Numbers:
        """The same of numbers, where the rater gives one: the reference's, else the lower median of the others'."""
        alone = self._alone(rater)
        if alone is not None:
            return np.asarray(self.numbers[alone])
        below, above = self._middle
        return np.where(self.numbers[self.codes[rater]] <= below, above, below)

    def _alone(self, rater: int) -> Codes | None:
        """The labels of the one rater that it is held against, None where there are several."""
        if self.reference is not None:
            return np.asarray(self.codes[self.reference])
        return np.asarray(self.codes[1 - rater]) if len(self.codes) == 2 else None

    @cached_property
    def _counts(self) -> Codes:
        """How many raters give an item each label, labels × items, and in a last row none."""
        return np.stack([(self.codes == label).sum(0, dtype=np.int32) for label in (*range(len(self.names)), NONE)])

    @cached_property
    def _middle(self) -> tuple[Numbers, Numbers]:
        """Of each item the two numbers of which the one or the other is the lower median without one rater's."""
        ordered = np.sort(self.numbers[self.codes], 0)  # NaN last
        there = np.isfinite(ordered).sum(0)
        at, items = np.maximum(0, there - 2) // 2, np.arange(ordered.shape[1])
        below, above = ordered[at, items], ordered[np.minimum(at + 1, len(ordered) - 1), items]
        return np.where(there > 1, below, np.nan), np.where(there > 1, above, np.nan)


def _number(name: str) -> float:
    try:
        value = float(name)
    except ValueError:
        return np.nan
    return value if abs(value) <= LARGEST else np.nan
