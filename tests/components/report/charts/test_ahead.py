"""The engine of charts is started while the run is composed, and ended where no report draws."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditfw.components.report.charts import pictures
from auditfw.components.report.charts.drawer import drawer
from auditfw.components.report.charts.vega import NARROW, WIDE
from auditfw.core.document import Chart, Series

CODE = """
import sys
from auditfw.components.report.charts import drawer
from auditfw.commands.main import main

start, stop, told = drawer.Drawer.start, drawer.Drawer.stop, []
drawer.Drawer.start = lambda self: (told.append("hydra" not in sys.modules), start(self))
drawer.Drawer.stop = lambda self: (told.append("stopped"), stop(self))
code = main(sys.argv[1:])
print("told:", *told)
"""


def told(folder: Path, *words: str) -> list[str]:
    pytest.importorskip("vl_convert")
    environment = {**os.environ, "COLUMNS": "100"}
    command = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.rpartition("told:")[2].split()


@pytest.mark.slow
def test_the_engine_is_started_before_hydra_is_imported_and_kept_for_the_page(tmp_path: Path) -> None:
    begun, *later = told(tmp_path)
    assert begun == "True"
    assert "stopped" not in later
    assert list(tmp_path.rglob("report.html"))


@pytest.mark.slow
def test_it_is_not_started_where_the_words_leave_out_the_page_and_stopped_where_a_file_does(tmp_path: Path) -> None:
    assert "True" not in told(tmp_path, "report=[json]")
    (tmp_path / "conf" / "experiment").mkdir(parents=True)
    text = "# @package _global_\ndefaults:\n  - answer_parsing\n  - override /report: [json]\n"
    (tmp_path / "conf" / "experiment" / "mine.yaml").write_text(text, "utf-8")
    assert told(tmp_path, "experiment=mine")[:2] == ["True", "stopped"]


def test_charts_are_drawn_wide_and_narrow_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("vl_convert")
    one = Chart("drawn ahead", "x", "y", [Series("s", [0.0, 1.0], [1.0, 2.0])])
    pictures.begin_drawing([one])()
    assert drawer()._process is not None
    drawer().stop()
    assert pictures.svg(one, WIDE)
    assert pictures.svg(one, NARROW)
    assert drawer()._process is None  # both were there


def test_nothing_is_begun_for_a_page_without_charts() -> None:
    drawer().stop()
    pictures.begin_drawing([])()
    assert drawer()._process is None
