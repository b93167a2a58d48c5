"""Records of a JSON array by the native scanner: where they end comes first, and whoever has a block looks into it.

Whatever is in the least unusual is left to the strict reader, which begins again at the start: so there is one place
that says what is wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from auditfw.components.files.file_settings import Records
from auditfw.components.files.file_source import ROWS
from auditfw.components.files.files import File, is_compressed
from auditfw.core.native import compiled, native_kernel
from auditfw.core.native.columns import marked
from auditfw.core.notes import Remark

from .native_jsonl import BOM, OTHER, is_utf8
from .piece import BLOCK, Piece, UnusualError, more, piece_of
from .scanned_rows import ODD_ROWS, rows_of, span
from .strict_json import Reader, RefusedError, mended

MORE, END = 0, 1  # what follows the objects


class StrictArray(Protocol):
    """The strict reader of a file that holds one array."""

    @property
    def encoding(self) -> str: ...

    def refuse(self, file: File) -> None:
        """Raises DataError for what is wrong with it."""
        ...


@dataclass(frozen=True)
class Elements:
    """A block of records, whose bytes are a `piece` of the file."""

    strict: StrictArray
    file: File
    columns: frozenset[str] | None
    start: int
    line: int
    count: int
    piece: Piece

    def __call__(self) -> Records:
        kernel, data = compiled(), self.piece.content()
        names = sorted(self.columns or ())
        assert kernel is not None
        whole, *held = kernel.elements(data, ((), *((name.encode(),) for name in names)), self.count)
        lines, before, line = [], 0, self.line
        for at in memoryview(whole[0]).cast("I"):
            line += data.count(b"\n", before, at)
            before = at
            lines.append(line)
        got = Records([], range(self.start, self.start + self.count), lines)
        odd = self._odd(data, whole, got)
        columns = None if self.columns is None else dict(zip(names, held, strict=True))
        got.rows = rows_of(kernel, data, whole, columns, odd)
        return got

    def _odd(self, data: bytes, whole: tuple[bytes, bytes, bytes], got: Records) -> dict[int, Any]:
        """The records that the strict reader takes, and notes what was odd. Raises DataError."""
        odd, reader, halves = dict[int, Any](), Reader(), Counter[str]()
        for i in marked(whole[2], ODD_ROWS):
            try:
                row = reader.parse(data[slice(*span(whole, i))].decode("utf-8", "surrogateescape"))
            except RefusedError as error:
                self.strict.refuse(self.file)
                raise error.as_error(f"{self.file.path}:{(got.lines or ())[i]}") from None
            kept = row if self.columns is None else {name: v for name, v in row.items() if name in self.columns}
            odd[i], n = mended(kept)
            if n:
                remark = "bytes or escapes that are not characters, read as U+FFFD"
                halves[Remark(remark, self.file.path, f"line {(got.lines or ())[i]}")] += n
        got.notes, got.unfinite = halves, reader.unfinite
        return odd


def elements(strict: StrictArray, file: File, stream: BinaryIO, columns: frozenset[str] | None) -> Iterator[Elements]:
    """The blocks of records of a file that is one array. Raises UnusualError where it is not, behind sound blocks."""
    kernel = native_kernel()
    if kernel is None or not is_utf8(strict.encoding) or OTHER in (columns or ()):
        raise UnusualError
    rest, at = _begun(more(stream, BLOCK))
    plain = not is_compressed(file)
    start, line, state, base = 1, 1 + rest.count(b"\n", 0, at), MORE, 0
    while state == MORE:
        count, end, state = kernel.objects(rest, at, ROWS)
        if state not in (MORE, END) or (state == END and not count):
            raise UnusualError
        if count:
            data = rest[at:end]
            piece = piece_of(file.path, base + at, data, plain)
            yield Elements(strict, file, columns, start, line, count, piece)
            start, line, at = start + count, line + kernel.ends(data), end
        if state == MORE and (not count or end >= len(rest)):
            further = more(stream, max(BLOCK, len(rest) - at))
            if not further:
                raise UnusualError
            base, rest, at = base + at, rest[at:] + further, 0
    while not rest[at:].strip(b" \t\r\n"):
        rest, at = more(stream, BLOCK), 0
        if not rest:
            return
    raise UnusualError


def _begun(data: bytes) -> tuple[bytes, int]:
    """The start of a file, and where its first record may be. Raises UnusualError where it does not begin an array."""
    text = data.removeprefix(BOM)
    at = len(data) - len(text.lstrip(b" \t\r\n"))
    if data[at : at + 1] != b"[":
        raise UnusualError
    return data, at + 1
