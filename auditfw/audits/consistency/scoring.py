"""What one process does with one batch of judged rows: labels, evidence, patterns, and the rows worth showing."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.document import Exhibit
from auditfw.core.errors import DataError
from auditfw.core.native.columns import CodedColumn, Words, marked
from auditfw.core.records import Batch, Value
from auditfw.core.sampling import Sieve, ranked
from auditfw.formulas.agreement.ratings import JOINED, JOINED_DIFFER
from auditfw.kinds.context import Task
from auditfw.kinds.judgements import ANSWER, CLEAR, FAULT, GIVEN_FLAGS, ITEM, PLACE, REASON, RETRIEVED, Validator

from .counts import ConsistencyCounts, PlacedPattern, ShownRow, UndeclaredRow
from .exhibits import Texts, evidence, facts, reasons, title
from .grouping import grouped
from .joins.contents import CONTENT
from .joins.duplicates import hashes_of
from .row_check import ODD_PLACES, RECORDS, CheckedRows, alike
from .rules import AUDITED, MALFORMED, MISSING, ONE_SIDED, UNKNOWN, Pattern, Rules, Tied, as_text, is_unknown

Ranked = tuple[bytes, str, int]  # the rank in a seeded draw, the id, the row

CONFLICT = "conflict"
MOST_CODES = 256
MOST_CHECKED = 500
RED_FLAGS, DIFFERING = "Red Flags", "Disagreements"
PLAIN = frozenset({str, int, float, bool, type(None)})


@dataclass
class ConsistencyScorer:
    """The work on one batch, as it is sent to every process.

    `most` rows per section are drawn for the report, `gallery_rows` for the gallery of a page; the places of `placed`
    rows are noted. `itemised` says that every row names its item; `order` is the column of which answer came first.
    """

    rules: Rules
    by: tuple[str, ...]
    seed: int
    most: int
    validators: Mapping[str, Validator] = field(default_factory=dict)
    hashed: bool = True
    gallery_rows: int = 0
    placed: int = 0
    itemised: bool = False
    order: str = ""

    _bars: dict[str, list[bytes]] = field(default_factory=dict, repr=False)
    _sieve: Sieve = field(default_factory=lambda: Sieve(0), repr=False)

    def __post_init__(self) -> None:
        self._sieve = Sieve(self.gallery_rows)

    def __call__(self, task: Task) -> ConsistencyCounts:
        return Pass(self, task()).done

    def left_free(self, done: ConsistencyCounts) -> bool:
        """Whether most of the work on a batch left the interpreter to others: few rows were looked at one by one."""
        return done.rows_checked <= max(MOST_CHECKED, len(done.codes) // 10) and not self.validators

    def best_of(self, section: str, rows: DrawnRows) -> list[Ranked]:
        """Those rows of a batch that are among the best that this process has seen; others cannot be shown."""
        known = self._bars.setdefault(section, [])
        bar = known[-1] if len(known) >= self.most else None
        kept = rows.least(self.most, bar)
        known[:] = heapq.nsmallest(self.most, [*known, *(row[0] for row in kept)])
        return kept

    def spread_of(self, patterns: Sequence[Pattern], codes: Sequence[int], ranked: list[Ranked]) -> list[Ranked]:
        """Those rows of a batch that a draw spread over the patterns may have, of all that this process has seen."""
        return [ranked[at] for at in self._sieve.of(patterns, [(codes[row[2]], row[:2]) for row in ranked])]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bars": {}, "_sieve": Sieve(self.gallery_rows)}


@dataclass(frozen=True)
class DrawnRows:
    """The rows of a batch that have one of some codes, by their rank in a seeded draw."""

    ids: Sequence[str]
    codes: bytes | list[int]
    wanted: set[int]
    draw: tuple[int, str]

    def every(self, bar: bytes | None = None) -> list[Ranked]:
        """All of them whose rank is not above `bar`, in order."""
        ids, rows = list(self.ids), places_of(self.codes, self.wanted)
        return [(rank, ids[i], i) for rank, i in ranked(self.draw, ids, rows, bar)]

    def least(self, most: int, bar: bytes | None) -> list[Ranked]:
        """The `most` of least rank, by rank; none that ranks above `bar`."""
        return heapq.nsmallest(most, self.every(bar))


class Pass:
    """One pass over one batch."""

    def __init__(self, work: ConsistencyScorer, batch: Batch) -> None:
        self.work, self.rules, self.columns = work, work.rules, batch.columns
        self.size = len(batch)
        self.done = ConsistencyCounts(Counter(batch.dropped), notes=batch.notes)
        ids = batch.columns["id"]
        self.ids: Sequence[str] = ids if isinstance(ids, Words) else list(ids)
        self._number()
        self._count()
        self._note()
        self._validate()
        self._show()
        self._place()

    def _column(self, name: str) -> Sequence[Any]:
        return self.columns.get(name) or [None] * self.size

    def _number(self) -> None:
        """Numbers the distinct patterns of the batch; rows of one pattern share its number."""
        groups = grouped(self.columns, self.rules.raters)
        checked = CheckedRows(self.rules, self.columns if groups is None else groups.columns(self.columns))
        distinct = dict.fromkeys(checked.keys)
        if groups is not None and len(distinct) > MOST_CODES:
            groups, checked = None, CheckedRows(self.rules, self.columns)
            distinct = dict.fromkeys(checked.keys)
        no_labels: tuple[None, ...] = (None,) * len(self.rules.raters)
        patterns = [Pattern(no_labels, CLEAR, False) if k is None else Pattern(k[:-1], k[-1]) for k in distinct]
        number = {key: n for n, key in enumerate(distinct)}
        numbers = list(map(number.__getitem__, checked.keys))
        self.checked, self.groups = checked, groups
        self.done.rows_checked = checked.size
        self.done.flags, self.done.aliases = set(self.rules.seen), set(self.rules.used)
        self.done.patterns = patterns
        self.done.codes = numbers if groups is None else groups.spread(numbers)
        self.done.ids = self.ids
        self.labels = [CodedColumn(self.done.codes, [p.labels[j] for p in patterns]) for j in range(len(no_labels))]
        self.statuses = [pattern.status for pattern in patterns]

    def _fault(self, i: int) -> str:
        return self.checked.faults[i if self.groups is None else self.groups.place(i)]

    def _named(self) -> list[tuple[str, Sequence[str | None]]]:
        return list(zip(self.rules.raters, self.labels, strict=True))

    def _count(self) -> None:
        done, by = self.done, [_as_values(self._column(name)) for name in self.work.by]
        done.by = by
        codes, patterns = done.codes, done.patterns
        counted = Counter(codes)
        self.cells = list(zip(*by, strict=True)) if by else None
        if self.cells is None:
            done.cells[()] = Counter({patterns[n]: times for n, times in counted.items()})
        else:
            for (cell, n), times in Counter(zip(self.cells, codes, strict=True)).items():
                done.cells.setdefault(cell, Counter())[patterns[n]] += times
        if self.work.itemised or self.work.order:
            done.placed = self._placed()
        records = self.columns.get(RECORDS)
        if records is None:
            for n, times in counted.items():
                done.counts[self.statuses[n]] += times
        else:
            for n, times in zip(codes, records, strict=True):
                done.counts[self.statuses[n]] += times
        if self.work.hashed:
            done.hashes, done.salt = hashes_of(self.ids)

    def _placed(self) -> Counter[PlacedPattern]:
        """The rows by cell, item and order of presentation. Raises DataError for a row that names no item."""
        work, nothing = self.work, [None] * self.size
        items = placed_words(self._column(ITEM)) if work.itemised else nothing
        orders = placed_words(self._column(work.order)) if work.order else nothing
        if work.itemised and None in items:
            i = items.index(None)
            do = "give every record its item, or name another column with source.columns.item"
            raise DataError(str(self._column(PLACE)[i] or self.ids[i]), "the item is null", None, do)
        patterns = self.done.patterns
        rows = Counter(zip(self.cells or [()] * self.size, items, orders, self.done.codes, strict=True))
        return Counter({(cell, item, order, patterns[n]): times for (cell, item, order, n), times in rows.items()})

    def _rows_of(self, *wanted: str) -> list[int]:
        """The rows whose status is one of these."""
        numbers = {n for n, status in enumerate(self.statuses) if status in wanted}
        return places_of(self.done.codes, numbers)

    def _note(self) -> None:
        """Lists the rows that are not audited, each with its place and reason."""
        done, places = self.done, self._column(PLACE)
        for bucket in (MALFORMED, UNKNOWN, ONE_SIDED, MISSING):
            rows = self._rows_of(bucket)
            if rows:
                done.add_findings(
                    bucket, [(self._where(bucket, i), self._why(bucket, i)) for i in rows[:40]], len(rows)
                )
        for i in self._rows_of(UNKNOWN):
            texts = [as_text(self._column(r)[i]) if is_unknown(column[i]) else column[i] for r, column in self._named()]
            for (rater, column), text in zip(self._named(), texts, strict=True):
                if isinstance(text, Tied):
                    done.ties += 1
                elif is_unknown(column[i]):
                    done.unknown[rater, str(text)] += 1
            done.odd.append(UndeclaredRow(i, tuple(texts), done.patterns[done.codes[i]].shown))
        self._compare_contents()
        conflicts = self.columns.get(CONFLICT)
        if conflicts is not None:
            for i in [i for i, what in enumerate(conflicts) if what]:
                done.add_findings("conflict", [(str(places[i] or self.ids[i]), f"{conflicts[i]} differ")], 1)

    def _compare_contents(self) -> None:
        """Counts the joined rows whose records were compared in further columns, and lists those that differ."""
        contents = self.columns.get(CONTENT)
        for i in self._rows_of(AUDITED) if contents is not None else ():
            what = self._column(CONTENT)[i]
            if what is not None:
                counted = self.done.faults.setdefault(self.cells[i] if self.cells is not None else (), Counter())
                counted[JOINED] += 1
                counted[JOINED_DIFFER] += bool(what)
            if what:
                self.done.add_findings(JOINED_DIFFER, [(str(self._column(PLACE)[i]), f"{self.ids[i]}: {what}")], 1)

    def _why(self, bucket: str, i: int) -> str:
        if bucket == MALFORMED:
            return self._fault(i)
        if bucket == UNKNOWN:
            first, *others = self._odd(i)
            places = self._column(ODD_PLACES)[i] or {}
            more = [f"{self._says(r, i)}{f' ({places[r]})' if r in places else ''}" for r in others]
            return ", ".join([self._says(first, i), *more])
        without = [rater for rater, column in self._named() if column[i] is None]
        return f"item {self.ids[i]}: no label by {', '.join(without)}"

    def _odd(self, i: int) -> list[str]:
        """The raters whose label of a row is not declared."""
        return [rater for rater, column in self._named() if is_unknown(column[i])]

    def _says(self, rater: str, i: int) -> str:
        label = as_text(self._column(rater)[i])
        return f"the votes of {rater} tie ({label})" if isinstance(label, Tied) else f"{rater} says {label[:60]!r}"

    def _where(self, bucket: str, i: int) -> str:
        """Where the record is that keeps a row from being audited; of a joined row it may not be the first one."""
        places = self._column(ODD_PLACES)[i] or {}
        names = self._odd(i) if bucket == UNKNOWN else (FAULT, *self.rules.raters) if bucket == MALFORMED else ()
        place = next((places[name] for name in names if name in places), self._column(PLACE)[i])
        return str(place or self.ids[i])

    def _validate(self) -> None:
        """Counts what the validators find wrong with the audited rows, and whether reasons are the same text."""
        audited = self._rows_of(AUDITED) if self.work.validators else []
        places = self._column(PLACE)
        for name, validator in self.work.validators.items():
            faults = validator(self._judged(), self.rules.raters)
            for i in audited:
                if faults[i]:
                    cell = self.cells[i] if self.cells is not None else ()
                    self.done.faults.setdefault(cell, Counter())[name] += 1
                    self.done.add_findings(name, [(str(places[i] or self.ids[i]), faults[i])], 1)
        reasons = [self.columns.get(f"{rater}.{REASON}") for rater in self.rules.raters]
        columns = [column for column in reasons if column is not None]
        if len(columns) > 1:
            self.done.alike["reasons"], self.done.alike["same"] = alike(columns)

    def _judged(self) -> dict[str, Sequence[Any]]:
        """The columns that validators look at."""
        reasons = [f"{rater}.{REASON}" for rater in self.rules.raters]
        rows = {name: self._column(name) for name in (ANSWER, RETRIEVED, GIVEN_FLAGS, CONFLICT, *reasons)}
        own = [f"{rater}.{name}" for rater in self.rules.raters for name in (ANSWER, RETRIEVED)]
        rows |= {name: self.columns[name] for name in own if name in self.columns}
        rows = {name: list(column) for name, column in rows.items()}
        return rows | dict(zip(self.rules.raters, self.labels, strict=True))

    def _show(self) -> None:
        """Draws the rows to be shown: red flags, and disagreements; and of both together those of the gallery."""
        work, patterns, codes = self.work, self.done.patterns, self.done.codes
        flagged = {n for n, p in enumerate(patterns) if any(p.shown) and p.status == AUDITED}
        differing = {n for n, p in enumerate(patterns) if p.differs and p.status == AUDITED} - flagged
        every: list[Ranked] = []
        for section, numbers in ((RED_FLAGS, flagged), (DIFFERING, differing)):
            if not numbers or not (work.most or work.gallery_rows):
                continue
            rows = DrawnRows(self.ids, codes, numbers, (work.seed, section))
            every += rows.every() if work.gallery_rows else []
            if work.most:
                self.done.shown_rows[section] = [self._shown_row(row, reasons) for row in work.best_of(section, rows)]
        if every:
            self.done.gallery = [self._shown_row(row, evidence) for row in work.spread_of(patterns, codes, every)]

    def _place(self) -> None:
        """Notes where the first rows are whose raters differ or whose evidence is flagged, if that is wanted."""
        if not self.work.placed:
            return
        places = self._column(PLACE)
        wanted = {n for n, p in enumerate(self.done.patterns) if p.differs or any(p.shown)}
        rows = places_of(self.done.codes, wanted)[: self.work.placed]
        self.done.places = [(self.ids[i], str(places[i])) for i in rows if places[i]]

    def _shown_row(self, row: Ranked, texts: Texts) -> ShownRow:
        """A row as it is shown, but for what policies decide."""
        rank, name, i = row
        labels = facts(self._column, i, self.work.by, self._named())
        exhibit = Exhibit(title(self._column, i, name), labels, texts(self._column, i, self.rules.raters))
        return ShownRow(rank, name, self.done.patterns[self.done.codes[i]], exhibit)


def places_of(codes: bytes | list[int], wanted: set[int]) -> list[int]:
    """The rows that have one of these codes."""
    if isinstance(codes, bytes):
        return marked(codes, wanted)
    return [i for i, n in enumerate(codes) if n in wanted] if wanted else []


def placed_words(column: Sequence[Any]) -> list[str | None]:
    """Names of items or orders as texts, null for none."""
    return [None if value is None or value == "" else _word(value) for value in column]


def _word(value: Any) -> str:
    return as_text(value) if isinstance(value, str | int | float) else str(value)


def _as_values(column: Sequence[Any]) -> list[Value]:
    """A cell column's values: plain ones stay, anything nested becomes text."""
    if PLAIN.issuperset(map(type, column)):
        return list(column)
    return [value if type(value) in PLAIN else str(value) for value in column]
