"""A chart as a Vega-Lite specification: data only, no expression of ours or the data's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auditfw.document import Chart, Series, shown
from auditfw.sinks import visible

WIDTH, HEIGHT = 620, 280
STEP, BAR, ROW = 22, 16, 17
TITLE, BELOW = 14, 4
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5e3c99", "#666666"]
INK, AXIS, GRID = "#000", "#888", "#ddd"
NAME = 60
MOST_POINTS = 2_000
MOST_DOTS = 2_000
MANY = 200
CHOSEN, OTHER = "chosen", "other"

Spec = dict[str, Any]


def specification(chart: Chart) -> Spec:
    """The Vega-Lite specification of a chart; `points_drawn` says how many of its points are in it."""
    names = _names(x for one in chart.series for x in one.x if isinstance(x, str))
    body = _upright(chart, names)
    if chart.choices and chart.series:
        beneath = [_choice(chart, names, name, values) for name, values in chart.choices.items()]
        alone = {"scale": {"color": "independent"}}
        body = {"vconcat": [body, *beneath], "spacing": 8, "bounds": "flush", "resolve": alone}
    elif names and chart.kind != "line":
        body = _lying(chart, names)
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": _name(chart.title), "anchor": "start", "fontSize": TITLE, "offset": BELOW},
        "background": "white",
        **body,
        "config": {
            "range": {"category": COLOURS},
            "font": "sans-serif",
            "mark": {"color": COLOURS[0]},
            "axis": {"labelLimit": 190, "labelFontSize": 11, "titleFontWeight": "normal", "titleFontSize": 12},
            "legend": {"labelLimit": 280, "labelFontSize": 11},
            "view": {"stroke": None},
        },
    }


def points_drawn(chart: Chart) -> int:
    """How many points of a chart its picture holds."""
    return sum(len(_places(one, chart)) for one in chart.series)


def _upright(chart: Chart, names: Mapping[str, str]) -> Spec:
    """Values on the y axis."""
    x: Spec = {"field": "x", "title": _name(chart.x), "type": "nominal" if names else "quantitative"}
    if names:
        x |= {"sort": None, "scale": {"domain": list(names.values())}}
        x["axis"] = None if chart.choices else {"labelAngle": -30}
    else:
        whole = all(float(at).is_integer() for one in chart.series for at in one.x)
        x |= {"scale": _room(chart), "axis": {"tickCount": 8, "grid": False, **({"tickMinStep": 1} if whole else {})}}
    return {"width": WIDTH, "height": HEIGHT, **_layers(chart, names, x, "x", "y")}


def _lying(chart: Chart, names: Mapping[str, str]) -> Spec:
    """A row a name, values on the x axis: room for long names, and intervals that can be compared."""
    bars = chart.kind == "bars" and len(chart.series) > 1
    step = BAR * len(chart.series) + 8 if bars else STEP
    y: Spec = {"field": "x", "title": None, "type": "nominal", "sort": None}
    y |= {"scale": {"domain": list(names.values())}, "axis": {"ticks": False, "domain": False}}
    return {"width": WIDTH - 140, "height": step * max(2, len(names)), **_layers(chart, names, y, "y", "x")}


def _layers(chart: Chart, names: Mapping[str, str], across: Spec, along: str, value: str) -> Spec:
    """The marks over one pair of axes: `along` holds the x of the points, `value` their y."""
    several = len(chart.series) > 1
    scale = _room(chart) if chart.ends is None else {"domain": list(chart.ends)}
    measured: Spec = {"field": "y", "type": "quantitative", "title": _name(chart.y), "scale": scale}
    measured["axis"] = {"tickCount": 6}
    encoding: Spec = {along: across, value: measured}
    if several:
        legend = {"orient": "top" if chart.choices else "bottom", "title": None, "columns": 3, "symbolOpacity": 1}
        series = list(_names(one.name for one in chart.series).values())
        colour = {"field": "series", "type": "nominal", "sort": None, "scale": {"domain": series}, "legend": legend}
        encoding["color"] = colour
        if names and chart.kind == "bars":
            encoding[f"{along}Offset"] = {"field": "series", "sort": None, "scale": {"domain": series}}
    said = {"encoding": {"description": {"field": "says", "type": "nominal"}}}
    rows = list(_values(chart, names))
    main = {"mark": _mark(chart, len(rows)), **said}
    spans = _intervals(chart, rows, value, encoding)
    layers = [main, *spans] if chart.kind == "bars" else [*spans, main]
    labelled = [row for row in rows if "label" in row]
    if labelled:
        mark = {"type": "text", "dx": 7, "dy": -7, "align": "left", "fontSize": 10, "limit": 160, "aria": False}
        text = {"text": {"field": "label", "type": "nominal"}}
        layers.append({"data": {"values": labelled}, "mark": mark, "encoding": text})
    return {"data": {"values": rows}, "encoding": encoding, "layer": layers}


def _mark(chart: Chart, points: int) -> Spec:
    if chart.kind == "line":
        return {"type": "line", "strokeWidth": 2, "point": points <= MANY and {"size": 22}}
    if chart.kind == "points":
        return {"type": "point", "filled": True, "size": 20 if points > MANY else 45, "opacity": 0.75}
    return {"type": "bar", "height" if _named(chart) and not chart.choices else "width": {"band": 0.8}}


def _room(chart: Chart) -> Spec:
    """The scale of an axis that nobody fixed: bars begin at 0, points keep off the edges."""
    if chart.kind == "bars":
        return {"zero": True}
    return {"zero": False, **({"padding": 12} if chart.kind == "points" else {})}


def _intervals(chart: Chart, rows: Sequence[Spec], value: str, encoding: Spec) -> list[Spec]:
    """Bands beside lines, else a rule for each interval."""
    spans = [row for row in rows if "low" in row]
    if not spans:
        return []
    over: Spec = {value: {**encoding[value], "field": "low"}, f"{value}2": {"field": "high"}}
    mark: Spec = {"type": "rule", "strokeWidth": 1.5, "color": COLOURS[0]}
    if chart.kind == "line":
        mark = {"type": "area", "opacity": 0.15}
    elif chart.kind == "bars":
        over["color"] = {"value": INK}
        over |= {name: {**told, "bandPosition": 0.5} for name, told in encoding.items() if name.endswith("Offset")}
    return [{"data": {"values": spans}, "mark": {**mark, "aria": False}, "encoding": over}]


def _choice(chart: Chart, names: Mapping[str, str], name: str, values: Sequence[str]) -> Spec:
    """The dots of one choice beneath the x axis: under a row with its name one for each value, lit where chosen."""
    head = f"{_name(name)}:"
    rows = {value: short for value, short in _names([head, *values]).items() if value != head}
    first = [names[x] if isinstance(x, str) else shown(x) for x in chart.series[0].x]
    pairs = [(x, rows[value]) for x, value in zip(first, values, strict=True)]
    dots = [{"x": x, "value": value, "is": CHOSEN} for x, value in pairs]
    if len(first) * len(rows) <= MOST_DOTS:
        taken = set(pairs)
        faint = [(x, value) for x in first for value in rows.values() if (x, value) not in taken]
        dots = [*({"x": x, "value": value, "is": OTHER} for x, value in faint), *dots]
    colours = {"domain": [CHOSEN, OTHER], "range": [COLOURS[0], GRID]}
    return {
        "width": WIDTH,
        "height": ROW * (len(rows) + 1),
        "data": {"values": dots},
        "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1, "aria": False},
        "encoding": {
            "x": {"field": "x", "type": "nominal", "sort": None, "scale": {"domain": first}, "axis": None},
            "y": {
                "field": "value",
                "type": "nominal",
                "sort": None,
                "title": None,
                "scale": {"domain": [head, *rows.values()]},
                "axis": {"ticks": False, "domain": False},
            },
            "color": {"field": "is", "type": "nominal", "scale": colours, "legend": None},
        },
    }


def _values(chart: Chart, names: Mapping[str, str]) -> Iterator[Spec]:
    series = _names(one.name for one in chart.series)
    for one in chart.series:
        for i in _places(one, chart):
            x = one.x[i]
            row: Spec = {"series": series[one.name], "x": names[x] if isinstance(x, str) else float(x)}
            row |= {"y": float(one.y[i]), "says": _said(one, i)}
            if i < len(one.labels) and one.labels[i]:
                row["label"] = _name(one.labels[i])
            span = one.interval(i)
            yield row | ({"low": float(span[0]), "high": float(span[1])} if span is not None else {})


def _said(one: Series, i: int) -> str:
    """What a reader is told who points at a mark."""
    words = [one.name, *one.labels[i : i + 1], shown(one.x[i])]
    return f"{', '.join(_name(word) for word in words if word)}: {one.told(i)}"


def _places(one: Series, chart: Chart) -> Sequence[int]:
    """The points of a series that are drawn: evenly spaced where there are too many, first and last among them."""
    most = max(2, MOST_POINTS // len(chart.series))
    if len(one.x) <= most:
        return range(len(one.x))
    return [round(i * (len(one.x) - 1) / (most - 1)) for i in range(most)]


def _named(chart: Chart) -> bool:
    return any(isinstance(x, str) for one in chart.series for x in one.x)


def _names(texts: Iterator[str] | Sequence[str]) -> dict[str, str]:
    """What each of these names is called in a picture: cut short, and different ones still different."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for text in texts:
        if text in found:
            continue
        short, number = _name(text), 1
        while short in taken:
            number += 1
            short = f"{_name(text)} ({number})"
        found[text] = short
        taken.add(short)
    return found


def _name(text: str) -> str:
    seen = visible(text)
    return seen if len(seen) <= NAME else seen[: NAME - 1] + "…"
