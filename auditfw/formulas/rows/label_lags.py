"""Labels that are the opposite of a rule's, or those of a row nearby: whole, by value of a column, or in a span.

`labels` are the stored ones, `rules` what each rule calls right, both of all rows; the grouping flags the rows that
have both. A rule that is all right or all wrong says nothing of either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from auditfw.core.statistics import wilson

from .groups import Grouping, RowGroup
from .spans import Flags, Span, chance_of, likeliest

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
