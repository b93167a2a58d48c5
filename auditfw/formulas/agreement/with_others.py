"""Each of several raters against all others: its mean kappa with them and by how much its labels are above theirs.

The errors are those of what each pattern of labels adds to a number, its influence (Hampel 1974, J. Am. Stat. Assoc.
69); trials of one item are taken together. Of Cohen's kappa (1960, weighted 1968) it is the influence on observed over
expected distance, which for two raters gives the error of Fleiss, Cohen and Everitt (1969).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import t975
from auditfw.formulas.student import t_p_value

from .coefficients import TINY, Array
from .intervals import normal
from .ratings import MISSING, Ratings
from .scorer import NO_CHANCE
from .settings import FEWEST_TO_TELL

# Every two of many raters at once: how many items both labelled, and how they labelled these.

AT_ONCE = 1 << 24  # codes held as numbers at once


@dataclass(frozen=True)
class PairCounts:
    """Square tables over raters: `n` items both labelled, `same` of them alike.

    `gave[a, i, j]` counts those of these items to which rater i gave label a. All are whole numbers.
    """

    raters: tuple[str, ...]
    n: Array
    same: Array
    gave: Array

    @cached_property
    def percent(self) -> Array:
        """Percent agreement, NaN where there is no item."""
        with np.errstate(invalid="ignore"):
            return np.where(self.n > 0, self.same / self.n, np.nan)

    @cached_property
    def kappa(self) -> Array:
        """Cohen's kappa in the order of operations of `scorer.kappa`, NaN where undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = self.gave / self.n
            chance, products = np.zeros_like(self.n), np.zeros_like(self.n)
            for own, share in zip(self.gave, shares, strict=True):
                chance = chance + share * share.T
                products = products + own * own.T
            kappa = (self.percent - chance) / (1 - chance)
            kappa = np.where(self.n * self.same == products, 0.0, kappa)
            return np.where((self.n > 0) & (1 - chance > NO_CHANCE), kappa, np.nan)

    def places(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The places of both raters of every pair, in the order of the raters."""
        return np.triu_indices(len(self.raters), 1)

    def chosen(self, wanted: NDArray[Any] | None) -> list[tuple[int, int]]:
        """The places of both raters of every pair that is wanted (None: all), in the order of the raters."""
        every = np.ones_like(self.n) if wanted is None else wanted
        return [(int(i), int(j)) for i, j in np.argwhere(np.triu(every, 1))]

    def apart(self, share: float, fewest: int = 1) -> list[tuple[int, int]]:
        """The pairs of which each gives labels that the other never does, to such a share of its items or more.

        Pairs of fewer than `fewest` items do not count, nor labels given to fewer than half as many.
        """
        alone = np.where((self.gave > 0) & (self.gave.transpose(0, 2, 1) == 0), self.gave, 0).sum(0)
        much = (alone > 0) & (alone >= share * self.n) & (self.n >= fewest) & (2 * alone >= fewest)
        return self.chosen(much & much.T)


def quadratic_kappas(ratings: Ratings, places: Sequence[float]) -> Array:
    """Cohen's kappa with quadratic weights of every two raters, whose labels are at these places; NaN where undefined.

    It is 2 cov(x, y) / (var x + var y + (mean x - mean y)²) over the items of both (Lin 1989, Biometrics 45).
    """
    n, x, xx, xy = np.zeros((4, len(ratings.raters), len(ratings.raters)))
    at = np.array([*places, 0.0])  # the last for MISSING, which is -1
    step = max(1, AT_ONCE // max(1, len(ratings.raters)))
    for start in range(0, len(ratings.patterns), step):
        codes = np.asarray(ratings.patterns[start : start + step], dtype=np.int16)
        times = np.asarray(ratings.counts[start : start + step], dtype=float)[:, None]
        there, value = (codes != MISSING).astype(float), at[codes]
        weighed = (value * times).T
        n += there.T @ (there * times)
        x, xx, xy = x + weighed @ there, xx + (weighed * value.T) @ there, xy + weighed @ value
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = x / n
        apart = xx / n - mean**2 + (xx / n - mean**2).T + (mean - mean.T) ** 2
        return np.where((n > 0) & (apart > 0), 2 * (xy / n - mean * mean.T) / apart, np.nan)


def pair_counts(ratings: Ratings) -> PairCounts:
    """The counts of every two raters."""
    return ratings.once(_pair_counts)


def _pair_counts(ratings: Ratings) -> PairCounts:
    """The counts by products of matrices."""
    size, k = len(ratings.raters), len(ratings.labels)
    n, same, gave = np.zeros((size, size)), np.zeros((size, size)), np.zeros((k, size, size))
    step = max(1, AT_ONCE // max(1, size))
    for start in range(0, len(ratings.patterns), step):
        codes = np.asarray(ratings.patterns[start : start + step], dtype=np.int16)
        times = np.asarray(ratings.counts[start : start + step], dtype=float)[:, None]
        there = (codes != MISSING).astype(float)
        n += there.T @ (there * times)
        for a in range(k):
            own = (codes == a).astype(float)
            weighed = (own * times).T
            same += weighed @ own
            gave[a] += weighed @ there
    return PairCounts(ratings.raters, n, same, gave)


class Shift(NamedTuple):
    """The mean of a rater's labels, and by how much it is above the others' of the same items: ± `half`, and p.

    `half` and `p` are None where too few items tell nothing.
    """

    mean: float
    more: float | None
    half: float | None
    p: float | None


@dataclass(frozen=True)
class WithOthers:
    """Cohen's kappa of every two raters of `ratings`; `weights` (k × k) are how far two labels agree, 1 the same.

    Means are over all others, or over those `among` the raters at these places in a pattern.
    """

    ratings: Ratings
    weights: Array
    among: Sequence[int] = ()

    @cached_property
    def apart(self) -> Array:
        """How far two labels are apart, with a last row and column of zeros for MISSING."""
        return np.pad(1.0 - self.weights, (0, 1))

    @cached_property
    def counts(self) -> PairCounts:
        """The counts of every two raters."""
        return pair_counts(self.ratings)

    @cached_property
    def observed(self) -> Array:
        """The mean distance of the labels of every two raters, NaN where no item has both."""
        size, apart = len(self.ratings.raters), np.zeros_like(self.counts.n)
        for codes, times in _parts(self.ratings):
            for a in range(len(self.weights)):
                apart += ((codes == a) * times[:, None]).T @ self.apart[a][codes]
        with np.errstate(invalid="ignore"):
            return np.where(np.eye(size, dtype=bool), np.nan, apart / self.counts.n)

    @cached_property
    def expected(self) -> Array:
        """The same where each gives its labels by chance, as often as it does."""
        gave, total = self.counts.gave, np.zeros_like(self.counts.n)
        for a, own in enumerate(gave):
            total += own * np.tensordot(self.apart[a, :-1], gave, 1).T
        with np.errstate(invalid="ignore"):
            return np.asarray(total / self.counts.n**2)

    @cached_property
    def kappa(self) -> Array:
        """Kappa of every two raters as a square table, NaN where it is undefined, and of a rater with itself."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.expected > TINY, 1.0 - self.observed / self.expected, np.nan)

    @cached_property
    def known(self) -> Any:
        """Which kappas enter the mean of the rater of a row."""
        others = np.zeros(len(self.kappa), dtype=bool)
        others[list(self.among or range(len(others)))] = True
        return np.isfinite(self.kappa) & others

    @cached_property
    def means(self) -> Array:
        """The mean kappa of each rater with the others, NaN where none is defined."""
        known = self.known
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(known, self.kappa, 0.0).sum(1) / known.sum(1))

    def interval(self, rater: int, confidence: float = 0.95) -> tuple[float | None, float | None]:
        """The ends of a mean kappa by its large-sample error; None where too few items, or no disagreement, tell it."""
        error, n = _error(self.ratings, self._influence(rater))
        if n < FEWEST_TO_TELL or not 0 < error < inf:
            return None, None
        mean, half = float(self.means[rater]), normal(confidence) * error
        return max(-1.0, mean - half), min(1.0, mean + half)

    def _influence(self, rater: int) -> Array:
        """What an item of each pattern adds to the rater's mean kappa, NaN where it bears on no pair of the rater."""
        known = self.known[rater]
        n, observed, expected = (
            np.where(known, table[rater], 1.0) for table in (self.counts.n, self.observed, self.expected)
        )
        scale = known / (max(1, known.sum()) * n * expected)
        ratio, apart = observed / expected, self.apart[:-1, :-1]
        theirs, mine = (
            np.pad(apart @ gave / n, ((0, 1), (0, 0)))
            for gave in (self.counts.gave[:, :, rater], self.counts.gave[:, rater, :])
        )
        every, added = np.arange(len(n)), []
        for codes, _ in _parts(self.ratings):
            own = codes[:, rater]
            both = (codes != MISSING) & (own != MISSING)[:, None] & known
            far = theirs[own] + mine[codes, every] - 2 * expected
            each = (observed - self.apart[own[:, None], codes] + ratio * far) * scale
            added.append(np.where(both.any(1), np.where(both, each, 0.0).sum(1), np.nan))
        return np.concatenate(added) if added else np.zeros(0)


