"""Truths that are those of a row nearby: whole, by value of a column, or in a span.

`answers` and `truths` are codes of one numbering of canonical keys, -1 for none. Only rows whose truth differs from the
one `lag` rows on can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from auditfw.formulas.rows.exact import least_gain, tails

from .label_lags import LAGS, LEVEL, NEARER, Codes, Grouping, RowGroup
from .spans import Flags, chance_of, likeliest

FAR = range(4, 14)  # lags at which equal keys are luck
LEAST, MATCHES, GAIN = 20, 10, 0.05
MOST = 0.95


@dataclass(frozen=True)
class ShiftedTruths:
    """From row number `first` to `last` of a group the answers match the truths `lag` rows on.

    Of `rows` so many `matches`, and `own` their own truth; `p` is the chance of that.
    """

    group: RowGroup
    lag: int
    first: int
    last: int
    rows: int
    matches: int
    own: int
    p: float

    @property
    def gain(self) -> float:
        return (self.matches - self.own) * (NEARER if self.group.whole else 1.0)


class _Lagged(NamedTuple):
    """Of the rows that can tell at a lag: their numbers in the group, and whether they match there."""

    usable: Codes
    matches: Flags


def shifted_truths(answers: Codes, truths: Codes, grouping: Grouping) -> ShiftedTruths | None:
    """What gains the most matches among all groups and lags; None where it may be luck."""
    best: ShiftedTruths | None = None
    tries = len(LAGS) * len(grouping)
    for group in (one for one in grouping if len(one.rows) >= LEAST):
        for one in _shifted(group, answers[group.rows], truths[group.rows], tries):
            if best is None or one.gain > best.gain:
                best = one
    return best


def _shifted(group: RowGroup, answers: Codes, truths: Codes, tries: int) -> Iterator[ShiftedTruths]:
    if (answers < 0).all() or (truths < 0).all():
        return
    n, own, known = len(answers), (answers == truths) & (answers >= 0), truths >= 0
    luck = max(_far(answers, truths, known), _by_shares(answers, truths))
    for lag in LAGS:
        start, stop = max(0, -lag), n - max(0, lag)
        there = truths[start + lag : stop + lag]
        usable = known[start:stop] & known[start + lag : stop + lag] & (there != truths[start:stop])
        at = np.flatnonzero(usable)
        if len(at) < MATCHES:
            continue
        lagged = _Lagged(at + start, (answers[start:stop] == there)[at])
        usual = min(MOST, max(1 / len(at), luck))
        for place in _places(lagged, n, usual, tries):
            if place[2] > LEVEL or place[1] - place[0] < MATCHES:
                continue
            one = _measured(group, lag, place, lagged, own)
            up, down = one.matches, one.own  # no row matches both: the truths differ
            if up >= MATCHES and least_gain(up, down, one.rows) > GAIN:
                yield one


def _places(lagged: _Lagged, n: int, usual: float, tries: int) -> Iterator[tuple[int, int, float]]:
    """The whole group, then the likeliest span by each of two ratios; each with its chance."""
    count = int(np.count_nonzero(lagged.matches))
    yield 0, n, tries * tails(count, len(lagged.matches), usual)[1]
    for share in ((1 + usual) / 2, (1 + 3 * usual) / 4):
        span = likeliest(lagged.matches, share, usual)
        if len(span):
            yield int(lagged.usable[span.first]), int(lagged.usable[span.end - 1]) + 1, chance_of(span, n, 2 * tries)


def _measured(group: RowGroup, lag: int, place: tuple[int, int, float], lagged: _Lagged, own: Flags) -> ShiftedTruths:
    first, end, p = place
    inside = slice(*np.searchsorted(lagged.usable, (first, end)))
    matches = int(np.count_nonzero(lagged.matches[inside]))
    mine = int(np.count_nonzero(own[lagged.usable[inside]]))
    return ShiftedTruths(
        group, lag, int(group.rows[first]), int(group.rows[end - 1]), end - first, matches, mine, min(1.0, p)
    )


def _far(answers: Codes, truths: Codes, known: Flags) -> float:
    """The share of matches at lags further on, among the rows whose truth differs there; the end meets the start."""
    matches = rows = 0
    for lag in FAR:
        if lag >= len(truths):
            break
        for mine, there in ((slice(lag, None), slice(None, -lag)), (slice(None, lag), slice(-lag, None))):
            usable = known[mine] & known[there] & (truths[mine] != truths[there])
            rows += int(np.count_nonzero(usable))
            matches += int(np.count_nonzero(usable & (answers[mine] == truths[there])))
    return matches / max(1, rows)


def _by_shares(answers: Codes, truths: Codes) -> float:
    """What two values drawn apart match: the sum of share among the answers × share among the truths."""
    size = max(int(answers.max()), int(truths.max())) + 1
    if size > 4 * len(answers) + 1_000_000:
        joined, places = np.unique(np.concatenate([answers, truths]), return_inverse=True)
        none = int(joined[0] < 0)
        answers, truths, size = places[: len(answers)] - none, places[len(answers) :] - none, len(joined)
    mine, theirs = (np.bincount(codes[codes >= 0], minlength=size) for codes in (answers, truths))
    return float(mine @ theirs) / (len(answers) * max(1, int(theirs.sum())))
