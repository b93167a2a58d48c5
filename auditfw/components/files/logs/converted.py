"""Files whose records are converted to rows where they are read, with a memory that goes from record to record."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.components.files.file_settings import Glance, Records, Row, RowBlock
from auditfw.components.files.file_source import FileSource
from auditfw.components.files.files import File
from auditfw.components.files.formats.sizing import Step
from auditfw.components.files.keys import FORMAT, Keys
from auditfw.components.files.rows import of_rows
from auditfw.core.errors import AuditError, DataError
from auditfw.core.notes import Remark

PROMPT_CUT = "prompts were cut off: the model did not see all of them"
Where = Callable[[], str]
Note = Callable[[str], None]
Converter = Callable[[Records, File], Records]


@dataclass(frozen=True)
class ConvertedRows:
    """A block whose rows are made already."""

    records: Records

    @property
    def count(self) -> int:
        return len(self.records.rows)

    def __call__(self) -> Records:
        got = self.records
        return replace(got, dropped=Counter(got.dropped), notes=Counter(got.notes))


class ConvertedFiles(FileSource):
    """Files read by another source of files, whose records are converted one after the other."""

    def reader(self, file: File) -> FileSource:
        """The source that reads a file's records."""
        raise NotImplementedError

    def converter(self, file: File) -> Converter:
        """What makes rows out of records, with an empty memory."""
        raise NotImplementedError

    @property
    def reader_keys(self) -> Keys:
        """What messages of a reader call its settings: those of this source alone."""
        return Keys(self.keys.place, (FORMAT, *self.__dataclass_fields__))

    def glance(self, file: File) -> Glance:
        """The start of a file, converted."""
        glance = self.reader(file).glance(file)
        records = Records(glance.rows, range(1, len(glance.rows) + 1))
        try:
            rows = self.converter(file)(records, file).rows
        except AuditError:
            for _ in self.blocks(file, None, False):  # which knows the line
                pass
            raise
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        estimate = None if glance.estimate is None else round(glance.estimate * len(rows) / max(1, len(glance.rows)))
        return replace(glance, rows=rows, columns=columns, estimate=estimate, whole=True)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        """The rows, block by block."""
        convert = self.converter(file)
        for block in self.reader(file).blocks(file, None, counted):
            yield ConvertedRows(convert(block(), file))

    def steps(self, file: File) -> Iterator[Step]:
        """The rows as they are counted."""
        rows = 0
        for block in self.blocks(file, None, True):
            rows += block.count
            yield rows, None


def converted(got: Records, groups: Iterable[Sequence[Row]]) -> Records:
    """The rows that each record gives, as records."""
    rows: list[Row] = []
    sources: list[int] = []
    for i, several in enumerate(groups):
        rows += several
        sources += [i] * len(several)
    return of_rows(got, rows, sources)


def an_object(value: Any) -> Mapping[str, Any]:
    """An object of a record; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list of a record; none of anything else."""
    return [one for one in a_list(value) if isinstance(one, Mapping)]


def a_list(value: Any) -> list[Any]:
    """A list of a record; an empty one for anything else."""
    return value if isinstance(value, list) else []


def number(value: Any) -> float:
    """A number of a record; minus infinity for anything else."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain else -math.inf


def there(names: Iterable[object]) -> str:
    """The names that a record has, for messages."""
    return f"found: {', '.join(map(str, names))}"


def other_record(where: Where, tool: str, absent: str, record: Row) -> DataError:
    """The error for a record that the tool did not write."""
    return DataError(where(), f"not a {tool}: no {absent}", there(record), "choose another source")


def note(got: Records, where: Where, remark: str, count: int = 1, file: str = "") -> None:
    """Counts a remark, which names the first place where it was made."""
    got.notes[Remark(remark, file, where())] += count
