"""Charts: data first, then a line of characters, a table or an SVG file; hostile names stay text in all of them."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from auditfw import retell
from auditfw.document import Chart, Section, Series
from auditfw.parts.reports import console, markdown, pictures, sketch, vega
from auditfw.parts.reports.vega import NARROW
from auditfw.records import Result

CURVE = Chart(
    "Alignment by x", "x", "score", [Series("overall", [0.0, 1.0, 2.0, 3.0], [0.0, 0.5, 1.0, 0.25])], ends=(0, 1)
)
TWO = Chart("Two", "x", "y", [Series("a", [0.0, 1.0], [1.0, 2.0]), Series("b", [1.0, 2.0], [3.0, 4.0])])
BARS = Chart("Free", "simulator", "score", [Series("mean", ["constant", "permuted"], [0.5, 1.0])], kind="bars")
POINTS = Chart("Cost", "seconds", "solved", [Series("rules", [1.0, 2.0], [0.3, 0.5], ["ten tries", ""])], kind="points")
HOSTILE = "<script>alert(1)</script> ]( javascript:\x1b[2J\u202e"


def result(*charts: Chart) -> Result:
    sections = [Section("Curves", list(charts), console=True)]
    return Result("alignment", "none", 0, {"read": 1, "audited": 1}, (), [], [], [], [], "0", 0, {}, sections=sections)


def test_curve_in_characters() -> None:
    drawn = sketch.sketch(CURVE, 60)
    assert drawn == ["score 0 ▁ to 1 █", "overall ▁▅█▃  0 to 1", "x from 0 to 3"]
    assert sketch.sketch(CURVE, 60, ascii_only=True)[1] == "overall _+@-  0 to 1"


def test_bars_in_characters() -> None:
    short, full = sketch.sketch(BARS, 40)
    assert short.startswith("constant ")
    assert short.endswith(" 0.5")
    assert full.count("█") == 2 * short.count("█") > 0


def test_points_and_narrow_terminals_get_a_table() -> None:
    assert sketch.sketch(POINTS, 80) == []
    assert sketch.sketch(BARS, 10) == []


def test_tables() -> None:
    assert [list(row) for row in TWO.as_table().rows] == [["0", "1", ""], ["1", "2", "3"], ["2", "", "4"]]
    assert list(POINTS.as_table().rows[0]) == ["rules", "ten tries", "1", "0.3"]
    assert [row[0] for row in sketch.thinned([[str(i)] for i in range(101)], 3)] == ["0", "50", "100"]


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


def test_report_has_picture_and_table(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    names = markdown.MarkdownReport()(result(CURVE, BARS), str(tmp_path))
    assert list(names) == ["report.md", "chart-1.svg", "chart-2.svg"]
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "![Alignment by x](chart-1.svg)" in text
    assert "| 1 | 0.5 |" in text
    assert "| constant | 0.5 |" in text
    assert "auditfw[charts]" not in text


def test_without_the_extra_there_is_the_table_and_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert list(markdown.MarkdownReport()(result(CURVE), str(tmp_path))) == ["report.md"]
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "![" not in text
    assert "Alignment by x" in text
    assert "| 1 | 0.5 |" in text
    assert "pip install 'auditfw[charts]'" in text


def test_console_draws_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    console.ConsoleReport()(result(CURVE, POINTS), None)
    told = capsys.readouterr().out
    assert "Alignment by x" in told
    assert "x from 0 to 3" in told
    assert "ten tries" in told


def test_charts_survive_being_stored(tmp_path: Path) -> None:
    sections = [Section("Curves", [CURVE, TWO, BARS, POINTS])]
    retell.save_sections(str(tmp_path), sections)
    told = json.loads((tmp_path / retell.SECTIONS).read_text("utf-8"))["sections"]
    again = retell._section(told[0])
    assert [block.as_table() for block in again.blocks if isinstance(block, Chart)] == [
        chart.as_table() for chart in (CURVE, TWO, BARS, POINTS)
    ]


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
    assert vega._broken(name, letters) == wanted
