"""Where the noise of a mean comes from: items, repeats within items, and readings (or judges) crossed with trials.

Each reading labels every trial; items may have different numbers of repeats. Estimates by analysis of variance: one-way
on the mean over readings and one-way on the rest, centred by reading; intervals by leaving out one item at a time.

Sources: Searle, Casella and McCulloch 1992, Variance Components, ch. 3 and 4 (unbalanced one-way, crossed); Brennan
2001, Generalizability Theory (the error of a mean from its components); Efron and Tibshirani 1993, An Introduction to
the Bootstrap, ch. 11 (the jackknife).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditfw.formulas.clusters import Numbers, distinct_codes, item_sums, whole_numbers
from auditfw.formulas.student import t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ENOUGH = 30  # items that hold the rarer label; of fewer the interval of the item's part holds 81 to 87 %
SOURCES = ("item", "repeat", "item_reading", "repeat_reading")


@dataclass(frozen=True)
class VariancePart:
    """The variance of one source, 0 where the `estimate` is negative; squared shares. No ends, no interval."""

    estimate: float
    low: float | None
    high: float | None

    @property
    def value(self) -> float:
        return max(0.0, self.estimate)

    @property
    def negative(self) -> bool:
        return self.estimate < 0


@dataclass(frozen=True)
class VarianceParts:
    """The mean of all labels (a share) and the variance of each source of noise in it.

    - `item`: between items; where no item has a `repeat`ed trial, of item and repeat together;
    - `repeat`: within items; None where no item is repeated;
    - `item_reading`, `repeat_reading`: readings that judge items, or trials, differently; 0 of one reading;
    - `shares`: the mean by each reading. Their spread is shown as a range: so few readings are no sample;
    - `rarer`: the items that hold the rarer label.
    """

    mean: float
    item: VariancePart
    repeat: VariancePart | None
    item_reading: VariancePart
    repeat_reading: VariancePart
    shares: tuple[float, ...]
    items: int
    trials: int
    rarer: int

    @property
    def readings(self) -> int:
        return len(self.shares)

    @property
    def repeats(self) -> float:
        """The trials of an item, on average."""
        return self.trials / self.items

    def variance(self, items: float, repeats: float, readings: int | None = None) -> float | None:
        """V of the mean over so many items, repeats of each, and readings (those there are): a squared share.

        (σ²_I + σ²_IS/S)/G + (σ²_R + σ²_RS/S)/(G R). None for any other number of repeats where none was seen.
        """
        number = readings or self.readings
        between = self.item.value + self.item_reading.value / number
        if self.repeat is None:
            return between / items if repeats == 1 else None
        within = self.repeat.value + self.repeat_reading.value / number
        return between / items + within / (items * repeats)

    def half_width(self, items: int, repeats: float, readings: int | None = None) -> float | None:
        """Half the 95 % interval of that mean, a share: t of G - 1 degrees times √V. None of one item."""
        variance = self.variance(items, repeats, readings)
        return None if variance is None or items < 2 else t_quantile(0.975, items - 1) * math.sqrt(variance)


@dataclass(frozen=True)
class _VarianceSums:
    """Sums over items, each a number, or a number for each item that is left out.

    `items` are G, `trials` n; `squares` of n_g². Of the means over readings: `total`, `between` (of squared item sums
    over n_g), `whole` (of squares by trial). The same of the rest, `effects` and `effects_between` a row a reading.
    """

    items: Any
    trials: Any
    squares: Any
    total: Any
    between: Any
    whole: Any
    effects: Any
    effects_between: Any
    effects_whole: Any

    def parts(self) -> Floats:
        """The components, uncut, a row a source in the order of SOURCES."""
        import numpy as np

        readings, n = len(self.effects), self.trials
        item, repeat = self._split(self.between - self.total**2 / n, self.whole - self.between, 1)
        if readings == 1:
            return np.stack([item, repeat, np.zeros_like(item), np.zeros_like(item)])
        between = self.effects_between.sum(0)
        crossed, rest = self._split(between - (self.effects**2).sum(0) / n, self.effects_whole - between, readings - 1)
        return np.stack([item - crossed / readings, repeat - rest / readings, crossed, rest])

    def _split(self, between: Any, within: Any, ways: int) -> tuple[Any, Any]:
        """Components between and within items, of sums of squares with `ways` × (G - 1) and × (n - G) degrees."""
        import numpy as np

        spare, usual = self.trials - self.items, (self.trials - self.squares / self.trials) / (self.items - 1)
        inner = np.where(spare > 0, within / (np.maximum(spare, 1) * ways), 0.0)
        return (between / ((self.items - 1) * ways) - inner) / usual, inner


def _by_item(sizes: Floats, right: Floats, squares: Floats) -> list[Floats]:
    """What is summed, in the order of `_VarianceSums`: a column an item, of two a row a reading."""
    import numpy as np

    readings, all_right = len(right), right.sum(0)
    means, effects = all_right / readings, right - all_right / readings
    return [
        np.ones_like(sizes), sizes, sizes**2, means, means**2 / sizes, squares / readings**2,
        effects, effects**2 / sizes, all_right - squares / readings,
    ]  # fmt: skip


def _ends(columns: list[Floats], estimates: Floats) -> list[tuple[float | None, float | None]]:
    """The 95 % interval of each component: leaving out one item at a time, t with G - 1 degrees; cut at 0."""
    import numpy as np

    without = _VarianceSums(*(column.sum(-1, keepdims=True) - column for column in columns)).parts()
    items = without.shape[1]
    squares = ((without - without.mean(1, keepdims=True)) ** 2).sum(1)
    halves = t_quantile(0.975, items - 1) * np.sqrt((items - 1) / items * squares)
    lows, highs = np.maximum(0.0, [estimates - halves, estimates + halves]).tolist()
    return list(zip(lows, highs, strict=True))


def variance_parts(labels: Any, items: Numbers) -> VarianceParts | None:
    """The components of such labels: `labels` is trials × readings of 0 and 1, `items` the code of each trial's item.

    Any other whole number is a missing label, and its trial is left out. None of fewer than two items. Raises
    ValueError where the two have not one row a trial, or there is no reading.
    """
    import numpy as np

    table, codes = whole_numbers(labels), whole_numbers(items)
    if table.ndim != 2 or not table.shape[1] or codes.shape != table.shape[:1]:
        raise ValueError("labels are trials × readings, with an item for each trial")
    known = ((table == 0) | (table == 1)).all(1)
    table = table[known]
    distinct, places = distinct_codes(codes[known], int(codes.max(initial=0)) + 1)
    if distinct.size < 2:
        return None
    sizes = np.bincount(places)
    right: Floats = np.array([np.bincount(places, weights=column) for column in table.T], np.float64)
    squares: Floats = np.bincount(places, weights=table.sum(1) ** 2).astype(np.float64)
    columns = _by_item(sizes.astype(np.float64), right, squares)
    estimates = _VarianceSums(*(column.sum(-1) for column in columns)).parts()
    rarer = item_sums(sizes * len(right), right.sum(0).astype(np.int64)).rarer
    ends = _ends(columns, estimates) if rarer >= ENOUGH else [(None, None)] * len(SOURCES)
    each = [VariancePart(value, *end) for value, end in zip(estimates.tolist(), ends, strict=True)]
    repeat = each[1] if len(table) > distinct.size else None
    shares = tuple((right.sum(1) / len(table)).tolist())
    mean = math.fsum(shares) / len(shares)
    return VarianceParts(mean, each[0], repeat, each[2], each[3], shares, distinct.size, len(table), rarer)
