"""Pictures of a report: beside their tables, and again from a stored run."""

from __future__ import annotations

import json
from pathlib import Path

from small_charts import BARS, CURVE, POINTS, TWO, result

from auditfw.commands import stored_run
from auditfw.components.report import markdown
from auditfw.core.document import Chart, Section


def test_report_has_picture_and_table(tmp_path: Path) -> None:
    names = markdown.MarkdownReport()(result(CURVE, BARS), str(tmp_path))
    assert list(names) == ["report.md", "chart-1.svg", "chart-2.svg"]
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "![Alignment by x](chart-1.svg)" in text
    assert "| 1 | 0.5 |" in text
    assert "| constant | 0.5 |" in text


def test_charts_survive_being_stored(tmp_path: Path) -> None:
    sections = [Section("Curves", [CURVE, TWO, BARS, POINTS])]
    stored_run.save_sections(str(tmp_path), sections)
    told = json.loads((tmp_path / stored_run.SECTIONS).read_text("utf-8"))["sections"]
    again = stored_run._section(told[0])
    assert [block.as_table() for block in again.blocks if isinstance(block, Chart)] == [
        chart.as_table() for chart in (CURVE, TWO, BARS, POINTS)
    ]
