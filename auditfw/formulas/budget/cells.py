"""The trials of a cell by the class of each: the rates of right among all and among those answered, and bounds.

Trials are numbered by their items, whose trials are one cluster; a trial that was planned and is absent is an item of
its own, of which nothing is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from auditfw.core.statistics import Z95, wilson
from auditfw.formulas.clusters import (
    ClusteredRate,
    ItemSums,
    distinct_codes,
    item_sums_of_each,
    rate,
    rate_of,
)

from .ended import TrialClass

# The rate of all trials where some did not finish: its bounds, their interval, and an estimate by an assumption.

LOWEST, STEPS = 1.6448536269514722, 60
SPARSE = 4  # so many numbers for each trial: they are numbered anew
GROUPS, FEWEST, MOST_UNKNOWN = 5, 3, 0.2  # of the estimate


@dataclass(frozen=True)
class BoundedRate:
    """The bounds of a rate, and the ends of its interval; shares from 0 to 1. `quantile` is c."""

    low: float
    high: float
    least: float
    most: float
    quantile: float


def bounded(right: ItemSums, possible: ItemSums) -> BoundedRate:
    """The rate over items, from the sums of those right, and of those that are or may be.

    Raises ValueError where there is no trial.
    """
    rates = rate_of(right), rate_of(possible)
    low, high = rates[0].share, rates[1].share
    error = max(math.sqrt(one.share * (1 - one.share) / one.n_eff) for one in rates)
    c = quantile(high - low, error)
    ends = [wilson(one.share * one.n_eff, one.n_eff, c) for one in rates]
    least = 0.0 if not right.successes else ends[0][0]
    most = 1.0 if possible.successes == possible.trials else ends[1][1]
    return BoundedRate(low, high, min(least, low), max(most, high), c)


def quantile(width: float, error: float) -> float:
    """The c of bounds that are so far apart, with this standard error."""
    if error <= 0:
        return Z95
    low, high = LOWEST, Z95
    for _ in range(STEPS):
        middle = (low + high) / 2
        short = _phi(middle + width / error) - _phi(-middle) < 0.95
        low, high = (middle, high) if short else (low, middle)
    return high


def _phi(z: float) -> float:
    return 0.5 * math.erfc(-z / math.sqrt(2))


def as_the_finished(items: Any, cells: Any, right: Any, finished: Any, unfinished: Any) -> float | None:
    """The rate if the unfinished had done as the finished of equally hard items, a share.

    How hard an item is, is the share right of its finished trials elsewhere: in other cells, of one cell in all of it.
    Five groups of trials by that; None where it is not known of a fifth of the unfinished. Columns have a row a trial.
    """
    import numpy as np

    n = len(items)
    if not n or not unfinished.any():
        return None
    number = int(items.max()) + 1
    of_item = [np.bincount(items, weights=flags, minlength=number) for flags in (finished, finished & right)]
    if int(cells.max()):
        pairs = items.astype(np.int64) * (int(cells.max()) + 1) + cells
        _, places = distinct_codes(pairs, number * (int(cells.max()) + 1))
        here = [np.bincount(places, weights=flags)[places] for flags in (finished, finished & right)]
        asked, solved = of_item[0][items] - here[0], of_item[1][items] - here[1]
    else:
        asked, solved = of_item[0][items], of_item[1][items]
    known = asked >= FEWEST
    if (unfinished & ~known).sum() > MOST_UNKNOWN * unfinished.sum():
        return None
    share = np.where(known, solved / np.maximum(asked, 1), np.nan)
    edges = np.quantile(share[known], np.arange(1, GROUPS) / GROUPS)
    group = np.where(known, np.searchsorted(edges, share, side="left"), GROUPS)
    total = float(right.sum())
    for one in range(GROUPS + 1):
        chosen = group == one if one < GROUPS else np.ones(n, bool)  # those not known: as all
        ended, open_ended = int((finished & chosen).sum()), int((unfinished & (group == one)).sum())
        if open_ended and not ended:
            return None
        total += open_ended * int((finished & right & chosen).sum()) / max(1, ended)
    return total / n


@dataclass(frozen=True)
class CellBudget:
    """How many trials are of which class, those absent too, and the rates by item.

    `answered` is the rate of right among right and wrong, None where there is none; `unknown` that of trials whose
    answer is not known, `of_lost` the same among those that are not right.
    """

    n: int
    classes: Sequence[int]
    right: ClusteredRate
    answered: ClusteredRate | None
    bounds: BoundedRate
    unknown: ClusteredRate
    of_lost: ClusteredRate | None

    @property
    def lost(self) -> int:
        return self.n - self.classes[TrialClass.RIGHT]

    @property
    def coverage(self) -> float:
        """The share that has an answer, right or wrong."""
        return 0.0 if self.answered is None else self.answered.trials / self.n


LOST = {
    "cut_off": TrialClass.CUT_OFF,
    "loops": TrialClass.LOOP,
    "empty": TrialClass.EMPTY,
    "refusals": TrialClass.REFUSAL,
    "other_format": TrialClass.OTHER_FORMAT,
    "unparsed": TrialClass.UNPARSED,
    "run_errors": TrialClass.RUN_ERROR,
}
ANSWERED = (TrialClass.RIGHT, TrialClass.WRONG)


@dataclass(frozen=True)
class CellTrials:
    """The trials of a cell: the item and the class of each, whether its answer is unknown, and whether it was cut off.

    So many more are `absent`. Shares are in percent, each with the ends of its interval.
    """

    items: Any
    kinds: Any
    unknown: Any
    cut: Any
    absent: int = 0

    @cached_property
    def budget(self) -> CellBudget:
        return cell_budget(self.items, self.kinds, self.unknown, self.absent)

    @property
    def between(self) -> tuple[float, float] | None:
        """The share right if none, and if all, of the trials were whose answer is unknown; None without any."""
        bounds = self.budget.bounds
        return (100 * bounds.low, 100 * bounds.high) if bounds.low < bounds.high else None

    def share(self, name: str) -> tuple[float, float, float] | None:
        """A measured share by its name; None where there is no trial, or none was answered."""
        if not len(self.kinds) and not self.absent:
            return None
        one = self.budget
        if name == "right_at_least":
            return 100 * one.bounds.low, 100 * one.bounds.least, 100 * one.bounds.low
        if name == "right_at_most":
            return 100 * one.bounds.high, 100 * one.bounds.high, 100 * one.bounds.most
        rates = {"right_of_all": one.right, "right_of_answered": one.answered, "unfinished": one.unknown}
        share = rates[name] if name in rates else self._rate(name)
        return None if share is None else (100 * share.share, 100 * share.low, 100 * share.high)

    def _rate(self, name: str) -> ClusteredRate:
        """The rate of trials that are of a class, were answered, or ended at a limit."""
        import numpy as np

        items = _numbered(self.items)
        flags = self.cut if name == "at_limit" else np.isin(self.kinds, ANSWERED if name == "answered" else LOST[name])
        trials = by_item(items, np.ones(len(flags), bool), self.absent, 1)
        return rate(trials, by_item(items, flags, self.absent, int(name == "run_errors")))


def _numbered(items: Any) -> Any:
    """The items with numbers that are few enough to count by; those without a trial count for nothing."""
    import numpy as np

    sparse = items.max(initial=0) > SPARSE * len(items)
    return np.unique(items, return_inverse=True)[1] if sparse else items


def by_item(items: Any, flags: Any, absent: int, of_absent: int) -> Any:
    """How many of the flagged trials are of each item by its number; an absent trial counts as `of_absent`."""
    import numpy as np

    counts = np.bincount(items[flags], minlength=int(items.max(initial=-1)) + 1)
    return np.concatenate([counts, np.full(absent, of_absent, counts.dtype)])


def cell_budget(items: Any, kinds: Any, unknown: Any, absent: int = 0) -> CellBudget:
    """The budget of trials: the item and the class of each, whether its answer is unknown; so many more are absent."""
    import numpy as np

    items = _numbered(items)
    every = by_item(items, np.ones(len(kinds), bool), absent, 1)
    open_ended = by_item(items, unknown, absent, 1)
    solved = by_item(items, kinds == TrialClass.RIGHT, absent, 0)
    wrong = by_item(items, kinds == TrialClass.WRONG, absent, 0)
    counts = np.bincount(kinds, minlength=len(TrialClass))
    counts[TrialClass.RUN_ERROR] += absent
    lost, answered = every - solved, solved + wrong
    [right], [possible], [unsure] = item_sums_of_each(
        np.zeros(len(every), np.int64), 1, every, [solved, solved + open_ended, open_ended]
    )
    return CellBudget(
        n=int(every.sum()),
        classes=counts.tolist(),
        right=rate_of(right),
        answered=rate(answered, solved) if answered.any() else None,
        bounds=bounded(right, possible),
        unknown=rate_of(unsure),
        of_lost=rate(lost, open_ended) if lost.any() else None,
    )
