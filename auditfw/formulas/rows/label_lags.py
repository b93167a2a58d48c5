"""Labels that are the opposite of a rule's, or those of a row nearby: whole, by value of a column, or in a span.

`labels` are the stored ones, `rules` what each rule calls right, both of all rows; the grouping flags the rows that
have both. A rule that is all right or all wrong says nothing of either.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import wilson
from auditfw.formulas.claims import RankedRates, turned_pairs
from auditfw.formulas.multiple import holm
from auditfw.formulas.rows.exact import two_shares
from auditfw.formulas.two_rates import PairSums, pair_sums, separate_sums

from .spans import Flags, Span, chance_of, heaviest, likeliest

# Rows by the values of some columns: all of them, then those of each value of each column with few values.

WHOLE = -1
MANY = 50  # values of a column whose rows are looked at value by value
Codes = NDArray[Any]  # whole numbers, -1 for none
Rows = NDArray[np.int32]  # their numbers


@dataclass(frozen=True)
class RowGroup:
    """The numbers of the rows with a value of a column, both by number; of all rows the column is WHOLE."""

    column: int
    value: int
    rows: Rows

    @property
    def whole(self) -> bool:
        return self.column == WHOLE

    def between(self, first: int, last: int) -> NDArray[np.intp]:
        """Its rows from one of them to another."""
        return self.rows[slice(*np.searchsorted(self.rows, (first, last + 1)))].astype(np.intp)


@dataclass(frozen=True)
class Grouping:
    """Rows in the order of the source, those that are flagged, grouped by columns of codes; one column at a time."""

    flags: NDArray[np.bool_]
    columns: Sequence[Codes] = ()

    def __iter__(self) -> Iterator[RowGroup]:
        yield RowGroup(WHOLE, 0, self._rows)
        for number, codes in enumerate(self.columns):
            yield from self._by_value(number, codes)

    def __len__(self) -> int:
        """How many groups there are."""
        return 1 + sum(int(np.count_nonzero(self._sizes(codes))) for codes in self.columns)

    @cached_property
    def _rows(self) -> Rows:
        return np.flatnonzero(self.flags).astype(np.int32)

    def _sizes(self, codes: Codes) -> NDArray[np.intp]:
        """The rows of each value, of those without one first; nothing where all have one value, or very many do."""
        sizes = np.bincount(codes[self._rows] + 1)
        return sizes if 2 <= np.count_nonzero(sizes) <= MANY else sizes[:0]

    def _by_value(self, number: int, codes: Codes) -> Iterator[RowGroup]:
        sizes = self._sizes(codes)
        if not len(sizes):
            return
        own = codes[self._rows] + 1
        rows = self._rows[np.argsort(own.astype(np.int16) if len(sizes) < 2**15 else own, kind="stable")]
        for value, (end, size) in enumerate(zip(np.cumsum(sizes).tolist(), sizes.tolist(), strict=True)):
            if size:
                yield RowGroup(number, value - 1, rows[end - size : end])


LAGS = (1, -1, 2, -2, 3, -3)
LEAST = 20  # rows
LEVEL = 0.005
MOST_OPPOSED, FEWEST = 0.05, 3
SURE = 0.98  # of the labels in a shifted span are those of the other row
HALF, MOST = 0.5, 0.97  # bounds of the share by luck
OWN, OWN_SHARE = 5, 0.05
NEARER = 1.25  # times the sum: a span among all rows is one of a value alone only if that is much clearer


@dataclass(frozen=True)
class Inverted:
    """The labels of a group are the opposite of a rule's, but for `misses`."""

    group: RowGroup
    rule: int
    misses: int


def inverted(labels: Flags, rules: Sequence[Flags], grouping: Grouping, mismatch: float) -> Inverted | None:
    """The first group whose labels are the opposite of a rule's, and of the rules the one with fewest misses."""
    for group in grouping:
        if len(group.rows) < LEAST:
            continue
        stored = labels[group.rows]
        opposed = [
            (misses, number)
            for number, rule in enumerate(rules)
            if (misses := _equal(stored, rule[group.rows], mismatch)) is not None
        ]
        if opposed:
            misses, number = min(opposed)
            return Inverted(group, number, misses)
    return None


