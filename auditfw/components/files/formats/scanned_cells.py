"""Delimited text by the native scanner: where rows end comes first, and whoever has a block makes the wanted cells.

Whatever Python's csv could read otherwise is left to it, from the start of the file: so there is one place that says
what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import Records
from auditfw.components.files.file_source import ROWS
from auditfw.components.files.files import File, is_compressed
from auditfw.core.native import compiled, native_kernel

from .native_jsonl import BOM, is_utf8
from .piece import BLOCK, Piece, UnusualError, more, piece_of

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
