"""Coefficients of two raters from their confusion counts: vectorised over any leading dimensions.

Tables are arrays (..., k, k) of counts, rows the candidate and columns the reference. Every function gives an array
(...), NaN where the coefficient is undefined. Source of most formulas: Gwet, Handbook of Inter-Rater Reliability
(4th ed. 2014).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

TINY = 1e-12
ROUNDING = 64 * np.finfo(float).eps  # so far apart, of their size, may rounding leave what is equal

Array = NDArray[np.float64]
Weights = Literal["none", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]


def agreement_weights(numbers: Sequence[float], weights: Weights) -> Array:
    """How far two labels agree, k × k: 1 the same, 0 the farthest apart (Cicchetti and Allison 1971; Cohen 1968)."""
    at = np.asarray(numbers, dtype=float)
    if weights == "none" or at.size < 2:
        return np.eye(at.size)
    apart = np.abs(at[:, None] - at[None, :])
    apart = apart / apart.max()
    return np.asarray(1.0 - (apart if weights == "linear" else apart**2))


def cohen(tables: ArrayLike, weights: Array | None = None) -> Array:
    """Cohen's kappa (1960), weighted with agreement weights (Cohen 1968).

    Undefined where both raters gave one and the same label throughout.
    """
    shares = _shares(tables)
    rows, columns = _marginals(shares)
    if weights is None:
        chance = np.einsum("...i,...i->...", rows, columns)
    else:
        chance = np.einsum("...i,...i->...", np.einsum("...i,ij->...j", rows, weights), columns)
    return _corrected(_weighed(shares, weights), chance)


@cache
def weighted_cohen(numbers: tuple[float, ...], weights: Weights) -> Callable[[ArrayLike], Array]:
    """Cohen's weighted kappa of labels at these numbers: one function for the same, so that it is estimated once."""
    return partial(cohen, weights=agreement_weights(numbers, weights))


def maximum(tables: ArrayLike) -> Array:
    """The largest Cohen's kappa that these marginals allow (Cohen 1960; Umesh, Peterson and Sauber 1989)."""
    shares = _shares(tables)
    rows, columns = _marginals(shares)
    return _corrected(np.minimum(rows, columns).sum(-1), np.einsum("...i,...i->...", rows, columns))


def scott(tables: ArrayLike) -> Array:
    """Scott's pi (1955): chance from the marginals of both raters together. For two raters it is Fleiss' kappa."""
    shares = _shares(tables)
    return _corrected(_weighed(shares, None), (_pooled(shares) ** 2).sum(-1))


def brennan_prediger(tables: ArrayLike, categories: int | None = None) -> Array:
    """The coefficient of Brennan and Prediger (1981): chance is one in the number of labels.

    `categories` is that number; None: as many as the tables have.
    """
    shares = _shares(tables)
    q = shares.shape[-1] if categories is None else categories
    return _corrected(_weighed(shares, None), np.full(shares.shape[:-2], 1 / q if q else 1.0))


def gwet(tables: ArrayLike, weights: Array | None = None, categories: int | None = None) -> Array:
    """Gwet's AC1 (2008), with agreement weights AC2: chance from how evenly the labels are used.

    `categories` is the number of labels that could be used; None: as many as the tables have.
    """
    shares = _shares(tables)
    q = shares.shape[-1] if categories is None else categories
    return gwet_of(_weighed(shares, weights), _pooled(shares), weights, q)


def gwet_of(observed: Array, pooled: Array, weights: Array | None, categories: int) -> Array:
    """AC1 or AC2 from the observed agreement (...) and the share of each label (..., k)."""
    if categories < 2:
        return np.full(observed.shape, np.nan)
    total = float(categories) if weights is None else float(weights.sum())
    chance = total / (categories * (categories - 1)) * (pooled * (1 - pooled)).sum(-1)
    return _corrected(observed, chance)


def krippendorff(tables: ArrayLike, level: Level = "nominal", numbers: Sequence[float] | None = None) -> Array:
    """Krippendorff's alpha of two raters (Computing Krippendorff's Alpha-Reliability, 2011).

    `numbers` are the labels as numbers: their distances at the interval level, their order at the ordinal one; None:
    the order of the table. Undefined where one label was used throughout.
    """
    counts = np.asarray(tables, dtype=float)
    return alpha_of(counts + np.swapaxes(counts, -1, -2), level, numbers)


def alpha_of(coincidences: Array, level: Level = "nominal", numbers: Sequence[float] | None = None) -> Array:
    """Krippendorff's alpha from coincidences (..., k, k): 1 - observed / expected disagreement."""
    totals = np.einsum("...ij->...i", coincidences)
    n = totals.sum(-1)
    if level == "nominal":
        observed = n - np.einsum("...ii->...", coincidences)
        expected = n * n - (totals**2).sum(-1)
    else:
        at = _places(totals, level, numbers)
        observed = np.einsum("...ij,...ij->...", coincidences, (at[..., :, None] - at[..., None, :]) ** 2)
        with np.errstate(invalid="ignore"):
            mean = np.einsum("...i,...i->...", totals, at)[..., None] / n[..., None]
        expected = 2 * n * np.einsum("...i,...i->...", totals, (at - mean) ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        used = np.einsum("...i->...", (totals > 0).astype(np.intp))
        several = used > 1  # the expected disagreement of one label alone may miss 0 by rounding
        return np.where(several & (expected > 0), less(1.0, (n - 1.0) * observed / expected), np.nan)


def less(one: Array | float, other: Array) -> Array:
    """one - other; exactly 0 where no more than rounding is left of their difference."""
    gap = one - other
    return np.where(
        np.abs(gap) > ROUNDING * np.maximum(np.abs(one), np.abs(other)), gap, np.where(np.isnan(gap), gap, 0)
    )


def _places(totals: Array, level: Level, numbers: Sequence[float] | None) -> Array:
    """Where the labels are on a line: their numbers, or at the ordinal level the middle of their ranks."""
    at = np.arange(totals.shape[-1], dtype=float) if numbers is None else np.asarray(numbers, dtype=float)
    if level == "interval":
        return np.broadcast_to(at, totals.shape)
    order = np.argsort(at, kind="stable")
    sorted_totals = totals[..., order]
    middle = np.empty_like(totals)
    middle[..., order] = np.cumsum(sorted_totals, axis=-1) - sorted_totals / 2
    return middle


def _shares(tables: ArrayLike) -> Array:
    counts = np.asarray(tables, dtype=float)
    n = np.einsum("...ij->...", counts)[..., None, None]
    with np.errstate(invalid="ignore"):
        return np.asarray(counts / np.where(n > 0, n, np.nan))


def _marginals(shares: Array) -> tuple[Array, Array]:
    """The sums of rows and of columns; einsum is several times faster than sum over a short axis."""
    return np.einsum("...ij->...i", shares), np.einsum("...ij->...j", shares)


def _pooled(shares: Array) -> Array:
    rows, columns = _marginals(shares)
    return np.asarray((rows + columns) / 2)


def _weighed(shares: Array, weights: Array | None) -> Array:
    if weights is None:
        return np.asarray(np.einsum("...ii->...", shares))
    return np.asarray(np.einsum("...ij,ij->...", shares, weights))


def _corrected(observed: Array, chance: Array) -> Array:
    """(observed - chance) / (1 - chance), undefined where chance alone gives full agreement."""
    room = 1.0 - chance
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(room > TINY, less(observed, chance) / room, np.nan)