def _equal(stored: Flags, rule: Flags, mismatch: float) -> int | None:
    """How many labels are equal, where these are few and both have right and wrong ones."""
    n, equal = len(stored), int(np.count_nonzero(stored == rule))
    if equal > MOST_OPPOSED * n or wilson(equal, n)[0] > mismatch:
        return None
    right = [int(np.count_nonzero(one)) for one in (stored, rule)]
    return equal if min(min(k, n - k) for k in right) >= FEWEST else None


@dataclass(frozen=True)
class ShiftedLabels:
    """From row number `first` to `last` of a group the labels are those of a rule `lag` rows on.

    `own` of the `rows` labels are not what the rule says of their own row, `left` not what it says of the other one;
    `p` is a bound on the chance.
    """

    group: RowGroup
    rule: int
    lag: int
    first: int
    last: int
    rows: int
    own: int
    left: int
    p: float


def shifted_labels(labels: Flags, rules: Sequence[Flags], grouping: Grouping) -> ShiftedLabels | None:
    """The span with the largest sum among all groups, rules and lags; None where it may be luck."""
    best: tuple[float, ShiftedLabels] | None = None
    telling = [(number, rule) for number, rule in enumerate(rules) if 0 < np.count_nonzero(rule) < len(rule)]
    tries = len(LAGS) * len(grouping) * len(telling)
    for group in (one for one in grouping if len(one.rows) >= LEAST):
        stored = labels[group.rows]
        for number, rule in telling:
            own = rule[group.rows]
            for lag in LAGS:
                span, start = _shifted(stored, own, lag, tries)
                weight = 0.0 if span is None else span.total * (NEARER if group.whole else 1.0)
                if span is None or (best is not None and weight <= best[0]):
                    continue
                rows = slice(start + span.first, start + span.end)
                misses = int(np.count_nonzero(stored[rows] != own[rows]))
                if misses < OWN or wilson(misses, len(span))[0] <= OWN_SHARE:
                    continue
                first, last = int(group.rows[rows.start]), int(group.rows[rows.stop - 1])
                left = int(np.count_nonzero(stored[rows] != own[rows.start + lag : rows.stop + lag]))
                p = chance_of(span, len(stored), tries)
                best = weight, ShiftedLabels(group, number, lag, first, last, len(span), misses, left, p)
    return None if best is None else best[1]


def _shifted(stored: Flags, own: Flags, lag: int, tries: int) -> tuple[Span | None, int]:
    """The span in which labels are those `lag` rows on, and the row with which the rows of that lag begin.

    The share of luck is that of rows with the label of the row `lag` rows on: among all, then in the span, the larger.
    With a larger share no sum grows, so that what may be luck by the first stays so by the second.
    """
    n, start = len(stored), max(0, -lag)
    mine = slice(start, n - max(0, lag))
    there = own[mine.start + lag : mine.stop + lag]
    hits, alike = stored[mine] == there, own[mine] == there
    if not len(hits):
        return None, start
    luck = min(MOST, max(HALF, np.count_nonzero(alike) / len(alike)))
    span = likeliest(hits, SURE, luck)
    if len(span) < LEAST or chance_of(span, n, tries) > LEVEL:
        return None, start
    inside = alike[span.rows]
    span = likeliest(hits, SURE, min(MOST, max(luck, np.count_nonzero(inside) / len(inside))))
    return (None if len(span) < LEAST or chance_of(span, n, tries) > LEVEL else span), start


# Mismatches that gather at one value of a column or in one span of rows, as where two graders made the labels.

FEWEST_GATHERED, TIMES, MOST_ROWS = 8, 4, 2 / 3
GATHERED_LEVEL = 0.001
ABOVE = 1.5  # times the mean: what a row must exceed to lengthen a span


@dataclass(frozen=True)
class Gathered:
    """`mismatches` of the `rows` from row number `first` to `last`, `elsewhere` of the `others`; p is adjusted.

    The group is the value at which they are; of a span in all rows it is the whole.
    """

    group: RowGroup
    first: int
    last: int
    rows: int
    mismatches: int
    others: int
    elsewhere: int
    p: float

    @property
    def share(self) -> float:
        return self.mismatches / self.rows


