"""Intervals of coefficients: counts drawn again (bootstrap), or the large-sample error (delta method).

A coefficient is a function from counts of P kinds of item (..., P) to (...). The cost depends on P and on the number
of resamples, not on the number of items. Where items have several trials, whole items are drawn again (Davison and
Hinkley 1997, Bootstrap Methods and their Application, section 3.8), and the cost depends on the kinds of item.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import wilson

from .coefficients import Array
from .items import Clusters, clustered_wilson, effective, items_of, sums_of
from .settings import FEWEST_TO_TELL, Interval, RandomStream, Sampling

AT_ONCE = 1_000_000  # drawn counts held at once
HELD, NARROW = 1024, 16  # how many sets of resamples, of how few kinds, wait for the next coefficient
STEP = 1e-5
NO_WIDTH = 1e-9  # what rounding leaves between resamples that are all alike

Coefficient = Callable[[Array], Array]
Ends = tuple[float | None, float | None]


@dataclass(frozen=True)
class Kinds:
    """The kinds of item and their counts (P), zeros allowed.

    `agreed` says that no disagreement was seen; `astray` (P, sums to 1) is how disagreements would be spread by chance.
    `clusters` are the places of trials that belong to one item: these are drawn together; `agreeing` says of each kind
    whether the raters agree. `unseen` (P, sums to 1, or empty) is the agreement that no item shows though both raters
    give the label, spread by chance.
    """

    counts: tuple[int, ...]
    agreed: bool = False
    astray: tuple[float, ...] = ()
    clusters: Clusters[int] = ()
    agreeing: tuple[bool, ...] = ()
    unseen: tuple[float, ...] = ()

    @cached_property
    def n(self) -> int:
        return sum(self.counts)

    @cached_property
    def effective(self) -> float:
        """As many separate trials say as much at the least: n, or of items that have several trials n² / Σ m²."""
        return effective(self.clusters) if self.clusters else self.n

    @cached_property
    def weights(self) -> Array:
        return np.asarray(self.counts, dtype=float)

    @cached_property
    def held(self) -> Array:
        """What an item of each kind holds, C × P; of separate trials one of each."""
        held = np.zeros((len(self.clusters), len(self.counts)))
        for row, (places, _) in zip(held, self.clusters, strict=True):
            for place, n in places:
                row[place] = n
        return held


def ends(coefficient: Coefficient, kinds: Kinds, sampling: Sampling) -> Ends:
    """The interval of a coefficient, or (None, None) where there is none to be had.

    - Where no disagreement was seen there is nothing to draw: the lower end is the coefficient at the Wilson bound of
      agreement, the disagreements spread by chance.
    - Fewer than six items, and resamples that all give the same (as where one rater is constant), tell nothing: there
      are no ends.
    - A resample may leave a coefficient undefined. If more do than the interval leaves outside, it has no ends.
    - A label that both raters give, but never both for one item, is agreed on in no resample either: the upper end is
      no lower than the coefficient if so many items showed that agreement as may go unseen in n (Clopper and Pearson
      1934 for a count of 0).
    - Where items have several trials the lower end is no higher than the coefficient at the bound of agreement by
      items: a few items that hardly disagree are no proof either.
    The interval always holds the value itself.
    """
    how = sampling.interval
    value = float(coefficient(kinds.weights)) if kinds.n else np.nan
    if how.method == "none" or not np.isfinite(value):
        return None, None
    if kinds.agreed and kinds.astray:
        return _beyond_agreement(coefficient, kinds, how, value), value
    if items_of(kinds.n, kinds.clusters) < FEWEST_TO_TELL:
        return None, None
    if how.method == "analytic":
        half = normal(how.confidence) * standard_error(coefficient, kinds)
        low, high = (value - half, value + half) if half > NO_WIDTH else (None, None)
    else:
        drawn = [coefficient(part) for part in _drawn(kinds, how.resamples, sampling.stream)]
        low, high = percentiles(np.concatenate(drawn), how.confidence)
    if low is None or high is None:
        return None, None
    low, high = _cautious(coefficient, kinds, how, min(low, value)), max(high, value)
    if kinds.unseen:
        unseen, n = np.asarray(kinds.unseen), np.asarray(kinds.effective)
        high = max(high, float(with_unseen(coefficient, kinds.weights, unseen, n, how.confidence)))
    return low, high


def percentiles(values: Array, confidence: float) -> Ends:
    """The middle `confidence` of the values; (None, None) if more than the rest are undefined, or it has no width."""
    finite = values[np.isfinite(values)]
    if finite.size == 0 or finite.size < confidence * values.size:
        return None, None
    outside = (1 - confidence) / 2
    low, high = _quantiles(finite, outside, 1 - outside)
    return (low, high) if high - low > NO_WIDTH else (None, None)


def _quantiles(values: Array, *shares: float) -> list[float]:
    """The quantiles of finite values, as `np.quantile` has them to the last digit, in half the time."""
    last = values.size - 1
    places = [share * last for share in shares]
    below = [min(int(place), last) for place in places]
    ordered = np.partition(values, sorted({*below, *(min(at + 1, last) for at in below)}))
    ends = [(float(ordered[at]), float(ordered[min(at + 1, last)])) for at in below]
    parts = [(low, high, place - at) for (low, high), place, at in zip(ends, places, below, strict=True)]
    return [low + (high - low) * t if t < 0.5 else high - (high - low) * (1 - t) for low, high, t in parts]


def standard_error(coefficient: Coefficient, kinds: Kinds) -> float:
    """The large-sample standard error of a coefficient of multinomial counts, by the delta method.

    The slopes are central differences. For Cohen's kappa this is the error of Fleiss, Cohen and Everitt (1969).
    """
    used = np.flatnonzero(kinds.weights)
    moved = np.diag(kinds.weights * STEP)[used]
    slopes = (coefficient(kinds.weights + moved) - coefficient(kinds.weights - moved)) / (2 * STEP)
    if kinds.clusters:
        return _error_by_items(kinds, slopes / kinds.weights[used], used)
    shares = kinds.weights[used] / kinds.n
    slopes = slopes / shares
    variance = (shares * slopes**2).sum() - (shares * slopes).sum() ** 2
    return float(np.sqrt(max(variance, 0.0) / kinds.n))


def standard_errors(coefficient: Coefficient, weights: Array) -> Array:
    """The same of many counts of separate trials at once: `weights` is S × P, the errors are S; NaN where undefined."""
    n = weights.sum(-1)
    mean, square = np.zeros(len(weights)), np.zeros(len(weights))
    for p in range(weights.shape[-1]):
        moved = np.zeros_like(weights)
        moved[:, p] = weights[:, p] * STEP
        slopes = (coefficient(weights + moved) - coefficient(weights - moved)) / (2 * STEP)
        there = weights[:, p] > 0
        shares = np.where(there, weights[:, p] / n, 1.0)
        mean += np.where(there, slopes, 0.0)
        square += np.where(there, slopes * slopes / shares, 0.0)
    return np.asarray(np.sqrt(np.maximum(square - mean * mean, 0.0) / n))


def _error_by_items(kinds: Kinds, slopes: Array, used: NDArray[Any]) -> float:
    """The same where trials come in items: from what each item adds to the coefficient, with the factor G/(G-1).

    Undefined (NaN) of one item.
    """
    times = np.asarray([n for _, n in kinds.clusters], dtype=float)
    items = times.sum()
    added = kinds.held[:, used] @ slopes
    added = added - (times @ added) / items
    return float(np.sqrt(items / (items - 1) * (times @ added**2))) if items > 1 else float("nan")


def normal(confidence: float) -> float:
    """How many standard errors a two-sided interval reaches: 1.96 for 0.95."""
    from statistics import NormalDist  # brings fractions, decimals and random numbers along

    return NormalDist().inv_cdf((1 + confidence) / 2)


def _beyond_agreement(coefficient: Coefficient, kinds: Kinds, how: Interval, value: float) -> float | None:
    least = wilson(kinds.effective, kinds.effective, normal(how.confidence))[0]
    low = float(coefficient(least * kinds.weights + (1 - least) * kinds.n * np.asarray(kinds.astray)))
    return min(low, value) if np.isfinite(low) else None


def _cautious(coefficient: Coefficient, kinds: Kinds, how: Interval, low: float) -> float:
    """The lower end; of items with several trials no higher than at the bound of agreement of `clusters.rate`."""
    if not (kinds.clusters and kinds.agreeing and kinds.astray):
        return low
    sums = sums_of(kinds.clusters, kinds.agreeing.__getitem__)
    if not sums.successes:
        return low
    kept = clustered_wilson(sums, normal(how.confidence))[0] * sums.trials / sums.successes
    least = float(coefficient(kept * kinds.weights + (1 - kept) * kinds.n * np.asarray(kinds.astray)))
    return min(low, least) if np.isfinite(least) else low


def with_unseen(coefficient: Coefficient, weights: Array, unseen: Array, n: Array, confidence: float) -> Array:
    """The coefficient where agreement that is possible, and was not seen among `n` items, is as frequent as it may be.

    `weights` and `unseen` are (..., P), `n` is (...); without such agreement it is the coefficient itself.
    """
    share = np.where(unseen.any(-1), 1 - ((1 - confidence) / 2) ** (1 / n), 0.0)[..., None]
    most = coefficient((1 - share) * weights + share * weights.sum(-1)[..., None] * unseen)
    return np.asarray(np.where(np.isfinite(most), most, -np.inf))


def _drawn(kinds: Kinds, resamples: int, stream: RandomStream) -> Iterator[Array]:
    """The counts drawn again, resamples × P, in parts of bounded size."""
    if kinds.clusters:
        for part in _parts(tuple(n for _, n in kinds.clusters), resamples, stream):
            yield part @ kinds.held
        return
    used = np.flatnonzero(kinds.weights)
    counts = tuple(n for n in kinds.counts if n)
    narrow = len(counts) <= NARROW and resamples * NARROW <= AT_ONCE
    parts = iter([_held(counts, resamples, stream)]) if narrow else _parts(counts, resamples, stream)
    for part in parts:
        whole = np.zeros((len(part), len(kinds.counts)))
        whole[:, used] = part
        yield whole


@lru_cache(HELD)
def _held(counts: tuple[int, ...], resamples: int, stream: RandomStream) -> NDArray[Any]:
    whole = np.concatenate(list(_parts(counts, resamples, stream)))
    return whole.astype(np.int32) if sum(counts) < 1 << 31 else whole


def _parts(counts: tuple[int, ...], resamples: int, stream: RandomStream) -> Iterator[NDArray[Any]]:
    words = hashlib.sha256(json.dumps([stream.seed, *stream.key]).encode()).digest()
    generator = np.random.Generator(np.random.PCG64(int.from_bytes(words[:16], "big")))
    n = sum(counts)
    shares = np.asarray(counts, dtype=float) / n
    rows = max(1, AT_ONCE // len(counts))
    for start in range(0, resamples, rows):
        yield generator.multinomial(n, shares, size=min(rows, resamples - start))
