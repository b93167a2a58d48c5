"""The one picture that shows the answer, with the bounds of the gates drawn into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite

from auditfw.components.report import wording
from auditfw.core.document import Chart, GateLine, Note, NumberText, ScreenPlace, Section, Series, Table
from auditfw.core.records import GateResult, Measurement, Result
from auditfw.core.result_json import finite

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
