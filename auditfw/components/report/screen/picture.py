"""The one picture that shows the answer, with the bounds of the gates drawn into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from auditfw.components.report import wording
from auditfw.components.report.layout import GAP, Column, needed
from auditfw.core.digits import fixed, short
from auditfw.core.document import (
    Chart,
    GateLine,
    Note,
    NumberText,
    ScreenPlace,
    Section,
    Series,
    Table,
    shown,
    with_ends,
)
from auditfw.core.records import GateResult, Measurement, Result
from auditfw.core.result_json import finite

if TYPE_CHECKING:
    from rich.text import Text


NO_NOTE = Note("")
AHEAD: tuple[ScreenPlace, ...] = ("who", "example")


@dataclass(frozen=True)
class Picture:
    """A chart, the note that says how to read it, and the section that it was taken from, if any."""

    chart: Chart
    legend: Note = NO_NOTE
    section: Section | None = None


def first_picture(result: Result) -> Picture | None:
    """The picture that the audit marked, else the readings on the metric that matters most; None without numbers."""
    for section in placed(result, "picture"):
        chart = first_chart(section)
        if chart is not None:
            legend = next((block for block in section.blocks if isinstance(block, Note)), NO_NOTE)
            return Picture(gated(chart, result.gates), legend, section)
    chart = _readings(result)
    return None if chart is None else Picture(gated(chart, result.gates))


def placed(result: Result, place: ScreenPlace) -> list[Section]:
    """The sections of a place of the first screen that say something."""
    return [section for section in result.sections if section.screen == place and section.blocks]


def ahead(result: Result) -> list[Section]:
    """The sections that every report has before all others: the person's question as a table, and an example."""
    return [section for place in AHEAD for section in placed(result, place)]


def has_interval(sections: Sequence[Section]) -> bool:
    """Whether a table of these sections has a number with its interval."""
    tables = [block for section in sections for block in section.blocks if isinstance(block, Table)]
    return any(isinstance(cell, NumberText) for table in tables for row in table.rows for cell in row)


def first_chart(section: Section) -> Chart | None:
    """The first chart of a section that has points."""
    charts = (block for block in section.blocks if isinstance(block, Chart))
    return next((one for one in charts if any(len(series.x) for series in one.series)), None)


def gated(chart: Chart, gates: Sequence[GateResult]) -> Chart:
    """A chart with the bounds of the gates on what it shows."""
    bounds = list(dict.fromkeys(_bounds(chart, gates)))
    return replace(chart, bounds=bounds) if bounds else chart


def _bounds(chart: Chart, gates: Sequence[GateResult]) -> Iterator[GateLine]:
    for gate in gates:
        drawn = gate.on != "change" and not gate.strict and not gate.cell
        ends = [end for end in gate.ends if isfinite(end)] if drawn else []
        if chart.metric and gate.metric == chart.metric:
            yield from (GateLine(gate.name, end) for end in ends)
        at = [x for x, metric in chart.metrics.items() if metric == gate.metric]
        yield from (GateLine(gate.name, end, x) for x in at for end in ends)


def _readings(result: Result) -> Chart | None:
    """Every reading on one metric: that of the first gate where it has intervals, else the first that has."""
    overall = wording.side_by_side(result.audit, [m for m in result.measurements if m.overall])
    overall = [m for m in overall if finite(m.estimate.value) is not None]
    spans = list(dict.fromkeys(m.metric for m in overall if finite(m.estimate.low) is not None))
    if not spans:
        return None
    ruled = [name for gate in result.gates for name in spans if name in gate.metrics]
    metric = [*ruled, *spans][0]
    name = wording.title(metric, result.styles)
    return Chart(f"{name} by reading", "reading", name, [_series(overall, metric)], "points", metric=metric)


def _series(overall: Sequence[Measurement], metric: str) -> Series:
    own = [m for m in overall if m.metric == metric]
    ends = [finite(m.estimate.low) for m in own], [finite(m.estimate.high) for m in own]
    values = [m.estimate.value for m in own if m.estimate.value is not None]
    return Series("reading", [m.reading for m in own], values, low=ends[0], high=ends[1])


