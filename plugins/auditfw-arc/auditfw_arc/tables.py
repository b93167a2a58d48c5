"""Rules as tables: cells are classed by a few features, and each class takes its colour from one value plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MOST_CODES = 60_000


@dataclass(frozen=True)
class Codes:
    """A feature's values over all training cells, then all test cells, as small whole numbers from 0."""

    values: NDArray[np.uint16]
    count: int


def compact(values: NDArray[np.int32]) -> Codes:
    """Renumbers a feature's values, so that equal partitions of the cells are not always, but often, equal codes."""
    low = int(values.min())
    span = int(values.max()) - low + 1
    if span <= 512:
        seen = np.zeros(span, dtype=np.uint16)
        seen[values - low] = 1
        numbers = np.cumsum(seen, dtype=np.uint16) - 1
        return Codes(numbers[values - low].astype(np.uint16), int(seen.sum()))
    _, inverse = np.unique(values, return_inverse=True)
    return Codes(inverse.astype(np.uint16), int(inverse.max()) + 1)


def crossed(one: Codes, other: Codes) -> Codes | None:
    """Both features at once; None where that gives too many classes."""
    if one.count * other.count > MOST_CODES:
        return None
    both = one.values.astype(np.int32) * other.count + other.values
    return Codes(both.astype(np.uint16), one.count * other.count)


@dataclass(frozen=True)
class Verdict:
    """How well a partition explains the training cells.

    `unexplained`: cells in classes no single value explains; `classes`: how many there are; `lonely`: cells of classes
    known from one example only that the first value does not explain; `unseen`: test cells of classes never seen.
    """

    unexplained: int
    classes: int
    lonely: int
    unseen: int


class Fitting:
    """The training cells of a frame with, for each, the set of values (bits) that would be right there."""

    def __init__(self, matches: NDArray[np.uint64], pairs: NDArray[np.int16]) -> None:
        self.matches, self.pairs, self.trained = matches, pairs, len(pairs)

    def judge(self, codes: Codes) -> Verdict:
        """Looks for a value common to all cells of each class."""
        mine = codes.values[: self.trained]
        order = np.argsort(mine, kind="stable")
        ranked = mine[order]
        starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
        common = np.bitwise_and.reduceat(self.matches[order], starts)
        ends = np.append(starts[1:], self.trained)
        sizes = ends - starts
        unexplained = int(sizes[common == 0].sum())
        if unexplained:
            return Verdict(unexplained, len(starts), 0, 0)
        single = self.pairs[order[starts]] == self.pairs[order[ends - 1]]
        lonely = int(sizes[single & (common & np.uint64(1) == 0)].sum())
        seen = np.zeros(codes.count, dtype=bool)
        seen[ranked[starts]] = True
        return Verdict(0, len(starts), lonely, int((~seen[codes.values[self.trained :]]).sum()))

    def learn(self, codes: Codes, order: Sequence[int]) -> NDArray[np.int16]:
        """For each class a value right in all its cells, else the one that is right most often.

        Of several such values the one that explains the most classes, then the first of `order`: a colour seen in
        one direction rather than a constant for each colour. A class never seen takes the value of most classes.
        """
        mine = codes.values[: self.trained]
        sizes = np.bincount(mine, minlength=codes.count)
        table = np.full(codes.count, -1, dtype=np.int16)
        hits = np.stack([self._hits(mine, value, codes.count) for value in order])
        right = (hits == sizes) & (sizes > 0)
        while right.any():
            explained = right.sum(axis=1)
            best = int(explained.argmax())
            table[right[best]] = order[best]
            right[:, right[best]] = False
        rest = (table < 0) & (sizes > 0)
        table[rest] = np.array(order, dtype=np.int16)[hits[:, rest].argmax(axis=0)]
        most = np.bincount(table[sizes > 0]).argmax()
        table[sizes == 0] = most
        return table

    def _hits(self, classes: NDArray[np.uint16], value: int, count: int) -> NDArray[np.int64]:
        """In how many cells of each class a value is right."""
        right = (self.matches >> np.uint64(value)) & np.uint64(1)
        return np.bincount(classes, weights=right, minlength=count).astype(np.int64)
