"""Best of several candidates on the same items: what luck alone gives, and the rate of whatever wins.

The floor permutes the candidates within each item, so that none of them differs; the other chooses on one half of the
items and rates the choice on the other half (split-sample validation).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST = 3  # candidates
DRAWS, SPLITS = 2_000, 20
MOST_CELLS, FEW_DRAWS = 10**8, 200  # items × candidates × draws above which there are fewer draws
SAME = 1e-12


@dataclass(frozen=True)
class BestOf:
    """The best of `candidates` on `items`, at the place `best`; all others are shares of trials, `p` a probability.

    `rate` is its own, `mean` that of all, `gain` what the best lies above the mean where none differs (mean of the
    `draws`), `p` how often it lies there as high as the `rate`; `chosen` is the rate, on other items, of what is the
    best on some.
    """

    best: int
    candidates: int
    items: int
    rate: float
    mean: float
    gain: float
    p: float
    chosen: float
    draws: int


def best_of(
    right: NDArray[np.int64], trials: NDArray[np.int64], seed: int = 0, draws: int = DRAWS, splits: int = SPLITS
) -> BestOf | None:
    """The best of candidates: `right[i, j]` of the `trials[i]` of item i are right under candidate j.

    Candidates with equal counts in every item are one. None for fewer than three, or than two items. Above MOST_CELLS
    there are at most FEW_DRAWS draws.
    """
    import numpy as np

    distinct, first = np.unique(right, axis=1, return_index=True)
    items, candidates = distinct.shape
    if candidates < FEWEST or items < 2:
        return None
    rng, n = np.random.default_rng(seed), trials.sum()
    rates = distinct.sum(0) / n
    draws = draws if distinct.size * draws <= MOST_CELLS else min(draws, FEW_DRAWS)
    moving = distinct[(distinct != distinct[:, :1]).any(1)]  # the other items have the same for all
    same = distinct[:, 0].sum() - moving[:, 0].sum()
    best = np.array([rng.permuted(moving, axis=1).sum(0).max() + same for _ in range(draws)]) / n
    winner = int(first[rates == rates.max()].min())
    p = (1 + int((best >= rates.max() - SAME).sum())) / (draws + 1)
    mean = float(rates.mean())
    chosen = float(np.mean([_chosen(distinct, trials, rng.permutation(items)) for _ in range(splits)]))
    return BestOf(winner, candidates, items, float(rates.max()), mean, float(best.mean()) - mean, p, chosen, draws)


def _chosen(right: NDArray[np.int64], trials: NDArray[np.int64], order: NDArray[np.intp]) -> float:
    """The rate on each half of the items of what is the best on the other; those that tie share."""
    import numpy as np

    halves = order[: len(order) // 2], order[len(order) // 2 :]
    rates = [right[half].sum(0) / trials[half].sum() for half in halves]
    pairs = ((rates[0], rates[1]), (rates[1], rates[0]))
    return float(np.mean([other[own == own.max()].mean() for own, other in pairs]))
