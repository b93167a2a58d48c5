"""How many items: for an interval so narrow, for a difference to be seen, for a bound to be passed.

Sources: Wilson 1927, J. Am. Stat. Assoc. 22 (the width of his interval, solved for n); Student's t for z in the sample
size of a mean (Lachin 1981, Control. Clin. Trials 2), with the discordant share of pairs for its variance (Miettinen
1968, Biometrics 24); the score test of a share (Fleiss, Levin and Paik 2003, Statistical Methods for Rates and
Proportions, ch. 2). Shares and differences are from 0 to 1. A plan is for two-sided tests at 5 %.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

from auditfw.core.statistics import Z95
from auditfw.formulas.shifts import POWER
from auditfw.formulas.student import t_p_value, t_quantile

LEAST_POWER, MOST_POWER = 0.5, 0.99
PSEUDO = 2  # items that an interval counts as discordant, whatever was seen


def items_for_width(share: float, half: float, design: float = 1.0) -> int:
    """The fewest items of which Wilson's interval at `share` reaches at most `half` to either side of its middle.

    `design` items say as much as one independent one. Raises ValueError where `half` is not above 0, or `share` no
    share.
    """
    if not half > 0 or not 0 <= share <= 1:
        raise ValueError("a width above 0 and a share from 0 to 1 are needed")
    spread, square = share * (1 - share), half * half
    z2 = Z95 * Z95
    n = z2 * (spread + math.sqrt(spread * spread + square * (1 - 4 * spread))) / (2 * square) - z2
    return max(1, math.ceil(n * design))


def items_for_difference(square: float, difference: float, power: float = POWER) -> int:
    """The fewest items, at least 2, that show such a difference in `power` of all cases: (t.975 + t.power)² v/δ².

    `square` is v, the mean square of an item's difference (`mean_square`, or the discordant share of single trials).
    Raises ValueError where the difference is 0, v is negative, or the power not from 0.5 to 0.99.
    """
    if not difference or square < 0:
        raise ValueError("a difference other than 0 and a mean square are needed")
    _check(power)
    ratio = square / (difference * difference)
    items = max(2, math.ceil((Z95 + NormalDist().inv_cdf(power)) ** 2 * ratio))  # t is above z: not enough
    while items < _quantiles(items, power) ** 2 * ratio:
        items += 1
    return items


def least_difference(square: float, items: int, power: float = POWER) -> float | None:
    """The smallest difference that so many items show in `power` of all cases: (t.975 + t.power) √(v/G).

    `square` as above. None of fewer than two items.
    """
    _check(power)
    return None if items < 2 else _quantiles(items, power) * math.sqrt(square / items)


def power_of(square: float, items: int, difference: float) -> float:
    """In which share of all cases so many items, at least 2, show such a difference: the reverse of both above."""
    if items < 2:
        raise ValueError("a difference needs two items")
    if not square:
        return 1.0 if difference else 0.05
    beyond = abs(difference) / math.sqrt(square / items) - t_quantile(0.975, items - 1)
    tail = t_p_value(beyond, items - 1) / 2
    return 1 - tail if beyond > 0 else tail


def items_for_gate(share: float, bound: float, design: float = 1.0, power: float = POWER) -> int | None:
    """The items of which the lower end of the interval at `share` lies above `bound` in `power` of all cases.

    ((1.96 √(b(1-b)) + z √(p(1-p)))/(p - b))² D. None where the share is not above the bound: no number passes. Raises
    ValueError where either is no share, or the power not from 0.5 to 0.99.
    """
    if not (0 <= share <= 1 and 0 <= bound <= 1):
        raise ValueError("shares from 0 to 1 are needed")
    _check(power)
    if share <= bound:
        return None
    spread = Z95 * math.sqrt(bound * (1 - bound)) + NormalDist().inv_cdf(power) * math.sqrt(share * (1 - share))
    return max(1, math.ceil(design * (spread / (share - bound)) ** 2))


def mean_square(means: Any, others: Any) -> float | None:
    """Σ D_g²/G, D_g the difference of an item's means: two columns over the same items, NaN where a side has none.

    The mean square, not the variance about the difference seen: a plan is for a small difference. None where no item
    is on both sides.
    """
    import numpy as np

    apart = np.asarray(means, np.float64) - np.asarray(others, np.float64)
    apart = apart[~np.isnan(apart)]
    return math.fsum((apart * apart).tolist()) / apart.size if apart.size else None


def square_of_repeats(square: float, within: float, now: float, then: float) -> float:
    """The mean square of an item's difference with `then` repeats on a side, seen with `now`; at least 0.

    `within` is the variance of a single repeat within its item, of both sides together (`VarianceParts.repeat`).
    """
    return max(0.0, square - within / now + within / then)


def _quantiles(items: int, power: float) -> float:
    return t_quantile(0.975, items - 1) + t_quantile(power, items - 1)


def _check(power: float) -> None:
    if not LEAST_POWER <= power <= MOST_POWER:
        raise ValueError(f"a power from {LEAST_POWER} to {MOST_POWER} is needed")