# A chart of points with intervals in characters: a row for each name, its value beside it.

LEAST, MOST = 12, 44
NAME = 26


@dataclass(frozen=True)
class Glyphs:
    """What intervals, points and bounds are drawn with."""

    span: str
    ends: str
    point: str
    other: str
    bound: str


FINE, PLAIN = Glyphs("─", "├┤", "●", "○", "┊"), Glyphs("-", "[]", "o", "x", ":")


@dataclass(frozen=True)
class Row:
    """A point with its interval, and that of another series at the same place."""

    name: str
    series: Series
    at: int
    other: float | None = None

    def numbers(self) -> Iterator[float]:
        yield self.series.y[self.at]
        yield from self.series.interval(self.at) or ()
        if self.other is not None:
            yield self.other


def dots(chart: Chart, width: int, ascii_only: bool = False, most: int | None = None) -> list[str]:
    """A head that names the scale and a line for each point; none where there is no room or no names."""
    every = _rows(chart)
    rows = _kept(every, most)
    if not rows or chart.kind != "points":
        return []
    signs = PLAIN if ascii_only else FINE
    values = _values(rows)
    names, wide = min(NAME, max(len(row.name) for row in rows)), max(map(len, values))
    room = min(MOST, width - names - wide - 4)
    if room < LEAST:
        return []
    scale = _ends(chart, every)
    lines = [f"{_head(chart, scale)}{_key(chart, every, signs)}"]
    for row, value in zip(rows, values, strict=True):
        name = row.name if len(row.name) <= names else f"{row.name[: names - 1]}{'~' if ascii_only else '…'}"
        lines.append(f"{name:<{names}}  {_drawn(chart, row, scale, room, signs)}  {value}")
    if len(rows) < len(every):
        lines.insert(-(len(rows) // 2), f"({len(every) - len(rows):,} more)")
    return lines


def _values(rows: Sequence[Row]) -> list[str]:
    """The values with their intervals, all with as many decimal places."""
    every = [number for row in rows for number in row.numbers()]
    large = max(map(abs, every))
    digits = 0 if all(number.is_integer() for number in map(float, every)) or large >= 1_000 else 2 if large >= 2 else 3
    texts = [(fixed(row.series.y[row.at], digits), row.series.interval(row.at)) for row in rows]
    wide = max(len(value) for value, _ in texts)
    ends = [(None, None) if span is None else span for _, span in texts]
    return [
        with_ends(f"{value:>{wide}}", None, low, high, lambda end: fixed(end, digits))
        for (value, _), (low, high) in zip(texts, ends, strict=True)
    ]


def _kept(rows: Sequence[Row], most: int | None) -> list[Row]:
    """At most so many rows, the first and the last of them: they are often sorted."""
    if most is None or len(rows) <= most:
        return list(rows)
    return [*rows[: most - most // 2], *rows[len(rows) - most // 2 :]]


def _rows(chart: Chart) -> list[Row]:
    """The points in order; a second series without intervals is drawn into the rows of the first."""
    if any(not isinstance(x, str) for one in chart.series for x in one.x):
        return []
    first, *others = chart.series or [Series("", [], [])]
    if len(others) == 1 and not others[0].low and set(others[0].x) <= set(first.x):
        beside = dict(zip(others[0].x, others[0].y, strict=True))
        return [Row(shown(x), first, i, beside.get(x)) for i, x in enumerate(first.x)]
    names = [x for one in chart.series for x in one.x]
    several = len(set(names)) < len(names)
    return [
        Row(f"{shown(x)}, {one.name}" if several else shown(x), one, i)
        for one in chart.series
        for i, x in enumerate(one.x)
    ]


def _ends(chart: Chart, rows: Sequence[Row]) -> tuple[float, float]:
    """The ends of the scale: of what is drawn, because a line has few cells."""
    every = [*(n for row in rows for n in row.numbers()), *(bound.y for bound in chart.bounds)]
    low, high = min(every), max(every)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _head(chart: Chart, scale: tuple[float, float]) -> str:
    what = "" if chart.y.lower() in chart.title.lower() else f"{chart.y} "
    return f"{chart.title}, {what}from {short(scale[0], 3)} to {short(scale[1], 3)}"


def _key(chart: Chart, rows: Sequence[Row], signs: Glyphs) -> str:
    """What is drawn beside the points themselves."""
    other = f", {signs.other} {chart.series[1].name}" if any(row.other is not None for row in rows) else ""
    bounds = {bound.y for bound in chart.bounds}
    at = f" {min(bounds):g}" if len(bounds) == 1 else ""
    return f"{other}, {signs.bound} gate{at}" if bounds else other


def _drawn(chart: Chart, row: Row, scale: tuple[float, float], room: int, signs: Glyphs) -> str:
    cells = [" "] * room
    span = row.series.interval(row.at)
    if span is not None:
        low, high = (_place(end, scale, room) for end in span)
        cells[low : high + 1] = signs.span * (high - low + 1)
        cells[low], cells[high] = signs.ends[0], signs.ends[1]
    name = row.series.x[row.at]
    for bound in chart.bounds:
        if bound.at in ("", name):
            cells[_place(bound.y, scale, room)] = signs.bound
    if row.other is not None:
        cells[_place(row.other, scale, room)] = signs.other
    cells[_place(row.series.y[row.at], scale, room)] = signs.point
    return "".join(cells)


def _place(value: float, scale: tuple[float, float], room: int) -> int:
    low, high = scale
    return min(room - 1, max(0, round((value - low) / (high - low) * (room - 1))))


# A table without rulers, for a screen of few lines: columns side by side, or where they do not fit a line a row.


def compact(columns: Sequence[Column], width: int) -> Iterator[Text]:
    """The lines of a table: under the titles where `width` has room, else each row as `name: title value, …`.

    Where the titles alone have no room beside each other, they are in two lines.
    """
    if not columns:
        return
    rows = range(len(columns[0].cells))
    heads = [(column.title[:0], column.title) for column in columns]
    if needed(columns) > width:
        heads = [_halves(column) for column in columns]
    widest = [max(head, key=lambda line: line.cell_len) for head in heads]
    shown = [replace(column, title=title) for column, title in zip(columns, widest, strict=True)]
    if needed(shown) <= width:
        for titles in zip(*heads, strict=True):
            if any(title.plain for title in titles):
                yield _side_by_side(shown, titles)
        for row in rows:
            yield _side_by_side(shown, [column.cells[row] for column in shown])
        return
    for row in rows:
        yield _in_a_line(columns, row)


def _halves(column: Column) -> tuple[Text, Text]:
    """A title that is wider than its cells in two lines, parted at the blank that leaves least; else in the second."""
    title = column.title
    blanks = [at for at, sign in enumerate(title.plain) if sign == " "]
    if not blanks or title.cell_len <= column.filled:
        return title[:0], title
    at = min(blanks, key=lambda at: max(title[:at].cell_len, title[at + 1 :].cell_len))
    return title[:at], title[at + 1 :]


def _side_by_side(columns: Sequence[Column], cells: Sequence[Text]) -> Text:
    line = cells[0].copy()
    line.truncate(0)
    for at, (column, cell) in enumerate(zip(columns, cells, strict=True)):
        blanks = " " * (column.natural - cell.cell_len)
        line.append(" " * GAP if at else "")
        line.append(blanks if column.number else "")
        line.append_text(cell)
        line.append("" if column.number else blanks)
    line.rstrip()
    return line


def _in_a_line(columns: Sequence[Column], row: int) -> Text:
    lead, *others = columns
    line = lead.cells[row].copy()
    filled = [column for column in others if column.cells[row].plain]
    line.append(": " if line.plain and filled else "")
    for at, column in enumerate(filled):
        line.append(", " if at else "")
        line.append_text(column.title).append(" " if column.title.plain else "")
        line.append_text(column.cells[row])
    return line
