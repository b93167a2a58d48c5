"""The trials of two logs, A and B, and their whole sums over items.

A trial has a label by the rule and the truth of either side. A corner is (rule, truth, texts), each 0 for A's and 1
for B's: of the texts of side s the label by rule and truth of s is the stored one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from auditfw.formulas.clusters import ClusteredRate, distinct_codes, rate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Flags = NDArray[np.bool_]

A, B = 0, 1
FINISHED, CUT_OFF_OR_EMPTY, LOOP = range(3)
ENDS = 3
CAN_BE_SAME = frozenset({"rules", "truths", "texts"})


@dataclass(frozen=True)
class TwoLogs:
    """A row a trial of either side, in any order.

    - `items`: whole numbers from 0, the same number on both sides for the same item;
    - `sides`: 0 for A, 1 for B;
    - `right`: flags, trials × 2 rules × 2 truths; what is at a corner that is not known is not looked at;
    - `ends`: FINISHED, CUT_OFF_OR_EMPTY or LOOP of each trial; None where it is not known;
    - `known`: flags, 2 rules × 2 truths × 2 sides of texts: which corners there are; None for all of them;
    - `same`: what cannot differ, of CAN_BE_SAME: `rules` by name and settings, `truths` of all common items, `texts` of
      all common trials. Where rules or truths are the same, the stored label stands for the other side's, too.

    Raises ValueError for columns of different lengths, a side without a trial, no common item, a corner of a stored
    label that is not known, and for what cannot be the same.
    """

    items: Any
    sides: Any
    right: Any
    ends: Any | None
    known: Any | None = None
    same: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        import numpy as np

        n = len(self.items)
        if self.right.shape != (n, 2, 2) or {len(self.sides), n if self.ends is None else len(self.ends)} != {n}:
            raise ValueError("a trial has an item, a side, an end, and a label by either rule and either truth")
        if not self.same <= CAN_BE_SAME:
            raise ValueError(f"what can be the same: {', '.join(sorted(CAN_BE_SAME))}")
        if self.known is not None and not (self.known[A, A, A] and self.known[B, B, B]):
            raise ValueError("the stored labels of both sides are known")
        top = int(self.items.max(initial=-1)) + 1
        here = [np.bincount(self.items[self.sides == side], minlength=top) > 0 for side in (A, B)]
        if not (here[A] & here[B]).any():
            raise ValueError("two logs need a common item")

    @cached_property
    def corners(self) -> Flags:
        """Which corners are known, 2 × 2 × 2: rule, truth, texts."""
        import numpy as np

        known = np.ones((2, 2, 2), bool) if self.known is None else np.array(self.known, bool)
        for axis, name in enumerate(("rules", "truths")):
            if name in self.same:
                known = np.broadcast_to(known.any(axis, keepdims=True), known.shape)
        return known

    @cached_property
    def labels(self) -> Flags:
        """`right`, with the stored labels in place of what is the same."""
        import numpy as np

        labels = np.array(self.right, bool)
        for side in (A, B):
            rows = self.sides == side
            if "rules" in self.same:
                labels[rows, 1 - side] = labels[rows, side]
            if "truths" in self.same:
                labels[rows, :, 1 - side] = labels[rows, :, side]
        return labels

    @cached_property
    def codes(self) -> Whole:
        """The place of each trial's item among those that there are, in their order."""
        return distinct_codes(self.items, int(self.items.max()) + 1)[1]

    @cached_property
    def sums(self) -> GapSums:
        """The sums over items."""
        import numpy as np

        items, labels = self.codes, self.labels
        number = int(items.max()) + 1
        ends, right = np.zeros((2, ENDS, number), np.int32), np.zeros((2, ENDS, 2, 2, number), np.int32)
        of_trials = np.zeros(len(items), np.int8) if self.ends is None else self.ends
        for side in (A, B):
            for end in range(ENDS):
                rows = np.flatnonzero((self.sides == side) & (of_trials == end))
                ends[side, end] = np.bincount(items[rows], minlength=number)
                for rule, truth in np.ndindex(2, 2):
                    at = rows[labels[rows, rule, truth]]
                    right[side, end, rule, truth] = np.bincount(items[at], minlength=number)
        there: Any = (ends.sum(1) > 0).all(0)
        flagged = {"truths": self._differ(1), "scoring": self._differ(0), "ended": of_trials != FINISHED}
        changed = {part: (np.bincount(items[rows], minlength=number) > 0) & there for part, rows in flagged.items()}
        return GapSums(ends, right, changed)

    def _differ(self, axis: int) -> Flags:
        """The trials whose labels by both rules (axis 0) or by both truths (1) differ, where both are known."""
        import numpy as np

        both: Any = np.asarray(self.corners.all(axis))[:, self.sides].T  # trials × the other axis
        differ: Flags = ((self.labels.take(A, axis + 1) != self.labels.take(B, axis + 1)) & both).any(1)
        return np.asarray(differ)

    def rate_by(self, rule: int, side: int) -> float:
        """The share right of a side's trials of common items by one rule and its own truths, the mean of item means."""
        ends, right = self.sums.ends[side].sum(0), self.sums.right[side, :, rule, side].sum(0)
        common = self.sums.common
        return float((right[common] / ends[common]).mean())

    def rules_differ(self) -> ClusteredRate | None:
        """How many of the common items' trials the two rules label differently, each by its own truth, by item.

        Of the texts that both rules have labelled; None where there are none.
        """
        import numpy as np

        own = np.array([self.corners[:, side, side].all() for side in (A, B)])[self.sides]
        rows = own & self.sums.common[self.codes]
        if not rows.any():
            return None
        by_truth = self.labels[np.arange(len(self.sides)), :, self.sides]
        differ = rows & (by_truth[:, A] != by_truth[:, B])
        trials = np.bincount(self.codes[rows])
        changed = np.bincount(self.codes[differ], minlength=trials.size)
        return rate(trials, changed)


@dataclass(frozen=True)
class GapSums:
    """Whole sums over items of either side, each with a trial: the last axis of every array.

    - `ends`: trials, 2 sides × ENDS × items;
    - `right`: those that are right, 2 sides × ENDS × 2 rules × 2 truths × items;
    - `changed`: flags of common items, by the part that they make: another label by the other truth (`truths`) or by
      the other rule (`scoring`), a trial that did not finish (`ended`).
    """

    ends: Any
    right: Any
    changed: dict[str, Any]

    @cached_property
    def trials(self) -> Whole:
        """Trials, 2 sides × items."""
        import numpy as np

        return np.asarray(self.ends.sum(1))

    @cached_property
    def stored(self) -> Whole:
        """Trials that are right as stored, 2 sides × items."""
        import numpy as np

        return np.stack([self.right[side, :, side, side].sum(0) for side in (A, B)])

    @cached_property
    def common(self) -> Flags:
        """Which items have a trial on both sides."""
        import numpy as np

        return np.asarray((self.trials > 0).all(0))

    @property
    def items(self) -> int:
        return int(self.trials.shape[1])
