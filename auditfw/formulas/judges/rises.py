"""Kappa and concordance with what each item adds to them, and by how much such a coefficient rises, by item.

What an item adds is the influence of its row on the coefficient (Hampel 1974, J. Am. Stat. Assoc. 69); its error is the
standard deviation of these over the root of their number, that of several trials of one item taken together. Kappa is
Cohen's (1960); concordance is Lin's (1989, Biometrics 45), which is kappa with quadratic weights in the limit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import t975
from auditfw.formulas.student import t_p_value

Array = NDArray[np.float64]
TINY = 1e-12


class Influence(NamedTuple):
    """A coefficient and what each row adds to it; NaN where it is undefined."""

    value: float
    each: Array


class Rise(NamedTuple):
    """By how much a coefficient rises, the lower end of its 95 % interval, and the one-sided p-value of no rise."""

    gap: float
    low: float
    p: float


@dataclass(frozen=True)
class RowWeights:
    """How rows count: each once (`counts` None), or as often as `counts` says; `groups` are numbers of their items."""

    counts: Any = None
    groups: Any = None

    def mean(self, values: Array) -> float:
        """The mean of a column."""
        return float(values.mean() if self.counts is None else self.counts @ values / self.counts.sum())

    def error(self, each: Array) -> tuple[float, int]:
        """The standard error of a mean of influences, and of how many items it is."""
        if self.groups is not None:
            _, numbers = np.unique(self.groups, return_inverse=True)
            sums = np.bincount(numbers, weights=each)
            n, squares = len(sums), float(((sums - sums.mean()) ** 2).sum())
            return (math.sqrt(n / (n - 1) * squares) / len(each) if n > 1 else math.inf), n
        n = len(each) if self.counts is None else int(self.counts.sum())
        squares = self.mean((each - self.mean(each)) ** 2)
        return (math.sqrt(squares / (n - 1)) if n > 1 else math.inf), n


ONCE = RowWeights()


def nominal(own: Any, other: Any, labels: int, weights: RowWeights = ONCE) -> Influence:
    """Cohen's kappa of two columns of codes from 0 on."""
    rows, columns = (np.bincount(codes, weights.counts, labels) for codes in (own, other))
    rows, columns = rows / rows.sum(), columns / columns.sum()
    same = (own == other).astype(float)
    seen, chance = weights.mean(same), float(rows @ columns)
    if 1 - chance < TINY:
        return Influence(math.nan, np.full(len(same), math.nan))
    by_chance = columns[own] + rows[other] - 2 * chance
    each = (same - seen) / (1 - chance) - by_chance * (1 - seen) / (1 - chance) ** 2
    return Influence((seen - chance) / (1 - chance), each)


def concordance(own: Array, other: Array, weights: RowWeights = ONCE) -> Influence:
    """Lin's concordance of two columns of numbers."""
    mine, theirs = weights.mean(own), weights.mean(other)
    x, y = own - mine, other - theirs
    above = 2 * weights.mean(x * y)
    below = weights.mean(x * x) + weights.mean(y * y) + (mine - theirs) ** 2
    if below < TINY:
        return Influence(math.nan, np.full(len(x), math.nan))
    value, gap = above / below, mine - theirs
    each = (2 * x * y - value * (x * x + y * y + gap * gap + 2 * gap * (x - y))) / below
    return Influence(value, each)


def lower_end(of: Influence, weights: RowWeights = ONCE) -> float:
    """The lower end of the 95 % interval of a coefficient; -inf where there is none."""
    error, n = weights.error(of.each)
    return of.value - t975(n - 1) * error if n > 2 and math.isfinite(of.value) else -math.inf


def rise(after: Influence, before: Influence, weights: RowWeights = ONCE) -> Rise:
    """By how much a coefficient of the same rows rises."""
    gap = after.value - before.value
    if not math.isfinite(gap):
        return Rise(gap, -math.inf, 1.0)
    error, n = weights.error(after.each - before.each)
    if n < 3:
        return Rise(gap, -math.inf, 1.0)
    if error < TINY:
        return Rise(gap, gap, 0.0 if gap > 0 else 1.0)
    p = t_p_value(gap / error, n - 1) / 2
    return Rise(gap, gap - t975(n - 1) * error, p if gap > 0 else 1 - p)
