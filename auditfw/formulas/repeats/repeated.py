"""The repeats of items by condition: what any and all of k are measured from, where a run asks several models.

Repeats are the trials of one item under one condition (a cell, a model). An item's value is the mean over its
conditions that have k repeats or more; the mean over items and its interval are of these (`rate_of_k`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from auditfw.formulas.clusters import ClusteredMean

from .of_k import MUCH, ONE_DRAW, OfK, RateOfK, checked, difference_of_k, rate_of_k

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]


@dataclass(frozen=True)
class ItemRepeats:
    """The repeats of items by one reading: whole numbers, a row an item under one condition.

    `items` are codes from 0 to below `number`; `trials` the scored repeats, `right` those of them, `errors` the run
    errors beside them. `equal` is the share of the rows with several repeats whose texts are byte-equal, None where
    no text is known.
    """

    items: Whole
    number: int
    trials: Whole
    right: Whole
    errors: Whole
    equal: float | None = None

    @property
    def most(self) -> int:
        """The most repeats of an item, scored or not."""
        return int((self.trials + self.errors).max(initial=0))

    @property
    def scored(self) -> int:
        """The most scored repeats of an item."""
        return int(self.trials.max(initial=0))

    @property
    def one_draw(self) -> bool:
        """Whether the repeats are one draw, not several: their texts are byte-equal."""
        return self.equal is not None and self.equal >= ONE_DRAW

    @property
    def lost(self) -> tuple[int, int]:
        """The run errors, and all repeats with them."""
        errors = int(self.errors.sum())
        return errors, errors + int(self.trials.sum())

    @property
    def much_is_lost(self) -> bool:
        """Whether so many are run errors that both bounds are to be shown."""
        errors, repeats = self.lost
        return errors > MUCH * repeats

    def why_not(self, k: int) -> str | None:
        """Why any and all of k of these are not known; None where they are."""
        if not self.scored:
            return "no trial with a label"
        if k > 1 and self.one_draw:
            return f"temperature 0: one draw, not {self.most:,} (the texts of repeats are equal, byte for byte)"
        return None if k <= self.scored else f"no item has {k:,} scored repeats (most: {self.scored:,})"

    def values(self, chance: OfK, k: int) -> Floats:
        """The value of each item by its code, NaN where no condition has k repeats: of `any_of_k` or `all_of_k`."""
        import numpy as np

        own = chance(*checked(self.trials, self.right, k), k)
        there = ~np.isnan(own)
        sums = np.bincount(self.items[there], weights=own[there], minlength=self.number)
        counts = np.bincount(self.items[there], minlength=self.number)
        means: Floats = np.full(self.number, math.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        return means

    def rate(self, chance: OfK, k: int) -> RateOfK | None:
        """The mean over items with its interval; None where no item has k scored repeats."""
        import numpy as np

        values = self.values(chance, k)
        some = np.bincount(self.items[self.trials > 0], minlength=self.number) > 0
        return rate_of_k(values, k, int((np.isnan(values) & some).sum()))

    def bounds(self, chance: OfK, k: int) -> tuple[float, float] | None:
        """The mean if the run errors were all wrong, and if they were all right; None where no item has k repeats."""
        trials = self.trials + self.errors
        none = self.errors * 0
        ends = [
            replace(self, trials=trials, right=self.right + right, errors=none).rate(chance, k)
            for right in (none, self.errors)
        ]
        return None if ends[0] is None or ends[1] is None else (ends[0].share, ends[1].share)

    def difference(self, other: ItemRepeats, chance: OfK, k: int) -> ClusteredMean | None:
        """The mean difference to another side over the same codes of items, paired; None where no item is on both."""
        return difference_of_k(self.values(chance, k), other.values(chance, k))


def asked(chance: OfK, k: int) -> str:
    """By which name an audit counts repeats for any and all of k: that of the formula and k."""
    return f"{chance.__name__}@{k}"


def item_repeats(items: Any, number: int, conditions: Any, labels: Any, errors: Any) -> ItemRepeats:
    """The repeats of trials: codes of items from 0 to below `number` and of conditions, a row a trial.

    `labels` are 1 right, 0 wrong, any other number none; `errors` are flags of run errors, which have no label.
    """
    import numpy as np

    codes = np.asarray(conditions, np.int64) * max(1, number) + np.asarray(items, np.int64)
    rows, places = np.unique(codes, return_inverse=True)
    right, scored = labels == 1, (labels == 1) | (labels == 0)

    def count(flags: Any) -> Whole:
        counts: Whole = np.bincount(places[flags], minlength=rows.size).astype(np.int64)
        return counts

    return ItemRepeats(rows % max(1, number), number, count(scored), count(right), count(errors & ~scored))
