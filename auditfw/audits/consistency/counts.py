"""What batches of judged rows came to, and how they are merged: exact, whatever the number of processes."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from auditfw.audits.batches import Taken
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


@dataclass(frozen=True)
class Shows:
    """A row to be shown: its rank in the seeded draw, its id, its pattern, and the exhibit but for what was decided."""

    rank: bytes
    id: str
    pattern: Pattern
    exhibit: Exhibit


@dataclass(frozen=True)
class Odd:
    """A row with labels that are not declared, as they stand, to be decided on its own: its place in the batch."""

    at: int
    labels: Labels
    shown: Shown


@dataclass
class ConsistencyCounts:
    """What one batch came to; `ids`, `codes` and `odd` are its rows, `patterns` what the codes stand for.

    `shows` are the rows drawn for each section, `browsed` those drawn to be looked through on a page.
    """

    counts: Counter[str] = field(default_factory=Counter)
    cells: dict[CellKey, Counter[Pattern]] = field(default_factory=dict)
    faults: dict[CellKey, Counter[str]] = field(default_factory=dict)  # by validator
    notes: Counter[str] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)  # rater, label
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    found: Counter[str] = field(default_factory=Counter)
    shows: dict[str, list[Shows]] = field(default_factory=dict)
    browsed: list[Shows] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)  # as `Rules.seen`
    aliases: set[tuple[str, str]] = field(default_factory=set)  # as `Rules.used`
    alike: Counter[str] = field(default_factory=Counter)  # rows with reasons by all, and with equal ones
    hashes: array[int] = field(default_factory=lambda: array("q"))  # of ids, by this process's `salt`
    salt: int = 0
    mixed: bool = False
    ids: Sequence[str] = ()
    by: list[list[Value]] = field(default_factory=list)
    codes: bytes | list[int] = b""
    looked_at: int = 0  # so many rows were looked at one by one
    patterns: list[Pattern] = field(default_factory=list)
    odd: list[Odd] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)  # id and FILE:LINE of rows that are found fault with

    def find(self, bucket: str, findings: Iterable[Finding], n: int) -> None:
        """Notes where rows of a bucket are; the first ones by name, all of them counted."""
        kept = self.findings.setdefault(bucket, [])
        kept += list(findings)[: FINDINGS_KEPT - len(kept)]
        self.found[bucket] += n

    def merge(self, other: ConsistencyCounts, most: int, browsed: int = 0) -> None:
        """Adds a later batch, but for its rows; `most` rows are kept to be shown in each section, of least rank.

        Some times `browsed` rows are kept to be looked through: `spread` draws from them in the end.
        """
        for name in ("counts", "notes", "found", "alike"):
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
            self.find(bucket, findings, 0)
        for section, shown in other.shows.items():
            both = [*self.shows.get(section, []), *shown]
            self.shows[section] = heapq.nsmallest(most, both, key=lambda show: (show.rank, show.id))
        self.browsed += other.browsed
        if len(self.browsed) > ROOM * browsed:
            self.browsed = spread(self.browsed, browsed)
        self.mixed = self.mixed or bool(self.hashes and other.hashes and self.salt != other.salt)
        self.salt = other.salt if other.hashes else self.salt
        self.hashes.extend(other.hashes)

    def taking(
        self, context: Context, add: Callable[[ConsistencyCounts], None]
    ) -> Callable[[ConsistencyCounts], Taken]:
        """What takes in one batch's counts after another; `add` puts its rows into the tables."""

        def take(part: ConsistencyCounts) -> Taken:
            add(part)
            self.merge(part, context.limits.max_examples, context.limits.max_exhibits)
            return Taken(len(part.ids), len(self.cells))

        return take


def spread(shown: Iterable[Shows], most: int) -> list[Shows]:
    """At most `most` rows, in turns from each pattern, so that the rare ones are there."""
    return [show for _, _, show in fair(((show.pattern, (show.rank, show.id), show) for show in shown), most)]
