"""Work that is done once for several jobs, or aside: the same bytes, and failures told to the job they belong to."""

from __future__ import annotations

import gc
import json
import os
import signal
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditfw.audits.spine import Run
from auditfw.commands.sweep.background_writer import KEPT, Aside
from auditfw.components.engine.local import Local
from auditfw.components.report.html import HtmlReport
from auditfw.components.report.junit import JunitReport
from auditfw.components.report.markdown import MarkdownReport
from auditfw.config import build as bridge
from auditfw.core import escaping as sinks
from auditfw.core.document import Note, Section, Table
from auditfw.core.errors import AuditError, IncompleteError
from auditfw.core.memo import remembered
from auditfw.core.records import Result
from auditfw.core.tables import PART_ROWS, TrialTable

SIGNS = 'a\\"<&\n\t\r\0\x7f\u202e\u2028\U000e0001'
WRITTEN = ("result.json", "sections.json", "report.md", "report.html", "junit.xml")


def result(number: int, sections: list[Section]) -> Result:
    told = {"config_hash": "c", "seed": number, "versions": {"auditfw": "1"}, "sections": sections}
    lists: dict[str, Any] = {"by": (), "measurements": [], "gates": [], "warnings": [], "inputs": []}
    return Result(audit="parsing", verdict="none", exit_code=0, counts={"read": 1}, **lists, **told)


def plan(workers: int | None) -> Run:
    built, _ = bridge.build(bridge.compose(["report=[]"]))
    reports = {"html": HtmlReport(), "markdown": MarkdownReport(), "junit": JunitReport()}
    return Run(built.audit, Local(workers), reports=reports)


def section(number: int) -> Section:
    rows = [[f"row {i}", f"{i * number}"] for i in range(3)]
    return Section(f"Part {number}", [Note(f"note {number}"), Table(["name", "n"], rows, "<>")])


@pytest.mark.slow
def test_what_is_written_aside_is_what_is_written_here(tmp_path: Path) -> None:
    """Sections come again, at once and after more than are kept; the process that writes keeps as many as this one."""
    made = [[section(n), section(100 + n)] for n in range(KEPT + 3)]
    jobs = [made[0], made[0], *made, made[0], made[KEPT], []]
    for workers in (1, 2):
        with Aside() as aside:
            for number, sections in enumerate(jobs):
                folder = tmp_path / str(workers) / str(number)
                folder.mkdir(parents=True)
                aside.of(pytest.fail)(folder, result(number, sections), plan(workers), {})
    for number in range(len(jobs)):
        for name in WRITTEN:
            here, there = ((tmp_path / str(workers) / str(number) / name).read_bytes() for workers in (1, 2))
            assert here == there, (number, name)


def test_a_failure_aside_is_told_to_its_job(tmp_path: Path) -> None:
    told: list[tuple[str, Exception]] = []
    with Aside() as aside:
        for name in ("a", "gone", "c"):
            folder = tmp_path / name
            if name != "gone":
                folder.mkdir()
            aside.of(lambda error, name=name: told.append((name, error)))(folder, result(1, []), plan(2), {})  # type: ignore[misc]  # a lambda's default
    [(name, error)] = told
    assert name == "gone"
    assert isinstance(error, IncompleteError)
    assert (tmp_path / "a" / "result.json").is_file()
    assert (tmp_path / "c" / "result.json").is_file()
    with Aside() as aside, pytest.raises(AuditError):
        aside.of(pytest.fail)(tmp_path / "gone", result(1, []), plan(1), {})


def test_a_process_that_dies_is_told_to_the_jobs_it_had(tmp_path: Path) -> None:
    told: list[Exception] = []
    with Aside() as aside:
        for number in range(3):
            (tmp_path / str(number)).mkdir()
            aside.of(told.append)(tmp_path / str(number), result(1, []), plan(2), {})
            if number == 0:
                aside._wait(0)
                [process] = aside._process._pool._processes
                os.kill(process, signal.SIGKILL)
    assert all(isinstance(error, IncompleteError) for error in told)
    assert len(told) + sum((tmp_path / str(n) / "result.json").is_file() for n in range(3)) == 3


def test_what_was_made_of_an_object_goes_with_it() -> None:
    made: list[str] = []

    @remembered
    def title(one: Section) -> str:
        made.append(one.title)
        return one.title

    one, other = section(1), section(1)
    assert [title(one), title(one), title(other)] == ["Part 1"] * 3
    assert len(made) == 2
    del one, other
    gc.collect()
    assert title(section(2)) == "Part 2"
    gc.collect()
    held = [cell.cell_contents for cell in title.__closure__ or () if isinstance(cell.cell_contents, dict)]
    assert held == [{}]


@settings(max_examples=100, deadline=None)
@given(text=st.text(st.characters() | st.sampled_from(SIGNS)), keep=st.sampled_from(["", "\n\t", "\n"]))
def test_hidden_characters_are_seen_alone_and_among_others(text: str, keep: str) -> None:
    spelled = [c if c in keep else sinks._HIDDEN.sub(lambda found: sinks._picture(found[0]), c) for c in text]
    assert sinks.visible(text, keep) == "".join(spelled)
    shown = sinks.visible(text, "\n\t")
    assert json.loads(sinks.html_json({text: [text, 1]})) == {shown: [shown, 1]}


def test_a_table_beside_another_is_the_table_by_itself(tmp_path: Path) -> None:
    rows = 2 * PART_ROWS + 1_000
    columns: dict[str, list[Any]] = {
        "id": [f"{i % 977}-{i}" for i in range(rows)],
        "cell": [None if i < PART_ROWS + 10 else i % 3 for i in range(rows)],
        "own": [None if i % 5 == 0 else i % 2 == 0 for i in range(rows)],
        "late": [None if i < 2 * PART_ROWS else "x" for i in range(rows)],
    }
    for name in ("first", "beside", "alone"):
        (tmp_path / name).mkdir()
        table = TrialTable(str(tmp_path / name))
        if name == "first":
            table.leave_parts(tmp_path / "parts")
        if name == "beside":
            table.stand_beside(tmp_path / "parts")
        for at in range(0, rows, 1_777):
            batch: dict[str, Any] = {key: values[at : at + 1_777] for key, values in columns.items()}
            table.add(batch | {"id": None, "cell": None} if name == "beside" else batch)
        whole = table.close()
        assert isinstance(whole, pl.LazyFrame)
        assert whole.collect().to_dict(as_series=False) == columns
    alone, beside = ((tmp_path / name / "trials.parquet").read_bytes() for name in ("alone", "beside"))
    assert alone == beside
