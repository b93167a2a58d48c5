"""A bound on the agreement of many raters with one: what is missed once it is adjusted for how many were looked at.

Sources: Holm 1979, Scand. J. Stat. 6; Tarone 1990, Biometrics 46, for pairs of too few items to miss anything.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from auditfw.formulas.multiple import ALPHA, holm
from auditfw.formulas.rows.exact import tails

POOR = 0.2  # the kappa of a rater that should show
SURE = 0.9  # how likely it shows where there are enough items


def adjusted(p: Sequence[float], least: Sequence[float], alpha: float = ALPHA) -> list[float | None]:
    """Holm's adjusted p-values over the pairs that could have been significant, in the order of `p`; None for others.

    `least` is the smallest p that a pair could have. K is the smallest whole number with at most K pairs whose
    smallest p is at most alpha / K: those pairs count.
    """
    ordered, size = sorted(least), 1
    while bisect_right(ordered, alpha / size) > size:
        size += 1
    members = [i for i, value in enumerate(least) if value <= alpha / size]
    values: list[float | None] = [None] * len(p)
    for i, value in zip(members, holm([p[i] for i in members]), strict=True):
        values[i] = value
    return values


def power(n: int, raters: int, bound: float, chance: float = 0.5, alpha: float = ALPHA) -> float:
    """How likely one of so many raters with a kappa of POOR shows by `n` items (0 to 1).

    `chance` is how often the pair agrees by chance. The test is the binomial tail of the agreement, at alpha / raters.
    """
    share, poor = (chance + kappa * (1 - chance) for kappa in (bound, POOR))
    if not poor < share:
        return 0.0
    low, high = -1, n  # the largest agreement that shows it: above low, not above high
    while high - low > 1:
        half = (low + high) // 2
        low, high = (half, high) if tails(half, n, share)[0] <= alpha / raters else (low, half)
    return tails(low, n, poor)[0] if low >= 0 else 0.0


def items_to_tell(raters: int, bound: float, chance: float = 0.5, most: int = 1_000_000) -> int | None:
    """From how many items on such a rater shows as likely as SURE; None where more than `most` are needed."""
    high = 6
    while power(high, raters, bound, chance) < SURE:
        high *= 2
        if high > most:
            return None
    low = high // 2
    while high - low > 1:
        half = (low + high) // 2
        low, high = (low, half) if power(half, raters, bound, chance) >= SURE else (half, high)
    return high


JOINED_ALPHA = 0.005


def most_differing(compared: Mapping[str, int], differing: Mapping[str, int], share: float) -> tuple[str, float]:
    """The rater whose records differ most beyond a share of those compared, and its p, times the number of raters."""
    p = {rater: tails(differing.get(rater, 0), n, share)[1] for rater, n in compared.items()}
    rater = min(p, key=lambda one: (p[one], one))
    return rater, min(1.0, p[rater] * len(p))
