"""Labels of a rater that are those of an item nearby: of all items, or of a span.

A lag wins an item where the label so many rows on fits better than the label that stands there, and loses it where it
fits worse. The chance of a span is a bound on the largest sum of wins less losses (Lundberg's inequality), that of
all items the exact test of McNemar (1947).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditfw.formulas.rows.exact import tails

from .placeholders import RatedItems
from .scales import Influence, RowWeights, concordance, lower_end, nominal, rise

LAGS = (1, -1, 2, -2, 3, -3)
FEWEST, STRETCH = 6, 20  # items
WON = 5  # wins less losses in a span, at least
LEVEL, INSIDE = 0.01, 1e-3
TRIES = 12  # lags, each of all items and of a span
GAIN, SURELY, KAPPA = 0.3, 0.1, 0.2  # by how much kappa rises, at its lower end, and what its lower end must be then

Signs = NDArray[np.int8]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class ShiftedRater:
    """The labels that a rater gave from item number `first` to `last` stand `lag` rows too late (below 0: early).

    It is of `rows` items; `gained` more of them agree once they are moved back, by which kappa rises from `before` to
    `after`. `p` is adjusted; `whole`: it is of all items, `weighted`: kappa has quadratic weights.
    """

    rater: int
    lag: int
    first: int
    last: int
    rows: int
    gained: int
    before: float
    after: float
    p: float
    whole: bool
    weighted: bool


def shifted_raters(rated: RatedItems) -> list[ShiftedRater]:
    """Of each rater the shift of most items; only those that are no luck."""
    by_size = rated.numeric and np.count_nonzero(rated.counts.any(0) & np.isfinite(rated.numbers[:-1])) > 2
    shifted = []
    for rater in rated.candidates:
        one = _Compared.of(rated, rater, bool(by_size))
        shifts = [shift for lag in LAGS for shift in one.shifts(lag)]
        if shifts:
            shifted.append(min(shifts, key=lambda shift: (-shift.rows, shift.p)))
    return shifted


@dataclass(frozen=True)
class _Compared:
    """A rater's labels and those that it is held against: codes of `k` labels, or numbers (k = 0)."""

    rated: RatedItems
    rater: int
    own: Any
    other: Any
    k: int

    @classmethod
    def of(cls, rated: RatedItems, rater: int, by_size: bool) -> _Compared:
        if by_size:
            return cls(rated, rater, rated.numbers[rated.codes[rater]], rated.numbers_against(rater), 0)
        return cls(rated, rater, rated.codes[rater], rated.against(rater), len(rated.names))

    @cached_property
    def known(self) -> tuple[Flags, Flags]:
        """Where there is a label of the rater, and where there are both."""
        own, other = ((of >= 0) if self.k else np.isfinite(of) for of in (self.own, self.other))
        return own, own & other

    @cached_property
    def apart(self) -> Any:
        """How far both are apart, item by item; of codes whether they differ."""
        return self.own != self.other if self.k else np.abs(self.own - self.other)

    def shifts(self, lag: int) -> list[ShiftedRater]:
        """The shifts by a lag that are no luck: of all items, and of a span."""
        lagged = _LaggedRows.of(self, lag)
        if lagged.n < FEWEST:
            return []
        up, down = lagged.counts(slice(None))
        made = [self._whole(lagged, up, down), self._stretch(lagged, up, down)]
        return [one for one in made if one is not None]

    def _whole(self, lagged: _LaggedRows, up: int, down: int) -> ShiftedRater | None:
        p = self._adjusted(_mcnemar(up, down))
        made = self._shift(lagged, slice(0, lagged.n), p) if p <= LEVEL else None
        return None if made is None or made[1] <= SURELY else replace(made[0], whole=True)

    def _stretch(self, lagged: _LaggedRows, up: int, down: int) -> ShiftedRater | None:
        """The span with the largest sum of wins less losses."""
        rows = lagged.longest()
        won, lost = lagged.counts(rows)
        if rows.stop - rows.start < STRETCH or won - lost < WON:
            return None
        wins, losses = lagged.counts_outside(rows, up - won, down - lost)
        ratio = (wins + 1) / (losses + 1)  # elsewhere: how often the lag wins, over how often it loses
        p = self._adjusted(lagged.n * min(1.0, ratio) ** (won - lost))
        if p > LEVEL or _mcnemar(won, lost) > INSIDE:
            return None
        made = self._shift(lagged, rows, p)
        return None if made is None or made[1] <= 0 else made[0]

    def _adjusted(self, p: float) -> float:
        return p * TRIES * len(self.rated.candidates)

    def _shift(self, lagged: _LaggedRows, rows: slice, p: float) -> tuple[ShiftedRater, float] | None:
        """The shift of some rows and the lower end of the rise; None where kappa rises too little, or stays low."""
        items = lagged.places(rows)
        own, moved, other = self.own[items], self.own[items + lagged.lag], self.other[items]
        weights = RowWeights(groups=None if self.rated.groups is None else self.rated.groups[items])
        before, after = (self._kappa(one, other) for one in (own, moved))
        risen = rise(after, before, weights)
        if not risen.gap >= GAIN or not lower_end(after, weights) > KAPPA:
            return None
        gained = int(np.count_nonzero(moved == other) - np.count_nonzero(own == other))
        first, last = int(items[0]), int(items[-1])
        ends = (first, last, len(items), gained, before.value, after.value)
        return ShiftedRater(self.rater, lagged.lag, *ends, p, False, not self.k), risen.low

    def _kappa(self, own: Any, other: Any) -> Influence:
        """Kappa; of numbers with quadratic weights."""
        return nominal(own, other, self.k) if self.k else concordance(own, other)


