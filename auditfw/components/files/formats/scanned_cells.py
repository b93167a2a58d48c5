"""Delimited text by the native scanner: where rows end comes first, and whoever has a block makes the wanted cells.

Whatever Python's csv could read otherwise is left to it, from the start of the file: so there is one place that says
what is wrong.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Protocol

from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import Records, RowBlock
from auditfw.components.files.file_source import ROWS
from auditfw.components.files.files import LARGEST_RECORD, File, is_compressed
from auditfw.core.errors import DataError
from auditfw.core.inputs import FilePart, file_part
from auditfw.core.native import compiled, native_kernel
from auditfw.core.native.columns import ABSENT, BENEATH, KINDS, LIST, NOTHING, OBJECT, PLAIN, WHOLE, Held, TextSlices

from .strict_json import parse

# Blocks of lines read by the native scanner: only where wanted values are is noted, and odd lines are handed back.

Path = tuple[str, ...]
Kinds = frozenset[int]

BOM = b"\xef\xbb\xbf"
ENOUGH = 0.8  # of the lines must be usual, or the strict reader takes them all
TEXT_OR_NUMBER: Kinds = frozenset((PLAIN, WHOLE))
OBJECT_OR_NOTHING: Kinds = frozenset((ABSENT, NOTHING, OBJECT))
OTHER = '"'  # the step for any key beside it that has none of its own: no key is a bare quote
NEVER: Kinds = frozenset((ABSENT,))
NOT_LIST: Kinds = frozenset(KINDS) - {LIST}  # a list may hold content parts
NOT_NULL: Kinds = frozenset(KINDS) - {NOTHING, BENEATH}


@dataclass(frozen=True)
class Scanner:
    """How blocks are scanned: the paths of our columns, and the kinds of value that make a line usual."""

    kernel: Any
    wanted: Mapping[str, Path]
    usual: Mapping[Path, Kinds]

    def columns(
        self, data: bytes, start: int, read: Callable[[bytes, int], dict[str, Any] | None], count: int | None = None
    ) -> tuple[dict[str, TextSlices], Sequence[int]] | None:
        """The columns of a block by our names, and the rows' line numbers; None where it must be read strictly.

        `read(line, number)` gives the values of one line the strict way, or None where that says more than values;
        `count` is how many lines there are, where that is known.
        """
        data = data.removeprefix(BOM) if start == 1 else data
        paths = tuple(dict.fromkeys(((), *self.wanted.values(), *self.usual)))
        try:
            count = self.kernel.ends(data) + (not data.endswith(b"\n")) if count is None else count
            columns = self.kernel.lines(data, tuple(tuple(step.encode() for step in path) for path in paths), count)
        except UnicodeEncodeError:
            return None
        held = dict(zip(paths, columns, strict=True))
        lines = TextSlices(data, held[()], {}, parse)
        odd = self._odd(held, lines.kinds)
        if len(odd) > (1 - ENOUGH) * len(lines):
            return None
        numbers = line_numbers(data, lines.held, start, count)
        strict: dict[int, dict[str, Any]] = {}
        for i in odd:
            row = read(lines.raw(i), numbers[i])
            if row is None:
                return None
            strict[i] = row
        return {
            name: TextSlices(data, held[way], {i: row.get(name) for i, row in strict.items()}, parse)
            for name, way in self.wanted.items()
        }, numbers

    def _odd(self, held: Mapping[Path, tuple[bytes, bytes, bytes]], lines: bytes) -> list[int]:
        odd = {i for i, kind in enumerate(lines) if kind != OBJECT} if lines.strip(bytes([OBJECT])) else set()
        for path, kinds in self.usual.items():
            rows = held[path][2]
            if rows.translate(None, bytes(kinds)):
                odd.update(i for i, kind in enumerate(rows) if kind not in kinds)
        return sorted(odd)


def line_numbers(data: bytes, whole: Held, start: int, count: int) -> Sequence[int]:
    """The line number of each row of a block of so many lines, some of which may be blank."""
    if len(whole[2]) == count:
        return range(start, start + count)
    numbers, before = [], 0
    for at in memoryview(whole[0]).cast("I"):
        start += data.count(b"\n", before, at)
        before = at
        numbers.append(start)
    return numbers


def is_utf8(encoding: str) -> bool:
    """Whether text in this encoding is what the scanner reads."""
    return codecs.lookup(encoding).name == "utf-8"


def as_path(steps: Iterable[str | int]) -> Path | None:
    """An address as a path of names, None where it has places in lists."""
    path = tuple(step for step in steps if isinstance(step, str))
    return path if len(path) == len(tuple(steps)) and path else None


# The bytes of a block for whoever reads it, and the way from a scanner that gives up to the strict reader.

BLOCK = 2 << 20


class UnusualError(Exception):
    """The text is to be read strictly from its start."""


@dataclass(frozen=True)
class Piece:
    """The bytes of a block: of a plain file by offset and length, or `data` themselves.

    `near` are the bytes of a plain file while they are in this process; other processes read them again.
    """

    path: str
    offset: int
    length: int
    data: bytes | None = None
    near: bytes | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "near": None}

    def file_parts(self) -> list[FilePart]:
        """What another process reads of the file."""
        end = self.offset + self.length
        return [] if self.data is not None else [file_part(self.path, self.offset, end, self.near)]

    def content(self) -> bytes:
        """The bytes as they are in the file."""
        data = self.near if self.data is None else self.data
        if data is not None:
            return data
        with open(self.path, "rb") as stream:
            stream.seek(self.offset)
            return stream.read(self.length)


def piece_of(path: str, offset: int, data: bytes, plain: bool, near: bool = True) -> Piece:
    """The piece that these bytes are; those of a `plain` file are kept in this process alone, and only if `near`."""
    return Piece(path, offset, len(data), *((None, data if near else None) if plain else (data, None)))


def scanned_first(scanned: Iterable[RowBlock], strictly: Callable[[int], Iterable[RowBlock]]) -> Iterator[RowBlock]:
    """The blocks that a scanner finds; where it raises UnusualError those behind the rows so far, read strictly."""
    done = 0
    try:
        for block in scanned:
            yield block
            done += block.count
    except UnusualError:
        yield from strictly(done)


def more(stream: BinaryIO, size: int) -> bytes:
    """The next bytes, none at the end. Raises UnusualError for a record too long, and a stream that is cut off."""
    if size > LARGEST_RECORD:
        raise UnusualError
    try:
        return stream.read(size)
    except DataError:
        raise UnusualError from None


LARGEST_BLOCK = 64 << 20  # bytes: no cell in it is too long
MOST_BLANK = 10_000_000
NO_QUOTE = -1


class Divided(Protocol):
    """The strict reader of a file of delimited text."""

    @property
    def encoding(self) -> str: ...

    @property
    def delimiter(self) -> str: ...

    @property
    def quote(self) -> str | None: ...

    def block(self, data: bytes, cells: CellBlock) -> Records:
        """The records of a block, read by csv. Raises DataError for what is wrong with the file."""
        ...


@dataclass(frozen=True)
class CellBlock:
    """A block of rows, whose bytes are a `piece` of the file.

    `places` says of each column of the file which of `names` it is, -1 for none.
    """

    strict: Divided
    file: File
    names: tuple[str, ...]
    places: tuple[int, ...]
    start: int
    line: int
    count: int
    piece: Piece

    def content(self) -> bytes:
        """The rows as they are in the file, the last one with a line end."""
        data = self.piece.content()
        return data if data.endswith(b"\n") else data + b"\n"

    def __call__(self) -> Records:
        kernel, data = compiled(), self.content()
        assert kernel is not None
        cells = kernel.cells(data, self.count, self.places, len(self.names), *signs(self.strict))
        if cells is None:
            return self.strict.block(data, self)
        lines = [self.line + n for n in memoryview(cells[1]).cast("I")]
        rows = ColumnRows(dict(zip(self.names, cells[0], strict=True)), self.count)
        return Records(rows, range(self.start, self.start + self.count), lines)


def signs(strict: Divided) -> tuple[bytes, int]:
    """What divides cells, and the quote, as the scanner takes them."""
    return strict.delimiter.encode(), NO_QUOTE if strict.quote is None else ord(strict.quote)


def cell_blocks(
    strict: Divided, file: File, stream: BinaryIO, names: tuple[str, ...], wanted: frozenset[str] | None
) -> Iterator[CellBlock]:
    """The blocks of rows behind the header. Raises UnusualError where csv has to read them, behind sound blocks."""
    kernel = native_kernel()
    sign = strict.delimiter + (strict.quote or "")
    if kernel is None or not is_utf8(strict.encoding) or not sign.isascii() or "\0" in sign:
        raise UnusualError
    kept = tuple(name for name in names if wanted is None or name in wanted)
    places = tuple(kept.index(name) if name in kept else -1 for name in names)
    header, start, plain = True, 1, not is_compressed(file)
    for data, rows, line, offset in _blocks(kernel, stream, signs(strict)):
        if header:
            header = False
            continue
        yield CellBlock(strict, file, kept, places, start, line, rows, piece_of(file.path, offset, data, plain))
        start += rows


def _blocks(kernel: Any, stream: BinaryIO, sign: tuple[bytes, int]) -> Iterator[tuple[bytes, int, int, int]]:
    """Blocks of whole rows, the header first: bytes, rows, first line, offset."""
    rest = more(stream, BLOCK)
    at, line, base, blank, most, over = len(rest) - len(rest.removeprefix(BOM)), 1, 0, 0, 1, not rest
    while True:
        rows, lines, end, strange = kernel.rows(rest, at, *sign, most, BLOCK)
        blank += lines
        if (strange and not rows) or blank > MOST_BLANK or end - at > LARGEST_BLOCK:
            raise UnusualError
        if rows:
            data = rest[at:end]
            yield data, rows, line, base + at
            line, at, most = line + kernel.ends(data), end, ROWS
            continue
        if over:
            if rest[at:].strip(b"\r\n"):
                raise UnusualError
            return
        tail = rest[at:]
        further = more(stream, max(BLOCK, len(tail)))
        over = not further
        base, at = base + at, 0
        rest = tail + (further or (b"\n" if tail and not tail.endswith(b"\n") else b""))
