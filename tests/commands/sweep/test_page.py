"""The page of a sweep: which keys are swept, what is drawn of them, and where the jobs' own pages are."""

from __future__ import annotations

from pathlib import Path

import pages
import pytest
from page_reading import HOSTILE, Reader

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.run_folder import write_result
from auditfw.commands.sweep.jobs import Job
from auditfw.commands.sweep.page import charted, page_of, swept_keys
from auditfw.commands.sweep.summary import summarise
from auditfw.commands.sweep.table import build_summary
from auditfw.components.report.html import HtmlReport
from auditfw.components.report.page.page import page_text
from auditfw.core.document import Chart, Matrix, Note
from auditfw.core.records import Estimate, Measurement


def job(number: int, *overrides: str, code: int | None = 0, **measured: float | None) -> Job:
    verdict = {0: "pass", 1: "fail"}.get(-1 if code is None else code)
    error = None if verdict else "it broke"
    numbers = {name.replace("_at_", "@"): value for name, value in measured.items()}
    return Job(
        number, ["experiment=mine", *overrides], verdict, code, error, str(number), numbers, f"{number}/auditfw.log"
    )


def blocks(jobs: list[Job], folder: Path, asked: SweepTable | None = None) -> dict[str, list]:
    asked = asked or SweepTable()
    return {part.title: list(part.blocks) for part in page_of(folder, jobs, asked, build_summary(jobs, asked)).parts}


def test_keys_that_differ_are_swept_numbers_in_order() -> None:
    jobs = [job(0, "stop.max=10", "solver=search"), job(1, "stop.max=9", "solver=replay"), job(2, "+x=1", "stop.max=2")]
    assert [(key.name, list(key.values), key.numeric) for key in swept_keys(jobs)] == [
        ("stop.max", ["2", "9", "10"], True),
        ("solver", ["search", "replay", ""], False),
        ("x", ["", "1"], False),
    ]


def test_metrics_are_those_asked_for_else_those_that_move() -> None:
    jobs = [job(0, "a=1", kappa_at_x=0.5, n_at_x=3.0), job(1, "a=2", kappa_at_x=0.7, kappa_at_y=None, n_at_x=3.0)]
    assert charted(jobs, SweepTable()) == {"kappa": ["kappa@x"]}
    assert charted(jobs, SweepTable(metrics=("n@x",))) == {"n": ["n@x"]}
    assert charted(jobs, SweepTable(metrics=("n",))) == {"n": ["n"]}


def test_one_numeric_key_is_a_line_and_a_name_is_points(tmp_path: Path) -> None:
    jobs = [job(0, "a=10", k_at_x=0.5, k_at_y=1.0), job(1, "a=2", k_at_x=0.7, k_at_y=None), job(2, "a=3", code=3)]
    (line,) = blocks(jobs, tmp_path)["Charts"]
    assert isinstance(line, Chart)
    assert (line.kind, line.x, line.y) == ("line", "a", "k")
    assert [(one.name, list(one.x), list(one.y)) for one in line.series] == [("x", [2.0, 10.0], [0.7, 0.5])]
    named = [job(0, "s=search", k_at_x=0.5), job(1, "s=replay", k_at_x=0.7)]
    (points,) = blocks(named, tmp_path)["Charts"]
    assert (points.kind, list(points.series[0].x)) == ("points", ["search", "replay"])


def test_two_keys_are_a_heat_map(tmp_path: Path) -> None:
    values = {("1", "p"): -1.0, ("1", "q"): 2.0, ("2", "p"): 3.0}
    jobs = [job(n, f"a={a}", f"b={b}", delta_pp_at_x=value) for n, ((a, b), value) in enumerate(values.items())]
    (heat,) = blocks(jobs, tmp_path)["Charts"]
    assert isinstance(heat, Matrix)
    assert (heat.corner, list(heat.rows), list(heat.columns)) == ("a \\ b", ["1", "2"], ["p", "q"])
    assert heat.values == [[-1.0, 2.0], [3.0, None]]
    assert heat.shown == [["-1.00", "+2.00"], ["+3.00", ""]]
    assert heat.diverging


def test_a_metric_of_the_one_candidate_of_each_job_is_one_heat_map(tmp_path: Path) -> None:
    jobs = [job(n, f"a={n // 2}", f"b={n % 2}", **{f"k_at_r{n}": float(n), "k_at_stored": 9.0}) for n in range(4)]
    (heat,) = blocks(jobs, tmp_path)["Charts"]
    assert (heat.title, heat.values) == ("k", [[0.0, 1.0], [2.0, 3.0]])


def test_three_keys_are_named(tmp_path: Path) -> None:
    jobs = [job(n, f"a={n}", f"b={n}", f"c={n}", k_at_x=float(n)) for n in range(2)]
    (note,) = blocks(jobs, tmp_path)["Charts"]
    assert isinstance(note, Note)
    assert "3 keys are swept: a, b, c" in note.text


def test_jobs_link_to_the_pages_that_are_there(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "report.html").write_text("")
    jobs = [job(0, f"a={HOSTILE}", k_at_x=1.0), job(1, "a=2", k_at_x=2.0), job(2, "a=3", code=2)]
    asked = SweepTable(sort_by="k", best="max")
    page = page_of(tmp_path, jobs, asked, build_summary(jobs, asked))
    read = Reader(page_text(page, 10**6))
    links = [str(of["href"]) for tag, of in read.elements if tag == "a" and not str(of["href"]).startswith("#")]
    assert links == ["1/report.html"]
    assert (page.status, page.word) == ("error", "ERROR")
    assert "job 2: it broke (log: 2/auditfw.log)" in read.text
    assert read.text.index("Failures") < read.text.index("In every job: experiment=mine")
    assert sum("type" not in of for of, _ in read.raw) == 2


def test_the_summary_of_a_sweep_writes_its_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, rate in enumerate((10.0, 12.0)):
        folder = tmp_path / str(number)
        folder.mkdir()
        HtmlReport()(pages.result([]), str(folder))
        made = pages.result([])
        made.measurements = [Measurement("error_rate", "r", {}, Estimate(rate, 9))]
        write_result(folder, made)
        (folder / ".hydra").mkdir()
        (folder / ".hydra" / "overrides.yaml").write_text(f"[x={number}]")
    assert summarise(tmp_path) == 1
    assert "Sweep: 2 jobs" in capsys.readouterr().out
    read = Reader((tmp_path / "report.html").read_text("utf-8"))
    links = [str(of["href"]) for tag, of in read.elements if tag == "a" and str(of["href"]).endswith(".html")]
    assert links == ["0/report.html", "1/report.html"]
    assert all((tmp_path / link).is_file() for link in links)
    assert "error % by x" in read.text
