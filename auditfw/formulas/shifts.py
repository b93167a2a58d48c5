"""How large a shift between two readings is, by items, and how small a shift could have been seen.

Source of the interval: Bonett and Price 2012, J. Educ. Behav. Stat. 37, written for items: two pseudo-items, one wholly
up and one wholly down, are added. With items of one trial it is their interval, with Student's t for the normal.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import astuple, dataclass
from functools import lru_cache

from .clusters import Numbers, totals_by_cell, whole_numbers
from .student import least_share, t_quantile

POWER = 0.8


@dataclass(frozen=True)
class ShiftSums:
    """What a shift needs of its items; whole numbers, items without a trial left out.

    `items` are G, `trials` n, `total` is ΣD_g, `absolute` Σ|D_g|, `size_squares` the sum of trials², `squares` ΣD_g²,
    `cross` the sum of D_g × trials, `changed` the number of items with D_g other than 0.
    """

    items: int
    trials: int
    total: int
    absolute: int
    size_squares: int
    squares: int
    cross: int
    changed: int


@dataclass(frozen=True)
class ClusteredShift:
    """A shift as a share of trials, from -1 to 1, with its 95 % interval.

    `centre` and `error` are those of the interval, pseudo-items included; `degrees` are those of its t, at least 1.
    `changed` counts the items whose changes do not cancel.
    """

    shift: float
    low: float
    high: float
    centre: float
    error: float
    degrees: float
    trials: int
    items: int
    changed: int

    @property
    def least_seen(self) -> float:
        """The shift that a test at 5 % sees four times in five, by the error alone."""
        return (t_quantile(0.975, self.degrees) + t_quantile(POWER, self.degrees)) * self.error

    def within(self, margin: float) -> bool:
        """Whether the whole interval lies within ± margin (a share)."""
        return -margin <= self.low and self.high <= margin

    def beyond_chance(self) -> tuple[float, float]:
        """The interval cut at 0, for a shift whose test is beyond chance."""
        return (max(0.0, self.low), self.high) if self.shift > 0 else (self.low, min(0.0, self.high))


def shift(trials: Numbers, sums: Numbers) -> ClusteredShift:
    """The shift over items: `trials` with both labels and D_g (to true less to false), whole numbers, one an item.

    Raises ValueError where there is no trial or where |D_g| is above the item's trials.
    """
    import numpy as np

    m = whole_numbers(trials)
    return shift_of(shift_sums_by_cell(np.zeros(m.shape, np.int64), 1, m, sums)[0])


def shift_sums_by_cell(cells: Numbers, number: int, trials: Numbers, sums: Numbers) -> list[ShiftSums]:
    """The sums of each of `number` cells: a row is an item in a cell, `cells` its cell's code from 0.

    An item must have one row a cell. A cell without a trial has sums of 0. Errors as in `shift`.
    """
    import numpy as np

    m, d = whole_numbers(trials), whole_numbers(sums)
    if m.shape != d.shape or (np.abs(d) > m).any():
        raise ValueError("an item has at most as many changes as trials")
    columns = (m > 0, m, d, np.abs(d), m * m, d * d, d * m, d != 0)
    return [ShiftSums(*row) for row in totals_by_cell(cells, number, columns)]


@lru_cache(maxsize=4_096)
def shift_of(sums: ShiftSums) -> ClusteredShift:
    """The shift of such sums, exactly in whole numbers that are rounded at the end."""
    n, items = sums.trials, sums.items
    if not n:
        raise ValueError("a shift needs a trial")
    # pseudo-items of size a/b make whole/b trials of n; all in whole numbers, rounded once
    a, b = n + items * sums.absolute, items * (sums.changed + 1)
    whole, moved = n * b + 2 * a, sums.total * b
    spread = sums.squares * whole * whole - 2 * moved * sums.cross * whole + moved * moved * sums.size_squares
    squares = spread * b * b + 2 * a * a * (whole * whole + moved * moved)
    error, degrees = math.sqrt(squares / whole**4), max(1.0, n * n / sums.size_squares - 1)
    centre, half = moved / whole, t_quantile(0.975, degrees) * error
    low, high = max(-1.0, centre - half), min(1.0, centre + half)
    return ClusteredShift(sums.total / n, low, high, centre, error, degrees, n, items, sums.changed)


def detectable(items: int, comparisons: int = 1, alpha: float = 0.05, least: float = 0.0) -> float | None:
    """The smallest share of items, changed in one direction, that a test sees four times in five.

    So many flips must come that the sign-flip test, adjusted over `comparisons` (readings, or readings × cells), is at
    most `alpha`: 1 + ⌈log2(comparisons / alpha)⌉. `least` is the `least_seen` of an interval, below which no share is.
    None where not even a change of all items would be seen.
    """
    needed = flips_needed(comparisons, alpha)
    if needed > items:
        return None
    share = max(least, least_share(needed, items, POWER))
    return share if share <= 1 else None


def flips_needed(comparisons: int = 1, alpha: float = 0.05) -> int:
    """The items that must change, all in one direction, before an adjusted sign-flip test can be at most `alpha`."""
    needed = 1
    while math.ldexp(1.0, 1 - needed) > alpha / comparisons:
        needed += 1
    return needed


def items_needed(sums: ShiftSums, margin: float) -> int:
    """About how many items like these a shift needs before its interval is within ± margin (a share), or beyond 0.

    The number has two digits and noughts. There is always one: a shift other than 0 gets beyond 0 at last.
    """

    def settles(times: int) -> bool:
        shift = shift_of(ShiftSums(*(times * one for one in astuple(sums))))
        return shift.within(margin) or shift.low > 0 or shift.high < 0

    enough = 1
    while not settles(enough):
        enough *= 2
    return round_up((1 + bisect_left(range(1, enough), True, key=settles)) * sums.items)


def round_up(number: int) -> int:
    """The next number of two digits and noughts."""
    unit = 10 ** max(0, len(str(number)) - 2)
    return int(-(-number // unit) * unit)
