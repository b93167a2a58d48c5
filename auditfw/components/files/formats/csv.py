"""Delimited text: every cell stays the text it is."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, cast

from auditfw.components.files.file_settings import PEEKED, Glance, Records, RowBlock
from auditfw.components.files.file_source import ROWS, FileSource
from auditfw.components.files.files import Bounded, File, open_bytes, text_of
from auditfw.core.errors import DataError, NothingAudited, UsageError
from auditfw.core.notes import Remark

from .scanned_cells import MOST_BLANK, CellBlock, cell_blocks, scanned_first
from .strict_json import mended

CHARACTERS = 4 << 20
LARGEST_CELL = 64 << 20  # characters, of which csv holds each in four bytes
WORDS = {"\\t": "\t", "tab": "\t"}

Line = tuple[list[str], int]


@dataclass(frozen=True)
class Cells:
    """A block of rows: the names of the columns kept, the cells, the lines the rows start on."""

    path: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    start: int
    lines: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.rows)

    def __call__(self) -> Records:
        notes: Counter[str] = Counter()
        rows = []
        for cells, line in zip(self.rows, self.lines, strict=True):
            if not all(map(str.isascii, cells)):
                cells, bad = mended(list(cells))  # noqa: PLW2901
                if bad:
                    notes[Remark("bytes that are not text, read as U+FFFD", self.path, f"line {line}")] += bad
            rows.append(dict(zip(self.names, cells, strict=True)))
        return Records(rows, range(self.start, self.start + len(rows)), self.lines, notes=notes)


@dataclass(frozen=True)
class DelimitedText(FileSource):
    """Delimited text with a header line, read block by block."""

    delimiter: str = ","
    quote: str | None = '"'

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "delimiter", WORDS.get(self.delimiter, self.delimiter))
        if len(self.delimiter) != 1 or self.delimiter in "\r\n":
            raise UsageError(
                "delimiter", "expected one character", repr(self.delimiter), "write for example ',' or '\\t'"
            )
        if self.quote is not None and (len(self.quote) != 1 or self.quote == self.delimiter):
            raise UsageError("quote", "expected one character that is not the delimiter, or null", repr(self.quote))

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of the files that are read of a folder."""
        return ("*.csv", "*.tsv")

    def glance(self, file: File) -> Glance:
        with open_bytes(file, self.encoding) as binary:
            lines = self._lines(binary, file)
            names = _header(next(lines, None), file)
            rows = [dict(zip(names, cells, strict=True)) for cells, _ in islice(lines, PEEKED)]
        size = sum(len(cell) + 1 for row in rows for cell in row.values())
        exact = len(rows) < PEEKED
        estimate = len(rows) if exact else round(os.path.getsize(file.path) * len(rows) / size)
        return Glance(rows, names, estimate, self._advice(names), exact=exact)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        return scanned_first(self._scanned(file, columns), lambda done: self._strictly(file, columns, done))

    def _scanned(self, file: File, columns: frozenset[str] | None) -> Iterator[CellBlock]:
        """The blocks of rows as the scanner finds them. Raises UnusualError where it does not."""
        with open_bytes(file, self.encoding) as binary:
            names = _header(next(self._lines(binary, file), None), file)
        bare = DelimitedText(encoding=self.encoding, delimiter=self.delimiter, quote=self.quote).placed(self.keys)
        with open_bytes(file, self.encoding) as binary:
            yield from cell_blocks(bare, file, binary, names, columns)

    def _strictly(self, file: File, columns: frozenset[str] | None, done: int) -> Iterator[Cells]:
        """The blocks behind the first `done` rows, read by csv."""
        with open_bytes(file, self.encoding) as binary:
            lines = self._lines(binary, file)
            names = _header(next(lines, None), file)
            kept = [i for i, name in enumerate(names) if columns is None or name in columns]
            held = tuple(names[i] for i in kept)
            start, lines = done + 1, islice(lines, done, None)
            while batch := list(_bounded(lines)):
                rows = tuple(tuple(cells[i] for i in kept) for cells, _ in batch)
                yield Cells(file.path, held, rows, start, tuple(line for _, line in batch))
                start += len(batch)

    def block(self, data: bytes, cells: CellBlock) -> Records:
        """The records of a block that the scanner leaves to csv. Raises DataError for what is wrong with the file."""
        text = io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")
        rows, lines, line = list[tuple[str, ...]](), list[int](), cells.line
        kept = [cells.places.index(at) for at in range(len(cells.names))]
        reader = self._reader(text)
        try:
            for row in reader:
                if row and len(row) != len(cells.places):
                    raise csv.Error
                if row:
                    rows.append(tuple(row[i] for i in kept))
                    lines.append(line)
                line = cells.line + reader.line_num
        except csv.Error:
            with open_bytes(cells.file, self.encoding) as binary:
                for _ in self._lines(binary, cells.file):
                    pass
        return Cells(cells.file.path, cells.names, tuple(rows), cells.start, tuple(lines))()

    def _reader(self, text: Any) -> Any:
        quoting: Literal[0, 3] = csv.QUOTE_NONE if self.quote is None else csv.QUOTE_MINIMAL
        return csv.reader(text, delimiter=self.delimiter, quotechar=self.quote, quoting=quoting, strict=True)

    def _lines(self, binary: Any, file: File) -> Iterator[Line]:
        """Each row with the line it starts on, the header first. Raises DataError with file and line."""
        csv.field_size_limit(LARGEST_CELL)
        reader = self._reader(text_of(cast(Any, Bounded(binary, file.path)), self.encoding))
        width, line, blank = None, 1, 0
        try:
            for cells in reader:
                if width is None and cells:
                    width = len(cells)
                if cells and len(cells) != width:
                    raise self._ragged(file, line, width or 0, len(cells))
                if cells:
                    yield cells, line
                else:
                    blank += 1
                    if blank > MOST_BLANK:
                        raise DataError(
                            f"{file.path}:{line}", "too many blank lines", f"over {MOST_BLANK:,}", "drop them"
                        )
                line = reader.line_num + 1
        except csv.Error as error:
            if "field limit" in str(error):
                do = "cut the texts, or double the quotes inside cells"
                raise DataError(f"{file.path}:{line}", "a cell is too long", str(error), do) from None
            without = f"write {file.keys.of('quote')}=null where quotes mean nothing"
            do = file.keys.advice("quotes inside a cell are doubled", (without, "quote"))
            raise DataError(f"{file.path}:{line}", "the quoting is wrong", str(error), do) from None
        except UnicodeError as error:
            do = file.keys.advice((f"set {file.keys.of('encoding')}", "encoding"))
            raise DataError(f"{file.path}:{line}", f"is not {self.encoding}", str(error), do) from None

    def _ragged(self, file: File, line: int, wanted: int, width: int) -> DataError:
        where = f"{file.path}:{line}"
        return DataError(where, f"expected {wanted} fields, as in the header", width, "correct the line")

    def _advice(self, names: tuple[str, ...]) -> str:
        """What to do where the header does not look divided."""
        other = [sign for sign in ";\t|," if sign != self.delimiter and len(names) == 1 and sign in names[0]]
        keys = self.keys
        return keys.advice((f"write {keys.of('delimiter')}={other[0]!r}", "delimiter")) if other else ""


def _header(first: Line | None, file: File) -> tuple[str, ...]:
    if first is None:
        raise NothingAudited(file.path, "is empty")
    names = first[0]
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise DataError(f"{file.path}:{first[1]}", "duplicate column in the header", twice, "rename one of them")
    return tuple(str(mended(name)[0]) for name in names)


def _bounded(lines: Iterator[Line]) -> Iterator[Line]:
    """The next rows, a block's worth."""
    size = 0
    for line in islice(lines, ROWS):
        yield line
        size += sum(map(len, line[0]))
        if size >= CHARACTERS:
            return
