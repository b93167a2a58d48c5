"""Rates over trials that come in items: several trials of one question are a cluster, not so many separate ones.

Everything is computed from whole sums over items (`ItemSums`), exactly, and rounded at the end: no order of trials,
items or processes can be seen in a result.

Sources: Miller 2024, "Adding error bars to evals", arXiv:2411.00640 (the standard error, here with the factor G/(G-1));
Korn and Graubard 1998, Survey Methodology 24 (effective trials, with their correction by degrees of freedom); Kish
1965, Survey Sampling (design effect); Wilson 1927, J. Am. Stat. Assoc. 22 (the interval).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditfw.core.statistics import wilson

from .student import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

MANY_CODES = 1_000_000  # to count, however few rows have them
Numbers = Any  # what numpy makes an array of whole numbers of: a list, an array of any integer type


@dataclass(frozen=True)
class ItemSums:
    """What a rate needs of its items; whole numbers, items without a trial left out.

    `items` are G, `trials` n, `size_squares` the sum over items of trials², `success_squares` of successes², `cross` of
    trials × successes; `largest` is the number of trials of the largest item, `holding` counts the items with a
    success, `lacking` those with a trial that is none.
    """

    items: int
    trials: int
    successes: int
    size_squares: int
    success_squares: int
    cross: int
    largest: int
    holding: int
    lacking: int

    @property
    def effective_items(self) -> float:
        """G' = n² / Σ trials²: as many items of equal size weigh as much. There must be a trial."""
        return self.trials**2 / self.size_squares

    @property
    def rarer(self) -> int:
        """k: the items that hold the rarer label; the fewer ones where both labels are equally frequent."""
        if 2 * self.successes == self.trials:
            return min(self.holding, self.lacking)
        return self.holding if 2 * self.successes < self.trials else self.lacking


@dataclass(frozen=True)
class ClusteredRate:
    """A share of successes with its 95 % interval; shares from 0 to 1.

    - `error`: the standard error; None of one item;
    - `design_effect`: D, the variance over that of as many separate trials, at least 1; None of one item or one label;
    - `n_eff`: the number of separate trials that would say as much, by D*: D drawn to the largest effect possible as
      long as few items hold the rarer label; `effective_items`: G'.
    """

    share: float
    low: float
    high: float
    trials: int
    items: int
    error: float | None
    design_effect: float | None
    n_eff: float
    effective_items: float


def rate(trials: Numbers, successes: Numbers) -> ClusteredRate:
    """The rate over items: `trials` and `successes` are whole numbers, one an item, in any order.

    Raises ValueError where there is no trial, where a number is negative, or where an item has more successes than
    trials.
    """
    return rate_of(item_sums(trials, successes))


def rate_of(sums: ItemSums) -> ClusteredRate:
    """The rate of such sums. Where no item has two trials the interval is `wilson(successes, trials)` itself."""
    n, s = sums.trials, sums.successes
    if not n:
        raise ValueError("a rate needs a trial")
    effect, n_eff = _effects(sums)
    low, high = wilson(s, n) if sums.largest <= 1 else wilson(s / n * n_eff, n_eff)
    error = _standard_error(sums)
    return ClusteredRate(s / n, low, high, n, sums.items, error, effect, n_eff, sums.effective_items)


def _effects(sums: ItemSums) -> tuple[float | None, float]:
    """D and n_eff."""
    n, k, most = sums.trials, sums.rarer, sums.trials / sums.effective_items
    if sums.largest <= 1:
        return (1.0 if k else None), float(n)
    if not k or sums.items == 1:
        return None, sums.effective_items
    effect = max(1.0, _variance_ratio(sums))
    drawn = (k * effect + most) / (k + 1)
    ratio = t_quantile(0.975, n - 1) / t_quantile(0.975, sums.effective_items - 1)
    return effect, min(max(n / drawn * ratio * ratio, 1.0), float(n))


def _residuals(sums: ItemSums) -> int:
    """Σ (n × successes of the item - all successes × trials of the item)², which is n² times the sum of r_g²."""
    n, s = sums.trials, sums.successes
    return n * n * sums.success_squares - 2 * n * s * sums.cross + s * s * sums.size_squares


