"""An outcome that comes in another unit: by a factor, or by the formulas between °C, °F and K."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np

from .pairs import CLEAR, LEAST, MOSTLY, Floats, OutcomePairs

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
