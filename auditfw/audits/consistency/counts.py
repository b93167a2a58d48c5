"""What batches of judged rows came to, and how they are merged: exact, whatever the number of processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from auditfw.core.document import Exhibit
from auditfw.core.native.columns import NONE, OBJECT, ODD, TEXTS, TextSlices, coded, crossed, marked, within
from auditfw.core.sampling import Drawn, FairDraw, fair
from auditfw.kinds.judgements import ANSWER, CITED, FAULT, GIVEN_FLAGS, RETRIEVED

from .joins.contents import ContentColumn
from .rules import Pattern
from .same_texts import SameHashes
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
    same: SameHashes | None = None  # of the answers of all rows, where they are asked
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
        if other.same is not None:
            self.same = self.same or SameHashes.none()
            self.same.extend(other.same)
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


# Rows that cannot differ in what they come to, found without looking at each: one of every group is looked at.

MOST_ALONE = 0.5  # of the rows; with more of them, looking at all is as quick

EMPTY, OUTSIDE = 1, 3
CHECKED_COLUMNS = (GIVEN_FLAGS, ANSWER, RETRIEVED, FAULT)


@dataclass(frozen=True)
class Groups:
    """A batch's rows by group: `codes` has each row's, `rows` are those to look at.

    These are the first of each group, and the rows of groups whose rows may differ (`alone`).
    """

    codes: bytes
    rows: list[int]
    alone: frozenset[int]
    places: Mapping[int, int]  # of each row to look at, among these
    firsts: Sequence[int]
    raters: Sequence[str]

    def columns(self, columns: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """The columns of the rows to look at, as lists."""
        return {
            name: [columns[name][i] for i in self.rows] for name in (*self.raters, *CHECKED_COLUMNS) if name in columns
        }

    def place(self, row: int) -> int:
        """Where the row that stands for a row is, among those to look at."""
        return self.places[row if row in self.alone else self.firsts[self.codes[row]]]

    def spread(self, numbers: Sequence[int]) -> bytes:
        """For every row the number, below 256, of the row that stands for it."""
        table = bytes(numbers[self.places[first]] for first in self.firsts)
        codes = bytearray(self.codes.translate(table.ljust(256, b"\0")))
        for row in self.alone:
            codes[row] = numbers[self.places[row]]
        return bytes(codes)


def grouped(columns: Mapping[str, Sequence[Any]], raters: Sequence[str]) -> Groups | None:
    """The groups of a batch; None where it is not in one block of bytes, or grouping gains nothing."""
    names = (*raters, GIVEN_FLAGS, ANSWER, CITED, RETRIEVED, FAULT)
    held = {name: column for name in names if isinstance(column := columns.get(name), TextSlices)}
    if any(name in columns and name not in held for name in names) or not set(raters) <= set(held):
        return None
    if ANSWER in held and CITED not in held:
        return None
    codes = [coded(held[name]) for name in (*raters, GIVEN_FLAGS) if name in held]
    evidence = [held[name].kinds for name in (ANSWER, CITED, RETRIEVED) if name in held]
    inside = within(held[CITED], held[RETRIEVED]) if CITED in held and RETRIEVED in held else None
    several = crossed([code for code in (*codes, *evidence, inside) if code is not None])
    if None in codes or several is None:
        return None
    group_codes, firsts = several
    own = {n for n, row in enumerate(firsts) if _differs_within(held, inside, row)}
    alone = {*marked(group_codes, own), *held[raters[0]].given, *(held[FAULT].some() if FAULT in held else ())}
    if len(alone) > MOST_ALONE * len(group_codes):
        return None
    rows = sorted({*firsts, *alone})
    return Groups(group_codes, rows, frozenset(alone), {row: n for n, row in enumerate(rows)}, firsts, raters)


def _differs_within(held: Mapping[str, TextSlices], inside: bytes | None, row: int) -> bool:
    """Whether rows of the group of this one may come to different things."""
    kinds = {name: column.kinds[row] for name, column in held.items()}
    if ODD in kinds.values():
        return True
    if ANSWER not in kinds or kinds[ANSWER] in NONE:
        return False
    if kinds[ANSWER] != OBJECT or any(kinds.get(name, TEXTS) not in NONE | {TEXTS} for name in (CITED, RETRIEVED)):
        return True
    both = kinds[CITED] == TEXTS and kinds.get(RETRIEVED) == TEXTS
    if inside is None:
        return kinds[CITED] == TEXTS  # whether the list is empty is not known
    return both and not EMPTY <= inside[row] <= OUTSIDE
