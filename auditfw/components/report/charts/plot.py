"""Where the plot of a chart lies on its paper, and where its numbers and names are in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from auditfw.core.document import Chart, Series, shown

from .names import ANYWHERE, Box, Place, broken_name, short_name, short_names, wide
from .scales import Scale, ends_of

STEP, BAR, BETWEEN = 22, 16, 8  # pixels: of a name, of each of several bars at a name, between those of two names
LINE = 13  # of text
VALUES = 5  # that are labelled, about
SPARE = 0.03  # of the axis of x, by which points keep off its ends


@dataclass(frozen=True)
class Paper:
    """The room for a picture, in pixels: its width, and the `height` of a plot over numbers.

    `names` is the longest line of a name beside an axis, `ticks` are about how many numbers label an axis of x;
    `points` are how many there are at most.
    """

    width: int
    height: int
    names: int
    ticks: int
    points: int


WIDE, NARROW = Paper(690, 280, 190, 7, 2_000), Paper(350, 230, 130, 4, 500)


@dataclass(frozen=True)
class Plot:
    """A chart between these edges in pixels, with its scales; `lying`: names beside it, and values to the right.

    `names` are those on the axis of x, if it has names, each as it is drawn; `x` is its scale if it has none. `beside`:
    several series have marks at a name that would lie on each other.
    """

    chart: Chart
    paper: Paper
    names: dict[str, str]
    lying: bool
    beside: bool
    value: Scale
    x: Scale
    right: float
    bottom: float
    left: float = 0.0
    top: float = 0.0

    def along(self, x: float | str) -> float:
        """The pixel of an x on its axis."""
        if not self.names:
            return self.x(float(x))
        return (self.top if self.lying else self.left) + self.band * (list(self.names).index(shown(x)) + 0.5)

    def at(self, along: float, value: float) -> Place:
        """A point of the plot in pixels."""
        return (self.value(value), along) if self.lying else (along, self.value(value))

    def across(self, value: float) -> Box:
        """A line through the whole plot at a value."""
        at = self.value(value)
        return (at, self.top, at, self.bottom) if self.lying else (self.left, at, self.right, at)

    @property
    def band(self) -> float:
        """The room of an x along its axis."""
        most = len(self.names) or max(1, *(len(one.x) for one in self.chart.series))
        return (self.bottom - self.top if self.lying else self.right - self.left) / most

    @property
    def mark(self) -> float:
        """The room of a bar across its axis, and of a point beside others."""
        if self.lying:
            return BAR if self.beside else STEP
        room = self.band if self.names else min(STEP, self.band)
        return room * 0.8 / (len(self.chart.series) if self.beside else 1)

    def moved(self, top: float) -> Plot:
        """The plot that begins at this pixel from above."""
        value = self.value if self.lying else replace(self.value, start=top + self.bottom, end=top)
        return replace(self, top=top, bottom=top + self.bottom, value=value)


def plot_of(chart: Chart, paper: Paper) -> Plot:
    """The plot of a chart; beside it is room for the words of its axes, above it none."""
    every = [x for one in chart.series for x in dict.fromkeys(one.x)]
    short = short_names(map(shown, every)) if any(isinstance(x, str) for x in every) else {}
    names = {name: broken_name(text, paper.names, ANYWHERE, wide) for name, text in short.items()}
    lying, value = bool(short) and not chart.choices, _values(chart)
    meet = chart.kind == "bars" or (chart.kind == "points" and lying and len(set(every)) < len(every))
    beside = bool(short) and meet and len(chart.series) > 1
    words = [word for name, values in chart.choices.items() for word in choice_rows(name, values).values()]
    height = float(paper.height)
    if lying:
        words = [line for name in names.values() for line in name.split("\n")]
        lines = LINE * max(name.count("\n") + 1 for name in names.values()) + 4
        height = max(2, len(names)) * max(STEP, lines, BAR * len(chart.series) + BETWEEN if beside else 0.0)
    ticks = [] if lying else [26 + wide(text) for _, text in value.ticks()]
    left = max([*ticks, *(8 + min(paper.names, wide(word)) for word in words)])
    xs = [float(x) for x in every if not isinstance(x, str)]
    ends = ends_of(xs, spare=0.0 if chart.kind == "line" else SPARE)
    x = Scale(*ends, 0.0, 1.0, paper.ticks, whole=all(each.is_integer() for each in xs))
    right = paper.width - max(12.0, *(wide(text) / 2 for _, text in (value if lying else x).ticks()[-1:]))
    value, x = (replace(scale, start=left, end=right) for scale in (value, x))
    return Plot(chart, paper, names, lying, beside, value, x, right, height, left)


def _values(chart: Chart) -> Scale:
    """The scale of the values, from 0 to 1."""
    if chart.ends is not None:
        return Scale(*ends_of(chart.ends), 0.0, 1.0, VALUES)
    every = chain.from_iterable((*one.y, *one.low, *one.high) for one in chart.series)
    values = [*(each for each in every if each is not None), *(one.y for one in chart.bounds)]
    return Scale(*ends_of(map(float, values), zero=chart.kind == "bars"), 0.0, 1.0, VALUES).rounded()


def choice_rows(name: str, values: Sequence[str]) -> dict[str, str]:
    """The rows of a choice: its values, each as it is drawn, below its name as ""; an empty value is none."""
    head = f"{short_name(name)}:"
    rows = short_names([head, *filter(None, values)])
    return {"": head, **{value: short for value, short in rows.items() if value != head}}


def points_drawn(chart: Chart, paper: Paper = WIDE) -> int:
    """How many points of a chart its picture holds."""
    return sum(len(places(one, chart, paper)) for one in chart.series)


def places(one: Series, chart: Chart, paper: Paper) -> Sequence[int]:
    """The points of a series that are drawn: evenly spaced where there are too many, first and last among them."""
    most = max(2, paper.points // len(chart.series))
    if len(one.x) <= most:
        return range(len(one.x))
    return [round(i * (len(one.x) - 1) / (most - 1)) for i in range(most)]
