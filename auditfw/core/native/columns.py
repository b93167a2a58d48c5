"""Columns in a block of bytes: where each row's value is, made only when it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from sys import byteorder
from typing import Any

from . import compiled

Held = tuple[bytes, bytes, bytes]  # starts and sizes, four bytes a row, and kinds, one a row

KINDS = range(13)  # as the kernel numbers them
ODD, ABSENT, BENEATH, NOTHING, FALSE, TRUE, WHOLE, DECIMAL, PLAIN, ESCAPED, TEXTS, LIST, OBJECT = KINDS
NONE = frozenset((ABSENT, BENEATH, NOTHING))


@dataclass(frozen=True, eq=False)
class TextSlices(Sequence[Any]):
    """The values at one path, a row each, in a block of lines.

    `held` says where they are and what they are; `given` has the values of rows that were read the strict way (of
    kind ODD, and perhaps others); `parse` reads a JSON text.
    """

    data: bytes
    held: Held
    given: Mapping[int, Any]
    parse: Callable[[str], Any]

    @property
    def kinds(self) -> bytes:
        """What each value is."""
        return self.held[2]

    def __len__(self) -> int:
        return len(self.held[2])

    def raw(self, i: int) -> bytes:
        """The bytes of one value, of a text without its quotes."""
        start, size = (int.from_bytes(part[4 * i : 4 * i + 4], byteorder) for part in self.held[:2])
        return self.data[start : start + size]

    def __getitem__(self, i: Any) -> Any:
        if i in self.given:
            return self.given[i]
        kind = self.held[2][i]
        if kind in NONE:
            return None
        text = self.raw(i).decode()
        return text if kind == PLAIN else self.parse(f'"{text}"' if kind == ESCAPED else text)

    def __iter__(self) -> Iterator[Any]:
        texts = _kernel().texts(self.data, self.held)
        for i in self.rows_of(frozenset(KINDS) - NONE - {PLAIN}):
            texts[i] = self[i]
        for i, value in self.given.items():
            texts[i] = value
        return iter(texts)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)  # the block stays in the process that read it

    def rows_of(self, kinds: frozenset[int]) -> list[int]:
        """The rows whose values are of these kinds."""
        return marked(self.held[2], kinds)

    def some(self) -> list[int]:
        """The rows that have a value."""
        rows = self.rows_of(frozenset(KINDS) - NONE)
        return sorted({*rows, *self.given}) if self.given else rows


@dataclass(frozen=True, eq=False)
class Words(Sequence[str]):
    """Texts none of which is empty or holds a line end, joined by line ends in UTF-8: one block to hand on."""

    joined: bytes

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, i: Any) -> Any:
        return self._each[i]

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __reduce__(self) -> tuple[Any, ...]:
        return Words, (self.joined,)

    @cached_property
    def _size(self) -> int:
        return self.joined.count(b"\n") + 1

    @cached_property
    def _each(self) -> list[str]:
        return self.joined.decode().split("\n")


@dataclass(frozen=True, eq=False)
class CodedColumn(Sequence[Any]):
    """A column of few different values: a code for each row, and what the codes stand for."""

    codes: Sequence[int]
    values: Sequence[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, i: Any) -> Any:
        return self.values[self.codes[i]]

    def __iter__(self) -> Iterator[Any]:
        return map(self.values.__getitem__, self.codes)


def joined(column: TextSlices) -> Words | None:
    """A column of which every row has a text without escapes, and none is empty; None for others."""
    joined_texts = None if column.given else _kernel().joined(column.data, column.held)
    return None if joined_texts is None else Words(joined_texts)


def marked(codes: bytes, wanted: frozenset[int] | set[int]) -> list[int]:
    """The places of these codes."""
    there = [code for code in wanted if code in codes]
    if not there:
        return []
    import numpy as np

    marks = np.zeros(256, np.bool_)
    marks[there] = True
    rows: list[int] = marks[np.frombuffer(codes, np.uint8)].nonzero()[0].tolist()
    return rows


def coded(column: TextSlices) -> bytes | None:
    """One byte a row, the same for equal JSON texts (and for all rows that are odd); None where there are too many."""
    codes: bytes | None = _kernel().coded(column.data, column.held)
    return codes


def crossed(columns: Sequence[bytes]) -> tuple[bytes, list[int]] | None:
    """One byte a row, the same for rows that are the same in all columns, and the first row of each; or None."""
    counts: tuple[bytes, list[int]] | None = _kernel().crossed(tuple(columns))
    return counts


def within(inner: TextSlices, outer: TextSlices) -> bytes:
    """0: must be looked at; 1: the inner list of texts is empty; 2: all its texts are in the outer one; 3: not."""
    flags: bytes = _kernel().within(inner.data, inner.held, outer.held)
    return flags


def equal(one: TextSlices, other: TextSlices) -> bytes:
    """0: must be looked at; 1: a text is missing or empty; 2: both are there and equal; 3: they differ."""
    flags: bytes = _kernel().equal(one.data, one.held, other.held)
    return flags


def _kernel() -> Any:
    kernel = compiled()
    if kernel is None:
        raise RuntimeError("slices are made by the native kernel only")
    return kernel
