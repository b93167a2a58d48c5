"""Adjusting p-values that are looked at together, and leaving out those that could not have been small.

Sources: Holm 1979, Scand. J. Stat. 6; Benjamini and Hochberg 1995, J. R. Stat. Soc. B 57 (`core.statistics`); Tarone
1990, Biometrics 46, and Gilbert 2005, J. R. Stat. Soc. C 54, for families in which some tests have too few flips.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from .sign_flips import smallest_p

Adjustment = Callable[[Sequence[float]], list[float]]
ALPHA = 0.05


def holm(p: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order of `p`: they hold the chance of any false alarm in the family."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, highest = [0.0] * len(p), 0.0
    for before, i in enumerate(order):
        highest = max(highest, min(1.0, p[i] * (len(p) - before)))
        adjusted[i] = highest
    return adjusted


def enough_flips(flipped_items: Sequence[int], alpha: float = ALPHA) -> list[bool]:
    """Which tests of a family have enough items with D_g other than 0 for a small p-value, in the order as they come.

    With k such items the smallest p is 2^(1-k). K is the smallest whole number with at most K members whose smallest p
    is at most alpha / K: those members have enough.
    """
    least = [smallest_p(k) for k in flipped_items]
    ordered, size = sorted(least), 1
    while bisect_right(ordered, alpha / size) > size:
        size += 1
    return [p <= alpha / size for p in least]


def adjusted(
    p: Sequence[float | None], flipped_items: Sequence[int], adjustment: Adjustment = holm, alpha: float = ALPHA
) -> list[float | None]:
    """The p-values of a family adjusted over its testable members alone, by `holm` or `benjamini_hochberg`.

    None where a test has no p, or too few flips to tell. Both lists are in one order; a test without a p does not
    count as a member.
    """
    present = [i for i, value in enumerate(p) if value is not None]
    enough = enough_flips([flipped_items[i] for i in present], alpha)
    members = [i for i, kept in zip(present, enough, strict=True) if kept]
    values: list[float | None] = [None] * len(p)
    for i, value in zip(members, adjustment([x for i in members if (x := p[i]) is not None]), strict=True):
        values[i] = value
    return values
