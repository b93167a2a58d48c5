"""Student's t with any number of degrees of freedom, at least one, and shares of a binomial: in plain floats.

SciPy has them too; importing it takes as long as a sixth of a run on the shipped sample. The tests compare with it.
Sources: Abramowitz and Stegun 1964, 26.5.8 (the continued fraction of the incomplete beta function), 26.7.1 (its t
distribution), 26.7.5 (the quantile for many degrees); Thompson and Barnett 1986, J. Comput. Phys. 64 (its evaluation).
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Any

from auditfw.core.statistics import t_of_many

MANY = 10_000.0  # degrees from which the expansion is exact to 1e-12
TINY = 1e-300
STEPS = 10_000
LARGE = 200.0


@lru_cache(maxsize=65_536)
def t_quantile(share: float, degrees: float) -> float:
    """The value that T is below in `share` of all cases; fewer than one degree count as one."""
    n = max(1.0, degrees)
    if share < 0.5:
        return -t_quantile(1.0 - share, degrees)
    start = t_of_many(NormalDist().inv_cdf(share), n)
    return start if n >= MANY else _solved(2.0 * (1.0 - share), n, start)


def t_p_value(t: float, degrees: float) -> float:
    """The two-sided p-value: how often |T| is at least |t|; fewer than one degree count as one."""
    n = max(1.0, degrees)
    return min(1.0, incomplete_beta(n / 2, 0.5, n / (n + t * t), t * t / (n + t * t)))


def t_p_values(t: Any, degrees: Any) -> Any:
    """The two-sided p-values of arrays of t and of degrees of freedom, as `t_p_value` has them; NaN where t is."""
    import numpy as np

    n, squares = np.maximum(1.0, np.asarray(degrees, np.float64)), np.asarray(t, np.float64) ** 2
    x = n / (n + squares)
    quick = (squares < 16) & (n > 2 * LARGE)  # else these take hundreds of steps
    swapped = (x > (n / 2 + 1.0) / (n / 2 + 2.5)) | quick
    a, b = np.where(swapped, 0.5, n / 2), np.where(swapped, n / 2, 0.5)
    x = np.where(swapped, squares / (n + squares), x)
    distinct, places = np.unique(n, return_inverse=True)
    scale = np.array([_log_scale(one / 2) for one in distinct.tolist()])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = 0.5 * np.log(squares / (n + squares)) - n / 2 * np.log1p(squares / n)
        front = np.exp(scale[places] + logs) / a
        shares = np.where(x > 0, front * _fractions(a, b, x), 0.0)
    return np.where(np.isnan(squares), np.nan, np.minimum(1.0, np.where(swapped, 1.0 - shares, shares)))


def _log_scale(a: float) -> float:
    """The logarithm of Γ(a + 1/2) / (Γ(a) Γ(1/2)); for large a by its series (Abramowitz and Stegun 1964, 6.1.47)."""
    if a < LARGE:
        return math.lgamma(a + 0.5) - math.lgamma(a) - math.lgamma(0.5)
    series = -1 / (8 * a) + 1 / (128 * a**2) + 5 / (1024 * a**3) - 21 / (32768 * a**4)
    return 0.5 * math.log(a) + math.log1p(series) - math.lgamma(0.5)


def _fractions(a: Any, b: Any, x: Any) -> Any:
    """The continued fractions of I_x(a, b), as `_fraction` has them, each to where a term changes nothing."""
    import numpy as np

    above, below = np.ones_like(x), 1.0 / (1.0 - (a + b) * x / (a + 1.0))
    value = below.copy()
    for m in range(1, STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            below = 1.0 / (1.0 + term * below)
            above = 1.0 + term / above
            value *= above * below
        if not (np.abs(above * below - 1.0) >= 1e-15).any():
            break
    return value


def least_share(successes: int, trials: int, chance: float) -> float:
    """The smallest probability of success with which so many of the trials or more succeed in `chance` of all cases."""
    low, high = 0.0, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        reached = incomplete_beta(successes, trials - successes + 1, middle, 1.0 - middle) >= chance
        low, high = (low, middle) if reached else (middle, high)
    return high


def incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function I_x(a, b); `rest` is 1 - x, which keeps its digits."""
    if x <= 0.0 or rest <= 0.0:
        return 0.0 if x <= 0.0 else 1.0
    if x > (a + 1.0) / (a + b + 2.0):
        return 1.0 - incomplete_beta(b, a, rest, x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    return math.exp(scale) * _fraction(a, b, x) / a


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of I_x(a, b), from its front to where a term changes nothing; no part of it becomes 0."""
    below = 1.0 - (a + b) * x / (a + 1.0)
    below = 1.0 / (below if below > TINY or below < -TINY else TINY)
    above, value = 1.0, below
    for m in range(1, STEPS):
        end = a + 2 * m
        term = m * (b - m) * x / ((end - 1.0) * end)
        below = 1.0 + term * below
        below = 1.0 / (below if below > TINY or below < -TINY else TINY)
        above = 1.0 + term / above
        above = above if above > TINY or above < -TINY else TINY
        value *= above * below
        term = -(a + m) * (a + b + m) * x / (end * (end + 1.0))
        below = 1.0 + term * below
        below = 1.0 / (below if below > TINY or below < -TINY else TINY)
        above = 1.0 + term / above
        above = above if above > TINY or above < -TINY else TINY
        value *= above * below
        if abs(above * below - 1.0) < 1e-15:
            break
    return value


def _solved(tails: float, n: float, start: float) -> float:
    """The t of which both tails hold so much, by Newton's method within a bracket."""
    low, high, t = 0.0, math.inf, start
    scale = math.lgamma((n + 1) / 2) - math.lgamma(n / 2) - math.log(n * math.pi) / 2
    for _ in range(200):
        over = t_p_value(t, n) - tails
        low, high = (t, high) if over > 0 else (low, t)
        density = math.exp(scale - (n + 1) / 2 * math.log1p(t * t / n))
        step = t + over / (2 * density)
        step = step if low < step < high else (2 * t + 1 if math.isinf(high) else (low + high) / 2)
        if abs(step - t) <= 1e-14 * max(1.0, t):
            return step
        t = step
    return t
