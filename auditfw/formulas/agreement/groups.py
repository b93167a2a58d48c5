"""Coefficients of any number of raters, from how many gave each label to an item.

`vectors` are p × k counts of labels within an item, distinct; `weights` (..., p) say how many items have each. Every
function gives an array (...), NaN where the coefficient is undefined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .coefficients import TINY, Array, Level, alpha_of, gwet_of, less
from .items import Clusters, changed
from .ratings import Ratings


@dataclass(frozen=True)
class Vectors:
    """Distinct counts of labels within an item (p × k), and how many items have each (p).

    `clusters` are the vectors of trials that belong together, () where each is an item of its own.
    """

    vectors: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]
    clusters: Clusters[tuple[int, ...]] = ()

    @property
    def n(self) -> int:
        return sum(self.counts)

    def at_least(self, raters: int) -> Vectors:
        """Only the items with labels of so many raters."""
        kept = [(v, n) for v, n in zip(self.vectors, self.counts, strict=True) if sum(v) >= raters]
        rest = changed(self.clusters, lambda vector: vector if sum(vector) >= raters else None)
        return Vectors(tuple(v for v, _ in kept), tuple(n for _, n in kept), rest)


def vectors_of(ratings: Ratings) -> Vectors:
    """How many raters gave each label, item by item, whoever they were."""
    codes = range(len(ratings.labels))

    def vector(pattern: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(map(pattern.count, codes))

    counts: Counter[tuple[int, ...]] = Counter()
    for pattern, n in ratings.items():
        counts[vector(pattern)] += n
    kept = sorted(counts.items())
    return Vectors(tuple(v for v, _ in kept), tuple(n for _, n in kept), changed(ratings.clusters, vector))


def percent(weights: Array, vectors: Array, agreement: Array | None = None) -> Array:
    """The mean over items of the share of rater pairs that agree (items of two labels or more)."""
    raters = vectors.sum(1)
    near = vectors if agreement is None else vectors @ agreement
    pairs = np.where(raters > 1, raters * (raters - 1), 1)
    share = np.where(raters > 1, (vectors * (near - 1)).sum(1) / pairs, 0.0)
    items = (weights * (raters > 1)).sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(items > 0, (weights @ share) / items, np.nan)


def fleiss(weights: Array, vectors: Array) -> Array:
    """Fleiss' kappa (1971); the items have the same number of labels."""
    labels = weights @ vectors
    total = labels.sum(-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        chance = ((labels / np.where(total > 0, total, np.nan)) ** 2).sum(-1)
        room = 1.0 - chance
        return np.where(room > TINY, less(percent(weights, vectors), chance) / room, np.nan)


def krippendorff(
    weights: Array, vectors: Array, level: Level = "nominal", numbers: Sequence[float] | None = None
) -> Array:
    """Krippendorff's alpha for any number of raters and missing labels; items of one label count nothing."""
    raters = vectors.sum(1)
    fit = raters > 1
    v = vectors[fit]
    pairs = v[:, :, None] * v[:, None, :] - v[:, :, None] * np.eye(v.shape[1])
    coincidences = pairs / (raters[fit] - 1)[:, None, None]
    return alpha_of(np.tensordot(weights[..., fit], coincidences, axes=(-1, 0)), level, numbers)


def gwet(weights: Array, vectors: Array, agreement: Array | None = None, categories: int | None = None) -> Array:
    """Gwet's AC1, with agreement weights AC2, for any number of raters and missing labels (Gwet 2014, chapter 5)."""
    raters = vectors.sum(1)
    shares = vectors / np.where(raters > 0, raters, 1)[:, None]
    items = (weights * (raters > 0)).sum(-1)[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = (weights @ shares) / np.where(items > 0, items, np.nan)
    q = vectors.shape[1] if categories is None else categories
    return gwet_of(percent(weights, vectors, agreement), pooled, agreement, q)
