"""Joining a second file: its rows by key, held in memory once in each process, looked up batch by batch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from auditfw.core.errors import DataError, UsageError
from auditfw.core.inputs import stamp
from auditfw.core.notes import remarks
from auditfw.core.remote.places import shown
from auditfw.kinds.evidence import Evidence

from .file_settings import PLACE, FileSettings, JoinSettings
from .keys import Keys

KEPT = 4

Key = tuple[str, ...]

_held: dict[str, JoinTable] = {}  # of this process: a task names what it needs, and does not carry it


@dataclass(frozen=True, slots=True)
class Partner:
    """A row of the second file: the joined values, and where it is."""

    values: tuple[Any, ...]
    place: str
    other: str = ""  # where a row with the same key and other values is

    def agrees(self, values: tuple[Any, ...]) -> bool:
        return self.values == values or repr(self.values) == repr(values)


@dataclass
class JoinTable:
    """The rows of the second file: by their keys as they are, and by the normalised ones."""

    join: JoinSettings
    keys: Keys
    exact: dict[Key, Partner] = field(default_factory=dict)
    alike: dict[Key, Partner] = field(default_factory=dict)

    def add(self, key: Key, values: tuple[Any, ...], place: str) -> None:
        """Takes in a row. Raises DataError where another with the same key says something else."""
        known = self.exact.get(key)
        if known is not None and not known.agrees(values):
            raise disagreement(self.join, self.keys, key, known.place, place)
        partner = known or self.exact.setdefault(key, Partner(values, place))
        if self.join.normalizer is None:
            return
        key = self._normalised(key)
        near = self.alike.setdefault(key, partner)
        if not near.other and not near.agrees(values):
            self.alike[key] = replace(near, other=place)

    def find(self, key: Key) -> Partner | None:
        """The row with this key; if there is none, the one whose normalised key is the same."""
        row = self.exact.get(key)
        if row is None and self.join.normalizer is not None:
            row = self.alike.get(self._normalised(key))
            if row is not None and row.other:
                raise disagreement(self.join, self.keys, key, row.place, row.other)
        return row

    def _normalised(self, key: Key) -> Key:
        where = self.keys.of("normalizer")
        return tuple(self.join.normalised(text, where) for text in key)


@dataclass(frozen=True)
class Joined:
    """What a shape knows of its join: the settings and their keys, and a mark for the files as they were opened."""

    join: JoinSettings
    keys: Keys
    mark: str

    @property
    def table(self) -> JoinTable:
        """The second file's rows, read if this process has not yet."""
        table = _held.get(self.mark)
        return table or _hold(self.mark, _read(self.join, self.keys, _opened(self.join, self.keys), Counter()))

    def partners(self, columns: Mapping[str, Sequence[Any]]) -> list[Partner | None]:
        """For each row its partner, or None. Raises DataError for one whose possible partners disagree."""
        find = self.table.find
        keys = map(key_of, zip(*(columns[name] for name in self.join.on), strict=True))
        return [None if key is None else find(key) for key in keys]


def joined(join: JoinSettings, keys: Keys) -> tuple[Joined, Evidence]:
    """Reads the second file of a join, and gives the evidence it came from. Raises AuditError."""
    evidence = _opened(join, keys)
    stamps = [stamp(file.path) for file in _file_source(join, keys).located()]
    join_source = Joined(join, keys, repr((join, keys, stamps)))
    notes: Counter[str] = Counter()
    _hold(join_source.mark, _read(join, keys, evidence, notes))
    warnings = [f"{keys.place}: {remark}" for remark in remarks(notes)]
    return join_source, replace(evidence, warnings=(*evidence.warnings, *warnings))


def _hold(mark: str, table: JoinTable) -> JoinTable:
    """Keeps a table for the tasks to come, and drops the oldest of too many."""
    while len(_held) >= KEPT:
        del _held[next(iter(_held))]
    _held[mark] = table
    return table


def beside(first: Evidence, second: Evidence) -> Evidence:
    """Evidence whose inputs, checks and warnings are also those of the second file."""

    def check() -> None:
        first.check()
        second.check()

    inputs = partial(_both, first, second)
    return replace(first, inputs=inputs, check=check, warnings=(*first.warnings, *second.warnings))


def _both(first: Evidence, second: Evidence) -> list[Any]:
    return [*first.inputs(), *second.inputs()]


def key_of(values: Sequence[Any]) -> Key | None:
    """A key as texts; None where a part is null, for which there is no partner."""
    if any(value is None or value != value for value in values):  # noqa: PLR0124 - NaN alone differs from itself
        return None
    return tuple(value if isinstance(value, str) else str(value) for value in values)


def disagreement(join: JoinSettings, keys: Keys, key: Key, first: str, second: str) -> DataError:
    """The error for two rows of the second file that may both be meant."""
    names = ", ".join(join.columns.values())
    do = f"correct the file, or drop rows with {keys.of('source.where')}"
    return DataError(second, f"different {names} for the same key as at {shown(first)}", ", ".join(key), do)


def _file_source(join: JoinSettings, keys: Keys) -> FileSettings:
    source = join.source
    if not isinstance(source, FileSettings) or hasattr(source, "frame"):
        raise UsageError(keys.of("source"), "is not a file", None, "join before the audit")
    return source.changed(duplicates="all").placed(keys.below("source"))


def _opened(join: JoinSettings, keys: Keys) -> Evidence:
    wanted = list(dict.fromkeys((*join.on.values(), *join.columns.values(), PLACE)))
    return _file_source(join, keys).open(wanted, ())  # type: ignore[attr-defined, no-any-return]


def _read(join: JoinSettings, keys: Keys, evidence: Evidence, notes: Counter[str]) -> JoinTable:
    table = JoinTable(join, keys)
    for task in evidence.tasks:
        batch = task()
        notes.update(batch.notes)
        notes.update({f"{name} records left out": n for name, n in batch.dropped.items() if name != "filtered"})
        columns = batch.columns
        pairs = zip(*(columns[name] for name in join.on.values()), strict=True)
        values = zip(*(columns[name] for name in join.columns.values()), strict=True)
        for values_of_key, row, place in zip(pairs, values, columns[PLACE], strict=True):
            key = key_of(values_of_key)
            if key is not None:
                table.add(key, row, place)
    return table
