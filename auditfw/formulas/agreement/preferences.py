"""Position bias: does a judge prefer the answer that is shown first, whichever it is?

The share that prefers the first is one half where the order does not matter and is drawn at random, or where every item
is judged in both orders. Sources of the question: Wang et al. 2023, "Large language models are not fair evaluators",
arXiv:2305.17926; Zheng et al. 2023, "Judging LLM-as-a-judge", arXiv:2306.05685.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from auditfw.formulas.clusters import rate
from auditfw.formulas.sign_flips import sign_flips

from .items import Clusters


@dataclass(frozen=True)
class Preferences:
    """How often a judge prefers the answer shown first, and how often the second.

    `share` is that of the first with its 95 % interval by items, None without any; `p` is that of exact sign flips over
    `items`, those whose preferences do not cancel.
    """

    first: int
    second: int
    share: float | None
    low: float | None
    high: float | None
    p: float
    items: int

    @property
    def decided(self) -> int:
        return self.first + self.second


def preferences(items: Iterable[tuple[int, int]]) -> Preferences:
    """The preferences from how often the first and the second answer is preferred, item by item."""
    kept = [(first, second) for first, second in items if first or second]
    if not kept:
        return Preferences(0, 0, None, None, None, 1.0, 0)
    share = rate([a + b for a, b in kept], [a for a, _ in kept])
    flips = sign_flips([a - b for a, b in kept])
    first, decided = sum(a for a, _ in kept), share.trials
    return Preferences(first, decided - first, share.share, share.low, share.high, flips.p, flips.items)


def exchange_p(table: Sequence[Sequence[int]], clusters: Clusters[tuple[int, int]], one: int, other: int) -> float:
    """The p-value of exact sign flips over items: does agreement change if two labels of the rows are exchanged?

    `one` and `other` are their places in the table of counts; `clusters` are the places of the table item by item.
    """
    swap = {one: other, other: one}

    def gain(i: int, j: int) -> int:
        return int(swap.get(i, i) == j) - int(i == j)

    if clusters:
        sums = [sum(gain(*place) * n for place, n in held) for held, times in clusters for _ in range(times)]
    else:
        sums = [gain(i, j) for i, row in enumerate(table) for j, n in enumerate(row) for _ in range(n)]
    return sign_flips(sums).p
