"""A chart as a picture: lines, points or bars over one pair of axes, the same bytes for the same chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from auditfw.core.document import Chart, Series, shown

from .names import cut, placed, short_name, short_names, wide
from .plot import LINE, STEP, WIDE, Paper, Plot, choice_rows, places, plot_of
from .svg import ABOVE, AXIS, CATEGORIES, GRID, INK, ROLES, Drawing

MANY, MOST_DOTS = 200, 2_000
ROW, SYMBOL = 17, 15  # pixels of a choice, and of what is before a name in the legend
OUTCOMES = (("no gate failed", ROLES["candidate"]), ("a gate failed", ROLES["worse"]))
CROSS, SQUARE = "m-5,-5l10,10m-10,0l10,-10", "m-5,-5h10v10h-10z"


@dataclass(frozen=True)
class PlotPoint:
    """A point of a series as it is drawn: its number in the series, its colour, pixel along the axis of x, and y."""

    series: Series
    number: int
    colour: str
    along: float
    y: float

    @property
    def label(self) -> str:
        return short_name(self.series.labels[self.number]) if self.number < len(self.series.labels) else ""

    @property
    def says(self) -> str:
        """The text shown to a reader who points at it."""
        words = (short_name(self.series.name), self.label, short_name(shown(self.series.x[self.number])))
        return f"{', '.join(filter(None, words))}: {self.series.value_text(self.number)}"


def drawing(chart: Chart, paper: Paper = WIDE) -> Drawing:
    """The picture of a chart; `points_drawn` says how many of its points are in it."""
    tells = f"{chart.y} by {chart.x}: {', '.join(short_name(one.name) for one in chart.series)}"
    draw, plot = Drawing(chart.title, tells, paper.width), plot_of(chart, paper)
    plot = plot.moved(_legend(plot, draw))
    _axes(plot, draw)
    points = [_points(plot, n) for n in range(len(chart.series))]
    if chart.kind == "line":
        for own in filter(None, points):
            _curve(plot, draw, own)
    every = sorted(chain(*points), key=lambda one: one.series.role != "reference")
    _marks(plot, draw, every)
    _labels(plot, draw, [one for one in every if one.label])
    _bounds(plot, draw)
    draw.height = _choices(plot, draw) if chart.choices and chart.series else plot.bottom + 42
    return draw


def _legend(plot: Plot, draw: Drawing) -> float:
    """What the colours and marks are, in rows above the plot; gives where the plot begins."""
    chart, x, y = plot.chart, plot.left, float(ABOVE)
    names = short_names(one.name for one in chart.series)
    rows = [(one, names[one.name], _colour(chart, n)) for n, one in enumerate(chart.series)]
    if len(rows) < 2:
        rows = [(chart.series[0], *outcome) for outcome in OUTCOMES] if _by_outcome(chart) else []
    for n, (one, name, colour) in enumerate(rows):
        text = cut(name, plot.right - plot.left - SYMBOL)
        if n and x + SYMBOL + wide(text) > plot.paper.width:
            x, y = plot.left, y + LINE + 3
        draw.path((x + 5, y + 7), SQUARE if chart.kind == "bars" else _shape(one, 4.2), fill=colour)
        draw.text((x + SYMBOL, y + 11), text)
        x += SYMBOL + wide(text) + 14
    return y + LINE + 12 if rows else y + 8


def _colour(chart: Chart, n: int) -> str:
    """The colour of a series: that of its role, else the next one."""
    return ROLES.get(chart.series[n].role, CATEGORIES[n % len(CATEGORIES)])


def _by_outcome(chart: Chart) -> bool:
    """Whether the marks of a chart are coloured by whether they failed: those of a single series are."""
    return len(chart.series) == 1 and chart.kind != "line" and any(chart.series[0].failed)


def _shape(one: Series, size: float) -> str:
    """A mark's path from its middle: a diamond is a reference."""
    if one.role == "reference":
        return "m{0},0l{1},-{1}l{1},{1}l-{1},{1}z".format(-1.5 * size, 1.5 * size)
    return "m{0},0a{1},{1},0,1,1,{2},0a{1},{1},0,1,1,-{2},0".format(-size, size, 2 * size)


def _axes(plot: Plot, draw: Drawing) -> None:
    """The grid, the two axes with their titles, and the names; of choices `_choices` has the words."""
    for value, text in plot.value.ticks():
        at = plot.across(value)
        draw.line(at, GRID)
        if not plot.lying:
            draw.line((plot.left - 5, at[1], plot.left, at[1]), AXIS)
            draw.text((plot.left - 7, at[1] + 4), text, "end")
    below = plot.value if plot.lying else plot.x
    for value, text in below.ticks() if plot.lying or not plot.names else []:
        draw.line((below(value), plot.bottom, below(value), plot.bottom + 5), AXIS)
        draw.text((below(value), plot.bottom + 17), text, "middle")
    if not plot.chart.choices:
        draw.line((plot.left, plot.bottom, plot.right, plot.bottom), AXIS)
        title = cut(short_name(plot.chart.y if plot.lying else plot.chart.x), plot.right - plot.left, 12)
        draw.text(((plot.left + plot.right) / 2, plot.bottom + 34), title, "middle", 12)
    if not plot.lying:
        draw.line((plot.left, plot.top, plot.left, plot.bottom), AXIS)
        title = cut(short_name(plot.chart.y), plot.paper.height, 12)
        left = plot.left - 16 - max(wide(text) for _, text in plot.value.ticks())
        draw.text((left, (plot.top + plot.bottom) / 2), title, "middle", 12, turned=-90)
    for name, short in plot.names.items() if plot.lying else ():
        lines = short.split("\n")
        for n, line in enumerate(lines):
            y = plot.along(name) + 4 + LINE * (n - (len(lines) - 1) / 2)
            draw.text((plot.left - 6, y), cut(line, plot.paper.names), "end")


