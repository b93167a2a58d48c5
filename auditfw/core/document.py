"""What a report says, before any medium decides how: sections of notes, tables, charts, exhibits and galleries.

All strings are plain data. Only `escaping.py` turns them into terminal, Markdown or HTML text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .digits import fixed, interval_digits, short

FEW = 10  # trials: a number of fewer is not shaded
Side = Literal["lower", "higher"]
Align = str  # one character a column: "<" text, ">" number


@dataclass(frozen=True)
class Note:
    """A sentence or two; `brief` is the part that matters most, for where there is little room ("": all of it)."""

    text: str
    brief: str = ""


class NumberText(str):
    """A number of a table as text, with its interval in brackets; `shown` is its own part of the text."""

    shown: str
    value: float | None
    low: float | None
    high: float | None

    def __new__(cls, shown: str, ends: str, value: float | None, low: float | None, high: float | None) -> NumberText:
        text = super().__new__(cls, f"{shown} {ends}")
        text.shown, text.value, text.low, text.high = shown, value, low, high
        return text

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.shown, self.ends, self.value, self.low, self.high

    @property
    def ends(self) -> str:
        """The part of the interval."""
        return self[len(self.shown) + 1 :]


def with_ends(
    shown: str, value: float | None, low: float | None, high: float | None, written: Callable[[float], str]
) -> str:
    """The text of a number with its interval, where it has one, whose ends are `written` so."""
    if low is None or high is None:
        return shown
    return NumberText(shown, f"[{written(low)}, {written(high)}]", value, low, high)


def estimated(value: float, low: float | None, high: float | None, share: bool = False) -> str:
    """A number with its interval for people, in as many decimal places as the interval bears (`interval_digits`)."""
    digits = interval_digits(low, high, share)
    return with_ends(fixed(value, digits), value, low, high, lambda end: fixed(end, digits))


@dataclass(frozen=True)
class Table:
    """Rows of formatted cells under column names; `left_out` rows were cut from the end."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    align: Align = ""
    caption: str = ""
    left_out: int = 0


