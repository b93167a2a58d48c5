"""What one process does with one batch of judged rows: labels, evidence, patterns, and the rows worth showing."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from auditfw.core.document import Exhibit
from auditfw.core.errors import DataError
from auditfw.core.native.columns import CodedColumn, Words, marked
from auditfw.core.records import Batch, Value
from auditfw.core.sampling import Drawn, FairDraw, ranked
from auditfw.formulas.agreement.ratings import JOINED, JOINED_DIFFER
from auditfw.kinds.context import Task
from auditfw.kinds.judgements import ANSWER, CLEAR, FAULT, GIVEN_FLAGS, ITEM, PLACE, REASON, RETRIEVED, Validator

from .counts import ConsistencyCounts, ShownRow, grouped
from .exhibits import evidence, facts, title
from .joins.contents import CALLED, CONTENT, TEXT, text_numbers
from .rules import (
    AUDITED,
    MALFORMED,
    MISSING,
    ODD_PLACES,
    ONE_SIDED,
    RECORDS,
    UNKNOWN,
    CheckedRows,
    Pattern,
    Rules,
    Tied,
    alike,
    as_text,
    is_unknown,
)
from .same_texts import SAME, SameHashes, SameReader
from .table import CellKey, RatedRows, UndeclaredRow

CONFLICT, MET = "conflict", "#met"
MOST_CODES = 256
MOST_CHECKED = 500
RED_FLAGS, DIFFERING = "Red Flags", "Disagreements"
PLAIN = frozenset({str, int, float, bool, type(None)})


@dataclass
class ConsistencyScorer:
    """The work on one batch, as it is sent to every process.

    At most `most` rows of each section are drawn to be shown. `itemised` says that every row names its item; `order` is
    the column of which answer came first, `weight` that of the probability with which an item was chosen; `same` makes
    the keys of what was judged, where that is asked.
    """

    rules: Rules
    by: tuple[str, ...]
    seed: int
    most: int
    validators: Mapping[str, Validator] = field(default_factory=dict)
    itemised: bool = False
    order: str = ""
    weight: str = ""
    same: SameReader | None = None
    _draws: dict[str, FairDraw[int]] = field(default_factory=dict, repr=False)

    def __call__(self, task: Task) -> ConsistencyCounts:
        return Pass(self, task()).done

    def left_free(self, done: ConsistencyCounts) -> bool:
        """Whether most of the work on a batch left the interpreter to others: few rows were looked at one by one."""
        return done.rows_checked <= max(MOST_CHECKED, len(done.rows.codes) // 10) and not self.validators

    def drawn(self, section: str, ids: Sequence[str], rows: Mapping[Pattern, list[int]]) -> list[Drawn[int]]:
        """Those rows of a batch, given by pattern, that may be drawn of all that this process has seen."""
        draw, names = self._draws.setdefault(section, FairDraw(self.most)), list(ids)
        ranks = {
            pattern: ranked((self.seed, "trial"), names, own, None if (bar := draw.bar(pattern)) is None else bar[0])
            for pattern, own in rows.items()
        }
        return draw.take([(pattern, (rank, names[i]), i) for pattern, own in ranks.items() for rank, i in own])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_draws": {}}


class Pass:
    """One pass over one batch."""

    def __init__(self, work: ConsistencyScorer, batch: Batch) -> None:
        self.work, self.rules, self.columns = work, work.rules, batch.columns
        self.size = len(batch)
        self.done = ConsistencyCounts(Counter(batch.dropped), notes=batch.notes)
        ids = batch.columns["id"]
        self.ids: Sequence[str] = ids if isinstance(ids, Words) else list(ids)
        self.by = [_as_values(self._column(name)) for name in work.by]
        self.odd: list[UndeclaredRow] = []
        self._number()
        self._count()
        self._note()
        self._validate()
        self._show()
        self._send()

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
        self.patterns = patterns
        self.codes = numbers if groups is None else groups.spread(numbers)
        self.labels = [CodedColumn(self.codes, [p.labels[j] for p in patterns]) for j in range(len(no_labels))]
        self.statuses = [pattern.status for pattern in patterns]

    def _fault(self, i: int) -> str:
        return self.checked.faults[i if self.groups is None else self.groups.place(i)]

    def _named(self) -> list[tuple[str, Sequence[str | None]]]:
        return list(zip(self.rules.raters, self.labels, strict=True))

    def _count(self) -> None:
        """Counts the records by what became of their rows: a joined row is of several."""
        records = self.columns.get(RECORDS)
        rows = Counter(self.codes).items() if records is None else zip(self.codes, records, strict=True)
        for n, times in rows:
            self.done.counts[self.statuses[n]] += times

    def _send(self) -> None:
        """The rows as the table takes them. Raises DataError for a row that names no item."""
        work = self.work
        held = [self.columns[name] for name in CALLED if name in self.columns and name not in self.rules.raters]
        self.done.texts, self.done.met = self.columns.get(TEXT) or text_numbers(held), self.columns.get(MET) or []
        if work.same is not None:
            joined = [self.columns[name] for name in SAME if name in self.columns]
            known = SameHashes(*(array("Q", column) for column in joined)) if joined else None
            self.done.same = known or work.same.of(self.columns, self.size)
        items = placed_words(self._column(ITEM)) if work.itemised else None
        if items is not None and None in items:
            i = items.index(None)
            do = "give every record its item, or name another column with source.columns.item"
            raise DataError(str(self._column(PLACE)[i] or self.ids[i]), "the item is null", None, do)
        self.done.rows = RatedRows(
            self.ids, self.codes, self.patterns, self.by, items,
            placed_words(self._column(work.order)) if work.order else None,
            self.columns.get(PLACE) or (), self.odd,
            placed_words(self._column(work.weight)) if work.weight else None,
        )  # fmt: skip

    def _cell(self, i: int) -> CellKey:
        return tuple(column[i] for column in self.by)

    def _rows_of(self, *wanted: str) -> list[int]:
        """The rows whose status is one of these."""
        numbers = {n for n, status in enumerate(self.statuses) if status in wanted}
        return places_of(self.codes, numbers)

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
            self.odd.append(UndeclaredRow(i, tuple(texts), self.patterns[self.codes[i]].shown))
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
                counted = self.done.faults.setdefault(self._cell(i), Counter())
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
                    self.done.faults.setdefault(self._cell(i), Counter())[name] += 1
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
        """Draws the rows to be shown: red flags, and disagreements."""
        numbers: dict[str, set[int]] = {RED_FLAGS: set(), DIFFERING: set()}
        for n, pattern in enumerate(self.patterns if self.work.most else ()):
            if pattern.status == AUDITED and (any(pattern.shown) or pattern.differs):
                numbers[RED_FLAGS if any(pattern.shown) else DIFFERING].add(n)
        for section, wanted in numbers.items():
            rows: dict[Pattern, list[int]] = {self.patterns[n]: [] for n in wanted}
            for i in places_of(self.codes, wanted):
                rows[self.patterns[self.codes[i]]].append(i)
            drawn = self.work.drawn(section, self.ids, rows) if rows else []
            self.done.shown[section] = [(pattern, rank, self._shown_row(i)) for pattern, rank, i in drawn]

    def _shown_row(self, i: int) -> ShownRow:
        """A row as it is shown, but for what policies decide."""
        labels = facts(self._column, i, self.work.by, self._named())
        exhibit = Exhibit(title(self._column, i, self.ids[i]), labels, evidence(self._column, i, self.rules.raters))
        return ShownRow(self.ids[i], self.patterns[self.codes[i]], exhibit)


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
