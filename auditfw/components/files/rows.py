"""Rows out of records: one for each element of a list or an object inside the record."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from auditfw.components.files.columns.addresses import ABSENT, Address, address, dig
from auditfw.core.errors import DataError, kind_of_value
from auditfw.core.native import native_kernel
from auditfw.core.records import Batch
from auditfw.kinds.context import Task

from .batches import place
from .file_settings import Records, Row, RowMaker
from .files import File


@dataclass(frozen=True)
class Explode:
    """Makes one row for each element at an address, one address after the other.

    The element is put at the address, its index or key into the column. A list without elements, or none at all,
    leaves one row with null in both.
    """

    steps: tuple[tuple[str, Address], ...]
    setting: str

    @classmethod
    def of(cls, columns: Mapping[str, str], setting: str) -> Explode:
        """By the settings {column: address}. Raises UsageError for what is no address."""
        steps = tuple((name, address(text, (), f"{setting}.{name}")) for name, text in columns.items())
        return cls(steps, setting)

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records:
        """The rows of these records. Raises DataError where there is neither a list nor an object."""
        rows: list[Row] = []
        sources: list[int] = []
        for i, record in enumerate(got.rows):
            several: list[Row] = [record]
            for name, steps in self.steps:
                where = partial(place, file, got, i)
                several = [row for one in several for row in self._rows(one, name, steps, where)]
            rows += several
            sources += [i] * len(several)
        return of_rows(got, rows, sources)

    def reads(self, names: frozenset[str], known: frozenset[str] = frozenset()) -> frozenset[str] | None:
        """The columns named, but for those that are made here, and those that are exploded."""
        return (names - {name for name, _ in self.steps}) | {str(steps[0]) for _, steps in self.steps}

    def _rows(self, row: Row, name: str, steps: Address, where: Callable[[], str]) -> Iterator[Row]:
        value = dig(row, steps)
        if value is ABSENT or value is None:
            yield {**row, name: None}
            return
        if not isinstance(value, list | dict):
            what = f"expected a list or an object to explode ({self.setting}.{name})"
            raise DataError(where(), what, kind_of_value(value))
        for key, part in list(value.items() if isinstance(value, dict) else enumerate(value)) or [(None, None)]:
            yield {**_put(row, steps, part), name: key}


@dataclass(frozen=True)
class Chained:
    """Makes rows, and rows of these."""

    first: RowMaker
    then: RowMaker

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records:
        """The rows of these records. Raises NarrowError."""
        needed = None if names is None else self.then.reads(names)
        return self.then(self.first(got, file, needed), file, names)

    def reads(self, names: frozenset[str], known: frozenset[str] = frozenset()) -> frozenset[str] | None:
        """What the first needs for what the second needs."""
        needed = self.then.reads(names, known)
        return None if needed is None else self.first.reads(needed, known)


def of_rows(got: Records, rows: Sequence[Row], sources: Sequence[int]) -> Records:
    """Rows as records: `sources` are the places in `got` of the records that they are of."""
    numbers = [got.numbers[i] for i in sources]
    lines = None if got.lines is None else [got.lines[i] for i in sources]
    parts: list[int] = []
    for at, number in enumerate(numbers):
        parts.append(parts[-1] + 1 if at and number == numbers[at - 1] else 0)
    return replace(got, rows=rows, numbers=numbers, lines=lines, parts=parts)


def _put(value: Any, steps: Address, part: Any) -> Any:
    """A copy of a record with another value at an address, which it has."""
    if not steps:
        return part
    copy: Any = dict(value) if isinstance(value, Mapping) else list(value)
    copy[steps[0]] = _put(copy[steps[0]], steps[1:], part)
    return copy


# Ids that are there twice, looked for in the same pass as the work: eight bytes a row come back with each batch.

WIDTH = 8  # bytes of a hash


@dataclass
class NotingTask:
    """A task, and when it is done the hashes of its ids."""

    task: Task
    note: bytes = b""

    def __call__(self) -> Batch:
        batch = self.task()
        self.note = hashes(list(batch.columns["id"]))
        return batch


@dataclass(frozen=True)
class IdCheck:
    """Tasks whose ids are checked when all of them are done.

    `settle(suspected)` comes last: it hears whether two hashes are the same, and raises DataError where two ids are.
    """

    readings: Iterable[Task]
    settle: Callable[[bool], None]
    notes: bytearray = field(default_factory=bytearray)

    @property
    def tasks(self) -> Iterator[Task]:
        """The tasks, once."""
        return map(NotingTask, self.readings)

    def take(self, note: bytes) -> None:
        """Takes the hashes of a batch."""
        self.notes.extend(note)

    def finish(self) -> None:
        """Raises DataError for an id that is there twice."""
        import polars as pl  # which a run has imported by now, as it has not NumPy

        numbers = pl.Series("", array("Q", bytes(self.notes)), dtype=pl.UInt64).sort(multithreaded=False)
        self.settle((numbers[1:] == numbers[:-1]).any())


def hashes(ids: Sequence[str]) -> bytes:
    """The hashes of ids, the same in every process that has the same kernel."""
    kernel = native_kernel()
    if kernel is not None:
        return bytes(kernel.hashes(list(ids)))
    words = (word.encode("utf-8", "surrogatepass") for word in ids)
    return b"".join(hashlib.blake2b(word, digest_size=WIDTH).digest() for word in words)
