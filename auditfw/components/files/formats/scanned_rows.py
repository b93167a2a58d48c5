"""Rows of JSON that the native scanner went over: their values are made from where it says that they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from sys import byteorder
from typing import Any

from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import Row
from auditfw.core.native.columns import ABSENT, LIST, OBJECT, ODD, TEXTS, Held, marked

NESTED = frozenset((TEXTS, LIST, OBJECT))
ODD_ROWS = frozenset((ODD,))
NOT_THERE = frozenset((ABSENT,))


@dataclass(frozen=True, eq=False)
class NestedValues(Sequence[Any]):
    """The values of a column, of which lists and objects, those at the places `nested`, are made when looked at."""

    data: bytes
    held: Held
    values: Sequence[Any]
    nested: frozenset[int]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, i: Any) -> Any:
        return self._made([i])[0] if i in self.nested else self.values[i]

    def __iter__(self) -> Iterator[Any]:
        values, places = list(self.values), sorted(self.nested)
        for i, value in zip(places, self._made(places), strict=True):
            values[i] = value
        return iter(values)

    def _made(self, places: Sequence[int]) -> list[Any]:
        starts, sizes = (memoryview(part).cast("I") for part in self.held[:2])
        decode, view = self._decode, memoryview(self.data)
        return [decode(view[starts[i] : starts[i] + sizes[i]]) for i in places]

    @cached_property
    def _decode(self) -> Callable[[memoryview], Any]:
        import msgspec

        return msgspec.json.Decoder().decode


def span(held: Held, i: int) -> tuple[int, int]:
    """Where a value begins and ends."""
    start, size = (int.from_bytes(part[4 * i : 4 * i + 4], byteorder) for part in held[:2])
    return start, start + size


def rows_of(
    kernel: Any, data: bytes, whole: Held, held: Mapping[str, Held] | None, odd: Mapping[int, Any]
) -> Sequence[Row]:
    """The rows of a block by what the scanner says of it; `odd` are those that were read strictly.

    With `held` they have these columns alone.
    """
    if held is None:
        return _objects(data, whole, odd)
    return _columns(kernel, data, held, len(whole[2]), odd)


def _objects(data: bytes, whole: Held, odd: Mapping[int, Any]) -> list[Any]:
    """Each row with all that is in it."""
    import msgspec

    decode, view = msgspec.json.Decoder().decode, memoryview(data)
    starts, sizes = (memoryview(part).cast("I") for part in whole[:2])
    places = enumerate(zip(starts, sizes, strict=True))
    return [odd[i] if i in odd else decode(view[start : start + size]) for i, (start, size) in places]


def _columns(kernel: Any, data: bytes, held: Mapping[str, Held], size: int, odd: Mapping[int, Any]) -> ColumnRows:
    """The wanted values of each row."""
    columns, absent = dict[str, Sequence[Any]](), dict[str, frozenset[int]]()
    for name, column in held.items():
        values = kernel.values(data, column)
        for i, row in odd.items():
            values[i] = None if row is None else row.get(name)
        nested = frozenset(marked(column[2], NESTED))
        columns[name] = NestedValues(data, column, values, nested) if nested else values
        lacking = {*marked(column[2], NOT_THERE), *(i for i, row in odd.items() if row and name not in row)}
        if lacking:
            absent[name] = frozenset(lacking)
    return ColumnRows(columns, size, absent)
