"""Trials that come in items: several trials of one question are drawn again together, not each for itself.

What one item holds is its *kind*: how often it has which pattern of labels, or which place of a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from auditfw.core.statistics import wilson
from auditfw.formulas.clusters import ItemSums, rate, rate_of
from auditfw.formulas.sign_flips import sign_flips

K = TypeVar("K", bound=Hashable)
L = TypeVar("L", bound=Hashable)

# For each kind of item what it holds and how often, and how many such items there are; () where no item has two trials.
Clusters = tuple[tuple[tuple[tuple[K, int], ...], int], ...]


def clustered(items: Iterable[Mapping[K, int]]) -> Clusters[K]:
    """The kinds of item, sorted; () where no item has two trials, so that each is as good as a trial of its own."""
    return _sorted((tuple(sorted((key, n) for key, n in item.items() if n)), 1) for item in items)


def changed(clusters: Clusters[K], change: Callable[[K], L | None]) -> Clusters[L]:
    """The same items with everything they hold changed; what becomes None is left out."""
    known: dict[K, L | None] = {}

    def of(held: tuple[tuple[K, int], ...]) -> tuple[tuple[L, int], ...]:
        sums: Counter[L] = Counter()
        for key, n in held:
            if key not in known:
                known[key] = change(key)
            new = known[key]
            if new is not None:
                sums[new] += n
        return tuple(sorted(sums.items()))

    return _sorted((of(held), times) for held, times in clusters)


def single(counted: Iterable[tuple[K, int]]) -> Clusters[K]:
    """Trials as items of their own."""
    return tuple((((key, 1),), n) for key, n in counted)


def together(parts: Iterable[Clusters[K]]) -> Clusters[K]:
    """The items of several parts."""
    return _sorted(pair for part in parts for pair in part)


def _sorted(items: Iterable[tuple[Any, int]]) -> Clusters[Any]:
    counted: Counter[Any] = Counter()
    for held, times in items:
        counted[held] += times
    counted.pop((), None)
    if all(sum(n for _, n in held) < 2 for held in counted):
        return ()
    return tuple(sorted(counted.items()))


def items_of(trials: int, clusters: Clusters[Any]) -> int:
    """How many items so many trials are of: each is one of its own where no item has two."""
    return sum(times for _, times in clusters) if clusters else trials


def effective(clusters: Clusters[Any]) -> float:
    """G' = n² / Σ m²: as many items of equal size weigh as much."""
    sizes = [(sum(n for _, n in held), times) for held, times in clusters]
    trials = sum(size * times for size, times in sizes)
    return trials * trials / sum(size * size * times for size, times in sizes)


def sums_of(clusters: Clusters[K], successful: Callable[[K], bool | None]) -> ItemSums:
    """What a rate needs of such items: `successful` says of what they hold whether it is a success; None: no trial."""
    whole = Counter[str]()
    largest = 0
    for held, times in clusters:
        m = s = 0
        for key, n in held:
            success = successful(key)
            m += n * (success is not None)
            s += n * bool(success)
        if m:
            largest = max(largest, m)
            row = {"items": 1, "trials": m, "successes": s, "size_squares": m * m, "success_squares": s * s}
            row |= {"cross": m * s, "holding": int(s > 0), "lacking": int(s < m)}
            for name, value in row.items():
                whole[name] += value * times
    names = ("items", "trials", "successes", "size_squares", "success_squares", "cross", "holding", "lacking")
    return ItemSums(**{name: whole[name] for name in names}, largest=largest)


def clustered_wilson(sums: ItemSums, z: float) -> tuple[float, float]:
    """Wilson's interval of a share over items: of as many separate trials as say as much (`clusters.rate`)."""
    rate = rate_of(sums)
    return wilson(rate.share * rate.n_eff, rate.n_eff, z)


def symmetry_by_items(clusters: Clusters[tuple[int, int]]) -> float:
    """The p-value of the test of symmetry by items: is a label confused with another more often than the reverse?

    Each item has for each confused pair of labels the difference of both directions. With one pair the signs of these
    are flipped, exactly; with several it is Dᵀ V⁻¹ D by chi-square, D the sums over items and V those of their
    products, which is Bowker's test where each item has one trial.
    """
    import numpy as np

    pairs = sorted({(min(place), max(place)) for held, _ in clusters for place, _ in held if place[0] != place[1]})
    if not pairs:
        return 1.0
    column = {pair: i for i, pair in enumerate(pairs)}
    rows = np.zeros((len(clusters), len(pairs)), np.int64)
    for row, (held, _) in zip(rows, clusters, strict=True):
        for (i, j), n in held:
            if i != j:
                row[column[min(i, j), max(i, j)]] += n if i < j else -n
    times = np.asarray([n for _, n in clusters])
    if len(pairs) == 1:
        return sign_flips(np.repeat(rows[:, 0], times)).p
    from scipy.special import chdtrc

    total = (rows.T @ times).astype(float)
    products = (rows.T * times) @ rows
    square = float(total @ np.linalg.pinv(products.astype(float)) @ total)
    return float(chdtrc(int(np.linalg.matrix_rank(products)), square)) if products.any() else 1.0


# Position bias: does a judge prefer the answer that is shown first, whichever it is?


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
