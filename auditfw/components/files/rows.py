"""Rows out of records: one for each element of a list or an object inside the record."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from auditfw.components.files.columns.addresses import ABSENT, Address, address, dig
from auditfw.core.errors import DataError, kind_of_value

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
