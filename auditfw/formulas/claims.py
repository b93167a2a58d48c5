"""Whether a claim holds, what turns it, how few labels reverse it, and which ranks pairs of rates leave open.

`d` is an estimate that counts towards the claim, `by` what it must exceed, `low` and `high` its 95 % interval, all in
one unit. Pairs adjusted together by Holm 1979 make rank intervals simultaneous; from pairs to ranks as Mogstad, Romano,
Shaikh and Wilhelm 2024, Rev. Econ. Stud. 91. Many pairs are tested at once, in arrays of floats; what rounding could
decide is tested again, pair by pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from .multiple import ALPHA, holm
from .student import t_p_values, t_quantile
from .two_rates import PairSums, RateDifference

ClaimVerdict = Literal["holds", "leans", "leans against", "fails", "cannot tell"]
FEW = 100  # pairs that are not worth a shorter way
NEAR = 1e-6  # relative: t is computed from sums in whole numbers, here rounded as floats
Pair = tuple[int, int]
ROUNDING = 1e-9  # of a label: a difference of 29 labels in 100 is 28.999999999999996 of them as floats


def claim_verdict(d: float, low: float | None, high: float | None, by: float = 0.0, items: int = 2) -> ClaimVerdict:
    """What an estimate and its interval say of a claim; `items` are those of the side with fewer.

    *holds*: the whole interval beyond `by`; *fails*: the whole interval on the other side; *leans*, *leans against*:
    the estimate alone. *cannot tell*: fewer than two items a side, no interval, or an estimate of exactly `by`.
    """
    if items < 2 or low is None or high is None:
        return "cannot tell"
    if low > by:
        return "holds"
    if high < by:
        return "fails"
    if d == by:
        return "cannot tell"
    return "leans" if d > by else "leans against"


def turned(reference: ClaimVerdict, reading: ClaimVerdict) -> bool:
    """Whether a claim holds under one of the two, and leans against or fails under the other."""
    against = ("leans against", "fails")
    return (reference == "holds" and reading in against) or (reading == "holds" and reference in against)


def labels_to_reverse(d: float, trials: int, by: float = 0.0) -> int:
    """The labels that must change before the estimate is on the other side of `by`: ⌊|d - by| × trials⌋ + 1.

    `d` and `by` are shares, `trials` those of the smaller side.
    """
    return math.floor(abs(d - by) * trials + ROUNDING) + 1


def labels_to_unsettle(d: float, end: float, trials: int, by: float = 0.0) -> int:
    """The labels that must change before the interval, as wide as it is, reaches `by`; 0 where it does already.

    `end` is the interval's end on the side of `by`: ⌊(|d - by| - |d - end|) × trials⌋ + 1.
    """
    room = abs(d - by) - abs(d - end)
    return math.floor(room * trials + ROUNDING) + 1 if room > 0 else 0


def resolved_pairs(
    differences: Sequence[Sequence[float]], p: Sequence[Sequence[float | None]], alpha: float = 0.05
) -> list[list[bool]]:
    """The matrix of pairs where i is resolved as better than j: the adjusted p at most alpha, the difference above 0.

    `differences[i][j]` is how much better i is than j, `p[i][j]` the adjusted p of the pair, the same in both halves.
    """
    return [
        [value is not None and value <= alpha and d > 0 for d, value in zip(row, values, strict=True)]
        for row, values in zip(differences, p, strict=True)
    ]


def rank_intervals(better: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """The ranks that are possible, best 1: from 1 + those resolved as better to C - those resolved as worse.

    `better[i][j]`: i is resolved as better than j.
    """
    return [(1 + sum(row[i] for row in better), len(better) - sum(better[i])) for i in range(len(better))]


def turned_pairs(better: Sequence[Sequence[bool]], differences: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    """The pairs (i, j): i is resolved as better under the reference, j is better by a reading's differences."""
    return [
        (i, j) for i, row in enumerate(better) for j, is_better in enumerate(row) if is_better and differences[i][j] < 0
    ]


