"""An outcome that comes in another unit: by a factor, or by the formulas between °C, °F and K."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log, pi

import numpy as np
from numpy.typing import NDArray

# One outcome of several scenarios: the number intended beside the number that came.

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEAST = 6  # scenarios below which nothing is concluded
MOSTLY = 0.9  # the share of the scenarios in which a fault that is in all of them shows, whatever the noise
CLEAR = 0.8
VARIES, MISSES = 0.2, 0.5


@dataclass(frozen=True)
class OutcomePairs:
    """Numbers `intended` and `actual` by scenario, NaN where there is none, and the `room` about the intended one.

    All three are of shape (scenarios,), in the unit of the outcome.
    """

    intended: Floats
    actual: Floats
    room: Floats

    @property
    def has_both(self) -> Flags:
        """The scenarios that have both numbers."""
        return np.asarray(np.isfinite(self.intended) & np.isfinite(self.actual))

    @cached_property
    def complete(self) -> OutcomePairs:
        """The scenarios alone that have both numbers."""
        rows = self.has_both
        return self if rows.all() else OutcomePairs(self.intended[rows], self.actual[rows], self.room[rows])

    @cached_property
    def without_zeros(self) -> OutcomePairs:
        """The scenarios alone that have both numbers, and neither of them 0."""
        pairs = self.complete
        rows = (pairs.intended != 0) & (pairs.actual != 0)
        return pairs if rows.all() else OutcomePairs(pairs.intended[rows], pairs.actual[rows], pairs.room[rows])

    def __len__(self) -> int:
        return len(self.intended)

    @property
    def error(self) -> Floats:
        """The size of the error."""
        return np.abs(self.actual - self.intended)


def varies(intended: Floats, room: Floats) -> bool:
    """Whether no constant serves an outcome: the intended median misses in half of the scenarios.

    By more than the larger of the `room` and 20 % of the intended number. Shapes (scenarios,), NaN where no number is
    intended; the room may be NaN where none is declared.
    """
    there = np.isfinite(intended)
    numbers = intended[there]
    if len(numbers) < 2:
        return False
    allowed = np.fmax(room[there], VARIES * np.abs(numbers))
    return bool((np.abs(numbers - np.median(numbers)) > allowed).mean() >= MISSES)


LEAST_FACTOR, LARGE = log(1.5), log(8)
SPREAD, SPREAD_OF_LARGE = log(1.5), log(2)
END = 0.025  # of the interval of the median, on either side
NEAR = log(1.1)  # how near a factor is to one that units are named for
UNITS = {  # how many times as large the number is in the first unit
    1000: ("W", "kW"), 100: ("percent", "share"), 60: ("minutes", "hours"), 3600: ("seconds", "hours"),
    3.6: ("km/h", "m/s"), 24: ("hours", "days"), 365: ("days", "years"), 1.8: ("°F", "°C, as differences"),
    pi / 180: ("radians", "degrees"),
}  # fmt: skip
SCALES = {("°F", "°C"): (1.8, 32.0), ("°C", "°F"): (1 / 1.8, -32 / 1.8), ("K", "°C"): (1.0, 273.15),
          ("°C", "K"): (1.0, -273.15)}  # fmt: skip
QUARTER, PART, ALLOWED = 0.25, 0.3, 1.0


@dataclass(frozen=True)
class OutcomeFactor:
    """What comes is `factor` × what is intended + `offset`, in `n` of `of` scenarios.

    `units` are what the outcome may come in and what may be intended, None where no units differ by this.
    """

    factor: float
    offset: float
    n: int
    of: int
    units: tuple[str, str] | None

    @property
    def share(self) -> float:
        """The share of the scenarios in which it is so."""
        return self.n / self.of


def outcome_factor(pairs: OutcomePairs) -> OutcomeFactor | None:
    """By which factor an outcome comes too large or too small; None where there is none.

    The median ratio of sizes, whose order-statistic interval of 95 % (David and Nagaraja 2003, Order Statistics, 7.1)
    is beyond 1.5, with 80 % of the ratios near it, and with the error at most half of what it is in 80 % of the
    scenarios once it is divided out; or one of the affine formulas between units of temperature, if that leaves less.
    """
    factors = [factor for factor in (_ratio(pairs), _affine(pairs)) if factor is not None]
    return min(factors, key=lambda factor: _left(pairs.complete, factor), default=None)


def _left(pairs: OutcomePairs, factor: OutcomeFactor) -> float:
    """The median error once the factor is divided out."""
    return float(np.median(np.abs((pairs.actual - factor.offset) / factor.factor - pairs.intended)))


def _ratio(pairs: OutcomePairs) -> OutcomeFactor | None:
    used, n = pairs.without_zeros, len(pairs.without_zeros)
    if n < LEAST or 2 * int((np.sign(used.actual) == np.sign(used.intended)).sum()) < n:
        return None
    logs = np.sort(np.log(np.abs(used.actual)) - np.log(np.abs(used.intended)))
    middle = float(np.median(logs))
    low, high = median_interval(logs)
    if low * high <= 0 or min(abs(low), abs(high)) <= LEAST_FACTOR:
        return None
    room = SPREAD_OF_LARGE if abs(middle) > LARGE else min(SPREAD, abs(middle) / 2)
    factor = float(np.exp(middle))
    if (np.abs(logs - middle) <= room).mean() < CLEAR:
        return None
    halved = np.abs(used.actual / factor - used.intended) <= used.error / 2
    if halved.mean() < CLEAR:
        return None
    return OutcomeFactor(factor, 0.0, int(halved.sum()), len(pairs.complete), units_of(factor))


def median_interval(ordered: Floats) -> tuple[float, float]:
    """The two order statistics that hold the median at 95 %, of numbers in ascending order; shape (n,)."""
    n = len(ordered)
    steps = np.arange(n)
    log_shares = np.concatenate([[0.0], np.cumsum(np.log((n - steps) / (steps + 1)))]) - n * log(2)
    rank = int(np.searchsorted(np.cumsum(np.exp(log_shares)), END))
    return float(ordered[max(0, rank - 1)]), float(ordered[min(n - 1, n - rank)])


def units_of(factor: float) -> tuple[str, str] | None:
    """The unit that a number comes in and the one that it is intended in, where nearly this factor is between them."""
    between = {log(size): units for size, units in UNITS.items()}
    between |= {-size: (larger, smaller) for size, (smaller, larger) in between.items()}
    nearest = min(between, key=lambda size: abs(size - log(factor)))
    return between[nearest] if abs(nearest - log(factor)) <= NEAR else None


def _affine(pairs: OutcomePairs) -> OutcomeFactor | None:
    used, n = pairs.complete, len(pairs.complete)
    if n < LEAST or np.ptp(used.intended) == 0:
        return None
    for units, (factor, offset) in SCALES.items():
        left = np.abs((used.actual - offset) / factor - used.intended)
        mended = left <= np.minimum(QUARTER * used.error, PART * np.abs(used.intended) + ALLOWED)
        if mended.mean() >= MOSTLY:
            return OutcomeFactor(factor, offset, int(mended.sum()), n, units)
    return None


# Outcomes of the other sign, of one value throughout, and exchanged with each other.

SIZES = log(2)
APART, APART_IN, CLOSE = 0.25, 0.5, 0.5
LEAST_MISSED, MISSED, RANGE = 3, 0.3, 0.1


@dataclass(frozen=True)
class OutcomeFault:
    """A fault of an outcome in `n` of `of` scenarios: `size` is the median ratio of sizes, or the value throughout."""

    n: int
    of: int
    size: float

    @property
    def share(self) -> float:
        """The share of the scenarios in which it is so."""
        return self.n / self.of


def outcome_sign(pairs: OutcomePairs) -> OutcomeFault | None:
    """Whether an outcome comes with the other sign in 90 % of the scenarios, its sizes about one factor.

    That is: 80 % of the ratios of sizes are within a factor 2 of their median. At least 6 scenarios in which neither
    number is 0.
    """
    used = pairs.without_zeros
    turned = int((np.sign(used.intended) != np.sign(used.actual)).sum())
    if len(used) < LEAST or turned < MOSTLY * len(used):
        return None
    sizes = np.log(np.abs(used.actual)) - np.log(np.abs(used.intended))
    middle = float(np.median(sizes))
    if (np.abs(sizes - middle) <= SIZES).mean() < CLEAR:
        return None
    return OutcomeFault(turned, len(pairs.complete), float(np.exp(middle)))


def outcome_constant(pairs: OutcomePairs) -> OutcomeFault | None:
    """Whether an outcome has one value in 90 % of at least 6 scenarios while what is intended differs.

    It must miss in 30 % of these, and in 3: by more than the room; and what is intended there must range over more
    than twice the room and 10 % of the largest intended size.
    """
    used, n = pairs.complete, len(pairs.complete)
    if n < LEAST:
        return None
    values, counts = np.unique(used.actual, return_counts=True)
    value, most = float(values[counts.argmax()]), int(counts.max())
    rows = used.actual == value
    missed = int((used.error > used.room)[rows].sum())
    differ = max(2 * float(used.room[rows].max()), RANGE * float(np.abs(used.intended).max()))
    if most < MOSTLY * n or missed < max(LEAST_MISSED, MISSED * most) or np.ptp(used.intended[rows]) <= differ:
        return None
    return OutcomeFault(most, n, value)


def outcomes_exchanged(first: OutcomePairs, second: OutcomePairs) -> OutcomeFault | None:
    """Whether two outcomes are exchanged: each is nearer to what is intended of the other, in 90 % of the scenarios.

    Seen where the two intended numbers differ by more than 25 %, which must be in at least 6 scenarios and half of
    them; there the exchange halves both mean errors and brings both to within 50 % (and the room) in 80 %.
    """
    everywhere = first.has_both & second.has_both
    n = int(everywhere.sum())
    sizes = np.maximum(np.abs(first.intended), np.abs(second.intended))
    rows = everywhere & (np.abs(first.intended - second.intended) > APART * sizes)
    seen = int(rows.sum())
    if seen < LEAST or seen < APART_IN * n:
        return None
    close, nearer = np.ones(seen, bool), np.ones(seen, bool)
    for of, other in ((first, second), (second, first)):
        before, after = of.error[rows], np.abs(other.actual - of.intended)[rows]
        if after.mean() > before.mean() / 2:
            return None
        nearer &= after < before
        close &= after <= CLOSE * np.abs(of.intended[rows]) + of.room[rows]
    if nearer.mean() < MOSTLY or close.mean() < CLEAR:
        return None
    return OutcomeFault(int(nearer.sum()), seen, 1.0)


LAGS = (1, -1, 2, -2, 3, -3)
LEAST_STEPS = 8


@dataclass(frozen=True)
class SeriesLag:
    """What comes is what is intended `steps` steps before (late, where above 0), in `n` of `of` scenarios."""

    steps: int
    n: int
    of: int


def series_lag(intended: Floats, actual: Floats) -> SeriesLag | None:
    """By how many steps a series is late; None where by none of ±1, ±2, ±3.

    Shapes (scenarios, steps), NaN where there is no number: such scenarios are left out. At such a lag the mean error
    is at most half of that at the own step, of the same steps, and not larger in 90 % of at least 6 scenarios. The lag
    that leaves least is taken.
    """
    rows = np.isfinite(intended).all(axis=1) & np.isfinite(actual).all(axis=1)
    intended, actual = intended[rows], actual[rows]
    n, steps = intended.shape
    if n < LEAST or steps < LEAST_STEPS:
        return None
    least: tuple[float, SeriesLag] | None = None
    for lag in LAGS:
        at = slice(lag, None) if lag > 0 else slice(None, lag)  # of what comes: the steps that have a partner
        before = slice(None, -lag) if lag > 0 else slice(-lag, None)
        left = np.abs(actual[:, at] - intended[:, before]).mean(axis=1)
        there = np.abs(actual[:, at] - intended[:, at]).mean(axis=1)
        better = int((left <= there).sum())
        halved = there.mean() > 0 and left.mean() <= there.mean() / 2
        if halved and better >= MOSTLY * n and (least is None or left.mean() < least[0]):
            least = float(left.mean()), SeriesLag(lag, better, n)
    return None if least is None else least[1]
