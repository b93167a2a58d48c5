"""From records to batches: columns found by address, ids made text, several rows of one record, rows dropped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.errors import DataError
from auditfw.records import Batch

from .addresses import ABSENT, Address, dig
from .conditions import Condition
from .files import File
from .joining import JOIN, Joined
from .settings import Block, Records

LONE = " lone"


@dataclass(frozen=True)
class Route:
    """Where a column's values come from: an address in the record, else one value throughout, or where the row is."""

    address: Address = ()
    value: Any = None
    numbered: bool = False
    placed: bool = False

    def values(self, got: Records, file: File) -> list[Any]:
        if self.numbered:
            prefix = f"{file.number}:" if file.several else ""
            return [f"{prefix}{number}" for number in got.numbers]
        if self.placed:
            return [place(file, got, i) for i in range(len(got.rows))]
        if not self.address:
            return [self.value] * len(got.rows)
        if len(self.address) == 1:
            name = str(self.address[0])
            return [row.get(name) for row in got.rows]
        found = [dig(row, self.address) for row in got.rows]
        return [None if value is ABSENT else value for value in found]

    def present(self, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bool:
        """Whether any record has it."""
        if self.numbered or not self.address:
            return True
        if len(self.address) == 1:
            return self.address[0] in columns
        return any(dig(row, self.address) is not ABSENT for row in rows)


@dataclass(frozen=True)
class Shape:
    """How the records of one file become columns.

    `routes` has one mapping from our names for each row made of a record; `endings` are put behind the ids of these
    rows; `names` are the columns yielded, `id` first; those of `late` are left out of batches where they hold nothing.
    """

    file: File
    names: tuple[str, ...]
    routes: tuple[Mapping[str, Route], ...]
    endings: tuple[str, ...] = ("",)
    nulls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    condition: Condition | None = None
    joined: Joined | None = None
    late: frozenset[str] = frozenset()

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that are yielded, named in the condition, or needed to find the joined ones among these."""
        named = dict.fromkeys((*self.names, *(self.condition.names if self.condition else ())))
        keys = self.joined.join.on if self.joined and not named.keys().isdisjoint(self.joined.join.columns) else ()
        return tuple(dict.fromkeys((*named, *keys)))

    def batch(self, got: Records, skip: frozenset[int] = frozenset()) -> Batch:
        """The batch of a stretch of records; `skip` are the ordinals (see `ordinals`) of rows to drop as duplicates."""
        batch = Batch({}, Counter(got.dropped), Counter(got.notes))
        columns = self.columns(got, batch.notes)
        size = len(columns["id"])
        keep = [True] * size
        if self.condition is not None:
            keep = self.condition.keep(columns, size, self.file.path)
            batch.dropped["filtered"] += size - sum(keep)
        if skip:
            again = [kept and ordinal in skip for kept, ordinal in zip(keep, self.ordinals(got.numbers), strict=True)]
            batch.dropped["duplicate"] += sum(again)
            keep = [kept and not twice for kept, twice in zip(keep, again, strict=True)]
        batch.dropped = +batch.dropped
        if LONE in columns:
            batch.notes[self._lone] += sum(lone and kept for lone, kept in zip(columns[LONE], keep, strict=True))
            batch.notes = +batch.notes
        whole = all(keep)
        for name in self.names:
            if name not in self.late or any(value is not None for value in columns[name]):
                batch.columns[name] = columns[name] if whole else _kept(columns[name], keep)
        return batch

    def columns(self, got: Records, notes: Counter[str]) -> dict[str, list[Any]]:
        """All columns that are wanted, rows of one record side by side; LONE says of joined ones which found none."""
        wanted = self.wanted
        sides = [{name: routes[name].values(got, self.file) for name in wanted} for routes in self.routes]
        for side, ending in zip(sides, self.endings, strict=True):
            side["id"] = self._ids(side["id"], ending, got, notes)
        columns = sides[0] if len(sides) == 1 else {name: _interleaved([s[name] for s in sides]) for name in wanted}
        added = [name for name in wanted if self.joined is not None and name in self.joined.join.columns]
        for name in [name for name in self.nulls if name in wanted and name not in added]:
            columns[name] = self._nulled(name, columns[name], notes)
        if self.joined is not None and added:
            columns |= self._joined(self.joined, added, columns)
        for name in [name for name in self.nulls if name in added]:
            columns[name] = self._nulled(name, columns[name], notes)
        return columns

    def _joined(self, joined: Joined, names: Sequence[str], columns: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        partners = joined.partners(columns)
        places = {name: at for at, name in enumerate(joined.join.columns)}
        added: dict[str, Any] = {LONE: [partner is None for partner in partners]}
        for name in names:
            at, other = places[name], joined.join.otherwise.get(name)
            added[name] = [other if partner is None else partner.values[at] for partner in partners]
        return added

    @property
    def _lone(self) -> str:
        """The remark on rows without a partner."""
        if self.joined is None:
            return ""
        join = self.joined.join
        told = [f"{name}={json.dumps(join.otherwise.get(name), ensure_ascii=False)}" for name in join.columns]
        return f"{JOIN}: rows without a partner, with {', '.join(told)}"

    def ordinals(self, numbers: Sequence[int]) -> list[int]:
        """One number for each row made of the records of these numbers."""
        width = len(self.routes)
        return list(numbers) if width == 1 else [n * width + side for n in numbers for side in range(width)]

    def _ids(self, values: list[Any], ending: str, got: Records, notes: Counter[str]) -> list[str]:
        kinds = set(map(type, values))
        if kinds <= {str, MadeUp} and not ending and "" not in values:
            return values
        if len(kinds & {str, int, float}) > 1:
            notes[f"{self.file.path}: ids are numbers in some records and text in others; compared as text"] += 1
        return [id_text(value, self.file, got, i) + ending for i, value in enumerate(values)]

    def _nulled(self, name: str, values: list[Any], notes: Counter[str]) -> list[Any]:
        texts = self.nulls[name]
        changed = [None if isinstance(value, str) and value in texts else value for value in values]
        count = changed.count(None) - values.count(None)
        if count:
            notes[f"{name}: text that means null (source.nulls.{name})"] += count
        return changed


@dataclass(frozen=True)
class Reading:
    """A task: a block read and shaped, in whichever process."""

    block: Block
    shape: Shape
    take: int | None = None
    skip: frozenset[int] = frozenset()

    def __call__(self) -> Batch:
        got = self.block()
        return self.shape.batch(got if self.take is None else got.first(self.take), self.skip)


def id_text(value: Any, file: File, got: Records, i: int) -> str:
    """An id as text. Raises DataError for what cannot be one."""
    fault = no_id(value)
    if not fault:
        return str(value)
    do = "give every record an id, or write source.columns.id='#' for the row number"
    raise DataError(place(file, got, i), fault, None, do)


def no_id(value: Any) -> str:
    """Why a value cannot be an id; "" where it can."""
    if isinstance(value, str) and value:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:  # noqa: PLR0124 - NaN
        return ""
    sort = "null" if value is None else "empty" if value == "" else f"a {type(value).__name__}"
    return f"the id is {sort}"


class MadeUp(str):
    """An id made up for a record that has none: it does not say of which kind ids are."""

    __slots__ = ()


def place(file: File, got: Records, i: int) -> str:
    """Where a record is, for messages."""
    return f"{file.path}:{got.numbers[i] if got.lines is None else got.lines[i]}"


def _kept(values: Sequence[Any], keep: Sequence[bool]) -> list[Any]:
    return [value for value, kept in zip(values, keep, strict=True) if kept]


def _interleaved(sides: Sequence[Sequence[Any]]) -> list[Any]:
    return [value for row in zip(*sides, strict=True) for value in row]
