"""Charts as pictures: whole, the same twice, names that break, hostile ones that stay text."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from small_charts import TWO

from auditfw.components.report.charts import names, pictures, vega
from auditfw.components.report.charts.vega import NARROW
from auditfw.core.document import Chart, GateLine, Series

HOSTILE = "<script>alert(1)</script> ]( javascript:\x1b[2J\u202e"


def test_svg_is_whole_and_the_same_twice() -> None:
    pytest.importorskip("vl_convert")
    drawn = pictures.svg(TWO)
    assert drawn == pictures.svg(TWO)
    words = {"".join(node.itertext()) for node in ET.fromstring(drawn).iter() if node.tag.endswith("text")}
    assert {"Two", "x", "y", "a", "b"} <= words


@pytest.mark.parametrize("kind", ["line", "points", "bars"])
def test_hostile_names_stay_text_in_an_svg(kind: str) -> None:
    pytest.importorskip("vl_convert")
    chart = Chart(HOSTILE, HOSTILE, HOSTILE, [Series(HOSTILE, [1.0, 2.0], [1.0, 2.0], [HOSTILE])], kind=kind)  # type: ignore[arg-type]
    root = ET.fromstring(pictures.svg(chart))
    tags = {node.tag.rpartition("}")[2] for node in root.iter()}
    assert not tags & {"script", "a", "image", "foreignObject"}
    told = "".join(root.itertext())
    assert "\x1b" not in told
    assert "\u202e" not in told


def words_of(picture: str) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(picture).iter() if node.tag.endswith("text")]


ALL_ONE = [
    ([1.0, 2.0], [0.9663, 0.9663], "points", "1.05"),  # not one tick called 1
    ([1.0, 2.0], [0.0, 0.0], "line", "−0.5"),
    (["a", "b"], [0.0, 0.0], "bars", "0.2"),
    (["a", "b"], [3.0, 3.0], "bars", "2.5"),
]


@pytest.mark.parametrize(("x", "y", "kind", "tick"), ALL_ONE)
def test_numbers_that_are_all_one_have_an_axis(x: list, y: list, kind: str, tick: str) -> None:
    pytest.importorskip("vl_convert")
    words = words_of(pictures.svg(Chart("c", "x", "y", [Series("s", x, y)], kind)))  # type: ignore[arg-type]
    assert tick in words


LONG = ["answer_v2+v1+containment", "a name of several words that goes on", "short", "x" * 40]


@pytest.mark.parametrize("kind", ["line", "points", "bars"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_picture_for_a_narrow_page_fits_it_and_breaks_names(kind: str, count: int) -> None:
    pytest.importorskip("vl_convert")
    series = [Series(f"{n} {LONG[1]}", LONG, [1.0, 2.0, 1e6, 3.0]) for n in range(count)]
    chart = Chart("A long title of a chart " * 3, "x", "y", series, kind)  # type: ignore[arg-type]
    drawn = ET.fromstring(pictures.svg(chart, NARROW))
    assert float(drawn.get("width", "inf")) <= NARROW.width
    choices = Chart("c", "x", "y", series, "points", choices={"parser": LONG})
    assert float(ET.fromstring(pictures.svg(choices, NARROW)).get("width", "inf")) <= NARROW.width + 30
    words = words_of(pictures.svg(chart, NARROW))
    assert ("answer_v2+v1+containment" in words) == (kind != "line")
    assert chart.title[:20] not in " ".join(words)


@pytest.mark.parametrize(
    ("name", "letters", "wanted"),
    [
        ("answer_v2+v1", 20, "answer_v2+v1"),
        ("answer_v2+v1", 10, "answer_v2+\nv1"),
        ("a b  c", 3, "a \nb  \nc"),
        ("abcdefgh", 3, "abcdefgh"),
        ("", 3, ""),
    ],
)
def test_names_break_behind_a_part(name: str, letters: int, wanted: str) -> None:
    assert names.broken_name(name, letters) == wanted


def test_bounds_of_gates_are_lines_or_marks_at_a_name() -> None:
    series = [Series("s", ["a", "b"], [1.0, 2.0])]
    across = vega.specification(Chart("t", "x", "y", series, "points", bounds=[GateLine("g", 5.0)]))
    plot, rule = across["layer"]
    assert rule["mark"]["type"] == "rule"
    assert (rule["data"]["values"], list(rule["encoding"])) == ([{"bound": 5.0}], ["x"])
    at = vega.specification(
        Chart("t", "x", "y", series, "points", bounds=[GateLine("g", 5.0, "b"), GateLine("g", 1.0, "c")])
    )
    plot, tick = at["layer"]
    assert tick["data"]["values"] == [{"bound": 5.0, "x": "b"}]
    assert (tick["mark"]["type"], sorted(tick["encoding"])) == ("tick", ["x", "y"])
    assert "layer" in plot


def test_roles_have_their_colours_and_the_reference_its_shape() -> None:
    series = [Series("r", ["a"], [1.0], role="candidate"), Series("s", ["a"], [2.0], role="reference")]
    spec = vega.specification(Chart("t", "x", "y", series, "points"))
    assert spec["encoding"]["color"]["scale"]["range"] == ["#0072b2", "#666666"]
    assert spec["layer"][-1]["encoding"]["shape"]["scale"]["range"] == ["circle", "diamond"]
    bars = [Series("up", ["a"], [1.0], role="better"), Series("down", ["a"], [2.0], role="worse")]
    spec = vega.specification(Chart("t", "x", "y", bars, "bars"))
    assert spec["encoding"]["color"]["scale"]["range"] == ["#009e73", "#d55e00"]
    plain = vega.specification(Chart("t", "x", "y", [replace(one, role="") for one in bars], "bars"))
    assert "range" not in plain["encoding"]["color"]["scale"]


def test_what_is_no_choice_has_no_row() -> None:
    two = [Series("s", ["a", "b"], [1.0, 2.0])]
    drawn = pictures.svg(Chart("c", "x", "y", two, "points", choices={"scorer": ["", "one"]}), NARROW)
    texts = [text for text in ET.fromstring(drawn).itertext() if text.strip()]
    assert texts.count("one") == 1
    assert "scorer:" in texts