def _standard_error(sums: ItemSums) -> float | None:
    items = sums.items
    return None if items < 2 else math.sqrt(items * _residuals(sums) / ((items - 1) * sums.trials**4))


def _variance_ratio(sums: ItemSums) -> float:
    """The squared standard error over p(1 - p)/(n - 1); both labels and two items there must be."""
    n, s, items = sums.trials, sums.successes, sums.items
    return items * (n - 1) * _residuals(sums) / ((items - 1) * n * n * s * (n - s))


def single_trials(trials: int, successes: int) -> ItemSums:
    """The sums of so many items of one trial each, so many of which succeed."""
    n, s = trials, successes
    return ItemSums(
        items=n, trials=n, successes=s, size_squares=n, success_squares=s, cross=s, largest=min(n, 1), holding=s,
        lacking=n - s,
    )  # fmt: skip


def item_sums(trials: Numbers, successes: Numbers) -> ItemSums:
    """The sums over items of one cell: `trials` and `successes` are whole numbers, one an item. Errors as in `rate`."""
    import numpy as np

    m = whole_numbers(trials)
    return item_sums_by_cell(np.zeros(m.shape, np.int64), 1, m, successes)[0]


def item_sums_by_cell(cells: Numbers, number: int, trials: Numbers, successes: Numbers) -> list[ItemSums]:
    """The sums of each of `number` cells: a row is an item in a cell, `cells` its cell's code from 0.

    An item must have one row a cell. A cell without a trial has sums of 0. Errors as in `rate`; sums must stay below
    2^63, as they do up to 3 × 10^9 trials.
    """
    return item_sums_of_each(cells, number, trials, [successes])[0]


def item_sums_of_each(cells: Numbers, number: int, trials: Numbers, several: Sequence[Numbers]) -> list[list[ItemSums]]:
    """The same for several columns of successes among the same trials; what these share is summed once."""
    import numpy as np

    m, largest = whole_numbers(trials), np.zeros(number, np.int64)
    np.maximum.at(largest, whole_numbers(cells), m)
    shared = list(zip(*totals_by_cell(cells, number, (m > 0, m, m * m)), strict=True)) if number else [(), (), ()]
    items, sizes, squares = shared
    each: list[list[ItemSums]] = []
    for s in map(whole_numbers, several):
        if m.shape != s.shape or (s < 0).any() or (s > m).any():
            raise ValueError("an item has from 0 to all of its trials as successes")
        if s.any():
            totals = totals_by_cell(cells, number, (s, s * s, m * s, s > 0, s < m))
        else:
            totals = [[0, 0, 0, 0, lacking] for lacking in items]
        rows = zip(totals, items, sizes, squares, largest.tolist(), strict=True)
        each.append(
            [
                ItemSums(n, trials_there, own, square, own_squares, cross, most, holding, lacking)
                for (own, own_squares, cross, holding, lacking), n, trials_there, square, most in rows
            ]
        )
    return each


@dataclass(frozen=True)
class ClusteredMean:
    """A mean of numbers that come in items, with its 95 % t interval; no ends of fewer than two items."""

    mean: float
    low: float | None
    high: float | None
    n: int
    items: int


def mean_of_items(sizes: Sequence[int], sums: Sequence[float], squares: float) -> ClusteredMean:
    """The mean over items of so many numbers each with such sums; `squares` are those of the residuals, item by item.

    se² = G/(G-1) Σ(sum - mean × size)² / n², t with G' - 1 degrees. There must be a number.
    """
    n, items = sum(sizes), len(sizes)
    mean = math.fsum(sums) / n
    if items < 2:
        return ClusteredMean(mean, None, None, n, items)
    effective = n * n / sum(size * size for size in sizes)
    half = t_quantile(0.975, effective - 1) * math.sqrt(items / (items - 1) * squares) / n
    return ClusteredMean(mean, mean - half, mean + half, n, items)


