"""Rows of JSON that the native scanner went over: their values are made from where it says that they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import byteorder
from typing import Any

from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import Row
from auditfw.core.native.columns import ABSENT, LIST, OBJECT, ODD, TEXTS, Held, marked

NESTED = frozenset((TEXTS, LIST, OBJECT))
ODD_ROWS = frozenset((ODD,))
NOT_THERE = frozenset((ABSENT,))


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
    import msgspec

    decode, view = msgspec.json.Decoder().decode, memoryview(data)
    columns, absent = dict[str, list[Any]](), dict[str, frozenset[int]]()
    for name, column in held.items():
        values = columns[name] = kernel.values(data, column)
        for i in marked(column[2], NESTED):
            values[i] = decode(view[slice(*span(column, i))])
        for i, row in odd.items():
            values[i] = None if row is None else row.get(name)
        lacking = {*marked(column[2], NOT_THERE), *(i for i, row in odd.items() if row and name not in row)}
        if lacking:
            absent[name] = frozenset(lacking)
    return ColumnRows(columns, size, absent)
