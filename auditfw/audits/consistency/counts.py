"""What batches of judged rows came to, and how they are merged: exact, whatever the number of processes."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from auditfw.audits.batches import TakenBatch
from auditfw.core.document import Exhibit
from auditfw.core.records import Value
from auditfw.core.sampling import fair
from auditfw.kinds.context import Context
from auditfw.kinds.judgements import Shown

from .rules import Labels, Pattern

FINDINGS_KEPT = 40
ROOM = 4  # so many times the rows to look through may wait to be drawn from
LABELS_LISTED = 50

CellKey = tuple[Value, ...]
Finding = tuple[str, str]  # FILE:LINE, and what is wrong
PlacedPattern = tuple[CellKey, str | None, str | None, Pattern]  # the cell, the item, which answer came first


@dataclass(frozen=True)
class ShownRow:
    """A row to be shown: its rank in the seeded draw, its id, its pattern, and the exhibit but for what was decided."""

    rank: bytes
    id: str
    pattern: Pattern
    exhibit: Exhibit


@dataclass(frozen=True)
class UndeclaredRow:
    """A row with labels that are not declared, as they stand, to be decided on its own: its place in the batch."""

    at: int
    labels: Labels
    shown: Shown


@dataclass
class ConsistencyCounts:
    """What one batch came to; `ids`, `codes` and `odd` are its rows, `patterns` what the codes stand for.

    `placed` counts the rows by cell, item and order of presentation, where the source gives items or orders;
    `shown_rows` are the rows drawn for each section, `gallery` those drawn for the gallery of a page.
    """

    counts: Counter[str] = field(default_factory=Counter)
    cells: dict[CellKey, Counter[Pattern]] = field(default_factory=dict)
    placed: Counter[PlacedPattern] = field(default_factory=Counter)
    faults: dict[CellKey, Counter[str]] = field(default_factory=dict)  # by validator
    notes: Counter[str] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)  # rater, label
    absent: Counter[str] = field(default_factory=Counter)  # items for which a rater's file has no record
    ties: int = 0  # of votes, where a tie gives no declared label
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    finding_counts: Counter[str] = field(default_factory=Counter)
    shown_rows: dict[str, list[ShownRow]] = field(default_factory=dict)
    gallery: list[ShownRow] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)  # as `Rules.seen`
    aliases: set[tuple[str, str]] = field(default_factory=set)  # as `Rules.used`
    alike: Counter[str] = field(default_factory=Counter)  # rows with reasons by all, and with equal ones
    common: tuple[str, ...] = ()  # columns in which joined records are compared
    hashes: array[int] = field(default_factory=lambda: array("q"))  # of ids, by this process's `salt`
    salt: int = 0
    mixed: bool = False
    ids: Sequence[str] = ()
    by: list[list[Value]] = field(default_factory=list)
    codes: bytes | list[int] = b""
    rows_checked: int = 0  # so many rows were looked at one by one
    patterns: list[Pattern] = field(default_factory=list)
    odd: list[UndeclaredRow] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)  # id and FILE:LINE of rows that are found fault with

    def add_findings(self, bucket: str, findings: Iterable[Finding], n: int) -> None:
        """Notes where rows of a bucket are; the first ones by name, all of them counted."""
        kept = self.findings.setdefault(bucket, [])
        kept += list(findings)[: FINDINGS_KEPT - len(kept)]
        self.finding_counts[bucket] += n

    def merge(self, other: ConsistencyCounts, most: int, gallery_rows: int = 0) -> None:
        """Adds a later batch, but for its rows; `most` rows are kept to be shown in each section, of least rank.

        A few times `gallery_rows` rows are kept for the gallery: `spread` draws from them in the end.
        """
        self.ties += other.ties
        for name in ("counts", "notes", "finding_counts", "alike", "placed", "absent"):
            getattr(self, name).update(getattr(other, name))
        self.flags |= other.flags
        self.aliases |= other.aliases
        for label, n in other.unknown.items():
            if label in self.unknown or len(self.unknown) < LABELS_LISTED:
                self.unknown[label] += n
        for cell, counted in other.cells.items():
            self.cells.setdefault(cell, Counter()).update(counted)
        for cell, wrong in other.faults.items():
            self.faults.setdefault(cell, Counter()).update(wrong)
        for bucket, findings in other.findings.items():
            self.add_findings(bucket, findings, 0)
        for section, shown in other.shown_rows.items():
            both = [*self.shown_rows.get(section, []), *shown]
            self.shown_rows[section] = heapq.nsmallest(most, both, key=lambda show: (show.rank, show.id))
        self.gallery += other.gallery
        if len(self.gallery) > ROOM * gallery_rows:
            self.gallery = spread(self.gallery, gallery_rows)
        self.mixed = self.mixed or bool(self.hashes and other.hashes and self.salt != other.salt)
        self.salt = other.salt if other.hashes else self.salt
        self.hashes.extend(other.hashes)

    def taker(
        self, context: Context, add: Callable[[ConsistencyCounts], None]
    ) -> Callable[[ConsistencyCounts], TakenBatch]:
        """What takes in one batch's counts after another; `add` puts its rows into the tables."""

        def take(part: ConsistencyCounts) -> TakenBatch:
            add(part)
            self.merge(part, context.limits.max_examples, context.limits.max_exhibits)
            return TakenBatch(len(part.ids), len(self.cells))

        return take


def spread(shown: Iterable[ShownRow], most: int) -> list[ShownRow]:
    """At most `most` rows, in turns from each pattern, so that the rare ones are there."""
    return [show for _, _, show in fair(((show.pattern, (show.rank, show.id), show) for show in shown), most)]
