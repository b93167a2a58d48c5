"""The page of a sweep: which keys are swept, what is drawn of them, and where the jobs' own pages are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pages
import pytest
from page_reading import HOSTILE, Reader
from sentences import commands as says

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.run_folder import write_result
from auditfw.commands.sweep.jobs import Job, swept_keys
from auditfw.commands.sweep.page import charted, page_of
from auditfw.commands.sweep.summary import summarise
from auditfw.commands.sweep.table import build_summary
from auditfw.components.report.html import HtmlReport
from auditfw.components.report.page.content import Linked
from auditfw.components.report.page.page import page_text
from auditfw.core.document import Chart, GateLine, Matrix
from auditfw.core.records import Estimate, GateResult, Measurement


def job(number: int, *overrides: str, code: int | None = 0, **measured: float | None) -> Job:
    verdict = {0: "pass", 1: "fail"}.get(-1 if code is None else code)
    error = None if verdict else "it broke"
    numbers = {name.replace("_at_", "@"): value for name, value in measured.items()}
    return Job(
        number, ["experiment=mine", *overrides], verdict, code, error, str(number), numbers, f"{number}/auditfw.log"
    )


def estimated(one: Job, low: float | None, high: float | None, counted: int = 50) -> Job:
    """The job with these intervals and numbers of trials for all of its measurements."""
    known = {name: Estimate(value, counted, 0, low, high) for name, value in one.measurements.items()}
    return replace(one, estimates=known, audited=counted)


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


def test_one_numeric_key_is_a_line_and_names_are_rows(tmp_path: Path) -> None:
    jobs = [job(0, "a=10", k_at_x=0.5, k_at_y=1.0), job(1, "a=2", k_at_x=0.7, k_at_y=None), job(2, "a=3", code=3)]
    line, lost = blocks(jobs, tmp_path)["k"]
    assert lost.text == says.WITHOUT_A_NUMBER_JOB_ERROR
    assert isinstance(line, Chart)
    assert (line.kind, line.x, line.y) == ("line", "a", "k")
    assert [(one.name, list(one.x), list(one.y)) for one in line.series] == [("x", [2.0, 10.0], [0.7, 0.5])]
    named = [job(0, "s=search", k_at_x=0.5), job(1, "s=replay", k_at_x=0.7)]
    (points,) = blocks(named, tmp_path)["k"]
    assert (points.kind, list(points.series[0].x)) == ("bars", ["search", "replay"])
    shifts = [replace(one, measurements={"k@x": -1.0}) for one in named[:1]] + named[1:]
    assert blocks(shifts, tmp_path)["k"][0].kind == "points"
    assert blocks([estimated(one, 0.0, 1.0) for one in named], tmp_path)["k"][0].kind == "points"


def test_two_keys_are_a_heat_map(tmp_path: Path) -> None:
    values = {("1", "p"): -1.0, ("1", "q"): 2.0, ("2", "p"): 3.0}
    jobs = [job(n, f"a={a}", f"b={b}", delta_pp_at_x=value) for n, ((a, b), value) in enumerate(values.items())]
    by_job, heat = blocks(jobs, tmp_path)["Δ pp"]
    assert isinstance(by_job, Chart)
    assert (by_job.title, by_job.kind, list(by_job.series[0].x)) == ("Δ pp by a, b", "points", ["1, p", "1, q", "2, p"])
    assert isinstance(heat, Matrix)
    assert (heat.corner, list(heat.rows), list(heat.columns)) == ("a \\ b", ["1", "2"], ["p", "q"])
    assert heat.values == [[-1.0, 2.0], [3.0, None]]
    assert heat.shown == [["-1.00", "+2.00"], ["+3.00", ""]]
    assert heat.diverging


def test_a_metric_of_the_one_candidate_of_each_job_is_one_heat_map(tmp_path: Path) -> None:
    jobs = [job(n, f"a={n // 2}", f"b={n % 2}", **{f"k_at_r{n}": float(n), "k_at_stored": 9.0}) for n in range(4)]
    bars, heat = blocks(jobs, tmp_path)["k"]
    assert (bars.kind, list(bars.series[0].y)) == ("bars", [0.0, 1.0, 2.0, 3.0])
    assert (heat.title, heat.values) == ("k", [[0.0, 1.0], [2.0, 3.0]])


def test_three_keys_are_small_grids_shaded_alike(tmp_path: Path) -> None:
    """The key with the fewest values has a grid for each of them."""
    places = [(a, b, c) for a in "pq" for b in "12" for c in ("x", "y", "z")]
    jobs = [job(n, f"a={a}", f"b={b}", f"c={c}", k_at_r=float(n)) for n, (a, b, c) in enumerate(places)]
    bars, *grids = blocks(jobs, tmp_path)["k"]
    assert isinstance(bars, Chart)
    assert len(bars.series[0].x) == 12
    assert [(grid.title, grid.corner, grid.ends) for grid in grids] == [
        ("k, b=1", "a \\ c", (0.0, 11.0)),
        ("k, b=2", "a \\ c", (0.0, 11.0)),
    ]
    assert grids[1].values == [[3.0, 4.0, 5.0], [9.0, 10.0, 11.0]]


def test_more_keys_or_jobs_are_drawn_by_job(tmp_path: Path) -> None:
    jobs = [job(n, f"a={n}", f"b={n}", f"c={n}", f"d={n % 2}", k_at_x=float(n)) for n in range(3)]
    (bars,) = blocks(jobs, tmp_path)["k"]
    assert list(bars.series[0].x) == ["0, 0, 0, 0", "1, 1, 1, 1", "2, 2, 2, 0"]
    many = [job(n, f"a={n}x", k_at_x=float(n)) for n in range(41)]
    (points,) = blocks(many, tmp_path)["k"]
    assert (points.x, points.kind, list(points.series[0].x)[-1]) == ("job", "points", 40.0)


def test_numbers_that_are_but_names_are_points_and_equal_names_keep_apart(tmp_path: Path) -> None:
    seeds = [job(n, f"seed={n}", k_at_x=1.0 + n) for n in range(3)]
    points, why = blocks(seeds, tmp_path)["k"]
    assert why.text == says.NOT_COMPARABLE_BETWEEN_JOBS_THE
    assert (points.kind, list(points.series[0].x)) == ("points", [0.0, 1.0, 2.0])
    twice = [job(0, "a=1", "b=2", k_at_x=1.0), job(1, "a=1", "+b=2", k_at_x=2.0), job(2, "a=2", "b=3", k_at_x=2.0)]
    assert list(blocks(twice, tmp_path)["k"][0].series[0].x) == ["1, 2 (job 0)", "1, 2 (job 1)", "2, 3"]


def test_a_job_that_failed_is_marked_in_every_chart_and_a_gate_is_a_line(tmp_path: Path) -> None:
    gate = GateResult("low", "error_rate <= 12", None, 13.0, "fail", "", "error_rate", 12.0, "max")
    jobs = [job(n, f"a={'pq'[n]}", code=n, error_rate_at_r=12.0 + n) for n in range(2)]
    jobs = [estimated(replace(one, gates=[gate]), 10.0, 15.0) for one in jobs] + [job(2, "a=z", code=2)]
    marks, chart, lost = blocks(jobs, tmp_path)["error %"]
    assert marks.text.startswith(says.MARKS_JOBS_THAT_FAILED_A)
    assert (chart.kind, chart.series[0].failed, chart.series[0].interval(1)) == ("points", [False, True], (10.0, 15.0))
    assert chart.bounds == [GateLine("low", 12.0)]
    assert lost.text == says.WITHOUT_A_NUMBER_JOB_ERROR
    assert [row[1] for row in chart.as_table().rows] == ["12 [10, 15]", "13 × [10, 15]"]
    two = [replace(one, overrides=[*one.overrides, f"b={one.job}"]) for one in jobs]
    _, _, heat, _ = blocks(two, tmp_path)["error %"]
    assert heat.shown == [["12.00", "", ""], ["", "13.00 ×", ""], ["", "", "error"]]
    assert heat.counts[0] == [50, 10, 10]


def test_the_head_of_the_page_says_how_the_jobs_ended(tmp_path: Path) -> None:
    jobs = [job(n, f"a={n}", code=code, k_at_r=float(n)) for n, code in enumerate((0, 1, 2, None))]
    jobs[0] = replace(jobs[0], answer={"status": "fragile"})
    asked = SweepTable(("k",))
    page = page_of(tmp_path, jobs, asked, build_summary(jobs, asked))
    assert page.lines == [says.EXIT_CODE_JOBS_OVER_A, "k: 0 (job 0) to 3 (job 3)"]
    assert page.shares == [("pass", 1), ("fail", 1), ("error", 1), ("not run", 1)]
    read = Reader(page_text(page, 10**6))
    drawn = [
        of["class"] for tag, of in read.elements if tag == "rect" and str(of.get("class", "")).startswith(("t-", "b"))
    ]
    assert drawn == ["t-good", "t-bad", "t-bad-hatched", "b3"]
    same = [job(n, f"seed={n}", k_at_r=2.0) for n in range(2)]
    page = page_of(tmp_path, same, SweepTable(), build_summary(same, SweepTable()))
    assert page.lines[1:] == [says.EVERY_NUMBER_IS_THE_SAME]
    assert [part.title for part in page.parts] == ["Jobs"]
    jobs[1] = estimated(jobs[1], None, None, 7)
    assert len(page_of(tmp_path, jobs, asked, build_summary(jobs, asked)).lines) == 1


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


def test_the_answer_of_a_job_stands_before_its_numbers(tmp_path: Path) -> None:
    jobs = [replace(job(n, f"seed={n}", k_at_r=20.0 + n), answer={"status": "fragile"}) for n in range(2)]
    asked = SweepTable(("k",))
    blocks = page_of(tmp_path, jobs, asked, build_summary(jobs, asked)).parts[0].blocks
    [table] = [one for one in blocks if isinstance(one, Linked)]
    assert list(table.columns) == ["job", "answer", "status", "overrides", "k", "n", "exit"]
    assert [row[:2] for row in table.rows] == [["0", "fragile"], ["1", "fragile"]]


def test_of_very_long_overrides_the_start_is_shown(tmp_path: Path) -> None:
    jobs = [job(0, f"a={'word ' * 40}", k_at_r=1.0), job(1, f"a={'w ' * 77}end", k_at_r=2.0)]
    asked = SweepTable(("k",))
    blocks = page_of(tmp_path, jobs, asked, build_summary(jobs, asked)).parts[0].blocks
    [table] = [one for one in blocks if isinstance(one, Linked)]
    shown = [row[list(table.columns).index("overrides")] for row in table.rows]
    assert len(shown[0]) <= 160
    assert shown[0].startswith("a=word word")
    assert shown[0].endswith("…")
    assert shown[1].endswith("w end")
