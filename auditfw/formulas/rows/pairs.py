"""Which values of a column are better than which by the labels, and whether that turns without some rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from auditfw.formulas.claims import RankedRates, turned_pairs
from auditfw.formulas.two_rates import PairSums, pair_sums, separate_sums

from .groups import Codes
from .spans import Flags


@dataclass(frozen=True)
class ValueLabels:
    """The labels of the rows that have one, by the values of a column and by item; -1 where a row has no item."""

    values: Codes
    items: Codes
    right: Flags
    labelled: Flags

    @cached_property
    def number(self) -> int:
        return int(self.values.max(initial=-1)) + 1

    @cached_property
    def all(self) -> RankedRates:
        """The values compared on all labelled rows."""
        return self.ranked(self.labelled)

    def ranked(self, kept: Flags) -> RankedRates:
        """The values compared on these rows, as far as they are labelled."""
        return RankedRates(self._sums(np.flatnonzero(kept & self.labelled & (self.values >= 0))), higher=True)

    def turned(self, kept: Flags) -> list[tuple[int, int]]:
        """The pairs (i, j) of which i is resolved as better on all rows, and j is better on those kept."""
        if self.number < 2 or not any(map(any, self.all.better)):
            return []
        return turned_pairs(self.all.better, self.ranked(kept).leads)

    def within(self, value: int, share: float) -> list[tuple[int, float]]:
        """The values that are resolved as better or worse than this one by less than a share, with the difference."""
        if value < 0:
            return []
        better, leads = self.all.better, self.all.leads
        others = [j for j in range(self.number) if better[value][j] or better[j][value]]
        return [(j, leads[value][j]) for j in others if abs(leads[value][j]) < share]

    def _sums(self, rows: Codes) -> PairSums:
        values, items, right = self.values[rows], self.items[rows], self.right[rows]
        if not len(rows) or (items < 0).any():
            trials = np.bincount(values, minlength=self.number).tolist()
            return separate_sums(trials, np.bincount(values[right], minlength=self.number).tolist())
        size = int(items.max()) + 1
        cells = values.astype(np.int64) * size + items
        if self.number * size > 4 * len(rows) + 1_000_000:
            cells, of = np.unique(cells, return_inverse=True)
        else:
            of, cells = cells, np.arange(self.number * size)
        trials_of = np.bincount(of, minlength=len(cells))
        right_of = np.bincount(of[right], minlength=len(cells))
        there = np.flatnonzero(trials_of)
        at = cells[there]
        return pair_sums(at // size, self.number, at % size, trials_of[there], right_of[there])
