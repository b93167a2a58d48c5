"""One JSON text that holds an array of objects, streamed."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from auditfw.components.files.file_settings import PEEKED, Glance, RowBlock
from auditfw.components.files.file_source import ROWS, FileSource
from auditfw.components.files.files import (
    LARGEST_RECORD,
    File,
    open_bytes,
    text_of,
)
from auditfw.components.files.keys import FORMAT
from auditfw.core.errors import AuditError, DataError, NothingAudited, UsageError, kind_of_value

from .outline import KEY, MEMBERS, entered, header, left, members, start_of
from .scanned_array import Elements, HeldText, advice, elements
from .scanned_cells import UnusualError, scanned_first
from .strict_json import Reader, check_depth, mended, refused, too_deep

CHUNK = 1 << 18
CHARACTERS = 4 << 20
_blanks = re.compile(r"[ \t\r\n]+").match
SLACK = 16
LARGEST_ADVISED = 1 << 25  # bytes of a file that is looked over again for advice


class Tape:
    """A JSON text read bit by bit: the current piece, and the line it starts on."""

    def __init__(self, stream: io.TextIOWrapper, file: File) -> None:
        self._stream, self._encoding, self.file, self.path = stream, stream.encoding, file, file.path
        self._text, self._at, self._line, self._counted, self._over = "", 0, 1, 0, False
        self.reader = Reader()
        self.left_out = 0

    @property
    def line(self) -> int:
        """The line of the next character."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def fail(self, what: str, found: object = None, do: str = "") -> DataError:
        return DataError(f"{self.path}:{self.line}", what, found, do)

    def peek(self) -> str:
        """The next character that is not blank, or "" at the end."""
        while True:
            if (blanks := _blanks(self._text, self._at)) is not None:
                self._at = blanks.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def take(self, expected: str) -> str:
        """Takes the next character, which must be one of the expected."""
        character = self.peek()
        if not character:
            raise self.fail("the file is cut off", f"expected one of {expected}", "write it again")
        if character not in expected:
            raise self.fail(f"not JSON: found {character!r}, expected one of {expected}")
        self._at += 1
        return character

    def value(self) -> Any:
        """Takes the next value."""
        self.peek()
        line = self.line
        while True:
            try:
                value, end = self.reader.decoder.raw_decode(self._text, self._at)
                if end == len(self._text) and self._more():
                    continue
                if self._text.count("[", self._at, end) + self._text.count("{", self._at, end) > SLACK:
                    check_depth(value)
            except json.JSONDecodeError as error:
                unended, ahead = error.msg.startswith("Unterminated"), error.pos - self._at
                inside = error.pos < len(self._text) - SLACK and not unended
                if not inside and self._more():
                    continue
                if unended or self._at + ahead >= len(self._text.rstrip()):
                    raise self._cut(line) from None
                self._at += ahead
                raise refused(error.doc, error).as_error(f"{self.path}:{self.line}") from None
            except RecursionError:
                raise too_deep().as_error(f"{self.path}:{line}") from None
            except ValueError as error:
                raise refused("", error).as_error(f"{self.path}:{line}") from None
            self._at = end
            return value

    def _cut(self, line: int) -> DataError:
        return DataError(
            self.path, "the file is cut off", f"inside the value that starts on line {line}", "write it again"
        )

    def _more(self) -> bool:
        """Reads on, forgetting what was taken. Says whether there was more."""
        if self._over:
            return False
        _ = self.line
        self._text, self._at, self._counted = self._text[self._at :], 0, 0
        if len(self._text) > LARGEST_RECORD:
            raise self.fail("a record is too long", f"over {LARGEST_RECORD:,} characters", "cut the texts")
        try:
            room = LARGEST_RECORD + 1 - len(self._text)
            more = self._stream.read(max(CHUNK, min(len(self._text), room)))
        except UnicodeError as error:
            do = self.file.keys.advice((f"set {self.file.keys.of('encoding')}", "encoding"))
            raise self.fail(f"is not {self._encoding}", str(error), do) from None
        self._over = not more
        self._text += more
        return bool(more)


