"""The rate of all trials where some did not finish: its bounds, their interval, and an estimate by an assumption.

What the unfinished would have answered is unknown: the rate of all is between R/n and (R + U)/n (Manski 2003, Partial
Identification). The interval covers the rate, not both bounds (Imbens and Manski 2004, Econometrica 72): Wilson's ends
by item (`clusters`) with a quantile c between 1.645 and 1.960, Φ(c + width/se) - Φ(-c) = 0.95.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from auditfw.core.statistics import Z95, wilson
from auditfw.formulas.clusters import ItemSums, Numbers, item_sums, rate_of, whole_numbers

LOWEST, STEPS = 1.6448536269514722, 60
GROUPS, FEWEST, MOST_UNKNOWN = 5, 3, 0.2  # of the estimate


@dataclass(frozen=True)
class BoundedRate:
    """The bounds of a rate, and the ends of its interval; shares from 0 to 1. `quantile` is c."""

    low: float
    high: float
    least: float
    most: float
    quantile: float


def bounded_rate(trials: Numbers, right: Numbers, unfinished: Numbers) -> BoundedRate:
    """The rate over items: trials, those right, those that did not finish and are not right, one number an item.

    Raises ValueError where there is no trial, or an item has more than its trials.
    """
    import numpy as np

    together = np.add(whole_numbers(right), whole_numbers(unfinished))
    return bounded(item_sums(trials, right), item_sums(trials, together))


def bounded(right: ItemSums, possible: ItemSums) -> BoundedRate:
    """The same from sums: of those right, and of those that are or may be."""
    rates = rate_of(right), rate_of(possible)
    low, high = rates[0].share, rates[1].share
    error = max(math.sqrt(one.share * (1 - one.share) / one.n_eff) for one in rates)
    c = quantile(high - low, error)
    ends = [wilson(one.share * one.n_eff, one.n_eff, c) for one in rates]
    least = 0.0 if not right.successes else ends[0][0]
    most = 1.0 if possible.successes == possible.trials else ends[1][1]
    return BoundedRate(low, high, min(least, low), max(most, high), c)


def quantile(width: float, error: float) -> float:
    """The c of bounds that are so far apart, with this standard error."""
    if error <= 0:
        return Z95
    low, high = LOWEST, Z95
    for _ in range(STEPS):
        middle = (low + high) / 2
        short = _phi(middle + width / error) - _phi(-middle) < 0.95
        low, high = (middle, high) if short else (low, middle)
    return high


def _phi(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))


def as_the_finished(items: Any, cells: Any, right: Any, finished: Any, unfinished: Any) -> float | None:
    """The rate if the unfinished had done as the finished of equally hard items, a share.

    How hard an item is, is the share right of its finished trials elsewhere: in other cells, of one cell in all of it.
    Five groups of trials by that; None where it is not known of a fifth of the unfinished. Columns have a row a trial.
    """
    import numpy as np

    n = len(items)
    if not n or not unfinished.any():
        return None
    number = int(items.max()) + 1
    of_item = [np.bincount(items, weights=flags, minlength=number) for flags in (finished, finished & right)]
    if int(cells.max()):
        pairs = items.astype(np.int64) * (int(cells.max()) + 1) + cells
        _, places = np.unique(pairs, return_inverse=True)
        here = [np.bincount(places, weights=flags)[places] for flags in (finished, finished & right)]
        asked, solved = of_item[0][items] - here[0], of_item[1][items] - here[1]
    else:
        asked, solved = of_item[0][items], of_item[1][items]
    known = asked >= FEWEST
    if (unfinished & ~known).sum() > MOST_UNKNOWN * unfinished.sum():
        return None
    share = np.where(known, solved / np.maximum(asked, 1), np.nan)
    edges = np.quantile(share[known], np.arange(1, GROUPS) / GROUPS)
    group = np.where(known, np.searchsorted(edges, share, side="left"), GROUPS)
    total = float(right.sum())
    for one in range(GROUPS + 1):
        chosen = group == one if one < GROUPS else np.ones(n, bool)  # those not known: as all
        ended, open_ended = int((finished & chosen).sum()), int((unfinished & (group == one)).sum())
        if open_ended and not ended:
            return None
        total += open_ended * int((finished & right & chosen).sum()) / max(1, ended)
    return total / n
