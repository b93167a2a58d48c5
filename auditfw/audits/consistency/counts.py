"""What batches of judged rows came to, and how they are merged: exact, whatever the number of processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from auditfw.core.document import Exhibit
from auditfw.core.sampling import Drawn, FairDraw, fair

from .joins.contents import ContentColumn
from .rules import Pattern
from .table import NO_ROWS, CellKey, RatedRows

FINDINGS_KEPT = 40
LABELS_LISTED = 50

Finding = tuple[str, str]  # FILE:LINE, and what is wrong


class ShownRow(NamedTuple):
    """A row to be shown: its id, its pattern, and the exhibit but for what was decided."""

    id: str
    pattern: Pattern
    exhibit: Exhibit


@dataclass
class ConsistencyCounts:
    """What one batch came to, or all of them.

    `rows` are those of a batch, `shown` by section those that may be drawn; `draws` draw at most `most` of a section.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: dict[CellKey, Counter[str]] = field(default_factory=dict)  # by validator
    notes: Counter[str] = field(default_factory=Counter)
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)  # rater, label
    absent: Counter[str] = field(default_factory=Counter)  # items for which a rater's file has no record
    ties: int = 0  # of votes, where a tie gives no declared label
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    finding_counts: Counter[str] = field(default_factory=Counter)
    shown: dict[str, list[Drawn[ShownRow]]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)  # as `Rules.seen`
    aliases: set[tuple[str, str]] = field(default_factory=set)  # as `Rules.used`
    alike: Counter[str] = field(default_factory=Counter)  # rows with reasons by all, and with equal ones
    contents: Sequence[ContentColumn] = ()  # columns in which joined records are compared
    apart: Sequence[str] = ()  # columns called as content is, in which raters never say the same
    texts: list[int] | None = None  # numbers of the texts of all rows, negative for a short one, where they are read
    met: list[int] = field(default_factory=list)  # of joined rows how many items were met before each
    rows_checked: int = 0  # so many rows were looked at one by one
    rows: RatedRows = NO_ROWS
    most: int = 0
    draws: dict[str, FairDraw[ShownRow]] = field(default_factory=dict)

    def add_findings(self, bucket: str, findings: Iterable[Finding], n: int) -> None:
        """Notes where rows of a bucket are; the first ones by name, all of them counted."""
        kept = self.findings.setdefault(bucket, [])
        kept += list(findings)[: FINDINGS_KEPT - len(kept)]
        self.finding_counts[bucket] += n

    def merge(self, other: ConsistencyCounts) -> None:
        """Adds a later batch, but for its rows."""
        self.ties += other.ties
        for name in ("counts", "notes", "finding_counts", "alike", "absent"):
            getattr(self, name).update(getattr(other, name))
        self.contents, self.apart = other.contents or self.contents, other.apart or self.apart
        if other.texts is not None:
            self.texts = [] if self.texts is None else self.texts
            self.texts += other.texts
        self.met += other.met
        self.flags |= other.flags
        self.aliases |= other.aliases
        for label, n in other.unknown.items():
            if label in self.unknown or len(self.unknown) < LABELS_LISTED:
                self.unknown[label] += n
        for cell, wrong in other.faults.items():
            self.faults.setdefault(cell, Counter()).update(wrong)
        for bucket, findings in other.findings.items():
            self.add_findings(bucket, findings, 0)

        for section, rows in other.shown.items():
            self.draws.setdefault(section, FairDraw(self.most)).take(rows)

    def drawn(self, sections: Iterable[str], most: int) -> list[ShownRow]:
        """At most `most` rows of some sections, in turns from each pattern."""
        rows = [row for name in sections if name in self.draws for row in self.draws[name].drawn()]
        return [row for _, _, row in fair(rows, most)]
