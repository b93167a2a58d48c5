"""From judgements, a record each, to one row an item: every label held by item and rater, reduced when all are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from auditfw.audits.batches import TakenBatch
from auditfw.audits.consistency.counts import ConsistencyCounts
from auditfw.audits.consistency.name_check import is_blank
from auditfw.audits.consistency.rules import (
    DUPLICATE,
    MALFORMED,
    ODD_PLACES,
    RECORDS,
    UNKNOWN_LABEL,
    Rules,
    Tied,
    as_text,
)
from auditfw.audits.consistency.same_texts import NO_ANSWER, SAME, SameReader
from auditfw.audits.consistency.scoring import CONFLICT, MET
from auditfw.audits.consistency.table import hashes_of
from auditfw.core.errors import AuditError, DataError, and_more
from auditfw.core.records import Batch
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.judgements import EVIDENCE, FAULT, LABEL, PLACE, QID, RATER, REASON, FaultError, reduced

from .contents import CONTENT, TEXT, Contents, ItemContents

# Duplicate items: suspected by the hashes of their ids, then named with their places.


def id_of(source: Source) -> str:
    """The column that a source reads as id: the one that its settings name, else the usual one that is there."""
    named = (capability(source, "columns") or {}).get("id")
    return str(named or (QID if QID in source.open((), (QID,)).columns else "id"))


def apart(key: str) -> str:
    """What to write where another column tells items of the same id apart."""
    first = key if "{" in key else f"{{{key}}}"
    return f"where another column tells them apart write source.columns.id='\"{first}/{{COLUMN}}\"'"


def duplicate_errors(evidence: Evidence, suspected: frozenset[int], key: str) -> list[AuditError]:
    """An error for each duplicate id; `suspected` are the hashes that several ids have."""
    do = f"{apart(key)}, else audit.duplicates=first, last, votes or all"
    first: dict[str, str] = {}
    reported: set[str] = set()
    errors: list[AuditError] = []
    for task in evidence.tasks:
        columns = task().columns
        ids, places = columns["id"], columns[PLACE]
        for i in [i for i, n in enumerate(hashes_of(ids)) if n in suspected]:
            word, place = ids[i], places[i]
            if word not in first:
                first[word] = place
            elif word not in reported:
                reported.add(word)
                errors.append(DataError(place, f"duplicate item '{word}'", f"first at {first[word]}", do))
    return errors


ROWS = 2_048
REASON_KEPT = 1_000

Duplicates = Literal["error", "first", "last", "all", "votes"]


@dataclass(slots=True)
class JoinedItem:
    """What is known of one item: by rater the labels in the order read, with places; its evidence, and reasons."""

    labels: dict[str, list[Any]] = field(default_factory=dict)
    reasons: dict[str, Any] = field(default_factory=dict)
    contents: ItemContents | None = None  # there are many items: where nothing is compared, no object for each
    evidence: dict[str, Any] = field(default_factory=dict)
    place: str = ""
    fault: str = ""
    conflict: str = ""
    records: int = 0
    repeated: str = ""
    odd: dict[str, str] | None = None  # where the faulty record, and by rater the undeclared label, is; few have one


@dataclass(frozen=True)
class Fetch:
    """Reads a batch in whichever process, and gives it back as it is."""

    def __call__(self, task: Task) -> Batch:
        return task()


@dataclass
class Join:
    """Joins records by item. It holds labels, places, evidence and the heads of reasons of all records in memory."""

    rules: Rules
    by: tuple[str, ...]
    duplicates: Duplicates
    tie: str
    evidence: Literal["either", "merged"]
    items: dict[str, JoinedItem] = field(default_factory=dict)
    key: Callable[[], str] = lambda: QID  # the column of the id
    placed: tuple[str, ...] = ()  # the columns of the item and of which answer came first, where they are read
    dropped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    wide: bool = False
    other_raters: Counter[str] = field(default_factory=Counter)
    nameless: list[str] = field(default_factory=list)  # where records are that name no rater
    contents: Contents = field(default_factory=Contents)
    same: SameReader | None = None
    _same: dict[str, tuple[int, ...]] = field(default_factory=dict, init=False)
    _met: Mapping[str, int] = field(default_factory=dict, init=False)  # of each item how many were met before it

    def add(self, batch: Batch) -> None:
        """Takes in the records of a batch: in long form one label each, in wide form one of each rater."""
        self.dropped.update(batch.dropped)
        self.notes.update(batch.notes)
        columns = batch.columns
        self.wide = not (RATER in columns and LABEL in columns)
        empty = [None] * len(batch)
        names = (PLACE, FAULT, *self._kept())
        rest = [columns.get(name) or empty for name in names]
        further = self.contents.rows(columns, len(batch))
        self._take_same(batch)
        if not self.wide:
            reasons = columns.get(REASON) or empty
            rows = zip(columns["id"], columns[RATER], columns[LABEL], reasons, further, *rest, strict=True)
            for word, rater, label, reason, values, place, fault, *kept in rows:
                if is_blank(rater) and not fault:
                    self.nameless.append(str(place or word))
                    continue
                if str(rater) not in self.rules.raters:
                    self.other_raters[str(rater)] += 1
                    self.dropped["other_rater"] += 1
                    continue
                item = self._item(str(word), place, fault, kept)
                self._take(item, str(rater), label, reason, place)
                if values:
                    item.contents = item.contents or ItemContents()
                    self.contents.take(item.contents, str(rater), values)
            return
        raters = self.rules.raters
        labels = [columns.get(rater) or empty for rater in raters]
        reasons_of = [columns.get(f"{rater}.{REASON}") or empty for rater in raters]
        for i, word in enumerate(columns["id"]):
            place, fault, *kept = (column[i] for column in rest)
            item = self._item(str(word), place, fault, kept)
            for j, rater in enumerate(raters):
                self._take(item, rater, labels[j][i], reasons_of[j][i], place)

    def _take_same(self, batch: Batch) -> None:
        """Takes the hashes of the answers of a batch: of each item those of its first record with a text."""
        if self.same is not None:
            hashes = zip(*self.same.of(batch.columns, len(batch)), strict=True)
            for word, own in zip(batch.columns["id"], hashes, strict=True):
                if own[0]:
                    self._same.setdefault(str(word), own)

    def take(self, batch: Batch) -> TakenBatch:
        """Adds a batch, as the loop over batches does."""
        self.add(batch)
        return TakenBatch(len(batch))

    def left_out(self) -> ConsistencyCounts:
        """What is known of the records that enter no row."""
        done = ConsistencyCounts(self.dropped, notes=self.notes)
        for rater in self.rules.raters:
            done.absent[rater] = sum(1 for item in self.items.values() if rater not in item.labels)
        done.contents, done.apart = self.contents.held, self.contents.apart
        if self.nameless:
            done.counts[MALFORMED] += len(self.nameless)
            done.add_findings(MALFORMED, [(place, "no rater is named") for place in self.nameless], len(self.nameless))
        return done

    def _kept(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*(EVIDENCE if self.evidence == "either" else ()), *self.by, *self.placed)))

    def _item(self, word: str, place: str | None, fault: str | None, kept: Sequence[Any]) -> JoinedItem:
        item = self.items.setdefault(word, JoinedItem())
        item.records += 1
        item.place = item.place or place or ""
        if fault and not item.fault:
            item.fault = fault
            self._note_place(item, FAULT, place)
        for name, value in zip(self._kept(), kept, strict=True):
            if value is None:
                continue
            known = item.evidence.setdefault(name, value)
            if known != value and name not in item.conflict:
                item.conflict = f"{item.conflict}, {name}" if item.conflict else name
        return item

    def _take(self, item: JoinedItem, rater: str, label: Any, reason: Any, place: str | None) -> None:
        held = item.labels.setdefault(rater, [])
        if self.rules.missing and label in (None, ""):
            label = self.rules.missing
        if held and not item.repeated:
            item.repeated = f"{rater}\0{place}"  # one text for both: there are many items
        if self._is_odd(rater, label):
            self._note_place(item, rater, place)
        written = label is not None or self.rules.typing == "strict"
        held.append(label if written else False)  # to the reference scorer null is a label like any that is no text
        if reason:
            item.reasons[rater] = str(reason)[:REASON_KEPT]

    def _is_odd(self, rater: str, label: Any) -> bool:
        try:
            return self.rules.label(rater, label) == UNKNOWN_LABEL
        except FaultError:
            return True

    def _note_place(self, item: JoinedItem, name: str, place: str | None) -> None:
        """Notes where something is wrong: of several records the one whose label counts."""
        if item.odd is None:
            item.odd = {}
        if place and not (self.duplicates == "first" and name in item.odd):
            item.odd[name] = place

    def batches(self) -> Iterator[Task]:
        """Tasks of joined rows, sorted by id. Raises DataError or Findings for items labelled twice, if that is so."""
        if self.duplicates == "error":
            self._refuse_repeated()
        words = sorted(self.items)
        self._met = {word: n for n, word in enumerate(self.items)}
        for start in range(0, len(words), ROWS):
            yield BatchAsTask(self._batch(words[start : start + ROWS]))

    def _refuse_repeated(self) -> None:
        repeated = [(word, item) for word, item in self.items.items() if item.repeated]
        for word, item in repeated[:1]:
            rater, place = item.repeated.split("\0")
            do = f"{apart(self.key())}, else audit.duplicates=first, last or votes"
            what = f"{rater} labels the item '{word}' twice"
            raise and_more(DataError(place, what, f"first at {item.place}", do), len(repeated) - 1)

    def _batch(self, words: Sequence[str]) -> Batch:
        items = [self.items[word] for word in words]
        columns: dict[str, list[Any]] = {"id": list(words), PLACE: [item.place for item in items]}
        for rater in self.rules.raters:
            columns[rater] = [self._label(item, rater) for item in items]
            columns[f"{rater}.{REASON}"] = [item.reasons.get(rater) for item in items]
        columns[FAULT] = [item.fault for item in items]
        columns[ODD_PLACES] = [item.odd for item in items]
        for name in self._kept():
            columns[name] = [item.evidence.get(name) for item in items]
        columns[CONFLICT] = [item.conflict for item in items]
        columns[MET] = [self._met[word] for word in words]
        if self.same is not None:
            hashes = [self._same.get(word, NO_ANSWER) for word in words]
            columns |= {name: [own[at] for own in hashes] for at, name in enumerate(SAME)}
        columns[CONTENT] = [self.contents.differing(item.contents) for item in items]
        if self.contents.held:
            columns[TEXT] = [self.contents.text(item.contents) for item in items]
        spare = [self._spare(item) for item in items]
        columns[RECORDS] = [item.records - n for item, n in zip(items, spare, strict=True)]
        dropped = Counter({DUPLICATE: sum(spare)}) if any(spare) else Counter[str]()
        return Batch(columns, dropped)

    def _spare(self, item: JoinedItem) -> int:
        """How many of an item's records are not needed for its labels."""
        if self.duplicates == "votes":
            return 0
        return item.records - (1 if self.wide else len(item.labels))

    def _label(self, item: JoinedItem, rater: str) -> Any:
        """A rater's label of an item: the only one, the first or last, or what the votes come to."""
        labels = item.labels.get(rater, [])
        if len(labels) < 2:
            return labels[0] if labels else None
        if self.duplicates != "votes":
            return labels[0] if self.duplicates == "first" else labels[-1]
        try:
            read = [(self.rules.label(rater, label), label) for label in labels]
        except FaultError:
            return labels[-1]
        votes = [as_text(raw) if label == UNKNOWN_LABEL else label for label, raw in read if label is not None]
        reduction = reduced(votes, self.tie) if votes else None
        if reduction != self.tie or self.tie in votes or self.tie in self.rules.labels:
            return reduction
        return Tied(", ".join(f"{label} × {n}" for label, n in Counter(votes).most_common()))


@dataclass(frozen=True)
class BatchAsTask:
    """A batch that is there already, as a task."""

    batch: Batch

    def __call__(self) -> Batch:
        return self.batch
