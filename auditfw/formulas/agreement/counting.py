"""From one code an item and rater to counted patterns: a pass over the arrays, whatever the number of items."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .ratings import MISSING, Ratings

Codes = NDArray[Any]
MOST_KINDS = 1 << 20
BLOCK = 1 << 16  # items at once: small enough for the processor's cache


def counted(codes: Sequence[ArrayLike], labels: Sequence[str], raters: Sequence[str]) -> Ratings:
    """Ratings from the codes of each rater: one whole number an item, the place of its label, MISSING (-1) for none.

    Raises ValueError for codes that are not whole numbers, stand for no label, or are not equally many.
    """
    columns = [np.asarray(column) for column in codes]
    if len(columns) != len(raters) or len({column.shape for column in columns}) != 1 or columns[0].ndim != 1:
        raise ValueError("every rater needs one code an item")
    base = len(labels) + 1
    if base ** len(columns) > MOST_KINDS:
        return _sorted(columns, labels, raters)
    counts = np.zeros(base ** len(columns), dtype=np.int64)
    for start in range(0, columns[0].size, BLOCK):
        counts += np.bincount(
            _mixed([column[start : start + BLOCK] for column in columns], base), minlength=counts.size
        )
    patterns = {_pattern(int(kind), base, len(columns)): int(counts[kind]) for kind in np.flatnonzero(counts)}
    return Ratings.of(labels, raters, patterns)


def _mixed(columns: Sequence[Codes], base: int) -> Codes:
    """Each item's codes as the digits of one number, in the smallest type that holds it."""
    most = base ** len(columns)
    small = np.uint8 if most <= 1 << 8 else np.uint16 if most <= 1 << 16 else np.uint32
    kinds = np.zeros(columns[0].shape, dtype=small)
    for column in columns:
        _check(column, base - 1)
        kinds *= small(base)
        kinds += column.astype(small)
        kinds += small(1)
    return kinds


def _check(column: Codes, labels: int) -> None:
    if column.dtype.kind not in "iu":
        raise ValueError(f"codes are whole numbers, not {column.dtype}")
    if column.size and not MISSING <= int(column.min()) <= int(column.max()) < labels:
        raise ValueError(f"a code is outside -1 to {labels - 1}")


def _pattern(kind: int, base: int, raters: int) -> tuple[int, ...]:
    return tuple(kind // base**place % base - 1 for place in reversed(range(raters)))


def _sorted(columns: Sequence[Codes], labels: Sequence[str], raters: Sequence[str]) -> Ratings:
    for column in columns:
        _check(column, len(labels))
    rows, counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return Ratings.of(labels, raters, {tuple(map(int, row)): int(n) for row, n in zip(rows, counts, strict=True)})
