"""A series that comes some steps too early or too late."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .pairs import LEAST, MOSTLY, Floats

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
