"""Exact tails of a count, tests of two shares, and the lower end of a gain between paired flags.

Tails are summed outwards from the count until what is left adds nothing. Sources: Fisher 1935 (the conditional test of
two shares); Bonett and Price 2012, J. Educ. Behav. Stat. 37 (pairs).
"""

from __future__ import annotations

import math
from math import exp, lgamma, log, log1p

from auditfw.core.statistics import Z95, log_choose

NEGLIGIBLE = 1e-18


def tails(count: int, n: int, share: float) -> tuple[float, float]:
    """How likely a count is no larger, and no smaller, than `count` where each of `n` items has the chance `share`."""
    if not 0.0 < share < 1.0:
        sure = 0 if share <= 0.0 else n
        return float(sure <= count), float(sure >= count)
    at = exp(
        lgamma(n + 1) - lgamma(count + 1) - lgamma(n - count + 1) + count * log(share) + (n - count) * log1p(-share)
    )
    if count <= n * share:
        below = _outwards(at, count, n, share)
        return min(1.0, below), min(1.0, 1.0 - below + at)
    above = _outwards(at, n - count, n, 1.0 - share)
    return min(1.0, 1.0 - above + at), min(1.0, above)


def _outwards(at: float, count: int, n: int, share: float) -> float:
    """The chance of `count` and of all smaller counts, where `at` is that of `count`; it is below the mean."""
    whole, odds = at, (1.0 - share) / share
    for k in range(count, 0, -1):
        at *= odds * k / (n - k + 1)
        whole += at
        if at <= NEGLIGIBLE * whole:
            break
    return whole


def two_shares(a: int, n: int, b: int, m: int) -> float:
    """How likely shares as different as a of n and b of m are where there is one share: twice the smaller tail."""
    tails = (_tail(a, n, b, m), _tail(n - a, n, m - b, m))
    return min(1.0, 2.0 * min(tails))


def _tail(a: int, n: int, b: int, m: int) -> float:
    """The chance of at most `a` successes among n, of a + b among n + m."""
    total, least = a + b, max(0, a + b - m)
    at = math.exp(log_choose(n, a) + log_choose(m, b) - log_choose(n + m, total))
    whole, mean = at, total * n / (n + m)
    if a > mean:  # the other tail is the smaller one
        return 1.0
    for k in range(a, least, -1):
        at *= k * (m - total + k) / ((n - k + 1) * (total - k + 1))
        whole += at
        if at <= NEGLIGIBLE * whole:
            break
    return whole


def least_gain(up: int, down: int, n: int) -> float:
    """The lower end of the share of n pairs that rise less the share that fall."""
    p, q = (up + 1) / (n + 2), (down + 1) / (n + 2)
    return p - q - Z95 * math.sqrt(max(0.0, p + q - (p - q) ** 2) / (n + 2))
