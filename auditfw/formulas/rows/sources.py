"""Stored answers that stand nowhere in their text, letters beside another option's text, and cells at chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import Z95
from auditfw.formulas.clusters import ClusteredRate, distinct_codes, rate
from auditfw.formulas.rows.exact import two_shares

from .label_lags import Codes, Grouping, RowGroup
from .spans import Flags

LEVEL = 0.001
MOST, LOW, MANY_LOW = 0.5, 0.01, 0.05
NAMED, DISAGREE = 20, 0.2
LEAST = 10  # rows of a cell with skill
WIDER = 2.5758293035489004 / Z95  # 99 % for 95 %


def rate_by_item(flags: Flags, items: Codes) -> ClusteredRate:
    """The share of flags, by item where all rows have one."""
    if (items < 0).any():
        return rate(np.ones(len(flags), np.int64), flags.astype(np.int64))
    distinct, of = distinct_codes(items.astype(np.int64), int(items.max(initial=0)) + 1)
    return rate(np.bincount(of), np.bincount(of[flags], minlength=len(distinct)))


@dataclass(frozen=True)
class Unsourced:
    """Of a value's answers `rows` stand nowhere in the text; how many of these are right, and of its `others`."""

    value: int
    rows: NDArray[np.intp]
    share: ClusteredRate
    right: int
    labelled: int
    others: int
    others_right: int
    p: float

    @property
    def fragile(self) -> bool:
        """They are many, or right more or less often than the others."""
        return self.share.low > MANY_LOW or self.p <= LEVEL


class Answered(NamedTuple):
    """Columns of stored answers: whether one is there, whether its text holds it, its label, its item."""

    there: Flags
    sourced: Flags
    labelled: Flags
    right: Flags
    items: Codes


def unsourced(values: Codes, answered: Answered) -> list[Unsourced]:
    """By value of a column, where more than a few and at most half are so."""
    numbers = np.unique(values[answered.there])
    known = []
    for value in numbers.tolist():
        rows = np.flatnonzero(answered.there & (values == value))
        bad = ~answered.sourced[rows]
        n = int(np.count_nonzero(bad))
        if not n or n > MOST * len(rows):
            continue
        share = rate_by_item(bad, answered.items[rows])
        if share.low > LOW:
            labelled, right = answered.labelled[rows], answered.right[rows]
            n, m = (int(np.count_nonzero(labelled & flags)) for flags in (bad, ~bad))
            k, others = (int(np.count_nonzero(labelled & right & flags)) for flags in (bad, ~bad))
            p = min(1.0, len(numbers) * two_shares(k, n, others, m)) if n and m else 1.0
            known.append(Unsourced(value, rows[bad], share, k, n, m, others, p))
    return known


@dataclass(frozen=True)
class Permuted:
    """In so many of the answers of a group that name both, letter and option text are of different options."""

    group: RowGroup
    named: int
    rows: NDArray[np.intp]
    share: ClusteredRate


def permuted(letters: Codes, texts: Codes, items: Codes, columns: Sequence[Codes]) -> Permuted | None:
    """The first group in which they clearly disagree: all rows, then by value. -1: none is named, or several."""
    both = (letters >= 0) & (texts >= 0)
    for group in Grouping(both, columns):
        if len(group.rows) < NAMED:
            continue
        differ = letters[group.rows] != texts[group.rows]
        share = rate_by_item(differ, items[group.rows])
        if share.low > DISAGREE:
            return Permuted(group, len(group.rows), group.rows[differ], share)
    return None


class Skill(NamedTuple):
    """How much more often the answers of a value are right than they equal another item's truth; 99 % interval."""

    value: int
    rows: int
    share: float
    low: float
    high: float


class Answers(NamedTuple):
    """Columns of answers: the item of each, its key and that of its truth in one numbering, its label."""

    items: Codes
    keys: Codes
    truths: Codes
    right: Flags


def skills(values: Codes, answers: Answers, used: Flags) -> list[Skill]:
    """The skill of each value with rows enough. Without items the row before is the other one."""
    known = []
    for group in Grouping(used, [values]):
        if group.whole or len(group.rows) < LEAST:
            continue
        rows = group.rows
        at, own, truths = answers.keys[rows], answers.items[rows], answers.truths[rows]
        if (own < 0).any():
            of, other = np.arange(len(rows)), np.roll(truths, 1)
        else:
            distinct, of = distinct_codes(own.astype(np.int64), int(own.max()) + 1)
            first = np.zeros(len(distinct), np.intp)
            first[of[::-1]] = np.arange(len(of))[::-1]
            other = truths[first][_next(distinct)][of]
        gains = answers.right[rows].astype(np.int64) - ((at == other) & (at >= 0))
        known.append(_skill(group.value, gains, of))
    return known


def _next(items: Codes) -> NDArray[np.intp]:
    """For each of these distinct items another one: the next in an order that has nothing to do with theirs."""
    with np.errstate(over="ignore"):
        mixed = (items.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
    order = np.argsort(mixed, kind="stable")
    following = np.empty(len(items), np.intp)
    following[order] = np.roll(order, -1)
    return following


def _skill(value: int, gains: Codes, of: NDArray[np.intp]) -> Skill:
    n, mean = len(gains), float(gains.mean())
    sizes = np.bincount(of)
    residuals = np.bincount(of, gains) - mean * sizes
    count = len(sizes)
    error = math.sqrt(float(residuals @ residuals) * count / max(1, count - 1)) / n
    half = WIDER * Z95 * error
    return Skill(value, n, mean, mean - half, mean + half)


def without_skill(known: Sequence[Skill], margin: float) -> Skill | None:
    """The lowest one where it may have none while the others clearly have: truths of other rows, or chance."""
    if len(known) < 2:
        return None
    lowest = min(known, key=lambda one: one.share)
    others = [one for one in known if one is not lowest]
    # The lower ends of the others are those of 95 %.
    ends = [one.share - (one.share - one.low) / WIDER for one in others]
    usual, least = float(np.median([one.share for one in others])), float(np.median(ends))
    return lowest if lowest.low <= margin and lowest.high < usual and least > margin else None
