"""pass@k and pass^k from stored repeats: an item's chance that any, or all, of k repeats are right, and its mean.

Sources: Chen and others 2021, arXiv:2107.03374 (any of k, unbiased); Yao and others 2024, arXiv:2406.12045 (all of k);
Wilson 1927, J. Am. Stat. Assoc. 22, and Korn and Graubard 1998, Survey Methodology 24 (the interval, by
effective items). All shares are from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditfw.core.statistics import Z95, log_choose, wilson
from auditfw.formulas.clusters import ClusteredMean, Numbers, clustered_mean, whole_numbers
from auditfw.formulas.student import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

MOST_K, EXACT = 1_000, 60  # repeats up to which the binomials are whole numbers; beyond by logarithms
ONE_DRAW = 0.99  # of the items with repeats: where their texts are equal, these are one draw
MUCH = 0.005  # of the repeats: more run errors than this, and both bounds are shown


@dataclass(frozen=True)
class RateOfK:
    """The mean over `items` of any_of_k or all_of_k, with its 95 % interval; `n_eff` items say as much.

    `missing` items have some repeats, but fewer than k.
    """

    k: int
    share: float
    low: float
    high: float
    n_eff: float
    items: int
    missing: int


OfK = Callable[[Numbers, Numbers, int], "Floats"]


def any_of_k(trials: Numbers, right: Numbers, k: int) -> Floats:
    """1 - C(n-c, k)/C(n, k): the chance that of k of the n repeats of an item, drawn without order, any is right.

    `trials` (n) and `right` (c) are whole numbers, one an item; the shares come in that order, NaN where n < k.
    Raises ValueError where k is not from 1 to 1,000, or an item has not from 0 to all of its trials right.
    """
    return _by_pair(trials, right, k, _any)


def all_of_k(trials: Numbers, right: Numbers, k: int) -> Floats:
    """C(c, k)/C(n, k): the chance that k of the n repeats of an item are all right. Arguments as in `any_of_k`."""
    return _by_pair(trials, right, k, _all)


def _any(n: int, c: int, k: int) -> float:
    if n <= EXACT:
        return (math.comb(n, k) - math.comb(n - c, k)) / math.comb(n, k)
    return 1.0 - _all(n, n - c, k)


def _all(n: int, c: int, k: int) -> float:
    if c < k:
        return 0.0
    if c == n:
        return 1.0
    return math.comb(c, k) / math.comb(n, k) if n <= EXACT else math.exp(log_choose(c, k) - log_choose(n, k))


def checked(trials: Numbers, right: Numbers, k: int) -> tuple[Whole, Whole]:
    """Both columns as whole numbers. Raises ValueError as `any_of_k` does."""
    n, c = whole_numbers(trials), whole_numbers(right)
    if not 1 <= k <= MOST_K:
        raise ValueError(f"k is from 1 to {MOST_K:,}")
    if n.shape != c.shape or (c < 0).any() or (c > n).any():
        raise ValueError("an item has from 0 to all of its trials right")
    return n, c


def _by_pair(trials: Numbers, right: Numbers, k: int, chance: Callable[[int, int, int], float]) -> Floats:
    """The chance of each pair of n and c, which are few, put to the items that have it."""
    import numpy as np

    pairs, places = np.unique(np.stack(checked(trials, right, k)), axis=1, return_inverse=True)
    values = [chance(n, c, k) if n >= k else math.nan for n, c in pairs.T.tolist()]
    return np.array(values, np.float64)[places.reshape(-1)]


def rate_of_k(values: Any, k: int, missing: int = 0) -> RateOfK | None:
    """The mean of item values from 0 to 1, NaN where an item has none; None where no item has one.

    se² = (h var/G + p(1-p)/G)/(h+1), h the items above 0 or those below 1, whichever are fewer; n_eff =
    p(1-p)/se² (1.96/t)², at least 1, and Wilson's interval of it. Where p is 0 or 1, and of one item, n_eff = G.
    """
    import numpy as np

    column = np.asarray(values, np.float64)
    column = column[~np.isnan(column)]
    items = column.size
    if not items:
        return None
    share = math.fsum(column.tolist()) / items
    n = float(items)
    if items > 1 and 0 < share < 1:
        rarer = min(int((column > 0).sum()), int((column < 1).sum()))
        error = math.fsum(((column - share) ** 2).tolist()) / (items - 1) / items
        drawn = (rarer * error + share * (1 - share) / items) / (rarer + 1)
        n = max(1.0, share * (1 - share) / drawn * (Z95 / t_quantile(0.975, items - 1)) ** 2)
    low, high = wilson(share * n, n)
    return RateOfK(k, share, low, high, n, items, missing)


def rate_of(chance: OfK, trials: Numbers, right: Numbers, k: int) -> RateOfK | None:
    """The mean of `any_of_k` or `all_of_k`, which is `chance`, with what is missing. None where no item has k repeats.

    An item without a trial is none.
    """
    n, c = checked(trials, right, k)
    return rate_of_k(chance(n, c, k), k, int(((n > 0) & (n < k)).sum()))


def bounds_of_k(chance: OfK, trials: Numbers, right: Numbers, errors: Numbers, k: int) -> tuple[float, float] | None:
    """The mean if repeats that are run errors, so many an item, were all wrong, and if they were all right.

    `trials` are the others. None where no item has k repeats, errors among them.
    """
    n, c = checked(trials, right, k)
    lost = whole_numbers(errors)
    ends = [rate_of_k(chance(n + lost, least, k), k) for least in (c, c + lost)]
    return None if ends[0] is None or ends[1] is None else (ends[0].share, ends[1].share)


def difference_of_k(values: Any, others: Any) -> ClusteredMean | None:
    """The mean difference of item values, paired, with its t interval: two columns over the same items, NaN as above.

    The sides may have different numbers of repeats. None where no item has a value on both sides.
    """
    import numpy as np

    apart = np.asarray(values, np.float64) - np.asarray(others, np.float64)
    apart = apart[~np.isnan(apart)]
    return clustered_mean(apart) if apart.size else None


def equal_texts(items: Numbers, texts: Any) -> float | None:
    """The share of the items with two repeats or more whose texts are all equal; None where there is no such item.

    A row a trial: the code of its item, the hash of its text. From ONE_DRAW on, repeats are one draw.
    """
    import numpy as np

    distinct, codes = np.unique(whole_numbers(items), return_inverse=True)
    repeated, equal = alike(codes, distinct.size, np.asarray(texts))
    return float(equal[repeated].mean()) if repeated.any() else None


def alike(codes: Whole, number: int, texts: Any) -> tuple[Any, Any]:
    """Of each of `number` items, whether it has two repeats or more, and whether their texts are all equal.

    A row a trial: the code of its item from 0, the hash of its text.
    """
    import numpy as np

    first = np.zeros(number, texts.dtype)
    first[codes] = texts  # of any one of them
    others = np.bincount(codes[texts != first[codes]], minlength=number)
    return np.bincount(codes, minlength=number) > 1, others == 0
