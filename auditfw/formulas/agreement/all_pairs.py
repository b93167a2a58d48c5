"""Every two of many raters at once: how many items both labelled, and how they labelled these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coefficients import Array
from .ratings import MISSING, Ratings
from .scorer import NO_CHANCE

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
