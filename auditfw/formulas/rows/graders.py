"""Mismatches that gather at one value of a column or in one span of rows, as where two graders made the labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from auditfw.formulas.multiple import holm

from .exact import two_shares
from .groups import Grouping, RowGroup
from .spans import Flags, Span, heaviest

FEWEST, TIMES, MOST_ROWS = 8, 4, 2 / 3
LEVEL = 0.001
LEAST = 20  # rows of a span
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
    if total < FEWEST:
        return None
    counts = [(len(group.rows), int(np.count_nonzero(misses[group.rows]))) for group in values]
    chances = holm([two_shares(k, size, total - k, n - size) for size, k in counts])
    apart = [
        Gathered(group, int(group.rows[0]), int(group.rows[-1]), size, k, n - size, total - k, p)
        for group, (size, k), p in zip(values, counts, chances, strict=True)
        if p <= LEVEL and _far(k, size, total - k, n - size)
    ]
    return min(apart, key=lambda one: one.p) if apart else _in_span(misses[whole.rows], whole)


def _far(k: int, size: int, rest: int, others: int) -> bool:
    """Whether so many of at most two thirds of the rows are enough, and at least four times as many as elsewhere."""
    return size <= MOST_ROWS * (size + others) and k >= FEWEST and k * others >= TIMES * rest * size


def _in_span(misses: Flags, whole: RowGroup) -> Gathered | None:
    n, total = len(misses), int(np.count_nonzero(misses))
    usual = ABOVE * total / n
    span = heaviest(misses, 1 - usual, -usual) if usual < 1 else Span(0, 0, 0.0)
    k, size = int(np.count_nonzero(misses[span.rows])), len(span)
    if size < LEAST or not _far(k, size, total - k, n - size):
        return None
    p = n * math.exp(-_log_ratio(k, size, max(total - k, 1) / (n - size)))
    first, last = int(whole.rows[span.first]), int(whole.rows[span.end - 1])
    return Gathered(whole, first, last, size, k, n - size, total - k, p) if p <= LEVEL else None


def _log_ratio(k: int, size: int, usual: float) -> float:
    """The log likelihood ratio of k among so many rows against the usual share."""
    share = k / size
    right = (size - k) * math.log((1 - share) / (1 - usual)) if k < size else 0.0
    return k * math.log(share / usual) + right
