"""Exact tests of two shares, and the lower end of a gain between paired flags.

Sources: Fisher 1935 (the conditional test of two shares); Bonett and Price 2012, J. Educ. Behav. Stat. 37 (pairs).
"""

from __future__ import annotations

import math

from auditfw.core.statistics import Z95

NEGLIGIBLE = 1e-18


def two_shares(a: int, n: int, b: int, m: int) -> float:
    """How likely shares as different as a of n and b of m are where there is one share: twice the smaller tail."""
    tails = (_tail(a, n, b, m), _tail(n - a, n, m - b, m))
    return min(1.0, 2.0 * min(tails))


def _tail(a: int, n: int, b: int, m: int) -> float:
    """The chance of at most `a` successes among n, of a + b among n + m."""
    total, least = a + b, max(0, a + b - m)
    at = math.exp(_log_choose(n, a) + _log_choose(m, b) - _log_choose(n + m, total))
    whole, mean = at, total * n / (n + m)
    if a > mean:  # the other tail is the smaller one
        return 1.0
    for k in range(a, least, -1):
        at *= k * (m - total + k) / ((n - k + 1) * (total - k + 1))
        whole += at
        if at <= NEGLIGIBLE * whole:
            break
    return whole


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def least_gain(up: int, down: int, n: int) -> float:
    """The lower end of the share of n pairs that rise less the share that fall."""
    p, q = (up + 1) / (n + 2), (down + 1) / (n + 2)
    return p - q - Z95 * math.sqrt(max(0.0, p + q - (p - q) ** 2) / (n + 2))
