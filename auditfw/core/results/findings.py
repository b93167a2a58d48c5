"""Findings of questions in the table of labels, with their numbers, and what could not be looked for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Effect = Literal["broken", "fragile", "unknown", "reported"]
EFFECTS: tuple[Effect, ...] = ("broken", "fragile", "unknown", "reported")  # the worst first
KNOWN = "known"  # in the detail of a finding: why it is no fault
ITEMS, PLACES, CELLS = 20, 5, 20  # at most, of a finding


@dataclass(frozen=True)
class CellCount:
    """A cell, by the columns that make it, and how many of a finding's rows or items are in it."""

    cell: Mapping[str, Any]
    value: float


@dataclass(frozen=True)
class Finding:
    """One thing that a question shows.

    `value` of `of` rows, items … are so, `expected` would be by chance; `low` and `high` are the ends of the interval
    of the share, in percent, `p` is adjusted. `points` says how far the rate of the reference could move by it, in
    percentage points; None where that means nothing. `effect` is the status of the answer that it stands for,
    "reported" for none. `explains` are the kinds of findings and the rules of the answer whose cause it is, where those
    are there. `text` says it in one sentence; `headline` and `next` are those of an answer that it leads; `brief` is it
    in a line of several, and `shown` says whether the first screen of a terminal may have it. `detail` are further
    numbers. Of items and cells the first are named, of places PLACES.
    """

    kind: str
    value: float
    of: float | None
    text: str
    effect: Effect = "reported"
    points: float | None = None
    low: float | None = None
    high: float | None = None
    expected: float | None = None
    p: float | None = None
    cells: Sequence[CellCount] = ()
    items: Sequence[str] = ()
    places: Sequence[str] = ()
    detail: Mapping[str, Any] = field(default_factory=dict)
    explains: Sequence[str] = ()
    brief: str = ""
    shown: bool = True
    headline: str = ""
    next: str = ""

    @property
    def known(self) -> bool:
        """Whether it is known already, and no fault."""
        return KNOWN in self.detail

    def __post_init__(self) -> None:
        for name, most in (("cells", CELLS), ("items", ITEMS), ("places", PLACES)):
            object.__setattr__(self, name, list(getattr(self, name))[:most])
        object.__setattr__(self, "explains", list(self.explains))
        if not self.brief:
            object.__setattr__(self, "brief", f"{self.value:,.10g} {self.kind.replace('_', ' ')}")


@dataclass(frozen=True)
class NotChecked:
    """A kind of finding that could not be looked for, and why, in words that say which column is missing."""

    kind: str
    why: str


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding: its name, what it is in one sentence, and what it explains where both are there.

    `needs` are the columns of a source without which it cannot be looked for (of "a|b" either will do), each with the
    words for its lack ("finish reasons are not recorded"). One that is not on `screen` is on the page and in the file
    alone. Calling it makes a finding of it.
    """

    name: str
    about: str
    explains: tuple[str, ...] = ()
    screen: bool = True
    needs: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, value: float, of: float | None, text: str, **further: Any) -> Finding:
        """A finding of this kind, by the fields of `Finding`."""
        return Finding(self.name, value, of, text, **{"explains": self.explains, "shown": self.screen, **further})

    def lacking(self, columns: Collection[str]) -> NotChecked | None:
        """That it cannot be looked for among these columns, and which to map; None where it can."""
        lacks = [(of, words) for of, words in self.needs.items() if not any(name in columns for name in of.split("|"))]
        if not lacks:
            return None
        words = " and ".join(words for _, words in lacks)
        do = ", ".join(" or ".join(f"source.columns.{name}" for name in of.split("|")) for of, _ in lacks)
        return self.unchecked(f"{words}: map {do}")

    def unchecked(self, why: str) -> NotChecked:
        """That it could not be looked for, and why."""
        return NotChecked(self.name, why)


@dataclass(frozen=True)
class Known:
    """What is known of a finding already: its value then, and why it is no fault."""

    value: float
    why: str

    def covers(self, finding: Finding) -> bool:
        """Whether a finding is no more than half as much again as what is known."""
        return finding.value <= 1.5 * self.value


FACTS = 2  # of a line


def facts_line(findings: Sequence[Finding], kinds: Collection[str], listed: str) -> str:
    """The largest findings by points, how many more may be shown, and where all are `listed`.

    Those of `kinds` are left out, which an answer names; "" where there is none.
    """
    shown = [one for one in findings if one.shown and one.kind not in kinds]
    first = sorted(shown, key=lambda one: (one.points is None, -(one.points or 0.0)))[:FACTS]
    parts = [f"{one.brief}{_points(one, place)}" for place, one in enumerate(first)]
    more = len(shown) - len(first)
    parts += [f"+{more} more{listed}"] if parts and more else []
    return " · ".join(parts)


def _points(finding: Finding, place: int) -> str:
    """How far the rate could move at most, in brackets; the first in a line says what the number is."""
    if not finding.points:
        return ""
    number = f"{finding.points:.1f}" if finding.points >= 0.05 else "<0.1"
    return f" ({number})" if place else f" (≤ {number} points)"
