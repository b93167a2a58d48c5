"""Numbers of a rater on another scale than the others': multiplied, moved by steps, or reversed.

Tried is only what the ranges allow. What decides is Lin's concordance, that is kappa with quadratic weights.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import exp, lgamma, log
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from auditfw.core.statistics import t975
from auditfw.formulas.rows.exact import tails
from auditfw.formulas.student import t_p_value

from .placeholders import NONE, Numbers, RatedItems

# Kappa and concordance with what each item adds to them, and by how much such a coefficient rises, by item.

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


Change = Literal["factor", "step", "reversed"]

FEWEST = 6  # items
FACTORS = (10.0, 100.0, 5.0, 4.0, 2.0, 1 / 10, 1 / 100, 1 / 5, 1 / 4, 1 / 2)
STEPS = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)
TRIES = len(FACTORS) + len(STEPS) + 1
LEVEL, STEP_LEVEL = 0.01, 1e-3
RISEN, STEP_RISEN = 0.2, 0.03  # the lower end of the rise
REACHED = 0.3  # of the concordance with a factor, or reversed
NEAR = (0.7, 1.3)  # times the largest size of the others
WIDER = 1.3  # times its own range, at most, for a reversal
FEW = 24  # values of a scale with steps
STRANGE, KNOWN = 0.01, 0.97  # share of labels that the others never give, and of those that they do once moved
DIGITS, MOST_PAIRS = 6, 1 << 20


@dataclass(frozen=True)
class RaterScale:
    """What brings a rater's numbers to the scale of the others: `change` by `by`, or from `by` down for a reversal.

    It is of `rows` items; `gained` more of them agree then, and concordance rises from `before` to `after`. `p` is
    adjusted.
    """

    rater: int
    change: Change
    by: float
    rows: int
    gained: int
    before: float
    after: float
    p: float


def changed(scale: RaterScale, number: float) -> float:
    """A number of the rater on the scale of the others."""
    if scale.change == "reversed":
        return scale.by - number
    return number + scale.by if scale.change == "step" else number * scale.by


def rater_scales(rated: RatedItems) -> list[RaterScale]:
    """Of each rater the change after which it agrees most, where one is no luck; none of labels that are no numbers."""
    if not rated.numeric:
        return []
    scales = []
    for rater in rated.candidates:
        tried = list(_tried(rated, rater))
        if tried:
            scales.append(max(tried, key=lambda one: one.after))
    return scales


def _tried(rated: RatedItems, rater: int) -> Iterator[RaterScale]:
    """The changes of a rater that the ranges allow and that are no luck."""
    own, other, weights = _pairs(rated, rater)
    own_counts, total = rated.counts[rater], rated.counts.sum(0)
    theirs = rated.counts[rated.reference] if rated.reference is not None else total - own_counts
    rest = np.unique(rated.numbers[:-1][theirs > 0])
    rest = rest[np.isfinite(rest)]
    n = int(weights.counts.sum() if weights.counts is not None else len(own))
    if n < FEWEST or not len(rest):
        return
    before = None
    for change, by, brought in _changes(own, rest, weights):
        before = before or concordance(own, other, weights)
        after = concordance(brought, other, weights)
        risen = rise(after, before, weights)
        step = change == "step"
        p = min(1.0, risen.p * TRIES * len(rated.candidates))
        sure = p <= (STEP_LEVEL if step else LEVEL) and risen.low > (STEP_RISEN if step else RISEN)
        if sure and (step or after.value >= REACHED):
            gained = weights.mean((brought == other).astype(float)) - weights.mean((own == other).astype(float))
            yield RaterScale(rater, change, by, n, round(gained * n), before.value, after.value, p)


def _pairs(rated: RatedItems, rater: int) -> tuple[Numbers, Numbers, RowWeights]:
    """The numbers of both where both gave one: each two of them once, where items are not several trials of one."""
    own, k = rated.codes[rater], len(rated.names) + 1
    alone = rated.reference is not None or len(rated.codes) == 2
    if rated.groups is None and alone and k * k <= MOST_PAIRS:
        codes = (own.astype(np.int32) + 1) * k + rated.against(rater) + 1
        counts = np.bincount(codes, minlength=k * k)
        pairs = np.flatnonzero(counts)
        x, y = rated.numbers[pairs // k + NONE], rated.numbers[pairs % k + NONE]
        both = np.isfinite(x) & np.isfinite(y)
        return x[both], y[both], RowWeights(counts[pairs][both])
    x, y = rated.numbers[own], rated.numbers_against(rater)
    both = np.isfinite(x) & np.isfinite(y)
    return x[both], y[both], ONCE if rated.groups is None else RowWeights(groups=rated.groups[both])


def _changes(own: Numbers, rest: Numbers, weights: RowWeights) -> Iterator[tuple[Change, float, Numbers]]:
    """A factor brings the largest number to that of the others, a step mends numbers that the others never give, a
    reversal is of one and the same range."""
    top, far = np.abs(rest).max(), np.abs(own).max()
    for factor in FACTORS:
        if NEAR[0] * top <= far * factor <= NEAR[1] * top:
            yield "factor", factor, np.round(own * factor, DIGITS)
    if len(rest) <= FEW and weights.mean((~np.isin(own, rest)).astype(float)) >= STRANGE:
        for step in STEPS:
            moved = np.round(own + step, DIGITS)
            if weights.mean(np.isin(moved, rest).astype(float)) >= KNOWN:
                yield "step", step, moved
    low, high = min(rest.min(), own.min()), max(rest.max(), own.max())
    if high - low <= WIDER * max(float(np.ptp(own)), 1e-9):
        yield "reversed", float(low + high), low + high - own


# Labels of a rater that stand one-to-one for others of those that it is held against.

OFTEN = 3  # times that a rater uses a label, for it to be moved
LEAST_RISE, LEAST_END = 0.1, 0.05  # of kappa, and of the lower end of its rise
TINIEST = 1e-300


class OneToOne(NamedTuple):
    """Which codes stand for which, how many of `n` rows agree `before` and `after` that; `p` counts all maps."""

    moved: Mapping[int, int]
    n: int
    before: int
    after: int
    p: float


def renaming(own: Any, other: Any, labels: int, kept: Collection[int] = (), groups: Any = None) -> OneToOne | None:
    """The renaming of a rater's codes, from 0 on, that is held against others; None where there is none.

    Codes in `kept` (abstentions) are never moved; `groups` are numbers of the items that rows are trials of.
    """
    if len(own) < FEWEST:
        return None
    table = np.bincount(own * labels + other, minlength=labels * labels).reshape(labels, labels)
    moved = arrows(table, kept)
    if len(moved) < 2 or ((table.sum(0) + table.sum(1)) > 0).sum() < 3:
        return None
    to = np.arange(labels)
    to[list(moved)] = list(moved.values())
    weights = ONCE if groups is None else RowWeights(groups=groups)
    risen = rise(nominal(to[own], other, labels, weights), nominal(own, other, labels, weights), weights)
    if not (risen.gap >= LEAST_RISE and risen.low > LEAST_END):
        return None
    change = (to[own] == other).astype(int) - (own == other)
    if groups is not None:
        change = np.bincount(np.unique(groups, return_inverse=True)[1], weights=change)
    up, down = int((change > 0).sum()), int((change < 0).sum())
    maps = lgamma(int((table.sum(1) >= OFTEN).sum()) + 1)
    p = exp(min(0.0, log(max(tails(up, up + down, 0.5)[1], TINIEST)) + maps))
    return OneToOne(moved, len(own), int((own == other).sum()), int((to[own] == other).sum()), p)


def arrows(table: Any, kept: Collection[int] = ()) -> dict[int, int]:
    """Which labels of the rows of a table of counts stand for which of its columns, one-to-one."""
    rows, columns = table.sum(1), table.sum(0)
    to = table.argmax(1)
    most = table[np.arange(len(table)), to]
    often = (rows >= OFTEN) & (2 * most > rows) & (2 * most > columns[to]) & (to != np.arange(len(table)))
    moved = {int(i): int(to[i]) for i in np.flatnonzero(often) if i not in kept and int(to[i]) not in kept}
    own = {i for i, j in moved.items() if not columns[i] and not rows[j]}
    return {i: j for i, j in moved.items() if i in own or _closes(moved, i)}


def _closes(moved: Mapping[int, int], start: int) -> bool:
    """Whether the arrows from a label lead back to it."""
    seen, at = {start}, moved[start]
    while at in moved and at not in seen:
        seen.add(at)
        at = moved[at]
    return at == start
