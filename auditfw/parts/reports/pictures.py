"""Charts as SVG, by Vega-Lite; where the extra `charts` is not installed there are none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from auditfw.document import Chart, Section
from auditfw.machine import write_whole
from auditfw.sinks import visible

WIDTH, HEIGHT = 620, 280
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#5e3c99", "#666666"]
NAME = 60


def charts(sections: Sequence[Section]) -> list[Chart]:
    """All charts of a report, in order."""
    return [block for section in sections for block in section.blocks if isinstance(block, Chart)]


def write_pictures(sections: Sequence[Section], folder: str) -> list[str]:
    """Writes each chart as chart-N.svg into the run folder and returns the names; none without the extra."""
    found = charts(sections)
    if not found or not can_draw():
        return []
    return [write_whole(folder, f"chart-{n}.svg", svg(chart) + "\n") for n, chart in enumerate(found, 1)]


def can_draw() -> bool:
    """Whether the extra `charts` is installed."""
    try:
        import vl_convert  # noqa: F401 - only whether it can be imported
    except ImportError:
        return False
    return True


def svg(chart: Chart) -> str:
    """A chart as an SVG document, the same bytes for the same chart. Needs the extra `charts`."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(json.dumps(specification(chart)))
    return drawn


def specification(chart: Chart) -> dict[str, Any]:
    """The Vega-Lite specification of a chart: data only, no expression of ours or the data's."""
    several = len(chart.series) > 1
    named = any(isinstance(x, str) for one in chart.series for x in one.x)
    x: dict[str, Any] = {"field": "x", "title": _name(chart.x), "type": "nominal" if named else "quantitative"}
    x |= {"sort": None, "axis": {"labelAngle": -30}} if named else {"scale": {"zero": False}, "axis": {"tickCount": 8}}
    y: dict[str, Any] = {"field": "y", "type": "quantitative", "title": _name(chart.y)}
    if chart.ends is not None:
        y["scale"] = {"domain": list(chart.ends)}
    encoding: dict[str, Any] = {"x": x, "y": y}
    if several:
        legend = {"orient": "bottom", "title": None, "columns": 4}
        encoding["color"] = {"field": "series", "type": "nominal", "sort": None, "legend": legend}
        if chart.kind == "bars":
            encoding["xOffset"] = {"field": "series", "sort": None}
    marks = {"line": {"type": "line", "strokeWidth": 2}, "points": {"type": "point", "filled": True, "size": 45}}
    layers: list[dict[str, Any]] = [{"mark": marks.get(chart.kind, {"type": "bar"})}]
    if any(any(one.labels) for one in chart.series):
        label = {"type": "text", "dx": 6, "dy": -6, "align": "left", "fontSize": 10}
        layers.append({"mark": label, "encoding": {"text": {"field": "label", "type": "nominal"}}})
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "title": {"text": _name(chart.title), "anchor": "start", "fontSize": 14},
        "width": WIDTH,
        "height": HEIGHT,
        "background": "white",
        "data": {"values": list(_values(chart))},
        "encoding": encoding,
        "layer": layers,
        "config": {"range": {"category": COLOURS}, "font": "sans-serif", "mark": {"color": COLOURS[0]}},
    }


def _values(chart: Chart) -> Iterator[dict[str, Any]]:
    for one in chart.series:
        for i, (x, y) in enumerate(zip(one.x, one.y, strict=True)):
            row = {"series": _name(one.name), "x": _name(x) if isinstance(x, str) else float(x), "y": float(y)}
            yield row | ({"label": _name(one.labels[i])} if i < len(one.labels) and one.labels[i] else {})


def _name(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= NAME else shown[: NAME - 1] + "…"
