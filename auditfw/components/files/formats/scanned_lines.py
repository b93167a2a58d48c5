"""Records of JSON Lines by the native scanner: what nobody wants of a line is passed over, and nothing of it is built.

What the scanner takes is strict JSON in UTF-8; each line that is in the least unusual is read by the strict reader, so
that values, errors and notes are the same. Without the native kernel all lines are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from sys import byteorder
from typing import Any, Protocol

from auditfw.components.files.file_settings import ColumnRows, Records
from auditfw.core.native import compiled, kernel_name
from auditfw.core.native.columns import ABSENT, LIST, OBJECT, ODD, TEXTS, Held, marked

from .native_jsonl import BOM, OTHER, is_utf8, line_numbers
from .strict_json import Reader

NESTED = frozenset((TEXTS, LIST, OBJECT))
ODD_LINES = frozenset((ODD,))
NOT_THERE = frozenset((ABSENT,))


class StrictLines(Protocol):
    """The strict reader of a file's lines."""

    @property
    def encoding(self) -> str: ...

    def take(self, got: Records, reader: Reader, line: str, number: int, torn: bool) -> None: ...


def scanned(lines: StrictLines, data: bytes, start: int, last: bool, columns: frozenset[str] | None) -> Records | None:
    """The records of a block of lines with these columns (None: all); None where all must be read strictly.

    Raises DataError for the first line that is wrong.
    """
    kernel = compiled() if kernel_name() == "native" else None
    if kernel is None or not is_utf8(lines.encoding) or OTHER in (columns or ()):
        return None
    names = sorted(columns or ())
    torn = torn_line(data, start, last)
    data = data.removeprefix(BOM) if start == 1 else data
    try:
        count = kernel.ends(data) + (not data.endswith(b"\n"))
        whole, *held = kernel.lines(data, ((), *((name.encode(),) for name in names)), count)
    except UnicodeEncodeError:
        return None
    numbers = line_numbers(data, whole, start, count)
    got, reader, odd = Records([], numbers), Reader(), dict[int, Any]()
    for i in marked(whole[2], ODD_LINES):
        try:
            line = data[slice(*_span(whole, i))].decode()
        except UnicodeDecodeError:
            return None
        one = Records([], [], dropped=got.dropped, notes=got.notes)
        lines.take(one, reader, line, numbers[i], numbers[i] == torn)
        odd[i] = one.rows[0] if one.rows else None
    got.unfinite = reader.unfinite
    if columns is None:
        got.rows = _objects(data, whole, odd)
    else:
        got.rows = _columns(kernel, data, dict(zip(names, held, strict=True)), len(whole[2]), odd)
    return got if None not in odd.values() else _without(got, {i for i, row in odd.items() if row is None})


def torn_line(data: bytes, start: int, last: bool) -> int:
    """The number of the line that ends a file without a line end; -1 where there is none."""
    return start + data.count(b"\n") if last and not data.endswith(b"\n") else -1


def _without(got: Records, places: set[int]) -> Records:
    """The records but for those of lines that hold none."""
    kept = [i for i in range(len(got.rows)) if i not in places]
    return replace(got, rows=[got.rows[i] for i in kept], numbers=[got.numbers[i] for i in kept])


def _span(held: Held, i: int) -> tuple[int, int]:
    """Where a value begins and ends."""
    start, size = (int.from_bytes(part[4 * i : 4 * i + 4], byteorder) for part in held[:2])
    return start, start + size


def _objects(data: bytes, whole: Held, odd: Mapping[int, Any]) -> list[Any]:
    """Each line as an object with all that is in it."""
    import msgspec

    decode, view = msgspec.json.Decoder().decode, memoryview(data)
    starts, sizes = (memoryview(part).cast("I") for part in whole[:2])
    places = enumerate(zip(starts, sizes, strict=True))
    return [odd[i] if i in odd else decode(view[start : start + size]) for i, (start, size) in places]


def _columns(kernel: Any, data: bytes, held: Mapping[str, Held], size: int, odd: Mapping[int, Any]) -> ColumnRows:
    """The wanted values of each line."""
    import msgspec

    decode, view = msgspec.json.Decoder().decode, memoryview(data)
    columns, absent = dict[str, list[Any]](), dict[str, frozenset[int]]()
    for name, column in held.items():
        values = columns[name] = kernel.values(data, column)
        for i in marked(column[2], NESTED):
            values[i] = decode(view[slice(*_span(column, i))])
        for i, row in odd.items():
            values[i] = None if row is None else row.get(name)
        lacking = {*marked(column[2], NOT_THERE), *(i for i, row in odd.items() if row and name not in row)}
        if lacking:
            absent[name] = frozenset(lacking)
    return ColumnRows(columns, size, absent)
