"""The difference of two rates over items: two models or cells that share all, some or none of their items.

Everything is computed from whole sums over items (`PairSums`): no order of rows, items or processes can be seen.

Sources: Miller 2024, arXiv:2411.00640 (the standard error of paired questions, here with the factor G/(G-1) over the
union of items); Bonett and Price 2012, J. Educ. Behav. Stat. 37 (pseudo-items in the interval; the test is without);
Kitagawa 1955, J. Am. Stat. Assoc. 50 (what a gap has of ends that were not alike: over finished, cut off or empty, and
loops, of the items of both sides). Since a rate is 1 less the shares of all classes of what was lost, a gap is exactly
the sum of their differences.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .clusters import Numbers, item_sums_by_cell, whole_numbers
from .sign_flips import smallest_p
from .student import t_p_value, t_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]

BLOCK = 1 << 20  # numbers in a block of cells × items
LEAST_WIDTH = 64  # items in a block
EXACT_FLOATS = 2**53
PRODUCTS = 250_000  # of two matrices that one thread multiplies: waking others takes longer


@dataclass(frozen=True)
class RateDifference:
    """The share of a less the share of b, over the items of either; shares from -1 to 1.

    - `error`: the standard error; `t` = difference / error; `degrees`: the items of the side with fewer, less 1;
    - `p`: two-sided; where the error is 0 and the difference is not, 2^(1 - items);
    - `low`, `high`: the 95 % interval with two pseudo-items, one that a wins wholly and one that b wins wholly;
    - `items`, `trials`: of the side with fewer; `shared`: the items of both.

    With one item on a side there is no error, t, p, nor interval: all None. t is None where the error is 0, too.
    """

    difference: float
    low: float | None
    high: float | None
    error: float | None
    t: float | None
    degrees: int
    p: float | None
    items: int
    shared: int
    trials: int


@dataclass(frozen=True)
class CellTotals:
    """One cell in whole numbers: trials, successes, items with a trial, and those that hold the rarer label."""

    trials: int
    successes: int
    items: int
    rarer: int

    @property
    def pseudo(self) -> float:
        """The trials of a pseudo-item: (trials an item + trials with the rarer label) / (items that hold it + 1)."""
        label = min(self.successes, self.trials - self.successes)
        return (self.trials / self.items + label) / (self.rarer + 1)


@dataclass(frozen=True)
class Diagonal:
    """A matrix of whole numbers that is 0 beside its diagonal; it is read like an array, and needs none."""

    values: Sequence[int]

    def __getitem__(self, at: tuple[Any, Any]) -> Any:
        a, b = at
        if isinstance(a, int):
            return self.values[a] if a == b else 0
        import numpy as np

        return np.where(a == b, np.array(self.values, np.int64)[a], 0)


@dataclass(frozen=True)
class PairSums:
    """What differences between cells need: the totals of each, and matrices cell × cell of whole sums over items.

    `both_successes[a, b]` is the sum of successes in a × successes in b, `mixed[a, b]` of successes in a × trials in b,
    `both_trials[a, b]` of trials × trials; `shared[a, b]` counts the items with a trial in each.
    """

    cells: tuple[CellTotals, ...]
    both_successes: Whole | Diagonal
    mixed: Whole | Diagonal
    both_trials: Whole | Diagonal
    shared: Whole | Diagonal

    def difference(self, a: int, b: int) -> RateDifference:
        """The rate in cell a less that in cell b. Raises ValueError where either has no trial."""
        one, other = self.cells[a], self.cells[b]
        n, m, shared = one.trials, other.trials, int(self.shared[a, b])
        if not (n and m):
            raise ValueError("a difference needs a trial on either side")
        apart = (one.successes * m - other.successes * n) / (n * m)
        items, trials = min(one.items, other.items), min(n, m)
        if items < 2:
            return RateDifference(apart, None, None, None, None, 0, None, items, shared, trials)
        low, high = self._interval(a, b, t_quantile(0.975, items - 1))
        error, t, p = self._test(a, b, apart, items)
        return RateDifference(apart, low, high, error, t, items - 1, p, items, shared, trials)

    def p_value(self, a: int, b: int) -> float | None:
        """The p-value of the difference alone, in less time."""
        one, other = self.cells[a], self.cells[b]
        n, m, items = one.trials, other.trials, min(one.items, other.items)
        return None if items < 2 else self._test(a, b, (one.successes * m - other.successes * n) / (n * m), items)[2]

    def _test(self, a: int, b: int, apart: float, items: int) -> tuple[float, float | None, float]:
        """Standard error, t and p."""
        error = self._error(a, b)
        if error:
            return error, apart / error, t_p_value(apart / error, items - 1)
        return 0.0, None, smallest_p(items) if apart else 1.0

    def _union(self, a: int, b: int) -> int:
        return self.cells[a].items + self.cells[b].items - int(self.shared[a, b])

    def _error(self, a: int, b: int) -> float:
        """√(G/(G-1) × Σ q_g²), q_g an item's residual in a over a's trials, less the same in b; in whole numbers."""
        n, m, union = self.cells[a].trials, self.cells[b].trials, self._union(a, b)
        squares = self._residuals(a, a) * m**4 + self._residuals(b, b) * n**4
        squares -= 2 * self._residuals(a, b) * n * n * m * m
        return math.sqrt(union * squares / ((union - 1) * n**4 * m**4))

    def _residuals(self, a: int, b: int) -> int:
        """Σ (n_a s_ag - S_a m_ag)(n_b s_bg - S_b m_bg), for items g with m trials and s successes."""
        n, m, s, r = self.cells[a].trials, self.cells[b].trials, self.cells[a].successes, self.cells[b].successes
        alike = n * m * int(self.both_successes[a, b]) + s * r * int(self.both_trials[a, b])
        return alike - n * r * int(self.mixed[a, b]) - m * s * int(self.mixed[b, a])

    def _interval(self, a: int, b: int, quantile: float) -> tuple[float, float]:
        """The interval with the two pseudo-items, whose residuals count as they are."""
        one, other, union = self.cells[a], self.cells[b], self._union(a, b)
        n, m = one.trials + 2 * one.pseudo, other.trials + 2 * other.pseudo
        p, q = (one.successes + one.pseudo) / n, (other.successes + other.pseudo) / m
        squares = self._squares(a, a, p, p) / (n * n) + self._squares(b, b, q, q) / (m * m)
        squares = max(0.0, squares - 2 * self._squares(a, b, p, q) / (n * m)) * union / (union - 1)
        to_one = one.pseudo * (1 - p) / n + other.pseudo * q / m
        to_other = one.pseudo * p / n + other.pseudo * (1 - q) / m
        half = quantile * math.sqrt(squares + to_one * to_one + to_other * to_other)
        return max(-1.0, p - q - half), min(1.0, p - q + half)

    def _squares(self, a: int, b: int, p: float, q: float) -> float:
        """Σ (s_ag - p m_ag)(s_bg - q m_bg)."""
        alike = int(self.both_successes[a, b]) + p * q * int(self.both_trials[a, b])
        return alike - (q * int(self.mixed[a, b]) + p * int(self.mixed[b, a]))


def two_rates(trials_a: Numbers, successes_a: Numbers, trials_b: Numbers, successes_b: Numbers) -> RateDifference:
    """The rate of a less that of b: four columns of whole numbers over the union of items, in any common order.

    An item that a side does not have has 0 trials there. Raises ValueError where a side has no trial, where a number is
    negative, or where an item has more successes than trials.
    """
    import numpy as np

    sides = [whole_numbers(trials_a), whole_numbers(trials_b)]
    if sides[0].shape != sides[1].shape:
        raise ValueError("both sides have one row for each item of either")
    items = np.tile(np.arange(sides[0].size), 2)
    successes = np.concatenate([whole_numbers(successes_a), whole_numbers(successes_b)])
    return pair_sums(np.repeat([0, 1], sides[0].size), 2, items, np.concatenate(sides), successes).difference(0, 1)


def pair_sums(cells: Numbers, number: int, items: Numbers, trials: Numbers, successes: Numbers) -> PairSums:
    """The sums of all pairs of `number` cells: a row is an item in a cell, both by their codes from 0.

    An item must have one row a cell; rows come in any order. Errors as in `two_rates`.
    """
    import numpy as np

    sums = item_sums_by_cell(cells, number, trials, successes)
    totals = tuple(CellTotals(one.trials, one.successes, one.items, one.rarer) for one in sums)
    columns = [whole_numbers(column) for column in (cells, items, trials, successes)]
    exact = max((one.trials for one in totals), default=0) ** 2 < EXACT_FLOATS  # products of floats
    matrices = np.zeros((4, number, number), np.int64)
    for m, s in _blocks(columns, number, np.float64 if exact else np.int64):
        there = (m > 0).astype(m.dtype)
        for at, (left, right) in enumerate(((s, s), (s, m), (m, m), (there, there))):
            matrices[at] += (left @ right.T).astype(np.int64)
    return PairSums(totals, *matrices)


def separate_sums(trials: Sequence[int], successes: Sequence[int]) -> PairSums:
    """The sums of all pairs of cells whose trials are each an item of its own, in no other cell: from totals alone.

    Raises ValueError where a cell has more successes than trials, or a negative number.
    """
    if any(not 0 <= s <= n for n, s in zip(trials, successes, strict=True)):
        raise ValueError("a cell has from 0 to all of its trials as successes")
    totals = tuple(CellTotals(n, s, n, min(s, n - s)) for n, s in zip(trials, successes, strict=True))
    n, s = Diagonal(trials), Diagonal(successes)
    return PairSums(totals, s, s, n, n)


def _blocks(columns: list[Whole], number: int, kind: Any) -> Iterator[tuple[Any, Any]]:
    """Trials and successes as matrices of cells × some items each."""
    import numpy as np

    order = np.argsort(columns[1], kind="stable")
    cells, items, trials, successes = (column[order] for column in columns)
    end = int(items[-1]) + 1 if items.size else 1
    width = min(end, max(1, BLOCK // max(1, number)), max(LEAST_WIDTH, PRODUCTS // max(1, number * number)))
    for start in range(0, end, width):
        rows = slice(*np.searchsorted(items, (start, start + width)))
        matrices = np.zeros((2, number, width), kind)
        for matrix, values in zip(matrices, (trials, successes), strict=True):
            matrix[cells[rows], items[rows] - start] = values[rows]
        yield matrices[0], matrices[1]


@dataclass(frozen=True)
class Kitagawa:
    """The gap on the items of both sides: what different ends make of it, and the rest; `items` are these."""

    gap: float
    ended: float
    items: int

    @property
    def rest(self) -> float:
        return self.gap - self.ended


def gap_by_class(trials_a: Any, lost_a: Any, trials_b: Any, lost_b: Any) -> list[RateDifference]:
    """The share of each class in b less that in a: what a gains by it on b.

    `trials` have a number an item of either side, `lost` a column a class: items × classes.
    """
    pairs = zip(lost_b.T, lost_a.T, strict=True)
    return [two_rates(trials_b, of_b, trials_a, of_a) for of_b, of_a in pairs]


def kitagawa(trials: Any, right: Any) -> Kitagawa | None:
    """Both arrays are sides × items × ends (0 finished, 1 cut off or empty, 2 loop) of trials, and of those right."""
    import numpy as np

    sizes = trials.sum(2)
    common = (sizes > 0).all(0)
    items = int(common.sum())
    if not items:
        return None
    weights = 1.0 / np.maximum(sizes, 1)[:, common, None]
    shares, solved = (trials[:, common] * weights).mean(1), (right[:, common] * weights).mean(1)
    rates = np.where(shares > 0, solved / np.maximum(shares, 1e-300), np.nan)
    rates = np.where(np.isnan(rates), rates[::-1], rates)  # an end that one side has not: as on the other
    mean = np.nan_to_num(rates.mean(0))
    ended = float(((shares[0] - shares[1]) * (mean - mean[0]))[1:].sum())
    return Kitagawa(float((solved[0] - solved[1]).sum()), ended, items)
