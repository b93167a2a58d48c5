"""Rows that stand twice, and values of a column whose texts are those of another value.

Keys are unsigned numbers of 64 bits: of a text, of the text without numbers, letters and answers (its mask), of a
truth, and of all else that was read of a row (`rest`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditfw.formulas.clusters import first_rows

from .label_lags import MANY, Codes
from .spans import Flags

Keys = NDArray[np.uint64]
MIX = np.uint64(0x9E3779B97F4A7C15)
TURN, BACK = np.uint64(29), np.uint64(35)
REPEATED, EQUAL = 0.9, 0.99  # shares of groups that hold several rows, and whose rows are equal
LONG = 80  # characters of a text that is a copy by itself
TRUTHS, SPREAD = 3, 0.05  # a mask under so many truths, or on such a share of the rows, is a template
RUN, LAGS = 20, 30
LEVEL = 0.001


@dataclass(frozen=True)
class Copies:
    """The numbers of the rows that stand again, each but the first; `originals` are their first ones."""

    rows: NDArray[np.intp]
    originals: NDArray[np.intp]


@dataclass(frozen=True)
class RepeatCounts:
    """How many groups of one item and one rest there are, how many hold several rows, and of how many all are equal."""

    groups: int
    several: int
    equal: int

    @property
    def undeclared(self) -> bool:
        """The rows of an item are repeats that no column numbers, and not copies."""
        return self.several >= REPEATED * self.groups and self.equal < EQUAL * self.groups


def joined(*columns: Any) -> Keys:
    """One key of several columns of keys or codes."""
    with np.errstate(over="ignore"):
        key: Keys = np.zeros(len(columns[0]), np.uint64)
        for column in columns:
            mixed: Any = ((key << TURN) | (key >> BACK)) ^ np.asarray(column).astype(np.uint64, copy=False)
            mixed *= MIX
            key = mixed ^ (mixed >> np.uint64(32))
    return key


def again(keys: Keys) -> Copies:
    """The rows whose key an earlier row has."""
    ordered = np.sort(keys)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(twice):
        none = np.zeros(0, np.intp)
        return Copies(none, none)
    at = np.minimum(np.searchsorted(twice, keys), len(twice) - 1)
    rows = np.flatnonzero(twice[at] == keys)
    firsts = np.full(len(twice), len(keys), np.intp)
    np.minimum.at(firsts, at[rows], rows)
    originals = firsts[at[rows]]
    later = originals < rows
    return Copies(rows[later], originals[later])


def repeats(items: Codes, rest: Keys, texts: Keys) -> RepeatCounts:
    """How the rows of one item and one rest go together."""
    groups, of = np.unique(joined(items, rest), return_inverse=True)
    sizes = np.bincount(of, minlength=len(groups))
    first = np.zeros(len(groups), np.uint64)
    first[of[::-1]] = texts[::-1]
    unequal = np.bincount(of[texts != first[of]], minlength=len(groups)) > 0
    return RepeatCounts(len(groups), int(np.count_nonzero(sizes > 1)), int(np.count_nonzero(~unequal)))


def copies_of_items(items: Codes, texts: Keys, truths: Keys, rest: Keys, written: Flags) -> Copies:
    """Rows equal in item, text, truth and rest; not empty ones, and none of undeclared repeats."""
    at = np.flatnonzero(written)
    twice = again(joined(items[at], texts[at], truths[at], rest[at]))
    if len(twice.rows) and repeats(items, rest, texts).undeclared:
        return Copies(twice.rows[:0], twice.rows[:0])
    return Copies(at[twice.rows], at[twice.originals])


def copies_without_items(texts: Keys, truths: Keys, rest: Keys, masks: Keys, chars: Codes) -> Copies:
    """Rows of equal text, truth and rest: long ones that are no template, and runs of rows that come again in order."""
    keys = joined(texts, truths, rest)
    twice = again(keys)
    copied = np.full(len(keys), -1, np.intp)
    if len(twice.rows):
        _mark_runs(keys, copied)
        long = (chars[twice.rows] >= LONG) & ~_templates(masks, truths, twice.rows)
        copied[twice.rows[long]] = twice.originals[long]
    rows = np.flatnonzero(copied >= 0)
    return Copies(rows, copied[rows])


def _templates(masks: Keys, truths: Keys, rows: NDArray[np.intp]) -> Flags:
    """Which of these rows have a mask that stands under several truths or on many rows."""
    known, of = np.unique(masks[rows], return_inverse=True)
    at = np.minimum(np.searchsorted(known, masks), len(known) - 1)
    alike = np.flatnonzero(known[at] == masks)
    at = at[alike]
    counts = np.bincount(at, minlength=len(known))
    _, first = np.unique(joined(at, truths[alike]), return_index=True)
    under = np.bincount(at[first], minlength=len(known))
    template: Flags = (under >= TRUTHS) | (counts >= max(3, SPREAD * len(masks)))
    return template[of]


def _mark_runs(keys: Keys, copied: NDArray[np.intp]) -> None:
    """Marks rows that come again in order, too many and too rare to do so by luck."""
    n = len(keys)
    _, codes, counts = np.unique(keys, return_inverse=True, return_counts=True)
    rarity = -np.log(counts / n)
    for lag in _usual_lags(codes, counts):
        equal = codes[lag:] == codes[:-lag]
        edges = np.flatnonzero(np.diff(equal, prepend=False, append=False))
        for first, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
            once = slice(first, first + min(lag, end - first))  # of rows in turn one round
            if end - first >= RUN and rarity[codes[once]].sum() > math.log(n * n / LEVEL):
                copied[lag + first : lag + end] = np.arange(first, end)


def _usual_lags(codes: Codes, counts: Codes) -> list[int]:
    """The distances at which rows most often come again: from one to the next equal one, from the first to the last."""
    rows = np.argsort(codes, kind="stable")
    own = codes[rows]
    steps = np.diff(rows)[own[1:] == own[:-1]]
    ends = np.cumsum(counts)
    across = (rows[ends - 1] - rows[ends - counts])[counts > 2]
    lags, times = np.unique(np.concatenate([steps, across]), return_counts=True)
    return [int(lag) for lag in lags[np.argsort(times, kind="stable")[-LAGS:]]]


COMMON, SAME, DISTINCT, WRITTEN = 20, 0.95, 0.5, 60
MOST_ALIKE = 0.6
TRIED = 1 << 22  # cells of values × items that are compared beforehand


@dataclass(frozen=True)
class CopiedValue:
    """So many of the `common` items have the same text under `copy` as under `of`, two values of a column."""

    of: int
    copy: int
    equal: int
    common: int


class ValueTexts(NamedTuple):
    """Columns of texts: the item, key, key and length of the mask of each, and whether it is labelled wrong."""

    items: Codes
    keys: Keys
    masks: Keys
    mask_chars: Codes
    wrong: Flags


def copied_values(values: Codes, texts: ValueTexts) -> list[CopiedValue]:
    """The pairs of values of a column that have the same texts; the first row of each item under each value counts."""
    items = texts.items
    known = np.flatnonzero((values >= 0) & (items >= 0))
    number, size = (int(codes[known].max(initial=-1)) + 1 for codes in (values, items))
    if not 2 <= number <= MANY or not size:
        return []
    firsts = [_firsts(known[values[known] == value], items) for value in range(number)]
    copied = []
    for a, b in _candidates(firsts, items, texts.keys, size):
        common, x, y = np.intersect1d(items[firsts[a]], items[firsts[b]], assume_unique=True, return_indices=True)
        mine, theirs = firsts[a][x], firsts[b][y]
        equal = texts.keys[mine] == texts.keys[theirs]
        same = int(np.count_nonzero(equal))
        if len(common) < COMMON or same < SAME * len(common):
            continue
        alike = _equal_where_wrong(texts.keys[mine], equal, texts.wrong[mine])
        if alike or _distinct(texts.masks[mine], texts.mask_chars[mine]):
            copied.append(CopiedValue(a, b, same, len(common)))
    return copied


def _firsts(rows: NDArray[np.intp], items: Codes) -> NDArray[np.intp]:
    """The first of these rows of each item, by item."""
    return rows[first_rows(items[rows])]


def _candidates(firsts: list[NDArray[np.intp]], items: Codes, texts: Keys, size: int) -> Iterator[tuple[int, int]]:
    """The pairs that could be alike, by the first of the items where there are many."""
    width = max(1, min(size, TRIED // len(firsts)))
    first_texts = np.zeros((len(firsts), width), np.uint64)
    there = np.zeros((len(firsts), width), bool)
    for value, rows in enumerate(firsts):
        shown = rows[items[rows] < width]
        first_texts[value, items[shown]] = texts[shown]
        there[value, items[shown]] = True
    for a in range(len(firsts)):
        for b in range(a + 1, len(firsts)):
            common = there[a] & there[b]
            equal = np.count_nonzero((first_texts[a] == first_texts[b]) & common)
            if equal and equal >= (SAME if width == size else REPEATED) * np.count_nonzero(common):
                yield a, b


def _distinct(masks: Keys, chars: Codes) -> bool:
    """Half of the texts or more are long, and unlike each other without what they answer."""
    return len(np.unique(masks[chars >= WRITTEN])) >= DISTINCT * len(masks)


def _equal_where_wrong(texts: Keys, equal: Flags, wrong: Flags) -> bool:
    """They are equal also where the first is wrong, on items enough and with no text that most of these share."""
    n = int(np.count_nonzero(wrong))
    if n < COMMON or np.count_nonzero(equal & wrong) < SAME * n:
        return False
    return int(np.unique(texts[wrong], return_counts=True)[1].max()) <= MOST_ALIKE * n
