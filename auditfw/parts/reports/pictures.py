"""Charts as SVG, by Vega-Lite; where the extra `charts` is not installed there are none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

from auditfw.document import Chart, Section
from auditfw.machine import write_whole

from .vega import WIDE, Paper, specification

KEPT = 64


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


def svg(chart: Chart, paper: Paper = WIDE) -> str:
    """A chart as an SVG document, the same bytes for the same chart. Needs the extra `charts`."""
    return _drawn(json.dumps(specification(chart, paper)))


@lru_cache(KEPT)
def _drawn(text: str) -> str:
    """The picture of a specification, drawn once for all the reports of a run."""
    import vl_convert

    picture: str = vl_convert.vegalite_to_svg(text)
    return picture
