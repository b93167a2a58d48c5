"""Rows by the values of some columns: all of them, then those of each value of each column with few values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

WHOLE = -1
MANY = 50  # values of a column whose rows are looked at value by value
Codes = NDArray[Any]  # whole numbers, -1 for none
Rows = NDArray[np.int32]  # their numbers


@dataclass(frozen=True)
class RowGroup:
    """The numbers of the rows with a value of a column, both by number; of all rows the column is WHOLE."""

    column: int
    value: int
    rows: Rows

    @property
    def whole(self) -> bool:
        return self.column == WHOLE

    def between(self, first: int, last: int) -> NDArray[np.intp]:
        """Its rows from one of them to another."""
        return self.rows[slice(*np.searchsorted(self.rows, (first, last + 1)))].astype(np.intp)


@dataclass(frozen=True)
class Grouping:
    """Rows in the order of the source, those that are flagged, grouped by columns of codes; one column at a time."""

    flags: NDArray[np.bool_]
    columns: Sequence[Codes] = ()

    def __iter__(self) -> Iterator[RowGroup]:
        yield RowGroup(WHOLE, 0, self._rows)
        for number, codes in enumerate(self.columns):
            yield from self._by_value(number, codes)

    def __len__(self) -> int:
        """How many groups there are."""
        return 1 + sum(int(np.count_nonzero(self._sizes(codes))) for codes in self.columns)

    @cached_property
    def _rows(self) -> Rows:
        return np.flatnonzero(self.flags).astype(np.int32)

    def _sizes(self, codes: Codes) -> NDArray[np.intp]:
        """The rows of each value, of those without one first; nothing where all have one value, or very many do."""
        sizes = np.bincount(codes[self._rows] + 1)
        return sizes if 2 <= np.count_nonzero(sizes) <= MANY else sizes[:0]

    def _by_value(self, number: int, codes: Codes) -> Iterator[RowGroup]:
        sizes = self._sizes(codes)
        if not len(sizes):
            return
        own = codes[self._rows] + 1
        rows = self._rows[np.argsort(own.astype(np.int16) if len(sizes) < 2**15 else own, kind="stable")]
        for value, (end, size) in enumerate(zip(np.cumsum(sizes).tolist(), sizes.tolist(), strict=True)):
            if size:
                yield RowGroup(number, value - 1, rows[end - size : end])
