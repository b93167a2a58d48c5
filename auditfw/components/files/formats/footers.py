"""What a Parquet file says that it decodes to, read off its footer before anything of it is decoded."""

from __future__ import annotations

import os
from typing import Any

from auditfw.core.errors import DataError

MAGIC = b"PAR1"
LONGEST = 8 << 20  # bytes of a footer that are looked at
DEEPEST = 16
PLAUSIBLE = 200  # bytes in memory for one of a file
WIDTHS = (1, 4, 8, 12, 4, 8, 16, 16)  # bytes of a value in memory, by Parquet's number of its type
STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
ROW_GROUPS, COLUMNS, META_DATA, TYPE, VALUES, UNCOMPRESSED = 4, 1, 3, 1, 5, 6


def decoded(path: str) -> tuple[int, int] | None:
    """The bytes of the largest row group, and of all, as the file comes to in memory; None where that cannot be read.

    A column counts as its pages without compression, or as its values, whichever is more: a million equal values are a
    page of a few bytes. Texts count as their pages only (see `Slice`, which looks at them when they are there).
    """
    try:
        with open(path, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            stream.seek(max(size - 8, 0))
            length = int.from_bytes(stream.read(4), "little")
            if stream.read(4) != MAGIC or not 0 < length <= min(LONGEST, size - 8):
                return None
            stream.seek(size - 8 - length)
            footer = _Compact(stream.read(length)).struct()
        groups = [sum(map(_of_column, group.get(COLUMNS, ()))) for group in footer.get(ROW_GROUPS, ())]
    except (OSError, ValueError, IndexError, TypeError, AttributeError):
        return None
    return max(groups, default=0), sum(groups)


def check_table(path: str, free: int, do: str = "") -> None:
    """Refuses a table whose rows come to more in memory than is plausible for the size of its file. Raises DataError.

    Equal values take no room in a file: one of a few thousand bytes may say that it holds a thousand million rows.
    """
    size = decoded(path)
    most = max(free, PLAUSIBLE * os.path.getsize(path))
    if size is not None and size[1] > most:
        raise DataError(path, "decodes to more than is plausible", f"{size[1]:,} bytes, where {most:,} are allowed", do)


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
            return self._skip(8)
        if kind == BINARY:
            return self._skip(self._varint())
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

    def _skip(self, n: int) -> None:
        self._at += n

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
