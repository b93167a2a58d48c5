"""A chart as a Vega-Lite specification: data only, no expression of ours or the data's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from auditfw.core.document import Chart, Series, shown

from .names import broken_name, placed, short_name, short_names
from .outcomes import by_outcome, crosses, outcome_colours, outcome_of

HEIGHT, TITLE, BELOW = 280, 14, 4
STEP, BAR, ROW, LINE = 22, 16, 17, 13
BETWEEN = 0.2  # of the room of a bar beside others
LETTER, SYMBOL, BESIDE = 6.2, 34, 30  # pixels that a letter takes, a legend's symbol, what is beside the names
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5e3c99", "#666666"]
CATEGORIES = [COLOURS[n] for n in (0, 3, 6, 4, 5, 7, 1, 2)]  # those of better and worse come last
ROLES = {"candidate": COLOURS[0], "reference": COLOURS[7], "better": COLOURS[2], "worse": COLOURS[1]}
FONT = "sans-serif"
INK, AXIS, GRID = "#000", "#888", "#ddd"
MOST_DOTS, MANY = 2_000, 200
POINT_SIZE, REFERENCE_SIZE = 45, 110  # square pixels: a reference under a point can be seen beside it
CHOSEN, OTHER = "chosen", "other"

Spec = dict[str, Any]


@dataclass(frozen=True)
class Paper:
    """The room for a picture, in pixels: `width` of the plot, or of all of it where `whole`.

    `names` is the longest name of an axis, `legend` that of a legend, `label` that beside a point; `ticks` and `points`
    are how many there are at most. A picture that is drawn for a narrow page has no title of its own.
    """

    width: int
    height: int
    names: int
    legend: int
    label: int
    ticks: int
    points: int
    whole: bool = False


WIDE = Paper(620, HEIGHT, 190, 280, 160, 8, 2_000)
NARROW = Paper(350, 230, 130, 175, 90, 4, 500, whole=True)


def specification(chart: Chart, paper: Paper = WIDE) -> Spec:
    """The Vega-Lite specification of a chart; `points_drawn` says how many of its points are in it."""
    names = short_names(x for one in chart.series for x in one.x if isinstance(x, str))
    body = _upright(chart, names, paper)
    if chart.choices and chart.series:
        body = _with_choices(chart, names, paper)
    elif names and chart.kind != "line":
        body = _horizontal(chart, names, paper)
    title = {"text": short_name(chart.title), "anchor": "start", "fontSize": TITLE, "offset": BELOW}
    axis = {
        "labelLimit": paper.names,
        "labelFlush": False,
        "labelFontSize": 11,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
    }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        **({} if paper.whole else {"title": title}),
        "background": "white",
        **body,
        "config": {
            "range": {"category": CATEGORIES},
            "font": FONT,
            "mark": {"color": COLOURS[0]},
            "axis": {**axis, "titleLimit": paper.height} if paper.whole else axis,
            "legend": {"labelLimit": paper.legend, "labelFontSize": 11},
            "view": {"stroke": None},
            **({"lineBreak": "\n"} if paper.whole else {}),
        },
    }


def points_drawn(chart: Chart, paper: Paper = WIDE) -> int:
    """How many points of a chart its picture holds."""
    return sum(len(_places(one, chart, paper)) for one in chart.series)


def _sized(paper: Paper, less: int = 0) -> Spec:
    """The width of a single plot: of the whole picture where the paper gives that."""
    if paper.whole:
        return {"width": paper.width, "autosize": {"type": "fit-x", "contains": "padding"}}
    return {"width": paper.width - less}


def _with_choices(chart: Chart, names: Mapping[str, str], paper: Paper) -> Spec:
    """Values on the y axis, and beneath the x axis a plot of dots for each choice."""
    longest = max(len(short_name(word)) for name, values in chart.choices.items() for word in (f"{name}:", *values))
    width = paper.width
    if paper.whole:  # a column of plots has no width of its own: what is to their left is subtracted
        width -= BESIDE + round(min(paper.names, LETTER * longest))
    plots = [_upright(chart, names, paper), *(_choice(chart, names, *each, paper) for each in chart.choices.items())]
    for plot in plots:
        plot.pop("autosize", None)
    alone = {"scale": dict.fromkeys(("color", "shape", "size"), "independent")}
    column = [{**plot, "width": width} for plot in plots]
    return {"vconcat": column, "spacing": 8, "bounds": "flush", "resolve": alone}


def _upright(chart: Chart, names: Mapping[str, str], paper: Paper) -> Spec:
    """Values on the y axis."""
    x: Spec = {"field": "x", "title": short_name(chart.x), "type": "nominal" if names else "quantitative"}
    if names:
        x |= {"sort": None, "scale": {"domain": list(names.values())}}
        x["axis"] = None if chart.choices else {"labelAngle": -30}
    else:
        whole = all(float(at).is_integer() for one in chart.series for at in one.x)
        ticks: Spec = {"tickCount": paper.ticks, "grid": False, **({"tickMinStep": 1} if whole else {})}
        x |= {"scale": _room(chart, (at for one in chart.series for at in one.x)), "axis": ticks}
    return {**_sized(paper), "height": paper.height, **_layers(chart, names, x, "x", paper)}


def _horizontal(chart: Chart, names: Mapping[str, str], paper: Paper) -> Spec:
    """A row a name, values on the x axis: room for long names, and intervals that can be compared."""
    if paper.whole:
        names = {name: broken_name(short, int(paper.names / LETTER)) for name, short in names.items()}
    lines = max(short.count("\n") for short in names.values()) + 1
    beside = BAR * len(chart.series) + 8 if len(chart.series) > 1 else STEP
    step = max(beside, LINE * lines + 4 if lines > 1 else 0)
    y: Spec = {"field": "x", "title": None, "type": "nominal", "sort": None}
    y |= {"scale": {"domain": list(names.values())}, "axis": {"ticks": False, "domain": False}}
    return {**_sized(paper, 140), "height": step * max(2, len(names)), **_layers(chart, names, y, "y", paper)}


def _layers(chart: Chart, names: Mapping[str, str], across: Spec, along: str, paper: Paper) -> Spec:
    """The marks over one pair of axes: `along` holds the x of the points, `value` their y."""
    several, value = len(chart.series) > 1, "x" if along == "y" else "y"
    every = chain.from_iterable((*one.y, *one.low, *one.high) for one in chart.series)
    values = [*(end for end in every if end is not None), *(one.y for one in chart.bounds)]
    scale = _room(chart, values) if chart.ends is None else {"domain": list(chart.ends)}
    measured: Spec = {"field": "y", "type": "quantitative", "title": short_name(chart.y), "scale": scale}
    measured["axis"] = {"tickCount": min(6, paper.ticks)}
    encoding: Spec = {along: across, value: measured}
    if several:
        series = list(short_names(one.name for one in chart.series).values())
        legend = {"orient": "top" if chart.choices else "bottom", "title": None, "columns": _columns(series, paper)}
        legend["symbolOpacity"] = 1
        colour = {
            "field": "series",
            "type": "nominal",
            "sort": None,
            "scale": _colours(chart, series),
            "legend": legend,
        }
        encoding["color"] = colour
        if names and (chart.kind == "bars" or (along == "y" and _meet(chart))):
            scale = {"domain": series, "paddingInner": BETWEEN, "paddingOuter": BETWEEN / 2}
            encoding[f"{along}Offset"] = {"field": "series", "sort": None, "scale": scale}
    elif by_outcome(chart):
        encoding["color"] = outcome_colours(ROLES["candidate"], ROLES["worse"])
    description: Spec = {"encoding": {"description": {"field": "says", "type": "nominal"}}}
    rows = list(_values(chart, names, paper))
    if chart.kind == "points" and any(one.role == "reference" for one in chart.series):
        shapes = ["diamond" if one.role == "reference" else "circle" for one in chart.series]
        domain = list(short_names(one.name for one in chart.series).values())
        sizes = [REFERENCE_SIZE if one.role == "reference" else POINT_SIZE for one in chart.series]
        named: Spec = {"field": "series", "type": "nominal", "sort": None}
        legend_of_shapes = encoding["color"]["legend"] if several else None
        shape = {**named, "scale": {"domain": domain, "range": shapes}, "legend": legend_of_shapes}
        size = {**named, "scale": {"domain": domain, "range": sizes}, "legend": None}
        description["encoding"] |= {"shape": shape, "size": size}
        below = [name for name, one in zip(domain, chart.series, strict=True) if one.role == "reference"]
        rows.sort(key=lambda row: row["series"] not in below)  # what is drawn first is covered by the next
    main = {"mark": _mark(chart, len(rows)), **description}
    spans = _intervals(chart, rows, value, encoding)
    layers = [main, *spans] if chart.kind == "bars" else [*spans, main]
    layers += crosses(rows, INK if chart.kind == "bars" else ROLES["worse"])
    for side, labelled in placed([row for row in rows if "label" in row], paper):
        mark = {"type": "text", **side, "fontSize": 10, "aria": False, "limit": paper.label}
        text = {"text": {"field": "label", "type": "nominal"}}
        layers.append({"data": {"values": labelled}, "mark": mark, "encoding": text})
    plot = {"data": {"values": rows}, "encoding": encoding, "layer": layers}
    return {"layer": [plot, *_gates(chart, names, encoding, along, value)]} if chart.bounds else plot


def _colours(chart: Chart, series: Sequence[str]) -> Spec:
    """A colour for each series: that of its role, else the next one."""
    known = [ROLES.get(one.role, CATEGORIES[n % len(CATEGORIES)]) for n, one in enumerate(chart.series)]
    return {"domain": list(series), **({"range": known} if any(one.role for one in chart.series) else {})}


def _gates(chart: Chart, names: Mapping[str, str], encoding: Spec, along: str, value: str) -> list[Spec]:
    """A dashed line for each bound: across the plot, or a mark at the name that it is for."""
    measured = {**encoding[value], "field": "bound"}
    across = [{"bound": float(one.y)} for one in chart.bounds if not one.at]
    at = [{"bound": float(one.y), "x": names[one.at]} for one in chart.bounds if one.at in names]
    rule: Spec = {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.25, "color": INK, "aria": False}
    tick: Spec = {"type": "tick", "thickness": 2, "size": STEP, "color": INK, "aria": False}
    layers: list[Spec] = []
    if across:
        layers.append({"data": {"values": across}, "mark": rule, "encoding": {value: measured}})
    if at:
        layers.append({"data": {"values": at}, "mark": tick, "encoding": {along: encoding[along], value: measured}})
    return layers


def _mark(chart: Chart, points: int) -> Spec:
    if chart.kind == "line":
        return {"type": "line", "strokeWidth": 2, "point": points <= MANY and {"size": 22}}
    if chart.kind == "points":
        return {"type": "point", "filled": True, "size": 20 if points > MANY else POINT_SIZE, "opacity": 0.75}
    if _named(chart) and len(chart.series) > 1:
        return {"type": "bar"}  # the offset keeps them apart; with a band of their own they would be off its middle
    return {"type": "bar", "height" if _named(chart) and not chart.choices else "width": {"band": 0.8}}


def _room(chart: Chart, values: Iterable[float | str]) -> Spec:
    """The scale of an axis without fixed ends: bars begin at 0, points keep off the edges.

    Numbers that are all one get room on both sides: by themselves they would be labelled in too few digits.
    """
    ends = {float(end) for end in values}
    room: Spec = {"zero": chart.kind == "bars"}
    if len(ends) == 1 and (chart.kind != "bars" or ends == {0.0}):
        (only,) = ends
        beside = abs(only) / 10 or 1.0
        room["domain"] = [0.0, beside] if chart.kind == "bars" else [only - beside, only + beside]
    return {**room, **({"padding": 12} if chart.kind == "points" else {})}


def _intervals(chart: Chart, rows: Sequence[Spec], value: str, encoding: Spec) -> list[Spec]:
    """Bands beside lines, else a rule for each interval."""
    spans = [row for row in rows if "low" in row]
    if not spans:
        return []
    over: Spec = {value: {**encoding[value], "field": "low"}, f"{value}2": {"field": "high"}}
    mark: Spec = {"type": "rule", "strokeWidth": 1.5, "color": COLOURS[0]}
    if chart.kind == "line":
        mark = {"type": "area", "opacity": 0.15}
    else:
        if chart.kind == "bars":
            over["color"] = {"value": INK}
        over |= {name: {**spec, "bandPosition": 0.5} for name, spec in encoding.items() if name.endswith("Offset")}
    return [{"data": {"values": spans}, "mark": {**mark, "aria": False}, "encoding": over}]


def _columns(names: Sequence[str], paper: Paper) -> int:
    """How many columns of a legend there is room for."""
    longest = min(paper.legend, LETTER * max(map(len, names)))
    room = paper.width - paper.names if paper.whole else paper.width
    return max(1, min(3, int(room / (longest + SYMBOL))))


def _choice(chart: Chart, names: Mapping[str, str], name: str, values: Sequence[str], paper: Paper) -> Spec:
    """The dots of one choice beneath the x axis: under a row with its name one for each value, lit where chosen.

    An empty value stands for no choice of this kind.
    """
    head = f"{short_name(name)}:"
    rows = {value: short for value, short in short_names([head, *filter(None, values)]).items() if value != head}
    first = [names[x] if isinstance(x, str) else shown(x) for x in chart.series[0].x]
    pairs = [(x, rows[value]) for x, value in zip(first, values, strict=True) if value]
    dots = [{"x": x, "value": value, "is": CHOSEN} for x, value in pairs]
    if len(first) * len(rows) <= MOST_DOTS:
        taken = set(pairs)
        faint = [(x, value) for x in first for value in rows.values() if (x, value) not in taken]
        dots = [*({"x": x, "value": value, "is": OTHER} for x, value in faint), *dots]
    colours = {"domain": [CHOSEN, OTHER], "range": [COLOURS[0], GRID]}
    return {
        "width": paper.width,
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


def _values(chart: Chart, names: Mapping[str, str], paper: Paper) -> Iterator[Spec]:
    series = short_names(one.name for one in chart.series)
    for n, one in enumerate(chart.series):
        for i in _places(one, chart, paper):
            x = one.x[i]
            row: Spec = {"series": series[one.name], "x": names[x] if isinstance(x, str) else float(x)}
            row |= {"y": float(one.y[i]), "says": _tooltip(one, i)}
            if i < len(one.labels) and one.labels[i]:
                row["label"] = short_name(one.labels[i])
            row |= outcome_of(chart, n, i)
            span = one.interval(i)
            yield row | ({"low": float(span[0]), "high": float(span[1])} if span is not None else {})


def _tooltip(one: Series, i: int) -> str:
    """The text shown to a reader who points at a mark."""
    words = [one.name, *one.labels[i : i + 1], shown(one.x[i])]
    return f"{', '.join(short_name(word) for word in words if word)}: {one.value_text(i)}"


def _places(one: Series, chart: Chart, paper: Paper) -> Sequence[int]:
    """The points of a series that are drawn: evenly spaced where there are too many, first and last among them."""
    most = max(2, paper.points // len(chart.series))
    if len(one.x) <= most:
        return range(len(one.x))
    return [round(i * (len(one.x) - 1) / (most - 1)) for i in range(most)]


def _meet(chart: Chart) -> bool:
    """Whether two series have a point for the same name, so that they must be drawn beside each other."""
    names = [x for one in chart.series for x in dict.fromkeys(one.x)]
    return len(set(names)) < len(names)


def _named(chart: Chart) -> bool:
    return any(isinstance(x, str) for one in chart.series for x in one.x)
