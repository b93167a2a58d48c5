"""Charts as pictures: whole, the same twice, marks in their places and colours, hostile names that stay text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import pytest
from small_charts import BARS, CURVE, POINTS, TWO

from auditfw.components.report.charts.drawing import MANY, MOST_DOTS, OUTCOMES, drawing
from auditfw.components.report.charts.plot import NARROW, WIDE, Paper, plot_of
from auditfw.components.report.charts.svg import CATEGORIES, GRID, INK, MARGIN, ROLES
from auditfw.core.document import Chart, GateLine, Series

HOSTILE = '<script>alert(1)</script> ]( "#000" \' & javascript:\x1b[2J\u202e'
LONG = ["answer_v2+v1+containment", "a name of several words that goes on", "short", "x" * 40]


def root_of(chart: Chart, paper: Paper = WIDE) -> ET.Element:
    return ET.fromstring(drawing(chart, paper).document())


def nodes(chart: Chart, tag: str, **wanted: str) -> list[ET.Element]:
    """The elements of a picture with these attributes."""
    found = [node for node in root_of(chart).iter() if node.tag.rpartition("}")[2] == tag]
    return [node for node in found if all(node.get(name.replace("_", "-")) == each for name, each in wanted.items())]


def words_of(chart: Chart, paper: Paper = WIDE) -> list[str]:
    return [node.text or "" for node in root_of(chart, paper).iter() if node.tag.endswith("text")]


def marks(chart: Chart) -> dict[str, ET.Element]:
    """The marks with a tooltip, by it."""
    return {node[0].text or "": node for node in nodes(chart, "path") if len(node)}


def start(node: ET.Element) -> tuple[float, float]:
    x, y = re.findall(r"-?[0-9.]+", node.get("d", ""))[:2]
    return float(x), float(y)


def test_svg_is_whole_and_the_same_twice_and_says_what_it_is() -> None:
    drawn = drawing(TWO).document()
    assert drawn == drawing(TWO).document()
    root = ET.fromstring(drawn)
    assert {"Two", "x", "y", "a", "b"} <= set(words_of(TWO))
    assert root.get("role") == "img"
    title, description = (node.text for node in root[:2])
    assert (title, description) == ("Two", f"{TWO.y} by {TWO.x}: a, b")


@pytest.mark.parametrize("kind", ["line", "points", "bars"])
@pytest.mark.parametrize("x", [1.0, HOSTILE])
def test_hostile_names_stay_text_in_an_svg(kind: str, x: float | str) -> None:
    series = [Series(HOSTILE, [x], [1.0], [HOSTILE])] * 2
    for choices in ({}, {HOSTILE: [HOSTILE]}):
        chart = Chart(HOSTILE, HOSTILE, HOSTILE, series, kind, choices=choices)  # type: ignore[arg-type]
        for text in (drawing(chart).document(), drawing(chart).inlined()):
            root = ET.fromstring(text)
            assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {
                *("svg", "title", "desc", "rect", "text", "line", "path"),
            }
            assert not {name for node in root.iter() for name in node.attrib if name.startswith("on")}
            assert not set(text) & set("\x1b\u202e")
            told = "".join(root.itertext())
            assert '"#000"' in told
            assert "currentColor" not in told


ALL_ONE = [
    ([1.0, 2.0], [0.9663, 0.9663], "points", "1.05"),  # not one tick called 1
    ([1.0, 2.0], [0.0, 0.0], "line", "−0.5"),
    (["a", "b"], [0.0, 0.0], "bars", "0.2"),
    (["a", "b"], [3.0, 3.0], "bars", "2.5"),
]


@pytest.mark.parametrize(("x", "y", "kind", "tick"), ALL_ONE)
def test_numbers_that_are_all_one_have_an_axis(x: list, y: list, kind: str, tick: str) -> None:
    assert tick in words_of(Chart("c", "x", "y", [Series("s", x, y)], kind))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["line", "points", "bars"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_picture_has_the_width_of_its_paper_and_breaks_names(kind: str, count: int) -> None:
    series = [Series(f"{n} {LONG[1]}", LONG, [1.0, 2.0, 1e6, 3.0]) for n in range(count)]
    chart = Chart("c", "x", "y", series, kind)  # type: ignore[arg-type]
    for paper in (WIDE, NARROW):
        assert root_of(chart, paper).get("width") == str(paper.width + 2 * MARGIN)
    words = words_of(chart, NARROW)
    assert {"answer_v2+v1+", "containment", "x" * 20} <= set(words)
    assert not any("…" in word for word in words if "x" not in word and word[0] not in "01234")


def test_points_lie_where_their_numbers_are() -> None:
    series = [Series("s", [0.0, 1.0, 2.0], [0.0, 5.0, 10.0])]
    chart = Chart("c", "x", "y", series, "line", ends=(0.0, 10.0))
    plot = plot_of(chart, WIDE).moved(26.0)
    [curve] = nodes(chart, "path", fill="none")
    middle = ((plot.left + plot.right) / 2, (plot.top + plot.bottom) / 2)
    ends = [(plot.left, plot.bottom), middle, (plot.right, plot.top)]
    assert curve.get("d") == "M" + "L".join(f"{x:.2f}".rstrip("0").rstrip(".") + f",{y:g}" for x, y in ends)
    assert [start(mark)[1] for mark in marks(chart).values()] == [306, 166, 26]


def test_names_have_a_row_each_from_above_and_bars_begin_at_0() -> None:
    chart = Chart("c", "x", "y", [Series("s", ["a", "b", "c"], [1.0, -2.0, 4.0])], "bars")
    found = marks(chart)
    tops = [start(found[name])[1] for name in ("s, a: 1", "s, b: -2", "s, c: 4")]
    assert [below - above for above, below in pairwise(tops)] == pytest.approx([22, 22])
    zero = plot_of(chart, WIDE).value(0.0)
    assert [start(mark)[0] for mark in found.values()] == pytest.approx([zero] * 3, abs=0.01)


def test_several_series_at_a_name_lie_beside_each_other() -> None:
    two = [Series("s", ["a"], [1.0]), Series("t", ["a"], [1.0])]
    apart = [start(mark)[1] for mark in marks(Chart("c", "x", "y", two, "points")).values()]
    assert apart[1] - apart[0] == 16
    bars = [start(mark)[1] for mark in marks(Chart("c", "x", "y", two, "bars")).values()]
    assert bars[1] - bars[0] == 16
    others = [two[0], replace(two[1], x=["b"])]
    assert [start(mark)[1] for mark in marks(Chart("c", "x", "y", others, "points")).values()] == [54, 76]
    chosen = Chart("c", "x", "y", two, "points", choices={"p": ["v"]})
    assert len({start(mark) for mark in marks(chosen).values()}) == 1


def test_intervals_are_lines_through_their_marks_or_a_band() -> None:
    series = [Series("s", ["a", "b"], [1.0, 2.0], (), [0.5, None], [1.5, None])]
    [line] = nodes(Chart("c", "x", "y", series, "points"), "line", stroke_width="1.5")
    assert line.get("y1") == line.get("y2")
    assert float(line.get("x1", "")) < float(line.get("x2", ""))
    assert line.get("stroke") == CATEGORIES[0]
    [line] = nodes(Chart("c", "x", "y", series, "bars"), "line", stroke_width="1.5")
    assert line.get("stroke") == INK
    band = [Series("s", [1.0, 2.0], [1.0, 2.0], (), [0.5, 1.5], [1.5, 2.5])]
    [area] = nodes(Chart("c", "x", "y", band), "path", fill_opacity="0.15")
    assert area.get("d", "").count("L") == 3


def test_bounds_of_gates_are_lines_or_marks_at_a_name() -> None:
    series = [Series("s", ["a", "b"], [1.0, 2.0])]
    chart = Chart("t", "x", "y", series, "points", bounds=[GateLine("g", 5.0)])
    [across] = nodes(chart, "line", stroke_dasharray="4,3")
    assert across.get("x1") == across.get("x2")
    assert "5" in words_of(chart)  # the axis reaches it
    at = replace(chart, bounds=[GateLine("g", 5.0, "b"), GateLine("g", 1.0, "c")])
    [mark] = nodes(at, "line", stroke=INK, stroke_width="2")
    assert float(mark.get("y2", "")) - float(mark.get("y1", "")) == 22


def test_roles_have_their_colours_and_the_reference_its_shape_below_the_others() -> None:
    series = [Series("r", ["a"], [1.0], role="candidate"), Series("s", ["a"], [2.0], role="reference")]
    found = marks(Chart("t", "x", "y", series, "points", choices={"p": ["v"]}))
    assert [(name, mark.get("fill")) for name, mark in found.items()] == [
        ("s, a: 2", ROLES["reference"]),
        ("r, a: 1", ROLES["candidate"]),
    ]
    assert ["a" in mark.get("d", "") for mark in found.values()] == [False, True]  # of a circle alone
    plain = marks(Chart("t", "x", "y", [replace(one, role="") for one in series], "bars"))
    assert [mark.get("fill") for mark in plain.values()] == CATEGORIES[:2]


def test_what_failed_has_a_cross_and_of_one_series_its_colour() -> None:
    one = Series("s", ["a", "b"], [1.0, 2.0], failed=[False, True])
    chart = Chart("t", "x", "y", [one], "points")
    assert [mark.get("fill") for mark in marks(chart).values()] == [colour for _, colour in OUTCOMES]
    assert {word for word, _ in OUTCOMES} <= set(words_of(chart))
    assert len(nodes(chart, "path", stroke_width="2.2", stroke=ROLES["worse"])) == 1
    two = replace(chart, series=[one, replace(one, name="t")])
    assert not {word for word, _ in OUTCOMES} & set(words_of(two))
    assert len(nodes(two, "path", stroke_width="2.2")) == 2
    assert len(nodes(replace(chart, kind="bars"), "path", stroke_width="2.2", stroke=INK)) == 1


def test_choices_are_dots_beneath_and_what_is_none_has_no_row() -> None:
    two = [Series("s", ["a", "b"], [1.0, 2.0])]
    chart = Chart("c", "x", "y", two, "points", choices={"scorer": ["", "one"], "parser": ["p", "q"]})
    texts = [word for word in words_of(chart) if word in ("one", "p", "q") or ":" in word]
    assert texts == ["scorer:", "one", "parser:", "p", "q"]
    assert len(nodes(chart, "path", fill=GRID)) == 3
    assert len(nodes(chart, "path", fill=ROLES["candidate"])) == 2 + 3  # points and dots
    many = [str(n) for n in range(MOST_DOTS // 40)]
    crowded = Chart("c", "x", "y", [Series("s", many, [1.0] * len(many))], "points", choices={"p": many})
    assert nodes(crowded, "path", fill=GRID) == []


def test_a_legend_goes_on_in_further_rows() -> None:
    series = [Series(f"series of number {n}", [1.0, 2.0], [1.0, 2.0]) for n in range(12)]
    chart = Chart("c", "x", "y", series)
    rows = {node.get("transform", "").partition(",")[2] for node in nodes(chart, "text") if "series" in str(node.text)}
    assert len(rows) == 3
    assert words_of(replace(chart, series=series[:1])).count("series of number 0") == 0


def test_labels_are_beside_points_and_many_points_of_a_line_have_no_marks() -> None:
    assert "ten tries" in words_of(POINTS)
    assert "rules, ten tries, 1: 0.3" in marks(POINTS)
    xs = [float(n) for n in range(MANY + 1)]
    assert marks(Chart("c", "x", "y", [Series("s", xs, xs)])) == {}
    assert len(marks(Chart("c", "x", "y", [Series("s", xs[1:], xs[1:])]))) == MANY


def test_a_line_goes_from_the_least_x_to_the_largest() -> None:
    there, back = (Chart("c", "x", "y", [Series("s", x, x)]) for x in ([1.0, 2.0, 3.0], [3.0, 1.0, 2.0]))
    assert drawing(there).document() == drawing(back).document()


EMPTY = [Chart("c", "x", "y", []), Chart("c", "x", "y", [Series("s", [], [])], "bars")]


@pytest.mark.parametrize("chart", [CURVE, TWO, BARS, POINTS, *EMPTY])
def test_nothing_lies_outside(chart: Chart) -> None:
    for paper in (WIDE, NARROW):
        root = root_of(chart, paper)
        for node in root.iter():
            for name, end in (("x1", "width"), ("x2", "width"), ("y1", "height"), ("y2", "height")):
                assert 0 <= float(node.get(name, "0")) <= float(root.get(end, "0"))
