"""Two label tables as one: their trials by item, with the labels of both sides, and the paired comparison of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from auditfw.core.errors import NothingAudited
from auditfw.core.imports import np, pl
from auditfw.formulas.gaps.paired import PairedLogs, paired_logs

from .items import LabelledSide, MatchedItems, labelled_side, matched_items
from .whole_prompts import own_questions


@dataclass(frozen=True)
class PairedSides:
    """Two sides with the items that both have. A trial counts where it has a label and its item is known."""

    sides: tuple[LabelledSide, LabelledSide]
    matched: MatchedItems

    @cached_property
    def labels(self) -> tuple[Any, Any]:
        """The labels of both sides: 1 right, 0 wrong, -1 none, a trial each."""
        return self.sides[0].labels, self.sides[1].labels

    @cached_property
    def counted(self) -> tuple[Any, Any]:
        """Of each side the rows of the trials that count."""
        one, other = (
            np.flatnonzero((labels >= 0) & (numbers >= 0))
            for labels, numbers in zip(self.labels, self.matched.numbers, strict=True)
        )
        return one, other

    @cached_property
    def scored(self) -> tuple[Any, Any]:
        """Of each side flags of the items with a trial that counts."""
        return self.matched.here(0, self.counted[0]), self.matched.here(1, self.counted[1])

    @property
    def common(self) -> Any:
        """Flags of the items that have a trial that counts on both sides."""
        return self.scored[0] & self.scored[1]

    def of_common(self, side: int) -> Any:
        """The rows of a side's trials that count and are of common items."""
        rows = self.counted[side]
        return rows[self.common[self.matched.numbers[side][rows]]]

    @cached_property
    def sums(self) -> tuple[Any, Any, Any, Any]:
        """By item, whole numbers: trials and right ones of A, trials and right ones of B."""
        columns = []
        for side in (0, 1):
            rows = self.counted[side]
            numbers, right = self.matched.numbers[side][rows], self.labels[side][rows] == 1
            columns += [np.bincount(of, minlength=self.matched.items) for of in (numbers, numbers[right])]
        return columns[0], columns[1], columns[2], columns[3]

    def trials(self, side: int) -> Any:
        """A number for each trial of a side that counts: of its item, and which of that item's trials it is in turn."""
        numbers = self.matched.numbers[side][self.counted[side]]
        order = np.argsort(numbers, kind="stable")
        turns = np.arange(len(numbers)) - np.searchsorted(numbers[order], numbers[order])
        trials = np.empty_like(numbers)
        trials[order] = turns * self.matched.items + numbers[order]
        return trials

    def sets(self) -> dict[str, int]:
        """How many items: common ones, on one side alone, on both but without a label on one, with another truth."""
        here, there = self.matched.here(0), self.matched.here(1)
        one, other = self.scored
        both = here & there
        return {
            "common": int(self.common.sum()),
            "only_a": int((one & ~there).sum()),
            "only_b": int((other & ~here).sum()),
            "unscored_a": int((both & other & ~one).sum()),
            "unscored_b": int((both & one & ~other).sum()),
            "other_truth": int((self.common & self.matched.other_truth).sum()),
        }

    def rows(self) -> Any:
        """A frame of the common items: `key`, and `row_a`, `row_b`, its first trial in the table of each side."""
        first = []
        for side in (0, 1):
            rows = self.counted[side]
            at = np.full(self.matched.items, -1, np.int64)
            at[self.matched.numbers[side][rows][::-1]] = rows[::-1]
            first.append(at[self.common])
        names = self.matched.names.filter(pl.Series(self.common))
        return pl.DataFrame({"key": names, "row_a": first[0], "row_b": first[1]})

    def paired(self) -> PairedLogs:
        """A less B over the common items."""
        return paired_logs(*self.sums)


def paired_sides(one: LabelledSide, other: LabelledSide, on: str | None = None) -> PairedSides:
    """Two sides with their items matched. Raises NothingAudited where no common item has a label on both.

    Where questions that are whole prompts stand in the way, they are matched by what differs between these.
    """
    both = _matched_sides(one, other, on)
    if not both.common.any():
        sizes = [int(both.matched.here(side).sum()) for side in (0, 1)]
        what = f"nothing to compare: no item of {sizes[0]:,} and {sizes[1]:,} has a label on both sides"
        raise NothingAudited("compare", what, None, "see the counts of both runs")
    return both


def _matched_sides(one: LabelledSide, other: LabelledSide, on: str | None) -> PairedSides:
    try:
        both = PairedSides((one, other), matched_items(one, other, on))
    except NothingAudited:
        sides = own_questions((one, other)) if on is None else None
        if sides is None:
            raise
        return PairedSides(sides, matched_items(*sides))
    sides = own_questions((one, other)) if on is None and both.matched.refused else None
    return both if sides is None else PairedSides(sides, matched_items(*sides))


def paired_runs(one: Path, other: Path, reading: str | None = None, on: str | None = None) -> PairedSides:
    """The same of two finished runs, by the stored labels or those of a reading of both. Raises AuditError."""
    return paired_sides(labelled_side(one, reading), labelled_side(other, reading), on)