def shift(ratings: Ratings, places: Sequence[float], rater: int, among: Sequence[int] = ()) -> Shift:
    """The mean of a rater's labels, which are at these `places`, and its lead over the mean of the others' by item.

    The others are all, or those `among` the raters at these places in a pattern; one of them at least is another rater.
    """
    at = np.array([*places, 0.0])
    others = [place for place in among or range(len(ratings.raters)) if place != rater]
    own, gaps = [], []
    for codes, _ in _parts(ratings):
        value, there = at[codes], codes != MISSING
        n = there[:, others].sum(1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = value[:, others].sum(1) / n
        own.append(np.where(there[:, rater], value[:, rater], np.nan))
        gaps.append(own[-1] - np.where(n > 0, mean, np.nan))
    counts = np.asarray(ratings.counts, dtype=float)
    mean, more = (_mean(np.concatenate(each) if each else np.zeros(0), counts) for each in (own, gaps))
    if more is None:
        return Shift(mean or 0.0, None, None, None)
    gap = np.concatenate(gaps)
    error, n = _error(ratings, (gap - more) / counts[np.isfinite(gap)].sum())
    if n < FEWEST_TO_TELL:
        return Shift(mean or 0.0, more, None, None)
    p = t_p_value(abs(more) / error, n - 1) if error else float(more == 0)
    return Shift(mean or 0.0, more, t975(n - 1) * error, p)


def _mean(values: Array, counts: Array) -> float | None:
    there = np.isfinite(values)
    return float(values[there] @ counts[there] / counts[there].sum()) if there.any() else None


def _error(ratings: Ratings, influence: Array) -> tuple[float, int]:
    """The standard error of a number, and of how many items it is, from what each pattern adds to it (NaN: nothing)."""
    there, added = np.isfinite(influence), np.nan_to_num(influence)
    if ratings.clusters:
        place = {pattern: number for number, pattern in enumerate(ratings.patterns)}
        times = np.array([times for _, times in ratings.clusters], dtype=float)
        rows = [(row, place[key], n) for row, (held, _) in enumerate(ratings.clusters) for key, n in held]
        row, at, n = np.array(rows, dtype=np.intp).T
        added = np.bincount(row, added[at] * n, len(times)).astype(float)
        bears = np.bincount(row[there[at]], minlength=len(times)) > 0
    else:
        times, bears = np.asarray(ratings.counts, dtype=float), there
    items = int(times[bears].sum())
    return (sqrt(items / (items - 1) * float(times @ added**2)) if items > 1 else inf), items


def _parts(ratings: Ratings) -> Iterator[tuple[Any, Array]]:
    """The patterns as arrays of codes (… × m) with their counts, not too many at once."""
    step = max(1, AT_ONCE // max(1, len(ratings.raters)))
    for start in range(0, len(ratings.patterns), step):
        codes = np.asarray(ratings.patterns[start : start + step], dtype=np.int16)
        yield codes, np.asarray(ratings.counts[start : start + step], dtype=float)