@dataclass(frozen=True)
class _LaggedRows:
    """The rows with both labels and one `lag` rows on: where they are (None: all from `start` on), and who wins each.

    `signs` are 1 where the label so many rows on fits better, -1 where it fits worse; `groups` number the items, None
    where each row is its own.
    """

    lag: int
    start: int
    rows: Any
    signs: Signs
    groups: Any = None

    @classmethod
    def of(cls, one: _Compared, lag: int) -> _LaggedRows:
        size = len(one.own)
        start = max(0, -lag)
        end = max(start, min(size, size - lag))
        here, there = slice(start, end), slice(start + lag, end + lag)
        own, both = one.known
        usable = both[here] & own[there]
        moved, other, apart = one.own[there], one.other[here], one.apart[here]
        if one.k:
            signs = apart.view(np.int8) - (moved != other).view(np.int8)
        else:
            away = np.abs(moved - other)
            signs = (away < apart).view(np.int8) - (away > apart).view(np.int8)
        groups = None if one.rated.groups is None else one.rated.groups[here]
        if usable.all():
            return cls(lag, start, None, signs, groups)
        rows = np.flatnonzero(usable)
        return cls(lag, start, rows, signs[rows], None if groups is None else groups[rows])

    @property
    def n(self) -> int:
        return len(self.signs)

    def places(self, rows: slice) -> NDArray[np.intp]:
        """The numbers of the items of some rows."""
        return self.start + (np.arange(rows.start, rows.stop) if self.rows is None else self.rows[rows])

    def counts(self, rows: Any) -> tuple[int, int]:
        """How many items the lag wins and loses in some rows: of several trials of one their sum counts."""
        signs: NDArray[Any] = self.signs[rows]
        if self.groups is not None:
            signs = np.bincount(np.unique(self.groups[rows], return_inverse=True)[1], signs)
        return int(np.count_nonzero(signs > 0)), int(np.count_nonzero(signs < 0))

    def counts_outside(self, rows: slice, up: int, down: int) -> tuple[int, int]:
        """The same of all other rows, which are `up` and `down` where no item has two trials."""
        if self.groups is None:
            return up, down
        rest = np.concatenate([np.arange(rows.start), np.arange(rows.stop, self.n)])
        return self.counts(rest)

    def longest(self) -> slice:
        """The rows with the largest sum of signs."""
        sums = np.zeros(self.n + 1, np.int32)
        np.cumsum(self.signs, out=sums[1:])
        least = np.minimum.accumulate(sums)
        end = int(np.argmax(sums - least))
        start = end - int(np.argmax(sums[end::-1] == least[end]))
        return slice(start, end)


def _mcnemar(up: int, down: int) -> float:
    """The one-sided exact chance of so many changes up, or more."""
    return tails(up, up + down, 0.5)[1]
