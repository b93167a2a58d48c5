"""What a Parquet file says that it decodes to, read off its footer before anything of it is decoded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from auditfw.core.errors import DataError
from auditfw.core.inputs import FilePart, file_part

MAGIC = b"PAR1"
LONGEST = 8 << 20  # bytes of a footer that are looked at
DEEPEST = 16
DEEPEST_COLUMN = 100  # levels: a list is two, an object one
PLAUSIBLE = 200  # bytes in memory for one of a file
WIDTHS = (1, 4, 8, 12, 4, 8, 16, 16)  # bytes of a value in memory, by Parquet's number of its type
STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
ROWS_OF, DATA_PAGE, DICTIONARY_PAGE, COMPRESSED = 3, 9, 11, 7  # of a row group, and of a column in it
SCHEMA, ROW_GROUPS, COLUMNS, META_DATA, TYPE, VALUES, UNCOMPRESSED = 2, 4, 1, 3, 1, 5, 6
NAME, CHILDREN = 4, 5  # of a part of the schema


def decoded(path: str) -> tuple[int, int] | None:
    """The bytes of the largest row group, and of all, as the file comes to in memory; None where that cannot be read.

    A column counts as its pages without compression, or as its values, whichever is more: a million equal values are a
    page of a few bytes. Texts count as their pages only (see `FrameSlice`, which looks at them when they are there).
    Raises DataError for a column of lists within lists so deep that reading it would take too long.
    """
    try:
        footer = _footer(path)
        if footer is None:
            return None
        deepest, name = _deepest(footer.get(SCHEMA, ()))
        groups = [sum(map(_of_column, group.get(COLUMNS, ()))) for group in footer.get(ROW_GROUPS, ())]
    except (OSError, ValueError, IndexError, TypeError, AttributeError):
        return None
    if deepest > DEEPEST_COLUMN:
        levels = f"column {name!r}: {deepest} levels, limit {DEEPEST_COLUMN}"
        raise DataError(path, "nested too deep", levels, "leave the column out, or write its values as JSON texts")
    return max(groups, default=0), sum(groups)


def _footer(path: str) -> dict[int, Any] | None:
    """The footer of a file; None where there is none, or one too long. Raises OSError, ValueError or IndexError."""
    with open(path, "rb") as stream:
        size = os.fstat(stream.fileno()).st_size
        stream.seek(max(size - 8, 0))
        length = int.from_bytes(stream.read(4), "little")
        if stream.read() != MAGIC or not 0 < length <= min(LONGEST, size - 8):
            return None
        stream.seek(size - 8 - length)
        return _Compact(stream.read(length)).struct()


def table_parts(path: str, start: int, count: int) -> list[FilePart]:
    """The parts of a file in which these rows are: their row groups and the footer, or all where that does not say."""
    status = os.stat(path)
    groups = _groups(path, status.st_size, status.st_mtime_ns) or ((sys.maxsize, 0, status.st_size),)
    parts, first = [], 0
    for rows, begin, end in groups:
        if first < start + count and first + rows > start:
            parts.append(file_part(path, begin, end))
        first += rows
    behind = max(end for _, _, end in groups)
    return parts if behind == status.st_size else [*parts, file_part(path, behind, status.st_size)]


@lru_cache(maxsize=16)
def _groups(path: str, _size: int, _changed: int) -> tuple[tuple[int, int, int], ...]:
    """The row groups: how many rows each has, and from where to where it is; () where the footer does not say."""
    try:
        groups = (_footer(path) or {}).get(ROW_GROUPS, ())
        return tuple((group[ROWS_OF], *_span([part[META_DATA] for part in group[COLUMNS]])) for group in groups)
    except (ValueError, LookupError, TypeError, AttributeError):
        return ()


def _span(columns: Sequence[dict[int, Any]]) -> tuple[int, int]:
    """From where to where the columns of a row group are."""
    begins = [min(one[DATA_PAGE], one.get(DICTIONARY_PAGE) or one[DATA_PAGE]) for one in columns]
    return min(begins), max(begin + one[COMPRESSED] for begin, one in zip(begins, columns, strict=True))


def check_table(path: str, free: int, do: str = "") -> None:
    """Refuses a table whose rows come to more in memory than is plausible for the size of its file. Raises DataError.

    Equal values take no room in a file: one of a few thousand bytes may say that it holds a thousand million rows.
    """
    size = decoded(path)
    most = max(free, PLAUSIBLE * os.path.getsize(path))
    if size is not None and size[1] > most:
        raise DataError(path, "decodes to more than is plausible", f"{size[1]:,} bytes, where {most:,} are allowed", do)


def _deepest(schema: Iterable[dict[int, Any]]) -> tuple[int, str]:
    """The levels of the column that has most, and its name: each part of a schema says how many are below it."""
    most, name, column = 0, "", b""
    above: list[int] = []
    for part in schema:
        while above and not above[-1]:
            above.pop()
        if above:
            above[-1] -= 1
        if len(above) == 1:
            column = part.get(NAME, b"")
        if len(above) > most:
            most, name = len(above), column.decode("utf-8", "replace")
        above.append(part.get(CHILDREN, 0))
    return most, name


def _of_column(column: dict[int, Any]) -> int:
    meta = column.get(META_DATA, {})
    width = WIDTHS[meta.get(TYPE, 0)]
    return int(max(meta.get(UNCOMPRESSED, 0), meta.get(VALUES, 0) * width))


class _Compact:
    """Thrift's compact protocol, as far as it is needed: structs become mappings from the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The struct at hand. Raises ValueError or IndexError where there is none."""
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            fields[number] = (head & 15) == TRUE if (head & 15) in (TRUE, FALSE) else self._value(head & 15, depth)
        return fields

    def _value(self, kind: int, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("nested too deeply")
        if kind in (TRUE, FALSE, BYTE):
            return self._byte()
        if kind in (I16, I32, I64):
            return self._integer()
        if kind == DOUBLE:
            return self._bytes(8)
        if kind == BINARY:
            return self._bytes(self._varint())
        if kind in (LIST, SET):
            head = self._byte()
            count = self._varint() if head >> 4 == 15 else head >> 4
            return [self._value(head & 15, depth + 1) for _ in range(count)]
        if kind == STRUCT:
            return self.struct(depth + 1)
        raise ValueError("an unknown kind of value")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, n: int) -> bytes:
        self._at += n
        return self._data[self._at - n : self._at]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number is too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
