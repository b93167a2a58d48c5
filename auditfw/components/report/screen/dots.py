"""A chart of points with intervals in characters: a row for each name, its value beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditfw.core.digits import fixed, short
from auditfw.core.document import Chart, Series, shown, with_ends

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
