"""From records to batches: columns found by address, ids made text, several rows of one record, rows dropped."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from auditfw.components.files.columns.addresses import ABSENT, Address, Bins, dig
from auditfw.components.files.columns.contents import as_texts, finite, reasoning_of
from auditfw.core.errors import DataError
from auditfw.core.notes import Remark
from auditfw.core.records import Batch
from auditfw.kinds.conditions import Condition
from auditfw.kinds.judgements import EVIDENCE

from .column_rows import column_of
from .file_settings import NarrowBlock, NarrowError, Records, RowBlock, RowMaker
from .files import File
from .join import Joined

LONE = " lone"
PART_BITS = 32  # of the number of a row within its record, below the number of the record
AS_THEY_ARE = frozenset(("id", *EVIDENCE))  # columns in which content parts are not looked for


@dataclass(frozen=True)
class Route:
    """Where a column's values come from: an address in the record, else one value throughout, or where the row is.

    `parts` are texts and routes that are put together to one text; with `reasoning` only the reasoning among content
    parts is taken.
    """

    address: Address = ()
    value: Any = None
    numbered: bool = False
    placed: bool = False
    parts: tuple[str | Route, ...] = ()
    reasoning: bool = False

    @property
    def addresses(self) -> list[Address]:
        """The addresses in the record that it looks at."""
        if self.parts:
            return [found for part in self.parts if isinstance(part, Route) for found in part.addresses]
        return [self.address] if self.address else []

    def values(self, got: Records, file: File) -> list[Any]:
        """One value a record."""
        if self.parts:
            sides = [[p] * len(got.rows) if isinstance(p, str) else p.values(got, file) for p in self.parts]
            return [_together(words) for words in zip(*sides, strict=True)]
        if self.reasoning:
            return list(map(reasoning_of, replace(self, reasoning=False).values(got, file)))
        if self.numbered:
            prefix = f"{file.number}:" if file.several else ""
            if got.parts is not None:
                return [f"{prefix}{number}.{part}" for number, part in zip(got.numbers, got.parts, strict=True)]
            return [f"{prefix}{number}" for number in got.numbers]
        if self.placed:
            return [place(file, got, i) for i in range(len(got.rows))]
        if not self.address:
            return [self.value] * len(got.rows)
        if len(self.address) == 1:
            return column_of(got.rows, str(self.address[0]))
        head, *rest = self.address
        values = [dig(one, tuple(rest)) for one in column_of(got.rows, str(head))]
        return [None if value is ABSENT else value for value in values]

    def present(self, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bool:
        """Whether any record has it."""
        if self.parts:
            return all(part.present(rows, columns) for part in self.parts if isinstance(part, Route))
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
    Numbers that are not finite are null unless `unfinite` are kept. `maker` makes the rows out of the records, and
    rows at the start of the file have the columns `known`; `split` are the separators of texts that become lists,
    `bins` the ranges of numbers that become labels.
    """

    file: File
    names: tuple[str, ...]
    routes: tuple[Mapping[str, Route], ...]
    endings: tuple[str, ...] = ("",)
    nulls: Mapping[str, frozenset[str]] = field(default_factory=dict)
    condition: Condition | None = None
    joined: Joined | None = None
    late: frozenset[str] = frozenset()
    unfinite: bool = False
    maker: RowMaker | None = None
    known: frozenset[str] = frozenset()
    split: Mapping[str, str] = field(default_factory=dict)
    bins: Mapping[str, Bins] = field(default_factory=dict)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that are yielded, named in the condition, or needed to find the joined ones among these."""
        named = dict.fromkeys((*self.names, *(self.condition.names if self.condition else ())))
        keys = self.joined.join.on if self.joined and not named.keys().isdisjoint(self.joined.join.columns) else ()
        return tuple(dict.fromkeys((*named, *keys)))

    @property
    def reads(self) -> frozenset[str] | None:
        """The columns of the records that are looked at (None: all)."""
        names = self._looked_at
        return names if self.maker is None else self.maker.reads(names, self.known)

    @property
    def _looked_at(self) -> frozenset[str]:
        """The columns of the rows that are."""
        wanted = self.wanted
        ways = [way for routes in self.routes for n, r in routes.items() if n in wanted for way in r.addresses]
        return frozenset(str(way[0]) for way in ways)

    def read(self, block: RowBlock, take: int | None = None) -> Records:
        """The rows of a block, or of its first `take` records."""
        if self.maker is None:
            return _taken(block, take)
        names = None if self.reads is None else self._looked_at
        try:
            return self.maker(_taken(block, take), self.file, names)
        except NarrowError:
            return self.maker(_taken(cast(NarrowBlock, block).whole, take), self.file)

    def batch(self, got: Records, skip: frozenset[int] = frozenset()) -> Batch:
        """The batch of a slice of records; `skip` are the ordinals (see `ordinals`) of rows to drop as duplicates."""
        batch = Batch({}, Counter(got.dropped), Counter(got.notes))
        columns = self.columns(got, batch.notes)
        keep = self.kept(columns, got)
        batch.dropped["filtered"] += len(keep) - sum(keep)
        if skip:
            again = [kept and ordinal in skip for kept, ordinal in zip(keep, self.ordinals(got), strict=True)]
            batch.dropped["duplicate"] += sum(again)
            keep = [kept and not twice for kept, twice in zip(keep, again, strict=True)]
        batch.dropped = +batch.dropped
        if LONE in columns:
            batch.notes[self._lone] += sum(lone and kept for lone, kept in zip(columns[LONE], keep, strict=True))
            batch.notes = +batch.notes
        whole = all(keep)
        for name in self.names:
            if name not in self.late or any(value is not None for value in columns[name]):
                values = columns[name] if whole else _kept(columns[name], keep)
                values = self._binned(name, values, keep, got) if name in self.bins else values
                batch.columns[name] = _parted(values, self.split[name]) if name in self.split else values
        return batch

    def _binned(self, name: str, values: list[Any], keep: Sequence[bool], got: Records) -> list[Any]:
        rows = [i // len(self.routes) for i, kept in enumerate(keep) if kept]
        setting = self.file.keys.of(f"bins.{name}")
        return self.bins[name].labelled(values, setting, lambda i: place(self.file, got, rows[i]))

    def kept(self, columns: Mapping[str, Sequence[Any]], got: Records) -> list[bool]:
        """Which of the rows the condition keeps. Raises DataError where one of these has no id."""
        ids = columns["id"]
        if self.condition is None:
            return [True] * len(ids)
        keep = self.condition.keep(columns, len(ids), self.file.path)
        if not set(map(type, ids)) <= {str, MadeUp}:
            for i, (word, kept) in enumerate(zip(ids, keep, strict=True)):
                if kept and (word is None or isinstance(word, Unfit)):
                    raise no_id_error(NULL_ID if word is None else word.fault, self.file, got, i // len(self.routes))
        return keep

    def columns(self, got: Records, notes: Counter[str]) -> dict[str, list[Any]]:
        """All columns that are wanted, rows of one record side by side; LONE says of joined ones which found none.

        Where there is a condition, what cannot be an id is null or Unfit.
        """
        wanted = self.wanted
        sides = [{name: self._values(name, routes[name], got, notes) for name in wanted} for routes in self.routes]
        for side, ending in zip(sides, self.endings, strict=True):
            side["id"] = self._ids(side["id"], ending, got, notes)
        columns = sides[0] if len(sides) == 1 else {name: _interleaved([s[name] for s in sides]) for name in wanted}
        added = () if self.joined is None else tuple(name for name in wanted if name in self.joined.join.columns)
        for name in self.nulls:
            if name in wanted and name not in added:
                columns[name] = self._nulled(name, columns[name], notes)
        if self.joined is not None and added:
            columns |= self._joined(self.joined, added, columns)
            for name in self.nulls:
                if name in added:
                    columns[name] = self._nulled(name, columns[name], notes)
        return columns

    def _values(self, name: str, route: Route, got: Records, notes: Counter[str]) -> list[Any]:
        """A column of one side, content parts as texts."""
        values = route.values(got, self.file)
        if got.unfinite:
            values = finite(name, values, lambda i: place(self.file, got, i), self.unfinite, notes)
        if name in AS_THEY_ARE:
            return values
        setting = self.file.keys.of(f"columns.{name}")
        return as_texts(name, values, setting, lambda i: place(self.file, got, i), notes)

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
        values = [f"{name}={json.dumps(join.otherwise.get(name), ensure_ascii=False)}" for name in join.columns]
        return f"{self.joined.keys.place}: rows without a match, filled with {', '.join(values)}"

    def ordinals(self, got: Records) -> list[int]:
        """One number for each row made of these records."""
        width, numbers = len(self.routes), got.numbers
        if got.parts is not None:
            numbers = [n << PART_BITS | part for n, part in zip(numbers, got.parts, strict=True)]
        return list(numbers) if width == 1 else [n * width + side for n in numbers for side in range(width)]

    def _ids(self, values: list[Any], ending: str, got: Records, notes: Counter[str]) -> list[Any]:
        kinds = set(map(type, values))
        if kinds <= {str, MadeUp} and not ending and "" not in values:
            return values
        if len(kinds & {str, int, float}) > 1:
            remark = "ids are numbers in some records and text in others; compared as text"
            notes[Remark(remark, self.file.path)] += 1
        return [self._id(value, got, i, ending) for i, value in enumerate(values)]

    def _id(self, value: Any, got: Records, i: int, ending: str) -> str | None:
        """An id as text; where there is a condition, null or an Unfit text for what cannot be one. Raises DataError."""
        fault = no_id(value)
        if not fault:
            return str(value) + ending
        if self.condition is None:
            raise no_id_error(fault, self.file, got, i)
        return None if value is None else Unfit(str(value), fault)

    def _nulled(self, name: str, values: list[Any], notes: Counter[str]) -> list[Any]:
        texts = self.nulls[name]
        changed = [None if isinstance(value, str) and value in texts else value for value in values]
        count = changed.count(None) - values.count(None)
        if count:
            notes[Remark(f"texts that mean missing ({self.file.keys.of(f'nulls.{name}')})", name)] += count
        return changed


@dataclass(frozen=True)
class BatchTask:
    """A task: a block read and shaped, in whichever process."""

    block: RowBlock
    shape: Shape
    take: int | None = None
    skip: frozenset[int] = frozenset()

    def __call__(self) -> Batch:
        return self.shape.batch(self.shape.read(self.block, self.take), self.skip)


def _taken(block: RowBlock, take: int | None) -> Records:
    return block() if take is None else block().first(take)


def no_id_error(fault: str, file: File, got: Records, i: int) -> DataError:
    """The error for a record without an id."""
    setting = "columns.id"
    number = f"write {file.keys.of(setting)}='#' for the row number"
    do = file.keys.advice("give every record an id", (number, setting), between=", or ")
    return DataError(place(file, got, i), fault, None, do)


def no_id(value: Any) -> str:
    """Why a value cannot be an id; "" where it can."""
    if isinstance(value, str) and value:
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool) and value == value:  # noqa: PLR0124 - NaN
        return ""
    if value is None:
        return NULL_ID
    return f"the id is {'empty' if value == '' else f'a {type(value).__name__}'}"


NULL_ID = "the id is null"


class Unfit(str):
    """The text of a value that cannot be an id, and why: for conditions to look at."""

    fault: str

    def __new__(cls, text: str, fault: str) -> Unfit:
        unfit = super().__new__(cls, text)
        unfit.fault = fault
        return unfit


class MadeUp(str):
    """An id made up for a record that has none: it does not say of which kind ids are."""

    __slots__ = ()


def place(file: File, got: Records, i: int) -> str:
    """Where a record is, for messages."""
    return f"{file.path}:{got.numbers[i] if got.lines is None else got.lines[i]}"


def _together(words: Sequence[Any]) -> str | None:
    """Texts and numbers as one text; None where one of them is null, not a number, a list or an object."""
    if any(not isinstance(word, str | int | float) or word != word for word in words):  # noqa: PLR0124 - NaN
        return None
    return "".join(map(str, words))


def _kept(values: Sequence[Any], keep: Sequence[bool]) -> list[Any]:
    return [value for value, kept in zip(values, keep, strict=True) if kept]


def _parted(values: Sequence[Any], separator: str) -> list[Any]:
    """The values with each text as the list of its parts, without blanks around these and without empty ones."""
    return [[p for part in v.split(separator) if (p := part.strip())] if isinstance(v, str) else v for v in values]


def _interleaved(sides: Sequence[Sequence[Any]]) -> list[Any]:
    return [value for row in zip(*sides, strict=True) for value in row]
