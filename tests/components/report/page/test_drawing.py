"""Shades, matrices, grids and charts as a page draws them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pages
import pytest

from auditfw.components.report.charts.drawing import drawing
from auditfw.components.report.charts.plot import NARROW, WIDE, points_drawn
from auditfw.components.report.charts.svg import INKS
from auditfw.components.report.page import blocks
from auditfw.core.document import Chart, Grid, Matrix, Series


@pytest.mark.parametrize(
    ("value", "diverging", "wanted"),
    [
        (0.0, False, "h0"),
        (10.0, False, "h9"),
        (5.0, False, "h4"),
        (None, False, "hole"),
        (0.0, True, "h0"),
        (-10.0, True, "e9"),
        (10.0, True, "d9"),
        (-0.2, True, "h0"),
        (99.0, True, "d9"),
    ],
)
def test_shades(value: float | None, diverging: bool, wanted: str) -> None:
    ends = (-10.0, 10.0) if diverging else (0.0, 10.0)
    told = blocks.matrix_view(Matrix("t", "c", ["r"], ["x"], [[value]], [[""]], diverging, ends, better="lower"))
    assert told["rows"] == [("r", [("", wanted)])]


@pytest.mark.parametrize(
    ("better", "wanted", "ends"),
    [("lower", ["e9", "d4"], ["e9", "d9"]), ("higher", ["d9", "e4"], ["d9", "e9"]), (None, ["h0", "h9"], ["h0", "h9"])],
)
def test_the_better_side_is_green_whichever_it_is(better: Any, wanted: list[str], ends: list[str]) -> None:
    matrix = Matrix("t", "c", ["r"], ["x", "y"], [[-10.0, 5.0]], [["", ""]], diverging=True, better=better)
    told = blocks.matrix_view(matrix)
    assert [shade for _, shade in told["rows"][0][1]] == wanted
    assert [told["scale"][0], told["scale"][-1]] == ends


def test_a_matrix_of_one_value_or_none() -> None:
    alike = blocks.matrix_view(Matrix("t", "c", ["r"], ["x", "y"], [[3.0, 3.0]], [["3", "3"]]))
    assert alike["rows"] == [("r", [("3", "h9"), ("3", "h9")])]
    empty = blocks.matrix_view(Matrix("t", "c", ["r"], ["x"], [[None]], [[""]]))
    assert empty["scale"] == []


def test_grids_as_paths() -> None:
    found = Grid("g", [[1, 1, 0], [1, 0, 0]], [(0, 2)])
    assert blocks.grid_paths(found) == [("a0", "M2 0h1v1h-1zM1 1h2v1h-2z"), ("a1", "M0 0h2v1h-2zM0 1h1v1h-1z")]
    assert blocks.differing_path(found) == "M2 0h1v1h-1z"
    assert blocks.grid_paths(Grid("g", [[], [12]])) == [("ax", "M0 1h1v1h-1z")]


def test_charts_of_a_page_are_in_its_colours_without_a_title() -> None:
    for chart in [pages.curve(), *pages.charts()]:
        root = ET.fromstring(drawing(chart).inlined("wide"))
        assert (root.get("role"), root.get("aria-label"), root.get("class")) == ("img", chart.title, "chart wide")
        tags = {node.tag.rpartition("}")[2] for node in root.iter()}
        assert tags <= {"svg", "desc", "title", "line", "path", "text"}
        inks = {node.get(name) for node in root.iter() for name in ("fill", "stroke")} - {None}
        assert inks <= {*INKS.values(), "none"}
        assert chart.title not in {node.text for node in root.iter()}
        assert "style" not in {name for node in root.iter() for name in node.attrib}
    told = {node.text for node in root.iter() if node.tag.endswith("title")}
    assert "rules, three tries, 1: 0.3" in told


def test_names_that_are_cut_alike_stay_apart() -> None:
    long = ["x" * 80 + "1", "x" * 80 + "2"]
    drawn = drawing(Chart("c", "x", "y", [Series("s", long, [1.0, 2.0])], "points")).document()
    lines = [
        node.text for node in ET.fromstring(drawn).iter() if "x" * 9 in (node.text or "") and node.tag.endswith("text")
    ]
    assert lines == ["x" * 20, "x" * 20, "x" * 19 + "…", "x" * 20, "x" * 20, "x" * 19 + "… (2)"]
    assert drawn == drawing(Chart("c", "x", "y", [Series("s", long, [1.0, 2.0])], "points")).document()


def test_many_points_are_thinned_and_it_is_said() -> None:
    chart = Chart("c", "x", "y", [Series("s", [float(n) for n in range(9_000)], [0.0] * 9_000)], "points")
    assert [points_drawn(chart, paper) for paper in (WIDE, NARROW)] == [2_000, 500]
    told = blocks.chart_view(chart)
    said = [one["drawn"] for one in told["pictures"]]
    assert said == ["2,000 of 9,000 points are drawn.", "500 of 9,000 points are drawn."]
    assert told["rows"] == "200 of 9,000 rows."
