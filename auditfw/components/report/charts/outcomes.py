"""How a chart shows what failed a gate: by a cross as well as by its colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.core.document import Chart

CROSS = "M-1,-1L1,1M-1,1L1,-1"
OUTCOMES = ("no gate failed", "a gate failed")

Spec = dict[str, Any]


def by_outcome(chart: Chart) -> bool:
    """Whether the marks of a chart are coloured by whether they failed: those of a single series are."""
    return len(chart.series) == 1 and chart.kind != "line" and any(chart.series[0].failed)


def outcome_of(chart: Chart, series: int, point: int) -> Spec:
    """What the row of a point says of it."""
    failed = chart.series[series].has_failed(point)
    return {**({"failed": True} if failed else {}), **({"outcome": OUTCOMES[failed]} if by_outcome(chart) else {})}


def outcome_colours(passed: str, failed: str) -> Spec:
    """The colour of marks by whether they failed, with its legend."""
    legend = {"orient": "bottom", "title": None, "symbolOpacity": 1}
    scale = {"domain": list(OUTCOMES), "range": [passed, failed]}
    return {"field": "outcome", "type": "nominal", "sort": None, "scale": scale, "legend": legend}


def crosses(rows: Sequence[Spec], colour: str) -> list[Spec]:
    """A layer with a cross over each point that failed."""
    failed = [row for row in rows if "failed" in row]
    mark: Spec = {"type": "point", "shape": CROSS, "size": 110, "filled": False, "strokeWidth": 2.2, "opacity": 1}
    over = {"color": {"value": colour}}
    return [{"data": {"values": failed}, "mark": {**mark, "aria": False}, "encoding": over}] if failed else []
