"""What a report says, before any sink decides how: sections of notes, tables, exhibits and charts.

All strings are plain data. Only `sinks.py` turns them into terminal, Markdown or HTML text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Align = str  # one character a column: "<" text, ">" number


@dataclass(frozen=True)
class Note:
    """A sentence or two."""

    text: str


@dataclass(frozen=True)
class Table:
    """Rows of formatted cells under column names; `left_out` rows were cut from the end."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: Align = ""
    caption: str = ""
    left_out: int = 0


@dataclass(frozen=True)
class Snippet:
    """A labelled stretch of model text, `omitted` characters cut out between head and tail."""

    label: str
    head: str
    tail: str = ""
    omitted: int = 0
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class Exhibit:
    """One trial shown verbatim: its facts, and its texts as snippets."""

    title: str
    facts: Sequence[tuple[str, str]]
    snippets: Sequence[Snippet]


@dataclass(frozen=True)
class Series:
    """One line, cloud or set of bars of a chart: x and y of each point, and a word beside it where `labels` has one.

    `x` holds numbers, or names in the order they are shown; all are finite.
    """

    name: str
    x: Sequence[float | str]
    y: Sequence[float]
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class Chart:
    """A picture as data: series over one pair of axes called `x` and `y`; `ends` fixes the two ends of the y axis.

    A report that cannot draw tells it as a table.
    """

    title: str
    x: str
    y: str
    series: Sequence[Series]
    kind: Literal["line", "points", "bars"] = "line"
    ends: tuple[float, float] | None = None

    def as_table(self) -> Table:
        """The numbers, a row for each x and a column a series; with labels a row a point."""
        if any(one.labels for one in self.series):
            rows = [
                [one.name, one.labels[i] if i < len(one.labels) else "", shown(x), shown(y)]
                for one in self.series
                for i, (x, y) in enumerate(zip(one.x, one.y, strict=True))
            ]
            return Table(["series", "point", self.x, self.y], rows, "<<>>", self.title)
        places = list(dict.fromkeys(x for one in self.series for x in one.x))
        known = [dict(zip(one.x, one.y, strict=True)) for one in self.series]
        rows = [[shown(x), *(shown(of[x]) if x in of else "" for of in known)] for x in places]
        side = "<" if any(isinstance(x, str) for x in places) else ">"
        return Table([self.x, *(one.name for one in self.series)], rows, side + ">" * len(known), self.title)


def shown(value: float | str) -> str:
    """A number of a chart in at most four digits; a name as it is."""
    return value if isinstance(value, str) else f"{value:.4g}"


Block = Note | Table | Exhibit | Chart


@dataclass
class Section:
    """A headed part of a report; `level` 2 or 3; `console` marks what also goes to the terminal."""

    title: str
    blocks: list[Block] = field(default_factory=list)
    level: int = 2
    console: bool = False


def snip(text: str, head: int, tail: int) -> tuple[str, str]:
    """Cuts a long text to its head and tail; a text of at most head + tail + 30 characters stays whole as the head.

    As in the reports of `audit_answer_parsing.py`, a tail of 0 characters is the whole text again (`text[-0:]`).
    """
    if len(text) <= head + tail + 30:
        return text, ""
    return text[:head], text[-tail:]


def snippet(label: str, text: str, head: int, tail: int = 0, span: tuple[int, int] | None = None) -> Snippet:
    """A labelled snippet of a text: its head, its tail if asked for, and how much was left out between."""
    first, last = snip(text, head, tail)
    last = last if tail else ""
    return Snippet(label, first, last, len(text) - len(first) - len(last), span)
