"""Readings that a swept choice names: each job's own under one name in the table and on the page, no other renamed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sentences import commands as says

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.sweep.jobs import LOSSY, Job, with_own_choices
from auditfw.commands.sweep.table import build_summary
from auditfw.core.records import Estimate


def job(number: int, words: str, *readings: str, metric: str = "error_rate") -> Job:
    measured: dict[str, float | None] = {f"{metric}@{name}": float(number) for name in readings}
    estimates = {name: Estimate(value, 9) for name, value in measured.items()}
    return Job(number, words.split(), "pass", 0, None, str(number), measured, estimates=estimates, data=["a"])


@pytest.mark.parametrize(
    ("jobs", "names"),
    [
        (  # each job's own normalizer
            [job(0, "normalizer=v1", "stored+v1", "raw+v1"), job(1, "normalizer=v2", "stored+v2", "raw+v2")],
            [["stored+*", "raw+*"]] * 2,
        ),
        (  # a reading that all jobs have keeps its name, also where it is one job's own
            [job(0, "normalizer=v1", "stored+v1"), job(1, "normalizer=v2", "stored+v1", "stored+v2")],
            [["stored+v1"], ["stored+v1", "stored+v2"]],
        ),
        (  # a list of one is a choice, one of several is none
            [job(0, "normalizer=[v1]", "stored+v1"), job(1, "normalizer='v2'", "stored+v2")],
            [["stored+*"]] * 2,
        ),
        (
            [job(0, "normalizer=[v1,v2]", "a+v1", "a+v2"), job(1, "normalizer=v2", "a+v2")],
            [["a+v1", "a+v2"], ["a+v2"]],
        ),
        (  # parser and matcher by their places: a normalizer of the parser's name is none
            [job(0, "parser=raw", "raw+raw+exact"), job(1, "parser=best", "best+raw+exact")],
            [["*+raw+exact"]] * 2,
        ),
        (
            [job(0, "matcher=exact normalizer=v1", "a+v1+exact"), job(1, "matcher=math normalizer=v2", "a+v2+math")],
            [["a+*+*"]] * 2,
        ),
        (  # what all jobs chose alike is not swept
            [job(0, "normalizer=v1 seed=1", "a+v1"), job(1, "normalizer=v1 seed=2", "b+v1")],
            [["a+v1"], ["b+v1"]],
        ),
        (  # a job without numbers, and a reading of one part
            [job(0, "normalizer=v1", "b", "a+v1"), job(1, "normalizer=v2"), job(2, "normalizer=v3", "b", "a+v3")],
            [["b", "a+*"], [], ["b", "a+*"]],
        ),
        ([job(0, "normalizer=v1", "a+v1"), job(1, "normalizer=v2")], [["a+v1"], []]),
        (  # not all have it
            [job(0, "normalizer=v1", "a+v1"), job(1, "normalizer=v2", "a+v2"), job(2, "normalizer=v3", "b+v3")],
            [["a+v1"], ["a+v2"], ["b+v3"]],
        ),
    ],
)  # fmt: skip
def test_readings_of_own_choices_have_one_name(jobs: list[Job], names: list[list[str]]) -> None:
    told = with_own_choices(jobs, SweepTable())
    assert [[name.removeprefix("error_rate@") for name in job.measurements] for job in told] == names
    assert [list(job.estimates) for job in told] == [list(job.measurements) for job in told]
    assert [list(job.measurements.values()) for job in told] == [list(job.measurements.values()) for job in jobs]


def test_a_column_that_is_asked_for_keeps_its_name() -> None:
    jobs = [job(0, "normalizer=v1", "a+v1"), job(1, "normalizer=v2", "a+v2")]
    for settings in (SweepTable(("error_rate@a+v1",)), SweepTable((), "error_rate@a+v1")):
        told = with_own_choices(jobs, settings)
        assert [list(job.measurements) for job in told] == [["error_rate@a+v1"], ["error_rate@a+v2"]]
        assert "error % @a+v1" in build_summary(jobs, settings).jobs.columns


def test_a_lossy_reading_is_so_under_the_common_name() -> None:
    jobs = [job(0, "normalizer=v1", "a+v1"), job(1, "normalizer=v2", "a+v2")]
    jobs[0] = replace(jobs[0], unsound={"error_rate@a+v1": LOSSY}, write={"error_rate@a+v1": "x"})
    told = with_own_choices(jobs, SweepTable())
    assert [(one.unsound, one.write) for one in told] == [
        ({"error_rate@a+*": LOSSY}, {"error_rate@a+*": "x"}),
        ({}, {}),
    ]
    assert [row[-1] for row in build_summary(jobs, SweepTable()).jobs.rows] == ["1.00", "0.00 lossy"]


def test_the_table_has_a_number_of_every_job_and_says_what_the_star_is() -> None:
    jobs = [job(i, f"normalizer=v{i}", f"a+v{i}", f"b+v{i}") for i in range(3)]
    told = build_summary(jobs, SweepTable())
    assert told.jobs.columns[-2:] == ["error % @a+*", "error % @b+*"]
    assert [row[-1] for row in told.jobs.rows] == ["0.00 min", "1.00", "2.00 max"]
    assert told.feet[0] == says.WHAT_THE_JOB_CHOSE_AS
    assert [row[1] for row in told.numbers.rows] == ["a+v0", "b+v0", "a+v1", "b+v1", "a+v2", "b+v2"]
    assert not build_summary([job(0, "seed=1", "a"), job(1, "seed=2", "a")], SweepTable()).feet
