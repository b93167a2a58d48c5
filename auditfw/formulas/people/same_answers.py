"""The same answer to the same question, graded more than once: what the grades say about their own noise.

Pairs of trials that are the same are counted by item; the share of pairs with two grades is a rate over items. If every
grade is wrong with one chance ε, independently, two grades differ with the chance 2ε(1 - ε): so many are wrong at
least, because errors that all of them share do not show.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any

from auditfw.core.statistics import Z95
from auditfw.formulas import clusters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Keys = NDArray[np.uint64]

LEAST = 10  # pairs
MIX = 0x9E3779B97F4A7C15  # odd, its bits as good as random: items that differ by little give numbers that differ much


@dataclass(frozen=True)
class Grades:
    """Graded trials, a row each; trials without a grade must be left out before.

    `items` and `grades` are codes from 0 (a higher grade has the higher code), `keys` is equal for what counts as the
    same answer, `texts` for texts that are equal byte for byte.
    """

    items: Whole
    keys: Keys
    texts: Keys
    grades: Whole

    @cached_property
    def alike(self) -> NDArray[np.intp]:
        """The rows that another one is the same as, sorted by item, key and grade, then as they stand."""
        import numpy as np

        mixed = self.keys ^ (self.items.astype(np.uint64) * np.uint64(MIX))
        order = np.argsort(mixed, kind="stable")
        equal = np.zeros(len(order) + 1, bool)
        equal[1:-1] = mixed[order[1:]] == mixed[order[:-1]]
        some = np.sort(order[equal[1:] | equal[:-1]])  # and a few that only look so
        some = some[np.lexsort([self.grades[some], self.keys[some], self.items[some]])]
        first = np.append(_starts(self.items[some], self.keys[some]), True)
        alike: NDArray[np.intp] = some[~(first[1:] & first[:-1])]
        return alike


@dataclass(frozen=True)
class SamePairs:
    """Groups of two or more same answers, those with two grades; pairs and differing pairs of each item that has some.

    `identical` are the pairs, and the differing ones, of texts that are equal byte for byte; `trials` are those in the
    groups.
    """

    groups: int
    two_grades: int
    pairs: Whole
    differing: Whole
    identical: tuple[int, int]
    trials: int = 0

    def rate(self, least: int = LEAST) -> clusters.ClusteredRate | None:
        """D, the share of pairs with two grades, over items; None under `least` pairs."""
        return clusters.rate(self.pairs, self.differing) if self.pairs.sum() >= max(least, 1) else None


@dataclass(frozen=True)
class Preference:
    """One value of a column in differing pairs with other values: how often it had the higher grade, and by item the
    wins less the losses (items with such a pair alone)."""

    won: int
    met: int
    by_item: Whole


def same_pairs(rows: Grades) -> SamePairs:
    """The pairs of same answers: one item, one key."""
    import numpy as np

    at = rows.alike
    own, texts, grades = rows.items[at], rows.texts[at], rows.grades[at]
    group = _starts(own, rows.keys[at])
    item, pairs, differing = _pairs(own, grades, group)
    numbers = np.unique(item, return_inverse=True)[1]
    n, d = (np.bincount(numbers, column) for column in (pairs, differing))
    order = np.lexsort([texts, np.cumsum(group)])  # the groups stay where they are, and grades sorted
    _, equal, unequal = _pairs(own[order], grades[order], group | _starts(texts[order]))
    return SamePairs(
        len(item),
        int((differing > 0).sum()),
        n.astype(np.int64),
        d.astype(np.int64),
        (int(equal.sum()), int(unequal.sum())),
        len(at),
    )


def groups_with_two_grades(rows: Grades) -> list[NDArray[np.intp]]:
    """The rows of each group of same answers with two grades, in ascending order; the groups by their first rows."""
    import numpy as np

    order = rows.alike
    bounds = np.append(np.flatnonzero(_starts(rows.items[order], rows.keys[order])), len(order))
    starts, ends = bounds[:-1], bounds[1:]
    two = np.flatnonzero(rows.grades[order[starts]] < rows.grades[order[ends - 1]])
    return sorted((np.sort(order[starts[at] : ends[at]]) for at in two), key=lambda group: group[0])


@dataclass(frozen=True)
class GradedTwice:
    """What metrics read of one rater: its pairs, the least of them for a rate, how many values it favoured.

    `favoured` is None where no column of values was looked at.
    """

    pairs: SamePairs
    least: int = LEAST
    favoured: int | None = None

    @property
    def rate(self) -> clusters.ClusteredRate | None:
        """D over items."""
        return self.pairs.rate(self.least)

    @property
    def error(self) -> tuple[float | None, float | None, float | None] | None:
        """ε for D and its ends, of each None above one half; None without a rate."""
        rate = self.rate
        if rate is None:
            return None
        return grade_error(rate.share), grade_error(rate.low), grade_error(rate.high)


def _pairs(items: Whole, grades: Whole, first: NDArray[np.bool_]) -> tuple[Any, Any, Any]:
    """Item, pairs and differing pairs of each group; groups begin at `first`, and within each grades are sorted."""
    import numpy as np

    runs = first | _starts(grades)
    sizes = np.diff(np.append(np.flatnonzero(first), len(grades)))
    run_sizes = np.diff(np.append(np.flatnonzero(runs), len(grades)))
    of_runs = np.searchsorted(np.flatnonzero(runs), np.flatnonzero(first))
    alike = np.add.reduceat(run_sizes * (run_sizes - 1) // 2, of_runs)
    pairs = sizes * (sizes - 1) // 2
    return items[first], pairs, pairs - alike


def _starts(*columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Where sorted rows begin a new group."""
    import numpy as np

    starts = np.ones(len(columns[0]), bool)
    starts[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return starts


def preferences(rows: Grades, values: Whole, number: int) -> list[Preference]:
    """How each of `number` values of a column (codes) fares against the others in same answers with two grades."""
    import numpy as np

    at = rows.alike
    item, grade, own = rows.items[at], rows.grades[at], values[at].astype(np.int64)
    group = np.cumsum(_starts(item, rows.keys[at])) - 1
    below, above = _around(group, grade)
    own_below, own_above = _around(group * number + own, grade)  # grades of the same value are no contest
    wins, losses = below - own_below, above - own_above
    made = []
    for value in range(number):
        met = (own == value) & (wins + losses > 0)
        items, numbers = np.unique(item[met], return_inverse=True)
        sums = np.zeros(len(items), np.int64)
        np.add.at(sums, numbers, wins[met] - losses[met])
        made.append(Preference(int(wins[met].sum()), int((wins + losses)[met].sum()), sums))
    return made


def _around(groups: Whole, grades: Whole) -> tuple[Whole, Whole]:
    """For each row how many rows of its group have a lower and how many a higher grade."""
    import numpy as np

    order = np.lexsort([grades, groups])
    starts = _starts(groups[order])
    bounds = [np.append(np.flatnonzero(first), len(order)) for first in (starts, starts | _starts(grades[order]))]
    of = [np.repeat(np.arange(len(bound) - 1), np.diff(bound)) for bound in bounds]
    (group, run), below, above = bounds, np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    below[order] = run[of[1]] - group[of[0]]
    above[order] = group[of[0] + 1] - run[of[1] + 1]
    return below, above


def grade_error(differing: float) -> float | None:
    """ε: how often a grade is wrong, if D pairs differ and errors come independently; None if D is over one half."""
    return (1 - sqrt(1 - 2 * differing)) / 2 if differing <= 0.5 else None


def noise_floor(differing: float, *trials: int) -> float:
    """By how much two gradings of the same answers differ at 95 %: a rate of n trials, or the difference of two."""
    return Z95 * sqrt(differing / 2 * fsum(1 / n for n in trials))