def clustered_mean(values: Any, items: Sequence[Any] = ()) -> ClusteredMean:
    """The mean of a column of finite numbers; `items` names the item of each (empty: each is its own)."""
    import numpy as np

    column = np.asarray(values, np.float64)
    if not column.size:
        raise ValueError("a mean needs a number")
    if not len(items):
        apart = 0.0 if column.min() == column.max() else float(((column - column.mean()) ** 2).sum())
        return mean_of_items([1] * column.size, column.tolist(), apart)
    sizes: dict[Any, int] = {}
    sums: dict[Any, float] = {}
    for item, value in zip(items, column.tolist(), strict=True):
        sizes[item] = sizes.get(item, 0) + 1
        sums[item] = sums.get(item, 0.0) + value
    return clustered_sums(list(sizes.values()), list(sums.values()))


def clustered_sums(sizes: Sequence[int], sums: Sequence[float]) -> ClusteredMean:
    """The mean over items, from the number and the sum of each."""
    mean = math.fsum(sums) / sum(sizes)
    return mean_of_items(sizes, sums, math.fsum((s - mean * m) ** 2 for m, s in zip(sizes, sums, strict=True)))


def whole_numbers(values: Numbers) -> Whole:
    """A column as 64-bit whole numbers, itself where it is one. Raises TypeError for anything that is not whole."""
    import numpy as np

    column = np.asarray(values)
    if column.size and column.dtype.kind not in "biu":
        raise TypeError(f"whole numbers are needed, not {column.dtype}")
    return column.astype(np.int64, copy=False)


def distinct_codes(codes: Whole, number: int) -> tuple[Whole, Whole]:
    """The distinct ones of codes from 0 to below `number`, ascending, and the place of each code among them."""
    import numpy as np

    if number > MANY_CODES + 4 * codes.size:
        distinct, places = np.unique(codes, return_inverse=True)
        return distinct, places
    there = np.bincount(codes, minlength=number) > 0  # without sorting
    return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]


def first_rows(codes: Numbers) -> Whole:
    """The number of the first row of each code from 0 that is there, in the order of the codes."""
    import numpy as np

    number = int(codes.max(initial=-1)) + 1
    if number > MANY_CODES + 4 * codes.size:
        return np.unique(codes, return_index=True)[1]
    first = np.full(number, -1, np.int64)
    first[codes[::-1]] = np.arange(codes.size - 1, -1, -1)  # what is written last stays
    return first[first >= 0]


def row_codes(columns: Iterable[Numbers], n: int) -> Whole:
    """A number for each of n rows of columns of whole numbers from 0: equal rows have the same, as they ascend."""
    import numpy as np

    codes = np.zeros(n, np.int64)
    for column in columns:
        number = int(column.max(initial=0)) + 1
        codes = codes * number + column
        codes = distinct_codes(codes, int(codes.max(initial=0)) + 1)[1]
    return codes


def rows_of_each(codes: Whole) -> list[Whole]:
    """The numbers of the rows of each code from 0 to the largest, ascending; codes without a row have none."""
    import numpy as np

    if not codes.size:
        return []
    small = codes.astype(np.uint16) if int(codes.max()) < 2**16 else codes  # these are sorted in a pass or two
    order = np.argsort(small, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes))[:-1])


def totals_by_cell(cells: Numbers, number: int, columns: Sequence[Any]) -> list[list[int]]:
    """The exact sums of whole columns for each of `number` cells: a list of one sum a column for each cell."""
    import numpy as np

    codes, totals = whole_numbers(cells), np.zeros((len(columns), number), np.int64)
    ends = np.flatnonzero(np.diff(codes)) + 1
    together = len(ends) < number  # each cell's rows: then they are added slice by slice
    starts = np.concatenate(([0], ends)) if len(codes) else ends
    for total, column in zip(totals, map(whole_numbers, columns), strict=True):
        if not together:
            np.add.at(total, codes, column)
        elif len(starts):
            np.add.at(total, codes[starts], np.add.reduceat(column, starts))
    by_cell: list[list[int]] = totals.T.tolist()
    return by_cell