def gathered(misses: Flags, grouping: Grouping) -> Gathered | None:
    """The value with the smallest p, else the span; None where the mismatches are spread."""
    groups = list(grouping)
    whole, values = groups[0], groups[1:]
    n, total = len(whole.rows), int(np.count_nonzero(misses[whole.rows]))
    if total < FEWEST_GATHERED:
        return None
    counts = [(len(group.rows), int(np.count_nonzero(misses[group.rows]))) for group in values]
    chances = holm([two_shares(k, size, total - k, n - size) for size, k in counts])
    apart = [
        Gathered(group, int(group.rows[0]), int(group.rows[-1]), size, k, n - size, total - k, p)
        for group, (size, k), p in zip(values, counts, chances, strict=True)
        if p <= GATHERED_LEVEL and _far(k, size, total - k, n - size)
    ]
    return min(apart, key=lambda one: one.p) if apart else _in_span(misses[whole.rows], whole)


def _far(k: int, size: int, rest: int, others: int) -> bool:
    """Whether so many of at most two thirds of the rows are enough, and at least four times as many as elsewhere."""
    return size <= MOST_ROWS * (size + others) and k >= FEWEST_GATHERED and k * others >= TIMES * rest * size


def _in_span(misses: Flags, whole: RowGroup) -> Gathered | None:
    n, total = len(misses), int(np.count_nonzero(misses))
    usual = ABOVE * total / n
    span = heaviest(misses, 1 - usual, -usual)
    k, size = int(np.count_nonzero(misses[span.rows])), len(span)
    if size < LEAST or not _far(k, size, total - k, n - size):
        return None
    p = n * math.exp(-_log_ratio(k, size, max(total - k, 1) / (n - size)))
    first, last = int(whole.rows[span.first]), int(whole.rows[span.end - 1])
    return Gathered(whole, first, last, size, k, n - size, total - k, p) if p <= GATHERED_LEVEL else None


def _log_ratio(k: int, size: int, usual: float) -> float:
    """The log likelihood ratio of k among so many rows against the usual share."""
    share = k / size
    right = (size - k) * math.log((1 - share) / (1 - usual)) if k < size else 0.0
    return k * math.log(share / usual) + right


# Which values of a column are better than which by the labels, and whether that turns without some rows.


@dataclass(frozen=True)
class ValueLabels:
    """The labels of the rows that have one, by the values of a column and by item; -1 where a row has no item."""

    values: Codes
    items: Codes
    right: Flags
    labelled: Flags

    @cached_property
    def number(self) -> int:
        return int(self.values.max(initial=-1)) + 1

    @cached_property
    def all(self) -> RankedRates:
        """The values compared on all labelled rows."""
        return self.ranked(self.labelled)

    def ranked(self, kept: Flags) -> RankedRates:
        """The values compared on these rows, as far as they are labelled."""
        return RankedRates(self._sums(np.flatnonzero(kept & self.labelled & (self.values >= 0))), higher=True)

    def turned(self, kept: Flags) -> list[tuple[int, int]]:
        """The pairs (i, j) of which i is resolved as better on all rows, and j is better on those kept."""
        if self.number < 2 or not any(map(any, self.all.better)):
            return []
        return turned_pairs(self.all.better, self.ranked(kept).leads)

    def within(self, value: int, share: float) -> list[tuple[int, float]]:
        """The values that are resolved as better or worse than this one by less than a share, with the difference."""
        if value < 0:
            return []
        better, leads = self.all.better, self.all.leads
        others = [j for j in range(self.number) if better[value][j] or better[j][value]]
        return [(j, leads[value][j]) for j in others if abs(leads[value][j]) < share]

    def _sums(self, rows: Codes) -> PairSums:
        values, items, right = self.values[rows], self.items[rows], self.right[rows]
        if not len(rows) or (items < 0).any():
            trials = np.bincount(values, minlength=self.number).tolist()
            return separate_sums(trials, np.bincount(values[right], minlength=self.number).tolist())
        size = int(items.max()) + 1
        cells = values.astype(np.int64) * size + items
        if self.number * size > 4 * len(rows) + 1_000_000:
            cells, of = np.unique(cells, return_inverse=True)
        else:
            of, cells = cells, np.arange(self.number * size)
        trials_of = np.bincount(of, minlength=len(cells))
        right_of = np.bincount(of[right], minlength=len(cells))
        there = np.flatnonzero(trials_of)
        at = cells[there]
        return pair_sums(at // size, self.number, at % size, trials_of[there], right_of[there])
