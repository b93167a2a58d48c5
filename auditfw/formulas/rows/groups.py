"""Rows by the values of some columns: all of them, then those of each value of each column with few values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

WHOLE = -1
MANY = 50  # values of a column whose rows are looked at value by value
Codes = NDArray[Any]  # whole numbers, -1 for none


@dataclass(frozen=True)
class RowGroup:
    """The numbers of the rows with a value of a column, both by number; of all rows the column is WHOLE."""

    column: int
    value: int
    rows: NDArray[np.intp]

    @property
    def whole(self) -> bool:
        return self.column == WHOLE


@dataclass(frozen=True)
class Grouping:
    """Rows in the order of the source, those that are flagged, grouped by columns of codes."""

    flags: NDArray[np.bool_]
    columns: Sequence[Codes] = ()

    def __iter__(self) -> Iterator[RowGroup]:
        yield RowGroup(WHOLE, 0, np.flatnonzero(self.flags))
        for number, codes in enumerate(self.columns):
            yield from self.of(number, codes)

    def of(self, number: int, codes: Codes) -> Iterator[RowGroup]:
        """The groups of one column; none where it has one value, or very many."""
        rows = np.flatnonzero(self.flags)
        if not len(rows):
            return
        own = codes[rows]
        sizes = np.bincount(own) if own.min() >= 0 else np.bincount(own + 1)
        if not 2 <= np.count_nonzero(sizes) <= MANY:
            return
        order = np.argsort(own.astype(np.int16) if len(sizes) < 2**15 else own, kind="stable")
        least, ends = min(0, int(own.min())), np.cumsum(sizes)
        for value, (end, size) in enumerate(zip(ends.tolist(), sizes.tolist(), strict=True)):
            if size:
                yield RowGroup(number, value + least, rows[order[end - size : end]])
