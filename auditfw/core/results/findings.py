"""Findings of questions in the table of labels, with their numbers, and what could not be looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

Effect = Literal["broken", "fragile", "unknown", "reported"]
EFFECTS: tuple[Effect, ...] = ("broken", "fragile", "unknown", "reported")  # the worst first
ITEMS, PLACES, CELLS = 20, 5, 20  # at most, of a finding


class CellCount(NamedTuple):
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
    in a line of several. `detail` are further numbers. Of items and cells the first are named, of places PLACES.
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
    headline: str = ""
    next: str = ""

    def __post_init__(self) -> None:
        for name, most in (("cells", CELLS), ("items", ITEMS), ("places", PLACES)):
            object.__setattr__(self, name, list(getattr(self, name))[:most])
        object.__setattr__(self, "explains", list(self.explains))
        if not self.brief:
            object.__setattr__(self, "brief", f"{self.value:,.10g} {self.kind.replace('_', ' ')}")


class NotChecked(NamedTuple):
    """A kind of finding that could not be looked for, and why, in words that say which column is missing."""

    kind: str
    why: str


@dataclass(frozen=True)
class FindingKind:
    """A kind of finding: its name, what it is in one sentence, and what it explains where both are there.

    One that is not on `screen` is on the page and in the file alone. Calling it makes a finding of it.
    """

    name: str
    about: str
    explains: tuple[str, ...] = ()
    screen: bool = True

    def __call__(self, value: float, of: float | None, text: str, **further: Any) -> Finding:
        """A finding of this kind, by the fields of `Finding`."""
        return Finding(self.name, value, of, text, **{"explains": self.explains, **further})

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
