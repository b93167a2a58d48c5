"""Charts as SVG, by Vega-Lite; where the extra `charts` is not installed, or drawing fails, there are none."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial

from auditfw.core.background import BackgroundTask
from auditfw.core.document import Chart, Section
from auditfw.core.errors import IncompleteError
from auditfw.core.files import refusals
from auditfw.core.result_json import write_whole

from .drawer import can_draw, drawer, drawn, installed
from .vega import NARROW, WIDE, Paper, specification

NOT_INSTALLED = "Charts need the extra charts: pip install 'auditfw[charts]'"
FAILED = "No chart: the process that draws it failed."
NOT_DRAWN = (
    "The charts could not be drawn: the process that draws them failed, for example because its address space is "
    "limited. The tables show their numbers. Once it can run, auditfw report RUN writes this page with the charts."
)


def charts(sections: Sequence[Section]) -> list[Chart]:
    """All charts of a report, in order."""
    return [block for section in sections for block in section.blocks if isinstance(block, Chart)]


def write_pictures(sections: Sequence[Section], folder: str) -> tuple[list[str], list[IncompleteError]]:
    """Writes each chart as chart-N.svg into the run folder; none where one cannot be drawn.

    Gives the names, "" for one that the disk refuses, and the refusals.
    """
    every_chart = charts(sections)
    if not every_chart or not can_draw():
        return [], []
    pictures = [svg(chart) for chart in every_chart]
    known = [picture for picture in pictures if picture is not None]
    if len(known) < len(pictures):
        return [], []
    files = {f"chart-{n}.svg": picture + "\n" for n, picture in enumerate(known, 1)}
    outcomes = refusals(folder, [partial(write_whole, folder, name, text) for name, text in files.items()])
    names = [name if refusal is None else "" for name, refusal in zip(files, outcomes, strict=True)]
    return names, [refusal for refusal in outcomes if refusal is not None]


def begin_drawing(every_chart: Sequence[Chart]) -> Callable[[], object]:
    """Begins to draw these charts for a page, wide and narrow; calling what it gives waits until they are there."""
    if not every_chart or not can_draw():
        return lambda: None
    drawer().start()

    def draw() -> None:
        for chart in every_chart:
            for paper in (WIDE, NARROW):
                svg(chart, paper)

    try:
        return BackgroundTask(draw)
    except RuntimeError:  # no memory for a thread
        return draw


def svg(chart: Chart, paper: Paper = WIDE) -> str | None:
    """A chart as an SVG document, the same bytes for the same chart; None where it cannot be drawn."""
    return drawn(json.dumps(specification(chart, paper)))


def why_none() -> str:
    """Why charts have no pictures, as a sentence; "" where they have."""
    if not installed():
        return NOT_INSTALLED
    return "" if can_draw() else NOT_DRAWN
