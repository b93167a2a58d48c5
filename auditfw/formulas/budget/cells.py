"""The trials of a cell by the class of each: the rates of right among all and among those answered, and bounds.

Trials are numbered by their items, whose trials are one cluster; a trial that was planned and is absent is an item of
its own, of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from auditfw.formulas.clusters import ClusteredRate, rate

from .bounded_rate import BoundedRate, bounded_rate
from .ended import TrialClass


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

        _, items = np.unique(self.items, return_inverse=True)
        flags = self.cut if name == "at_limit" else np.isin(self.kinds, ANSWERED if name == "answered" else LOST[name])
        trials = by_item(items, np.ones(len(flags), bool), self.absent, 1)
        return rate(trials, by_item(items, flags, self.absent, int(name == "run_errors")))


def by_item(items: Any, flags: Any, absent: int, of_absent: int) -> Any:
    """How many of the flagged trials are of each item by its number; an absent trial counts as `of_absent`."""
    import numpy as np

    counts = np.bincount(items[flags], minlength=int(items.max(initial=-1)) + 1)
    return np.concatenate([counts, np.full(absent, of_absent, counts.dtype)])


def cell_budget(items: Any, kinds: Any, unknown: Any, absent: int = 0) -> CellBudget:
    """The budget of trials: the item and the class of each, whether its answer is unknown; so many more are absent."""
    import numpy as np

    _, items = np.unique(items, return_inverse=True)  # numbered once for all
    every = by_item(items, np.ones(len(kinds), bool), absent, 1)
    open_ended = by_item(items, unknown, absent, 1)
    solved = by_item(items, kinds == TrialClass.RIGHT, absent, 0)
    wrong = by_item(items, kinds == TrialClass.WRONG, absent, 0)
    counts = np.bincount(kinds, minlength=len(TrialClass))
    counts[TrialClass.RUN_ERROR] += absent
    lost, answered = every - solved, solved + wrong
    return CellBudget(
        n=int(every.sum()),
        classes=counts.tolist(),
        right=rate(every, solved),
        answered=rate(answered, solved) if answered.any() else None,
        bounds=bounded_rate(every, solved, open_ended),
        unknown=rate(every, open_ended),
        of_lost=rate(lost, open_ended) if lost.any() else None,
    )
