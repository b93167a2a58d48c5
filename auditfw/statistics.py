"""Intervals and tests of proportions, in closed form: pure functions without numpy or scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence

Z95 = 1.959963984540054
EXACT_PAIRS = 1000
MOST_ITEMS = 10**12


def wilson(successes: int, n: int, z: float = Z95) -> tuple[float, float]:
    """The Wilson score interval of a proportion (Wilson 1927, J. Am. Stat. Assoc. 22). n must be positive."""
    share = successes / n
    scale = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / scale
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / scale
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return (0.0 if successes == 0 else low), (1.0 if successes == n else high)


def mcnemar_exact(up: int, down: int) -> float:
    """The exact two-sided McNemar p-value: a binomial test of `up` against `down` discordant pairs at one half.

    Exact in whole numbers up to 1,000 discordant pairs, summed in logarithms beyond; 1.0 without a discordant pair.
    """
    n, k = up + down, min(up, down)
    if up == down:
        return 1.0
    if n <= EXACT_PAIRS:
        fewer: int = sum(math.comb(n, i) for i in range(k + 1))
        return min(1.0, fewer / (1 << (n - 1)))
    top, log_half = math.lgamma(n + 1), n * math.log(0.5)
    total = 0.0
    for i in range(k, -1, -1):
        term = math.exp(top - math.lgamma(i + 1) - math.lgamma(n - i + 1) + log_half)
        total += term
        if term < total * 1e-18:
            break
    return min(1.0, 2 * total)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """The Benjamini-Hochberg adjusted p-values (1995, J. R. Stat. Soc. B 57), in the order given."""
    order = sorted(range(len(p)), key=lambda i: p[i], reverse=True)
    adjusted, lowest = [0.0] * len(p), 1.0
    for behind, i in enumerate(order):
        lowest = min(lowest, p[i] * (len(p) / (len(p) - behind)))
        adjusted[i] = lowest
    return adjusted


def further_items(value: float, end: float, bound: float, counted: int) -> int | None:
    """How many further items an interval needs before its `end` clears `bound`, if the value stays as it is.

    Its width shrinks with the root of the number of items. None where the value itself does not clear the bound, or
    nothing is known of the width.
    """
    reach, room = value - end, value - bound
    if counted <= 0 or reach == 0 or room * reach <= 0:
        return None
    ratio = reach / room
    return (
        max(0, math.ceil(counted * ratio * ratio * (1 - 1e-12)) - counted)
        if ratio * ratio * counted < MOST_ITEMS
        else None
    )


def fewest_items(share: float, z: float = Z95) -> int:
    """How many items, all of them successes, bring the lower end of the Wilson interval up to `share` (below 1)."""
    return math.ceil(z * z * share / (1 - share))