def _points(plot: Plot, n: int) -> list[PlotPoint]:
    """The points of a series; those of a line from the first x to the last."""
    chart, one = plot.chart, plot.chart.series[n]
    aside = (n - (len(chart.series) - 1) / 2) * plot.mark if plot.beside else 0.0
    colours = [colour for _, colour in OUTCOMES] if _by_outcome(chart) else [_colour(chart, n)] * 2
    kept = places(one, chart, plot.paper)
    points = [PlotPoint(one, i, colours[one.has_failed(i)], plot.along(one.x[i]) + aside, one.y[i]) for i in kept]
    return sorted(points, key=lambda each: each.along) if chart.kind == "line" else points


def _curve(plot: Plot, draw: Drawing, points: Sequence[PlotPoint]) -> None:
    """A line through the points of a series, over the band of their intervals."""
    spans = [(one.along, *span) for one in points if (span := one.series.interval(one.number)) is not None]
    edge = [(along, high) for along, _, high in spans] + [(along, low) for along, low, _ in reversed(spans)]
    draw.lines([plot.at(*each) for each in edge], fill=points[0].colour, fill_opacity=0.15)
    draw.lines([plot.at(one.along, one.y) for one in points], fill="none", stroke=points[0].colour, stroke_width=2)


def _marks(plot: Plot, draw: Drawing, points: Sequence[PlotPoint]) -> None:
    """The marks of points with their intervals and failures; what is drawn first is covered by the next."""
    kind, many = plot.chart.kind, len(points) > MANY
    if kind == "points":
        _intervals(plot, draw, points)
    for one in points if kind != "line" or not many else ():
        if kind == "bars":
            low, high = one.along - 0.4 * plot.mark, one.along + 0.4 * plot.mark
            corners = [plot.at(*corner) for corner in ((low, 0.0), (low, one.y), (high, one.y), (high, 0.0))]
            draw.lines(corners, one.says, fill=one.colour)
        else:
            shape = _shape(one.series, 2.5 if many or kind == "line" else 3.8)
            draw.path(plot.at(one.along, one.y), shape, one.says, fill=one.colour, fill_opacity=0.85)
    if kind == "bars":
        _intervals(plot, draw, points)
    ink = INK if kind == "bars" else ROLES["worse"]
    for one in points:
        if one.series.has_failed(one.number):
            draw.path(plot.at(one.along, one.y), CROSS, fill="none", stroke=ink, stroke_width=2.2)


def _intervals(plot: Plot, draw: Drawing, points: Sequence[PlotPoint]) -> None:
    for one in points:
        if (span := one.series.interval(one.number)) is not None:
            ink = INK if plot.chart.kind == "bars" else one.colour
            draw.line((*plot.at(one.along, span[0]), *plot.at(one.along, span[1])), ink, 1.5)


def _labels(plot: Plot, draw: Drawing, points: Sequence[PlotPoint]) -> None:
    """The words beside points, each on a side where it has room; one without any is left to the tooltip."""
    labels = [cut(one.label, plot.paper.width / 4, 10) for one in points]
    at = [plot.at(one.along, one.y) for one in points]
    sides = placed(at, labels, (plot.left, plot.top - 8, plot.paper.width, plot.bottom))
    for (x, y), label, side in zip(at, labels, sides, strict=True):
        if side is not None:
            draw.text((x + side[0], y + side[1]), label, side[2], 10)


def _bounds(plot: Plot, draw: Drawing) -> None:
    """A dashed line for each bound of a gate: across the plot, or a mark at the name that it is for."""
    for one in plot.chart.bounds:
        if not one.at:
            draw.line(plot.across(one.y), INK, 1.25, stroke_dasharray="4,3")
        elif one.at in plot.names:
            along = plot.along(one.at)
            draw.line((*plot.at(along - STEP / 2, one.y), *plot.at(along + STEP / 2, one.y)), INK, 2)


def _choices(plot: Plot, draw: Drawing) -> float:
    """Beneath the plot a row for each value of each choice, with a dot where it was chosen; gives where they end."""
    y, first = plot.bottom + 8, [plot.along(x) for x in plot.chart.series[0].x]
    dot = _shape(Series("", (), ()), 3.2)
    for name, values in plot.chart.choices.items():
        rows = choice_rows(name, values)
        faint = len(first) * len(rows) <= MOST_DOTS
        for value, word in rows.items():
            draw.text((plot.left - 6, y + 13), cut(word, plot.paper.names), "end")
            for along, chosen in zip(first, values, strict=True) if value else ():
                if faint or chosen == value:
                    draw.path((along, y + 9), dot, fill=ROLES["candidate"] if chosen == value else GRID)
            y += ROW
        y += 8
    return y