@dataclass(frozen=True)
class RankedRates:
    """The rates of groups under one reading, and which of them are resolved as better than which.

    `higher` says that a higher rate is the better one. Groups without a trial are in no pair, nor are the pairs
    `apart`, i < j, which are not to be compared.
    """

    sums: PairSums
    higher: bool
    alpha: float = ALPHA
    apart: frozenset[Pair] = frozenset()

    @property
    def number(self) -> int:
        return len(self.sums.cells)

    @cached_property
    def pairs(self) -> list[Pair]:
        """The pairs that are compared, of groups with a trial, i < j."""
        present = [i for i, one in enumerate(self.sums.cells) if one.trials]
        pairs = [(i, j) for at, i in enumerate(present) for j in present[at + 1 :]]
        return [pair for pair in pairs if pair not in self.apart] if self.apart else pairs

    def compared(self, i: int, j: int) -> RateDifference:
        """How much better i is than j, as it counts: positive where i is better."""
        return self.sums.difference(i, j) if self.higher else self.sums.difference(j, i)

    @cached_property
    def leads(self) -> list[list[float]]:
        """How much better group i is than group j, as a share; 0 where one of them has no trial."""
        rates = [one.successes / one.trials if one.trials else None for one in self.sums.cells]
        sign = 1 if self.higher else -1
        return [[0.0 if p is None or q is None else sign * (p - q) for q in rates] for p in rates]

    @cached_property
    def better(self) -> list[list[bool]]:
        """The matrix of pairs where i is resolved as better than j."""
        return resolved_pairs(self.leads, self._matrix(holm_of_many(self.sums, self.pairs, self.alpha)), self.alpha)

    @cached_property
    def chances(self) -> dict[Pair, float | None]:
        """The p-value of each pair, adjusted over all; None where an item is all that a side has."""
        return dict(zip(self.pairs, holm_of_pairs(self.sums, self.pairs), strict=True))

    @cached_property
    def ranks(self) -> list[Pair | None]:
        """The ranks that are possible for each group, best 1; None without a trial."""
        present = [i for i, one in enumerate(self.sums.cells) if one.trials]
        intervals = iter(rank_intervals([[self.better[i][j] for j in present] for i in present]))
        return [next(intervals) if one.trials else None for one in self.sums.cells]

    def count(self) -> int:
        """The number of pairs that are resolved."""
        return sum(map(sum, self.better))

    def _matrix(self, values: Sequence[float | None]) -> list[list[float | None]]:
        matrix: list[list[float | None]] = [[None] * self.number for _ in range(self.number)]
        for (i, j), value in zip(self.pairs, values, strict=True):
            matrix[i][j] = matrix[j][i] = value
        return matrix


def holm_of_pairs(sums: PairSums, pairs: Sequence[Pair]) -> list[float | None]:
    """The p-value of each pair, adjusted by Holm over all of them; None where there is none."""
    return _adjusted([sums.p_value(*pair) for pair in pairs])


def holm_of_many(sums: PairSums, pairs: Sequence[Pair], alpha: float = ALPHA) -> list[float | None]:
    """Numbers that are at most alpha for exactly those pairs whose adjusted p-value is; None where there is none.

    For few pairs the p-values themselves. Of many a pair beyond the bound of the whole family counts as 0, one that is
    not even beyond that of a single test as 1; only where rounding could decide are all computed one by one.
    """
    if len(pairs) <= FEW:
        return holm_of_pairs(sums, pairs)
    items, t = _t_values(sums, pairs)
    values = _quick_p_values(items - 1, t, alpha)
    exact = (sums.p_value(*pair) if p != p else p for pair, p in zip(pairs, values, strict=True))  # noqa: PLR0124 - NaN
    chances = _adjusted(list(exact))
    if any(p is not None and abs(p - alpha) <= NEAR * alpha for p in chances):
        return holm_of_pairs(sums, pairs)
    return chances


def _adjusted(values: Sequence[float | None]) -> list[float | None]:
    """Adjusted by Holm over those that are there."""
    adjusted = iter(holm([p for p in values if p is not None]))
    return [None if p is None else next(adjusted) for p in values]


def _quick_p_values(degrees: Any, t: Any, alpha: float) -> list[float]:
    """The p-values between the two bounds, beyond them 0 or 1; NaN where t is."""
    import numpy as np

    least = t_quantile(1 - alpha / 2, float(degrees.max())) * (1 - NEAR)
    most = t_quantile(1 - alpha / (2 * len(t)), max(1.0, float(degrees.min()))) * (1 + NEAR)
    values = np.where(np.isnan(t), np.nan, np.where(np.abs(t) < least, 1.0, 0.0))
    between = (np.abs(t) >= least) & (np.abs(t) <= most)
    values[between] = t_p_values(t[between], degrees[between])
    p_values: list[float] = values.tolist()
    return p_values


def _t_values(sums: PairSums, pairs: Sequence[Pair]) -> tuple[Any, Any]:
    """For each pair the items of the side with fewer, and t; NaN where there is none but for rounding."""
    import numpy as np

    first, second = np.array(pairs).T
    n, s, g = (np.array([getattr(one, name) for one in sums.cells], float) for name in ("trials", "successes", "items"))
    p = s / np.maximum(n, 1.0)

    def residuals(a: Any, b: Any) -> Any:
        both, crossed = sums.both_successes[a, b], p[b] * sums.mixed[a, b] + p[a] * sums.mixed[b, a]
        return (both - crossed + p[a] * p[b] * sums.both_trials[a, b]) / (n[a] * n[b])

    own = residuals(first, first) + residuals(second, second)
    union = g[first] + g[second] - sums.shared[first, second]
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = (own - 2 * residuals(first, second)) * union / (union - 1)
        t = (p[first] - p[second]) / np.sqrt(squares)
    items = np.minimum(g[first], g[second])
    sound = (squares > NEAR * (own + 1 / (n[first] * n[second]))) & (items > 1)
    return items, np.where(sound, t, np.nan)