@dataclass(frozen=True)
class Mark:
    """A named part of a text, `start` to `end` in characters of the whole text, before anything was cut out."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Snippet:
    """A labelled part of model text, `omitted` characters cut out between head and tail.

    `marks` are what a page lights up in it: the region that a parser kept, the truth where it occurs.
    """

    label: str
    head: str
    tail: str = ""
    omitted: int = 0
    span: tuple[int, int] | None = None
    marks: Sequence[Mark] = ()

    def unplaced(self) -> dict[str, Any]:
        """What goes where the text is another one: its places."""
        return {"span": None, "marks": ()}

    def edges(self) -> dict[str, bool]:
        """The texts that were cut, and whether at their ends."""
        return {"head": True, "tail": False} if self.omitted else {}


@dataclass(frozen=True)
class Grid:
    """A grid of small numbers 0 to 9 that a page draws as a picture; `differs` are the (row, column) to point out."""

    title: str
    rows: Sequence[Sequence[int]]
    differs: Sequence[tuple[int, int]] = ()


@dataclass(frozen=True)
class Exhibit:
    """One trial shown verbatim: its facts, its texts as snippets, its grids.

    `tags` place it in a gallery: for each of its facets the values it has there, each with a word a name of the facet.
    `changes` are the readings whose label is not the reference's, each with its label; None where they are not known.
    `key` is there where a reader may decide on its label (`sampling.trial_key`). `order` has the readings for which it
    was drawn, each with how many that it changes in the same direction were drawn before: it may be here for another.
    """

    title: str
    facts: Sequence[tuple[str, str]]
    snippets: Sequence[Snippet]
    grids: Sequence[Grid] = ()
    tags: Sequence[Sequence[tuple[str, ...]]] = ()
    changes: Mapping[str, str] | None = None
    key: str = ""
    order: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Gallery:
    """Exhibits to filter and look through on a page; other reports only mention them.

    A facet is one name, or several that go together: with `("reading", "direction")` an exhibit that has the values
    `("answer_v2+v1", "to right")` and `("after_think+v2", "to wrong")` is not found by the reading of the one and the
    direction of the other. `total` counts all that could have been shown, in the words `of`.
    """

    facets: Sequence[tuple[str, ...]]
    exhibits: Sequence[Exhibit]
    total: int
    of: str


SeriesRole = Literal["", "candidate", "reference", "better", "worse"]


@dataclass(frozen=True)
class Series:
    """One line, cloud or set of bars of a chart: x and y of each point, and a word beside it where `labels` has one.

    `role` gives it the colour of what it is; without one it has a colour of its own. `x` holds numbers, or names in
    the order they are shown; all are finite. `low` and `high` are the ends of the interval of each y, None where
    there is none; both are empty where no point has one. `failed` are the points of what failed a gate.
    """

    name: str
    x: Sequence[float | str]
    y: Sequence[float]
    labels: Sequence[str] = ()
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    role: SeriesRole = ""
    failed: Sequence[bool] = ()

    def has_failed(self, i: int) -> bool:
        """Whether the point at place i is of what failed a gate."""
        return i < len(self.failed) and self.failed[i]

    def interval(self, i: int) -> tuple[float, float] | None:
        """The interval of the point at place i, where it has both ends."""
        low = self.low[i] if i < len(self.low) else None
        high = self.high[i] if i < len(self.high) else None
        return None if low is None or high is None else (low, high)

    def value_text(self, i: int) -> str:
        """The y of the point at place i, marked where it failed, with its interval in brackets where it has one."""
        low, high = self.interval(i) or (None, None)
        return with_ends(shown(self.y[i]) + " ×" * self.has_failed(i), self.y[i], low, high, shown)


@dataclass(frozen=True)
class GateLine:
    """A line that a gate draws: at `y` for the x called `at`, or across the whole chart where that is ""."""

    name: str
    y: float
    at: str = ""


@dataclass(frozen=True)
class Chart:
    """A picture as data: series over one pair of axes called `x` and `y`; `ends` fixes the two ends of the y axis.

    `metric` is what y measures, or `metrics` which metric each x names: the gates on it are drawn as `bounds`.
    `choices` are drawn beneath the x axis: for each name (parser, normalizer, ...) what was chosen at each x of the
    first series, as in a specification curve. A report that cannot draw shows it as a table.
    """

    title: str
    x: str
    y: str
    series: Sequence[Series]
    kind: Literal["line", "points", "bars"] = "line"
    ends: tuple[float, float] | None = None
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    metric: str = ""
    metrics: Mapping[str, str] = field(default_factory=dict)
    bounds: Sequence[GateLine] = ()

    def as_table(self) -> Table:
        """The numbers, a row for each x and a column a series; with labels a row a point."""
        if any(one.labels for one in self.series):
            rows = [
                [one.name, one.labels[i] if i < len(one.labels) else "", shown(x), one.value_text(i)]
                for one in self.series
                for i, x in enumerate(one.x)
            ]
            return Table(["series", "point", self.x, self.y], rows, "<<>>", self.title)
        places = list(dict.fromkeys(x for one in self.series for x in one.x))
        known = [{x: one.value_text(i) for i, x in enumerate(one.x)} for one in self.series]
        rows = [[shown(x), *(of.get(x, "") for of in known)] for x in places]
        side = "<" if any(isinstance(x, str) for x in places) else ">"
        return Table([self.x, *(one.name for one in self.series)], rows, side + ">" * len(known), self.title)


def shown(value: float | str) -> str:
    """A number of a chart in at most four digits; a name as it is."""
    return value if isinstance(value, str) else short(value)


@dataclass(frozen=True)
class Matrix:
    """Numbers by row and column, shaded by size: a heat map, a confusion matrix, scores by problem and iteration.

    `shown[i][j]` is the number `values[i][j]` as text, "" with None where there is none. `ends` are the numbers of the
    faintest and the strongest shade (None: the least and the largest there are); `diverging` shades both signs, away
    from 0, of which `better` is the better one. `counts` are the trials behind each number: one of fewer than FEW is
    hatched and has no shade. `notes` are a word at the end of each row under the head `note`.
    """

    title: str
    corner: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    shown: Sequence[Sequence[str]]
    diverging: bool = False
    ends: tuple[float, float] | None = None
    notes: Sequence[str] = ()
    note: str = ""
    left_out: int = 0
    better: Side | None = None
    counts: Sequence[Sequence[int]] = ()

    def as_table(self) -> Table:
        """The same numbers as a table."""
        ends = [[note] for note in self.notes] or [[]] * len(self.rows)
        rows = [[name, *cells, *end] for name, cells, end in zip(self.rows, self.shown, ends, strict=True)]
        heads = [self.corner, *self.columns, *([self.note] if self.notes else [])]
        align = "<" + ">" * len(self.columns) + "<" * bool(self.notes)
        return Table(heads, rows, align, self.title, self.left_out)


Block = Note | Table | Exhibit | Chart | Matrix | Gallery
ScreenPlace = Literal["", "who", "example", "picture", "data"]
PageGroup = Literal["answer", "who", "look", "sound", "rest"]


@dataclass
class Section:
    """A headed part of a report; `level` 2 or 3; `console` marks what also goes to the terminal.

    `page` marks what only a page (report.html) shows: pictures of what tables show elsewhere, and galleries. `screen`
    is its place on the first screen, which every report has with its answer: `who`, the person's question as one table;
    `example`, one case verbatim, in notes; `picture`, whose first chart shows the answer with the first note; `data`,
    notes on what was read. `off_page` marks what a page leaves out, because it shows the same in another section;
    `folded` is the line under which a page hides the section until it is opened, `group` the part of the page it is in:
    `who` answers the person's question, `look` shows cases, `sound` says whether the data and the numbers are.
    """

    title: str
    blocks: list[Block] = field(default_factory=list)
    level: int = 2
    console: bool = False
    page: bool = False
    screen: ScreenPlace = ""
    off_page: bool = False
    folded: str = ""
    group: PageGroup = "who"


def grouped(group: PageGroup, *sections: Section | None) -> list[Section]:
    """Those of the sections that say something, in this group of the page."""
    return [replace(section, group=group) for section in sections if section is not None and section.blocks]


def kept_places(ordered: Sequence[int], notable: Collection[int], most: int, first: int = 3) -> list[int]:
    """Which of many rows are shown, at most `most`, in their order: the first, the last, those that are notable."""
    if len(ordered) <= most:
        return list(ordered)
    wanted = [*ordered[:first], ordered[-1], *(at for at in ordered if at in notable)]
    kept = list(dict.fromkeys(wanted))[:most]
    return [at for at in ordered if at in kept]


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


def some(n: int, noun: str, plural: str = "") -> str:
    """A number of things in words: "1 item", "2,000 items"; `plural` where it is not the noun and an s."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def capital(text: str) -> str:
    """A text that begins a sentence."""
    return text[:1].upper() + text[1:]


def verb(n: int, singular: str, plural: str) -> str:
    """The form of a verb that goes with a number of things: 1 "differs", 2 "differ"."""
    return singular if n == 1 else plural
