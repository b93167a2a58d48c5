"""Charts in characters: curves, bars, and a table where neither fits."""

from __future__ import annotations

import pytest
from small_charts import BARS, CURVE, POINTS, TWO, result

from auditfw.components.report import console
from auditfw.components.report.charts import sketch


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


def test_console_draws_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    console.ConsoleReport()(result(CURVE, POINTS), None)
    told = capsys.readouterr().out
    assert "Alignment by x" in told
    assert "x from 0 to 3" in told
    assert "ten tries" in told
