"""The table of a sweep: best and worst are marked, and a column that no job can have is told first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from running import Command
from sentences import commands as says
from twelve_jobs import write_project

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.sweep.columns import check_columns, chosen, shown
from auditfw.commands.sweep.jobs import FIRST, LOSSY, UNFIT, Job
from auditfw.commands.sweep.table import build_summary
from auditfw.core.errors import UsageError
from auditfw.core.records import Estimate, GateResult


def job(number: int, code: int | None, **numbers: float | None) -> Job:
    measured = {name.replace("_AT_", "@"): value for name, value in numbers.items()}
    return Job(
        number, [f"seed={number}", "a=b"], "pass" if code == 0 else None, code, None, str(number), measured, data=["a"]
    )


def test_the_table_marks_best_and_worst() -> None:
    jobs = [job(0, 0, flips_AT_a=3, n_AT_a=5), job(1, 3), job(2, 0, flips_AT_a=1, n_AT_a=5), job(3, 0, flips_AT_a=2)]
    told = build_summary(jobs, SweepTable(("flips", "n@a"), "flips", "min"))
    assert told.jobs.columns == ["job", "overrides", "status", "exit", "n", "changed labels", "n @a"]
    assert [list(row) for row in told.jobs.rows] == [
        ["2", "seed=2", "pass", "0", "", "1 best", "5"],
        ["3", "seed=3", "pass", "0", "", "2", ""],
        ["0", "seed=0", "pass", "0", "", "3 worst", "5"],
        ["1", "seed=1", "error", "3", "", "", ""],
    ]
    assert [row[5] for row in build_summary(jobs, SweepTable(("flips",))).jobs.rows] == ["1 min", "2", "3 max", ""]
    assert [row[0] for row in build_summary(jobs, SweepTable(("flips",), "seed")).jobs.rows] == ["0", "1", "2", "3"]
    assert [row[0] for row in build_summary(jobs, SweepTable(("flips",), "flips@a", "max")).jobs.rows] == [
        "0",
        "3",
        "2",
        "1",
    ]
    with pytest.raises(UsageError, match="no measurement 'flops'"):
        chosen(jobs, SweepTable(("flops",)))


@pytest.mark.parametrize(
    ("rule", "mark", "foot"),
    [
        (LOSSY, "lossy", says.LOSSY_THE_READING_ACCEPTS_WRONG),
        (UNFIT, "reads none", says.READS_NONE_THE_READING_FINDS),
        (FIRST, "first number", says.FIRST_NUMBER_JOB_TAKES_THE),
    ],
)
def test_a_reading_that_accepts_wrong_answers_or_none_is_never_the_best(rule: str, mark: str, foot: str) -> None:
    jobs = [job(0, 0, flips_AT_a=3), job(1, 0, flips_AT_a=1), job(2, 0, flips_AT_a=2), job(3, 0, flips_AT_b=0)]
    jobs[1] = replace(jobs[1], unsound={"flips@a": rule}, write={"flips@a": "x=last"} if rule == FIRST else {})
    for settings in SweepTable(("flips@a",), "flips@a", "min"), SweepTable(("flips@a",), None, "min"):
        summary = build_summary(jobs, settings)
        assert [(row[0], row[-1]) for row in summary.jobs.rows] == [
            ("2", "2 best"),
            ("0", "3 worst"),
            ("1", f"1 {mark}"),
            ("3", ""),
        ]
        assert summary.feet == [foot]
    assert ["1", f"{mark} (a)"] in [list(row[:2]) for row in build_summary(jobs, SweepTable()).numbers.rows]


def test_an_error_is_told_once_with_the_jobs_that_failed_by_it() -> None:
    jobs = [replace(job(n, 2), error=f"e{n > 7}", log=f"{n}/auditfw.log") for n in range(9)]
    assert build_summary(jobs, SweepTable()).failures == [
        "8 jobs (0, 1, 2, 3, 4, 5 …): eFalse (log: 0/auditfw.log)",
        "job 8: eTrue (log: 8/auditfw.log)",
    ]


def sized(number: int, value: float, counted: int, *words: str, data: str = "a") -> Job:
    estimate = Estimate(value, counted, 0, value - 1, value + 1)
    known = {"error_rate@r": estimate}
    return Job(
        number, list(words), "pass", 0, None, "", {"error_rate@r": value}, estimates=known, data=[data], audited=99
    )


def test_numbers_come_with_their_interval_and_trials() -> None:
    told = build_summary([sized(0, 3.0, 1_200, "seed=1"), sized(1, 4.0, 1_200, "seed=2")], SweepTable())
    assert told.jobs.columns[-2:] == ["n", "error %"]
    assert [list(row[-2:]) for row in told.jobs.rows] == [
        ["1,200", "3.00 min [2.00, 4.00]"],
        ["1,200", "4.00 max [3.00, 5.00]"],
    ]
    assert told.feet == [says.IN_BRACKETS_THE_INTERVAL_OF]
    assert list(told.narrowed(0).columns) == ["job", "overrides", "status", "exit", "n"]


@pytest.mark.parametrize(
    ("jobs", "why"),
    [
        ([sized(0, 1, 50), sized(1, 2, 40), sized(2, 3, 50)], says.DIFFERENT_TRIALS_IN_JOBS_IN),
        ([sized(0, 1, 50), sized(1, 2, 50, data="b")], says.THE_JOBS_JUDGED_DIFFERENT_TRIALS),
        ([sized(0, 1, 50, "source.where=x"), sized(1, 2, 50, "source.where=y")], says.THE_JOBS_JUDGED_DIFFERENT_TRIALS),
    ],
)
def test_no_job_is_the_best_of_different_trials(jobs: list[Job], why: str) -> None:
    told = build_summary(jobs, SweepTable(("error_rate",), None, "min"))
    assert "best" not in str(told.jobs.rows)
    assert told.feet[-1] == says.NOT_COMPARABLE_BETWEEN_JOBS_ERROR.format(why)


def test_jobs_that_read_the_same_trials_otherwise_are_compared() -> None:
    jobs = [sized(0, 1, 50, "source.columns.id=x"), sized(1, 2, 50, "source.columns.id=y")]
    assert "1.00 best" in str(build_summary(jobs, SweepTable(("error_rate",), None, "min")).jobs.rows)
    drawn = [replace(one, data=[], overrides=[f"seed={one.job}"]) for one in jobs]
    assert "best" not in str(build_summary(drawn, SweepTable(("error_rate",), None, "min")).jobs.rows)


def test_columns_that_nobody_asked_for_are_those_in_which_jobs_differ() -> None:
    numbers = {"n@r": (9.0, 8.0), "same@r": (1.0, 1.0), "a@r": (1.0, 2.0), "b@r": (3.0, 4.0), "c@r": (5.0, 6.0)}

    def one(place: int) -> Job:
        values = {name: pair[place] for name, pair in numbers.items()}
        spans = {name: (0.0, 9.0) if name[0] == "c" else (None, None) for name in values}
        known = {name: Estimate(value, 9 - place, 0, *spans[name]) for name, value in values.items()}
        return Job(place, [f"x={place}"], "pass", 0, None, "", values, estimates=known)

    assert shown([one(0), one(1)], SweepTable()) == ["c", "a"]
    assert shown([one(0), one(0)], SweepTable()) == ["c", "same"]
    assert shown([one(0), one(1)], SweepTable((), "b")) == ["b", "c", "a"]
    ruled = replace(one(0), gates=[GateResult("g", "b <= 1", None, 1.0, "fail", metric="b")])
    assert shown([ruled, one(1)], SweepTable()) == ["c", "b"]


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
    assert says.NO_JOB_COMPUTES_THE_METRIC in done.stderr
