"""Files of lines, cut into blocks of whole lines: plain ones by looking for the ends, compressed ones as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from sys import byteorder
from typing import Any, BinaryIO, Protocol, TypeVar

from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import LARGEST_RECORD, CutOffError, too_long
from auditfw.core.inputs import Summing
from auditfw.core.native import native_kernel
from auditfw.core.native.columns import ABSENT, LIST, OBJECT, ODD, TEXTS, Held, marked

from .scanned_cells import BOM, OTHER, is_utf8, line_numbers
from .strict_json import Reader

# Rows of JSON that the native scanner went over: their values are made from where it says that they are.

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


T = TypeVar("T")

PIECE = 1 << 20


def line_blocks(stream: BinaryIO, path: str, size: int, tolerant: bool, rows: int) -> Iterator[tuple[bytes, int]]:
    """Cuts a stream into blocks of whole lines: about `size` bytes and at most about `rows` lines; with their ends."""
    parts: list[bytes] = []
    while chunk := _read(stream, size, tolerant):
        end = chunk.rfind(b"\n") + 1
        if end:
            yield from _cut(b"".join((*parts, chunk[:end])), rows)
            parts = []
        parts.append(chunk[end:])
        if sum(map(len, parts)) > LARGEST_RECORD:
            raise too_long(path)
    if rest := b"".join(parts):
        yield from _cut(rest, rows)


def plain_blocks(stream: BinaryIO, path: str, size: int, rows: int) -> Iterator[tuple[bytes, int]]:
    """The same of a file that is not compressed: where a block ends is looked up first, and then it is read at once."""
    offset = 0
    while True:
        stream.seek(offset + size - 1)
        beyond = _left_of_line(stream, path)
        stream.seek(offset)
        data = stream.read(size + beyond)
        if not data:
            return
        offset += len(data)
        ends = _ends(data)
        yield from _cut(data, rows) if ends > rows else [(data, ends)]


def _left_of_line(stream: BinaryIO, path: str) -> int:
    """How many bytes follow the next one until its line has ended, read piece by piece. Raises DataError."""
    length, ended = -1, False
    while not ended:
        piece = stream.readline(PIECE)
        length, ended = length + len(piece), len(piece) < PIECE or piece.endswith(b"\n")
        if length > LARGEST_RECORD:
            raise too_long(path)
    return max(0, length)


def filled_blocks(
    blocks: Iterable[tuple[bytes, int]], summing: Summing | None
) -> Iterator[tuple[bytes, int, int, int]]:
    """The blocks that hold more than blank lines, with their ends, first line and offset; all of them are summed."""
    start, offset = 1, 0
    for data, ends in blocks:
        if summing is not None:
            summing.add(data)
        if not data.isspace():
            yield data, ends, start, offset
        start, offset = start + ends, offset + len(data)


def _read(stream: BinaryIO, size: int, tolerant: bool) -> bytes:
    """Reads so many bytes, fewer at the end; where a compressed file is cut off, what is left of it."""
    parts, missing = [], size
    while missing > 0:
        try:
            part = stream.read1(missing)  # type: ignore[attr-defined]
        except CutOffError:
            if not tolerant:
                raise
            break
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _cut(data: bytes, rows: int) -> Iterator[tuple[bytes, int]]:
    """Cuts a block of many short lines into about equal parts."""
    parts = -(-_ends(data) // rows) or 1
    start = 0
    for part in range(1, parts + 1):
        end = len(data) if part == parts else data.find(b"\n", max(start, len(data) * part // parts)) + 1 or len(data)
        if end > start:
            piece = data[start:end]
            yield piece, _ends(piece)
        start = end


def _ends(data: bytes) -> int:
    kernel = native_kernel()
    return data.count(b"\n") if kernel is None else kernel.ends(data)


def filled_lines(data: bytes) -> int:
    """How many lines are not blank."""
    if data.isspace():
        return 0
    return sum(1 for line in data.split(b"\n") if line.strip(b" \t\r"))


def with_last(blocks: Iterable[T]) -> Iterator[tuple[T, bool]]:
    held: list[T] = []
    for block in blocks:
        if held:
            yield held.pop(), False
        held.append(block)
    if held:
        yield held.pop(), True


# Records of JSON Lines by the native scanner: what nobody wants of a line is passed over, and nothing of it is built.


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
