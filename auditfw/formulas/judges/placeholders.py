"""Labels by which programs say that there is none (None, nan, -1), among labels that people gave."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import wilson
from auditfw.formulas.rows.exact import tails

from .no_label import BY_PEOPLE, BY_PROGRAMS, MINUS_ONE

# The labels of raters as codes, and what each rater is held against: a reference, or what others say of an item.

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


OFTEN_WORDS = frozenset({"N/A", "error", "ERROR"})  # people choose these, too
USUAL = 0.01  # of the labels may be so
LEVEL = 0.005
LOWEST = 0.6  # standard deviations below the mean: there -1 is the lowest step of the scale
AGREED = 3.0  # standard errors beyond chance
FEWEST, LEAST = 6, 2


@dataclass(frozen=True)
class Placeholders:
    """The labels `names` are none: `n` of `total` labels, `by_rater` those of each rater, in `touched` items.

    `sure`: there are more of them than slips would make, and no sign that raters mean something by them.
    """

    names: Sequence[str]
    n: int
    total: int
    by_rater: Sequence[int]
    touched: int
    sure: bool


def placeholders(rated: RatedItems, declared: Collection[str] = ()) -> Placeholders | None:
    """The placeholders among labels that are not declared; None where there is none, or nothing else.

    Where labels are declared what people write for none is one of them, too.
    """
    counts: dict[str, int] = dict(zip(rated.names, rated.counts.sum(0).tolist(), strict=True))
    used = [name for name in rated.names if counts[name]]
    words_for_none = (*BY_PROGRAMS, *(BY_PEOPLE if declared else ()))
    none = [name for name in used if name in words_for_none and name not in declared]
    rest = [name for name in used if name not in none and name != MINUS_ONE]
    numbers = rated.numbers[[rated.names.index(name) for name in rest]]
    whole = bool(rest) and bool(np.isfinite(numbers).all())
    if MINUS_ONE in used and MINUS_ONE not in declared and rest and _odd(rated, numbers):
        none.append(MINUS_ONE)
    if not none or len(none) == len(used):
        return None
    words = not declared and not whole  # raters may mean something by them
    none = [name for name in none if not words or name not in OFTEN_WORDS] or none
    flags = np.isin(rated.codes, [rated.names.index(name) for name in none])
    n, total = sum(counts[name] for name in none), sum(counts.values())
    by_rater = flags.sum(1).tolist()
    sure = n >= LEAST and _often(rated, flags)
    if sure and words:
        sure = not (OFTEN_WORDS.issuperset(none) or _agreed(rated.codes >= 0, flags))
    return Placeholders(none, n, total, by_rater, int(flags.any(0).sum()), sure)


def _odd(rated: RatedItems, rest: NDArray[np.float64]) -> bool:
    """Whether -1 is no step of the scale of the other labels: these are words, or numbers from 0 to above 1."""
    finite = np.isfinite(rest)
    if not finite.all():
        return not finite.any()
    return len(rest) >= LEAST and float(rest.min()) >= 0 and float(rest.max()) > 1 and not _lowest(rated)


def _lowest(rated: RatedItems) -> bool:
    """Whether the others are low where a rater says -1: by their mean there, in standard deviations of all labels."""
    at, total, n = rated.names.index(MINUS_ONE), 0.0, 0
    for rater in np.flatnonzero(rated.counts[:, at]).tolist():
        others = rated.numbers_against(rater)[rated.codes[rater] == at]
        total, n = total + float(np.nansum(others)), n + int(np.isfinite(others).sum())
    counts = rated.counts.sum(0).astype(float)
    counts[at] = 0
    counts, numbers = counts[np.isfinite(rated.numbers[:-1])], rated.numbers[:-1][np.isfinite(rated.numbers[:-1])]
    mean = float(counts @ numbers / counts.sum())
    deviation = math.sqrt(float(counts @ (numbers - mean) ** 2 / counts.sum()))
    return bool(n) and total / n < mean - LOWEST * deviation


def _often(rated: RatedItems, flags: NDArray[np.bool_]) -> bool:
    """Whether they are more than USUAL of all labels, by the interval, or of those of one rater, by an exact tail.

    Of several trials of one item a rater's labels count once.
    """
    by_rater, labels = _items(rated, flags), _items(rated, rated.codes >= 0)
    p = min(tails(k, n, USUAL)[1] for k, n in zip(by_rater, labels, strict=True))
    return wilson(sum(by_rater), sum(labels))[0] > USUAL or p * len(by_rater) <= LEVEL


def _items(rated: RatedItems, flags: NDArray[np.bool_]) -> list[int]:
    """How many items of each rater are flagged."""
    if rated.groups is None:
        return [int(n) for n in flags.sum(1)]
    return [len(np.unique(rated.groups[row])) for row in flags]


def _agreed(there: NDArray[np.bool_], used: NDArray[np.bool_]) -> bool:
    """Whether raters give these labels to the same items beyond chance, over all pairs, by item."""
    labels, placed = there.sum(0), used.sum(0)
    several = labels >= 2
    if several.sum() < FEWEST:
        return False
    share = float(placed.sum() / labels.sum())
    m, s = labels[several], placed[several]
    both = s * (s - 1) / 2 - share**2 * m * (m - 1) / 2
    error = float(both.std(ddof=1)) / math.sqrt(len(both))
    return error > 0 and float(both.mean()) / error > AGREED and int(s.max()) >= 2
