"""The table of a sweep: best and worst are marked, and a column that no job can have is told first."""

from __future__ import annotations

from pathlib import Path

import pytest
from running import Command
from twelve_jobs import write_project

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.sweep.jobs import Job
from auditfw.commands.sweep.table import build_summary, check_columns, chosen
from auditfw.core.errors import UsageError


def job(number: int, code: int | None, **numbers: float | None) -> Job:
    measured = {name.replace("_AT_", "@"): value for name, value in numbers.items()}
    return Job(number, [f"seed={number}", "a=b"], "pass" if code == 0 else None, code, None, str(number), measured)


def test_the_table_marks_best_and_worst() -> None:
    jobs = [job(0, 0, flips_AT_a=3, n_AT_a=5), job(1, 3), job(2, 0, flips_AT_a=1, n_AT_a=5), job(3, 0, flips_AT_a=2)]
    told = build_summary(jobs, SweepTable(("flips", "n@a"), "flips", "min"))
    assert told.jobs.columns == ["job", "overrides", "status", "exit", "changed labels", "n @a"]
    assert [list(row) for row in told.jobs.rows] == [
        ["2", "seed=2", "pass", "0", "1 best", "5"],
        ["3", "seed=3", "pass", "0", "2", ""],
        ["0", "seed=0", "pass", "0", "3 worst", "5"],
        ["1", "seed=1", "error", "3", "", ""],
    ]
    assert [row[4] for row in build_summary(jobs, SweepTable(("flips",))).jobs.rows] == ["3 max", "", "1 min", "2"]
    assert [row[0] for row in build_summary(jobs, SweepTable(("flips",), "seed")).jobs.rows] == ["0", "1", "2", "3"]
    assert [row[0] for row in build_summary(jobs, SweepTable(("flips",), "flips@a", "max")).jobs.rows] == [
        "0",
        "3",
        "2",
        "1",
    ]
    with pytest.raises(UsageError, match="no measurement 'flops'"):
        chosen(jobs, SweepTable(("flops",)))


def test_a_column_that_no_job_can_have_is_told_before_the_first(command: Command, tmp_path: Path) -> None:
    check_columns(SweepTable(("flips", "n@stored"), "seed"), ["flips", "n"], ["seed"])
    check_columns(SweepTable((), "flips@stored+v1"), ["flips", "n"], ["seed"])
    for asked, told in (
        (SweepTable(("flops",)), "no job computes the metric 'flops' - did you mean 'flips'"),
        (SweepTable((), "flops@a"), r"neither a metric of the jobs nor a swept key \(flops@a\)"),
    ):
        with pytest.raises(UsageError, match=told):
            check_columns(asked, ["flips", "n"], ["seed"])
    write_project(tmp_path)
    done = command("-m", "experiment=x1,x3", "sweep.metrics=[flops]", "hydra.sweep.dir=s")
    assert (done.returncode, (tmp_path / "s").exists()) == (2, False)
    assert "sweep.metrics: no job computes the metric 'flops' - did you mean 'flips'?" in done.stderr
