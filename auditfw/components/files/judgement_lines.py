"""Lines of judgements: what is wrong with a record is noted with it, and raters that nobody asked for are reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from auditfw.components.files.batches import MadeUp, no_id
from auditfw.components.files.file_settings import Glance, Records, Row, RowBlock
from auditfw.components.files.files import File
from auditfw.components.files.formats.jsonl import JsonLines, Lines, Pieces
from auditfw.core.errors import DataError
from auditfw.core.notes import Remark
from auditfw.kinds.judgements import EVIDENCE, FAULT, GIVEN_FLAGS, LABEL, NULL, PARTS, QID, sort_of

Malformed = Literal["error", "count"]
MOST_OTHERS = 5
SLICE, ROWS = 4 << 20, 16_384  # a record is hardly built: longer slices than of other sources cost nothing


@dataclass(frozen=True)
class JudgedLines(Lines):
    """How lines of judgements are read: the column of the item's id, the raters, and what bad lines and ids become.

    With `watched`, every other object that holds a label is noted: nobody has said that it is left out.
    """

    key: str = ""
    raters: tuple[str, ...] = ()
    malformed: Malformed = "error"
    missing_qid: Literal["error", "line"] = "error"
    watched: bool = False

    def records(self, data: bytes, start: int, last: bool) -> Records:
        """The records of a slice of lines, with their faults. Raises DataError with file and line."""
        try:
            got = super().records(data, start, last)
        except DataError:
            if self.malformed == "error":
                raise
            got = self._one_by_one(data, start, last)
        for row, number in zip(got.rows, got.numbers, strict=True):
            self._mark(row, number)  # type: ignore[arg-type]  # rows just made: dicts
        if self.watched:
            self._watch(got)
        return got

    def _watch(self, got: Records) -> None:
        """Notes the raters that nobody asked for."""
        others = Counter(name for row in got.rows for name in raters_of(row) if name not in self.raters)
        for name, n in others.most_common(MOST_OTHERS):
            remark = f"labels of the rater '{name}', who has none at the start of the file, are left out"
            got.notes[Remark(f"{remark} (to read them, name it in audit.raters)", self.file.path)] += n

    def _mark(self, row: dict[str, Any], number: int) -> None:
        """Notes what is wrong with a record; an explicit null where an object should be stays distinct."""
        named = self.key and not set(self.key) & set(".[{#")  # else ids are numbers of lines, or are deeper
        if named and row.get(self.key) is None and self.missing_qid == "line":
            row[self.key] = str(number)
        if named and self.malformed == "count" and FAULT not in row and (fault := no_id(row.get(self.key))):
            row |= {self.key: self._made_up(number), FAULT: fault}
        if row.get(GIVEN_FLAGS, self) is None:
            row[GIVEN_FLAGS] = NULL
        for rater in self.raters:
            value = row.get(rater)
            if value is not None and not isinstance(value, dict):
                row[FAULT] = f"{rater} is {sort_of(value)}, not an object with a label"

    def _made_up(self, number: int) -> str:
        """What stands for the id of a record that has none."""
        return MadeUp(f"{self.file.path}:{number}" if self.file.several else f"line {number}")

    def _one_by_one(self, data: bytes, start: int, last: bool) -> Records:
        """The same line by line, a record with a fault for each line that is none."""
        rows: list[Any] = []
        numbers: list[int] = []
        notes: Counter[str] = Counter()
        unfinite = False
        lines = data.split(b"\n")
        for number, line in enumerate(lines, start):
            try:
                got = super().records(line, number, last and number == start + len(lines) - 1)
                rows, numbers = [*rows, *got.rows], [*numbers, *got.numbers]
                notes += got.notes
                unfinite = unfinite or got.unfinite
            except DataError as error:
                rows.append({self.key or QID: self._made_up(number), FAULT: error.what})
                numbers.append(number)
        return Records(rows, numbers, notes=notes, unfinite=unfinite)


@dataclass(frozen=True)
class JudgedFile(JsonLines):
    """A JSON Lines file of judgements."""

    raters: tuple[str, ...] = ()
    malformed: Malformed = "error"
    missing_qid: Literal["error", "line"] = "error"
    watched: bool = False

    def late(self, glance: Glance, optional: Sequence[str] | None) -> frozenset[str]:
        parts = {name for rater in self.raters for part in PARTS if (name := f"{rater}.{part}") in self.columns}
        fault = () if glance.whole else (FAULT,)
        return super().late(glance, optional) | {*self.raters, *parts, *fault}

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        return self._ranges(file, counted, Pieces(SLICE, ROWS, near=True, summed=True))

    def lines(self, file: File) -> Lines:
        key = self.columns.get("id", "")
        ways = (self.malformed, self.missing_qid, self.watched)
        return JudgedLines(file, self.encoding, self.tolerate_torn_tail, key, self.raters, *ways)


def raters_of(row: Row) -> Iterator[str]:
    """The names of a record's objects that hold a label."""
    return (name for name, value in row.items() if isinstance(value, dict) and LABEL in value and name not in EVIDENCE)
