"""Records of JSON Lines by the native scanner: what nobody wants of a line is passed over, and nothing of it is built.

What the scanner takes is strict JSON in UTF-8; each line that is in the least unusual is read by the strict reader, so
that values, errors and notes are the same. Without the native kernel all lines are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

from auditfw.components.files.file_settings import Records
from auditfw.core.native import native_kernel
from auditfw.core.native.columns import marked

from .native_jsonl import BOM, OTHER, is_utf8, line_numbers
from .scanned_rows import ODD_ROWS, rows_of, span
from .strict_json import Reader


class StrictLines(Protocol):
    """The strict reader of a file's lines."""

    @property
    def encoding(self) -> str: ...

    def take(self, got: Records, reader: Reader, line: str, number: int, torn: bool) -> None: ...


def scanned(lines: StrictLines, data: bytes, start: int, last: bool, columns: frozenset[str] | None) -> Records | None:
    """The records of a block of lines with these columns (None: all); None where all must be read strictly.

    Raises DataError for the first line that is wrong.
    """
    kernel = native_kernel()
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
    for i in marked(whole[2], ODD_ROWS):
        try:
            line = data[slice(*span(whole, i))].decode()
        except UnicodeDecodeError:
            return None
        one = Records([], [], dropped=got.dropped, notes=got.notes)
        lines.take(one, reader, line, numbers[i], numbers[i] == torn)
        odd[i] = one.rows[0] if one.rows else None
    got.unfinite = reader.unfinite
    got.rows = rows_of(kernel, data, whole, None if columns is None else dict(zip(names, held, strict=True)), odd)
    return got if None not in odd.values() else _without(got, {i for i, row in odd.items() if row is None})


def torn_line(data: bytes, start: int, last: bool) -> int:
    """The number of the line that ends a file without a line end; -1 where there is none."""
    return start + data.count(b"\n") if last and not data.endswith(b"\n") else -1


def _without(got: Records, places: set[int]) -> Records:
    """The records but for those of lines that hold none."""
    kept = [i for i in range(len(got.rows)) if i not in places]
    return replace(got, rows=[got.rows[i] for i in kept], numbers=[got.numbers[i] for i in kept])
