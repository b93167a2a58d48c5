"""Charts: data first, then a line of characters, a table or an SVG file; hostile names stay text in all of them."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from auditfw import retell
from auditfw.document import Chart, Section, Series
from auditfw.parts.reports import console, markdown, pictures, sketch
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
