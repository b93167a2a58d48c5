"""Exact tails of a binomial count, summed outwards from the count until what is left adds nothing."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

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
