"""JSON Lines: one object a line, plain or compressed, read in blocks of whole lines."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from auditfw.components.files.file_settings import PEEKED, Glance, Records, Row, RowBlock
from auditfw.components.files.file_source import ROWS, FileSource
from auditfw.components.files.files import File, is_compressed, open_bytes
from auditfw.components.files.keys import FORMAT
from auditfw.core.errors import DataError, UsageError, kind_of_value
from auditfw.core.inputs import Summing
from auditfw.core.notes import Remark

from .blocks import filled_blocks, filled_lines, line_blocks, plain_blocks, scanned, torn_line, with_last
from .scanned_cells import BLOCK, Piece, piece_of
from .strict_json import Reader, RefusedError, may_hold_surrogates, mended

GLANCE = 1 << 18
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Lines:
    """How lines are read: the file, its encoding, whether a cut-off last line may be dropped."""

    file: File
    encoding: str
    tolerant: bool

    def records(self, data: bytes, start: int, last: bool) -> Records:
        """The records of a slice of lines. Raises DataError with file and line."""
        got, reader = Records([], []), Reader()
        lines = self._lines(data.removeprefix(BOM) if start == 1 else data, start, got.notes)
        torn = torn_line(data, start, last)
        for number, line in enumerate(lines, start):
            self.take(got, reader, line, number, number == torn)
        got.unfinite = reader.unfinite
        return got

    def take(self, got: Records, reader: Reader, line: str, number: int, torn: bool) -> None:
        """Adds the record of a line, if it is not blank; `torn` says that it has no end. Raises DataError."""
        if not line or line.isspace():
            return
        where = f"{self.file.path}:{number}"
        try:
            value = reader.parse(line)
        except RefusedError as error:
            if not torn:
                raise self._refused(where, line, error) from None
            if not self.tolerant:
                raise self._cut_off(where, error) from None
            got.dropped["malformed"] += 1
            return
        if may_hold_surrogates(line):
            value, halves = mended(value)
            if halves:
                got.notes[Remark("half a surrogate pair, read as U+FFFD", self.file.path, f"line {number}")] += halves
        if not isinstance(value, dict):
            raise self._not_an_object(where, value)
        got.rows.append(value)  # type: ignore[attr-defined]  # a list of this reader
        got.numbers.append(number)  # type: ignore[attr-defined]

    def _lines(self, data: bytes, start: int, notes: Counter[str]) -> list[str]:
        try:
            return data.decode(self.encoding).split("\n")
        except UnicodeDecodeError:
            lines = data.split(b"\n")
        texts = []
        for number, line in enumerate(lines, start):
            try:
                texts.append(line.decode(self.encoding))
            except UnicodeDecodeError:
                texts.append(line.decode(self.encoding, "replace"))
                remark = f"bytes that are not {self.encoding}, read as U+FFFD"
                notes[Remark(remark, self.file.path, f"line {number}")] += 1
        return texts

    def _cut_off(self, where: str, error: RefusedError) -> DataError:
        setting = "tolerate_torn_tail"
        do = self.file.keys.advice((f"{self.file.keys.of(setting)}=true drops it", setting))
        return DataError(where, "the last line is cut off", error.found, do)

    def _refused(self, where: str, line: str, error: RefusedError) -> DataError:
        if line.strip() in ("[", "[{"):
            return self._an_array()
        if line.strip() == "{":
            other = f"for one JSON text {self.file.keys.format('json')}"
            do = self.file.keys.advice("one record a line", (other, FORMAT))
            return DataError(where, "an object that spans lines", "{", do)
        return error.as_error(where if error.at is None else f"{where}:{error.at + 1}")

    def _not_an_object(self, where: str, value: Any) -> DataError:
        if isinstance(value, list) and where.endswith(":1"):
            return self._an_array()
        return DataError(where, "expected an object", kind_of_value(value), 'write {"column": value, ...}')

    def _an_array(self) -> DataError:
        do = self.file.keys.advice((f"write {self.file.keys.format('json')}", FORMAT))
        return DataError(self.file.path, "holds one JSON array, not a record a line", None, do)


@dataclass(frozen=True)
class LineRange:
    """A block of whole lines, whose bytes are a `piece` of the file; `columns` are the wanted ones (None: all)."""

    lines: Lines
    start: int
    count: int
    last: bool
    piece: Piece
    columns: frozenset[str] | None = None

    @property
    def whole(self) -> LineRange:
        """The same with all columns."""
        return replace(self, columns=None)

    def __call__(self) -> Records:
        data = self.piece.content()
        if type(self.lines) is Lines and (got := scanned(self.lines, data, self.start, self.last, self.columns)):
            return got
        return self.lines.records(data, self.start, self.last)


class Pieces(NamedTuple):
    """How a file is cut into blocks: their bytes and lines, and which columns of the records are wanted (None: all).

    With `near` this process keeps the bytes of each; with `summed` it sums the file while it reads it.
    """

    size: int = BLOCK
    rows: int = ROWS
    near: bool = False
    columns: frozenset[str] | None = None
    summed: bool = False


@dataclass(frozen=True)
class JsonLines(FileSource):
    """JSON Lines, read block by block."""

    _sums = False  # no setting: whether whoever reads all records learns the checksums too

    tolerate_torn_tail: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if "\n".encode(self.encoding) != b"\n":
            raise UsageError("encoding", "lines cannot be separated in it", self.encoding, "convert the file to UTF-8")

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of the files that are read of a folder."""
        return ("*.jsonl", "*.ndjson")

    def glance(self, file: File) -> Glance:
        rows: list[Any] = []
        size, last = 0, True
        for line_range in self._ranges(file, True, Pieces(GLANCE)):
            size, last = size + len(line_range.piece.content()), line_range.last
            rows += line_range().rows
            if len(rows) >= PEEKED:
                break
        columns = dict.fromkeys(name for row in rows[:PEEKED] for name in row)
        whole = os.path.getsize(file.path) * (5 if is_compressed(file) else 1)
        estimate = len(rows) if last else round(whole * len(rows) / size) if size else 0
        return Glance(rows[:PEEKED], tuple(columns), estimate, whole=last and len(rows) <= PEEKED, exact=last)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        return self._ranges(file, counted, Pieces(near=True, columns=columns, summed=self._sums))

    def sums(self) -> bool:
        """Whether the files' checksums are known when all records are read."""
        return self._sums and self.limit is None and not any(map(is_compressed, self.located()))

    def lines(self, file: File) -> Lines:
        """How the lines of a file are read."""
        return Lines(file, self.encoding, self.tolerate_torn_tail)

    def _ranges(self, file: File, counted: bool, pieces: Pieces) -> Iterator[LineRange]:
        lines = self.lines(file)
        with open_bytes(file) as stream:
            plain = not is_compressed(file)
            blocks = (
                plain_blocks(stream, file.path, pieces.size, pieces.rows)
                if plain
                else line_blocks(stream, file.path, pieces.size, self.tolerate_torn_tail, pieces.rows)
            )
            with Summing(file.path) if pieces.summed and plain else nullcontext() as summing:
                for (data, ends, start, offset), last in with_last(filled_blocks(blocks, summing)):
                    count = ends + (not data.endswith(b"\n"))
                    known = filled_lines(data) if counted else count
                    piece = piece_of(file.path, offset, data, plain, pieces.near)
                    yield LineRange(lines, start, known, last, piece, pieces.columns)

    def holding(self, file: File, names: Iterable[str]) -> Iterator[Row] | None:
        keys = [json.dumps(name, ensure_ascii=ascii_only).encode() for name in names for ascii_only in (True, False)]
        ranges = self._ranges(file, False, Pieces())
        return (row for one in ranges if any(key in one.piece.content() for key in keys) for row in one().rows)
