"""A chart in characters: a line of blocks for each curve, a bar for each name."""

from __future__ import annotations

import math
from collections.abc import Sequence

from auditfw.core.document import Chart, Series, shown

BLOCKS, PLAIN_BLOCKS = "▁▂▃▄▅▆▇█", "_.-=+*#@"
LEAST, MOST = 8, 60
NAME = 24


def sketch(chart: Chart, width: int, ascii_only: bool = False) -> list[str]:
    """The lines of a chart that fit `width` cells; none for points, a curve over names, or where there is no room."""
    blocks = PLAIN_BLOCKS if ascii_only else BLOCKS
    every = [y for one in chart.series for y in one.y]
    if chart.kind == "points" or not every:
        return []
    low, high = chart.ends or (min(every), max(every))
    named = any(isinstance(x, str) for one in chart.series for x in one.x)
    if named and chart.kind == "line":
        return []
    if chart.kind == "bars":
        return _bars(chart, width, blocks[-1], max(high, 0.0))
    return _curves(chart, width, blocks, (low, high))


def _curves(chart: Chart, width: int, blocks: str, ends: tuple[float, float]) -> list[str]:
    """Each series over the values of x, or over equal intervals where they are many; heights between the ends."""
    xs = sorted({float(x) for one in chart.series for x in one.x})
    names = min(NAME, max(len(one.name) for one in chart.series))
    room = min(MOST, width - names - 22, max(len(one.x) for one in chart.series))
    if room < LEAST and room < len(chart.series[0].x):
        return []
    lines = [f"{chart.y} {shown(ends[0])} {blocks[0]} to {shown(ends[1])} {blocks[-1]}"]
    for one in chart.series:
        heights = _heights(one, xs, room)
        curve = "".join(" " if y is None else blocks[_level(y, ends, len(blocks))] for y in heights)
        lines.append(f"{one.name[:names]:<{names}} {curve}  {shown(min(one.y))} to {shown(max(one.y))}")
    return [*lines, f"{chart.x} from {shown(xs[0])} to {shown(xs[-1])}"]


def _heights(one: Series, xs: Sequence[float], room: int) -> list[float | None]:
    """The mean of y at each of the values, or in each of `room` equal intervals where these are more."""
    heights: list[list[float]] = [[] for _ in range(room)]
    places = {x: place for place, x in enumerate(xs)}
    if len(xs) > room:
        wide = xs[-1] - xs[0]
        places = {x: int((x - xs[0]) / wide * room) for x in xs}
    for x, y in zip(one.x, one.y, strict=True):
        place = places[float(x)]
        heights[min(room - 1, place)].append(y)
    return [math.fsum(ys) / len(ys) if ys else None for ys in heights]


def _level(y: float, ends: tuple[float, float], levels: int) -> int:
    low, high = ends
    share = (y - low) / (high - low) if high > low else 1.0
    return min(levels - 1, max(0, int(share * levels)))


def _bars(chart: Chart, width: int, block: str, high: float) -> list[str]:
    several = len(chart.series) > 1
    rows: list[tuple[str, float]] = []
    for one in chart.series:
        rows += [(f"{shown(x)}, {one.name}" if several else shown(x), y) for x, y in zip(one.x, one.y, strict=True)]
    names = min(NAME + 8, max(len(name) for name, _ in rows))
    room = min(MOST, width - names - 12)
    if room < LEAST:
        return []
    cells = [max(0, round(y / high * room)) if high > 0 else 0 for _, y in rows]
    return [f"{name[:names]:<{names}} {block * n} {shown(y)}" for (name, y), n in zip(rows, cells, strict=True)]


def thinned(rows: Sequence[Sequence[str]], most: int) -> list[Sequence[str]]:
    """At most so many rows, evenly spaced, the first and the last among them."""
    if len(rows) <= most or most < 2:
        return list(rows)
    return [rows[round(i * (len(rows) - 1) / (most - 1))] for i in range(most)]