@dataclass(frozen=True)
class JsonArray(FileSource):
    """One JSON text, read record by record."""

    records: str | None = None
    header: dict[str, str] = field(default_factory=dict)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of the files that are read of a folder."""
        return ("*.json",)

    def glance(self, file: File) -> Glance:
        rows: list[Any] = []
        with open_bytes(file, self.encoding) as binary:
            for row, _ in self._each(self._tape(binary, file)):
                rows.append(mended(row)[0])
                if len(rows) >= PEEKED:
                    break
        if self.records and not rows:
            raise NothingAudited(file.path, f"the array at '{self.records}' is empty", None, self._advice(file))
        columns = dict.fromkeys(name for row in rows for name in row)
        size = sum(len(json.dumps(row)) for row in rows)
        whole = len(rows) < PEEKED
        estimate = len(rows) if whole else round(os.path.getsize(file.path) * len(rows) / size)
        return Glance(rows, tuple(columns), estimate, whole=whole, exact=whole)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        return scanned_first(self._scanned(file, columns), lambda done: self._strictly(file, columns, done))

    def _scanned(self, file: File, columns: frozenset[str] | None) -> Iterator[Elements]:
        """The blocks of one array as the scanner finds them. Raises UnusualError where it does not."""
        if self.records:
            raise UnusualError
        bare = JsonArray(encoding=self.encoding, columns=self.columns).placed(self.keys)
        with open_bytes(file, self.encoding) as binary:
            yield from elements(bare, file, binary, columns)

    def refuse(self, file: File) -> None:
        """Reads a file to its end, strictly. Raises DataError for what is wrong with it."""
        with open_bytes(file, self.encoding) as binary:
            for _ in self._each(self._tape(binary, file)):
                pass

    def _strictly(self, file: File, columns: frozenset[str] | None, done: int) -> Iterator[HeldText]:
        """The blocks behind the first `done` records."""
        held: list[dict[str, Any]] = []
        lines: list[int] = []
        size = 0
        with open_bytes(file, self.encoding) as binary:
            tape = self._tape(binary, file)
            for row, line in islice(self._each(tape), done, None):
                held.append(row if columns is None else {k: v for k, v in row.items() if k in columns})
                lines.append(line)
                size += sum(len(value) for value in held[-1].values() if isinstance(value, str))
                if len(held) >= ROWS or size >= CHARACTERS:
                    yield self._held(tape, held, done, lines)
                    done, size = done + len(held), 0
                    held, lines = [], []
        if held or tape.left_out:
            yield self._held(tape, held, done, lines)

    def _held(self, tape: Tape, rows: list[dict[str, Any]], done: int, lines: list[int]) -> HeldText:
        block = HeldText(tuple(rows), done + 1, tape.path, tuple(lines), tape.reader.unfinite, tape.left_out)
        tape.reader.unfinite, tape.left_out = False, 0
        return block

    def completed(self, file: File) -> File:
        """The file with the columns that are read outside its records."""
        if not self.header:
            return file
        with open_bytes(file, self.encoding) as binary:
            tape = self._tape(binary, file)
            keys, keyed = self._keys()
            values = header(tape, keys, keyed, self.header, self.keys.of("header"))
        return replace(file, set={**values, **file.set})

    def _keys(self) -> tuple[list[str], bool]:
        """The keys that lead to the records, and whether these are the members of an object."""
        keys = self.records.split(".") if self.records else []
        return (keys[:-1], True) if keys[-1:] == [MEMBERS] else (keys, False)

    def _tape(self, binary: Any, file: File) -> Tape:
        return Tape(text_of(binary, self.encoding), file)

    def _each(self, tape: Tape) -> Iterator[tuple[dict[str, Any], int]]:
        """Each record with the line it starts on."""
        keys, keyed = self._keys()
        self._check_start(tape, keys, keyed)
        around: list[dict[str, None]] = [{} for _ in keys]
        for at, key in enumerate(keys):
            if tape.peek() != "{":
                raise tape.fail(
                    f"no object at '{'.'.join(keys[:at])}'", f"found {tape.peek()!r}", self._advice(tape.file)
                )
            if not entered(tape, key, around[at]):
                listed = f"found: {', '.join(around[at])}"
                if not self.keys.has("records"):
                    raise DataError(tape.path, f"no key '{key}'", listed)
                where = self.keys.of("records")
                raise UsageError(where, f"no key '{key}' in {tape.path}", listed, self._advice(tape.file))
        yield from self._members(tape) if keyed else self._elements(tape, bool(keys))
        for seen in reversed(around):
            left(tape, seen)
        if tape.peek():
            raise tape.fail("there is more after the end of the JSON text", f"found {tape.peek()!r}")

    def _elements(self, tape: Tape, inside: bool) -> Iterator[tuple[dict[str, Any], int]]:
        """The records of an array."""
        if tape.peek() != "[":
            raise self._unexpected(tape, "an array")
        tape.take("[")
        while tape.peek() != "]":
            line = start_of(tape)
            row = tape.value()
            if not isinstance(row, dict):
                do = self._advice(tape.file) if inside else ""
                raise DataError(f"{tape.path}:{line}", "expected an object", kind_of_value(row), do)
            yield row, line
            if tape.take(",]") == "]":
                return
            if tape.peek() == "]":
                raise tape.fail("not JSON: trailing comma")
        tape.take("]")

    def _members(self, tape: Tape) -> Iterator[tuple[dict[str, Any], int]]:
        """The records that are members of an object, or in arrays that are, with the key as a column.

        What is neither is left out and counted.
        """
        if tape.peek() != "{":
            raise self._unexpected(tape, "an object")
        for key in members(tape):
            line = start_of(tape)
            if tape.peek() == "[":
                yield from (({KEY: key, **row}, at) for row, at in self._elements(tape, True))
                continue
            row = tape.value()
            if isinstance(row, dict):
                yield {KEY: key, **row}, line
            else:
                tape.left_out += 1

    def _unexpected(self, tape: Tape, what: str) -> DataError:
        found = repr(tape.peek())
        return tape.fail(f"expected {what} at '{self.records}'", found, self._advice(tape.file))

    @property
    def _mapped(self) -> list[str]:
        """The addresses in the records that columns are mapped to."""
        return [*self.columns.values(), *(self.unpivot.columns.values() if self.unpivot else ())]

    def _advice(self, file: File) -> str:
        """What to write instead of the keys in `records`; "" for a file too large to look it over again."""
        if os.path.getsize(file.path) > LARGEST_ADVISED:
            return ""
        try:
            with open_bytes(file, self.encoding) as binary:
                whole = self._tape(binary, file).value()
        except AuditError:
            return ""
        if isinstance(whole, dict):
            return advice(whole, self._mapped, self.keys)
        return self.keys.advice((f"leave {self.keys.of('records')} out", "records"))

    def _check_start(self, tape: Tape, keys: list[str], keyed: bool) -> None:
        first = tape.peek()
        if not first:
            raise NothingAudited(tape.path, "is empty")
        if first not in "[{":
            raise tape.fail("expected a JSON array of objects", repr(first))
        if first == "{" and not keys and not keyed:
            whole = tape.value()
            if tape.peek() == "{":
                do = self.keys.advice((f"write {self.keys.format('jsonl')}", FORMAT))
                raise DataError(tape.path, "holds one JSON object per line, not an array", None, do)
            do = advice(whole, self._mapped, self.keys)
            raise DataError(tape.path, "the top level is an object, not an array", f"keys {', '.join(whole)}", do)
