"""What is written aside for a sweep's jobs: the same bytes, and failures told to the job they belong to."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from auditfw.audits.spine import Run
from auditfw.commands.sweep.background_writer import KEPT, BackgroundWriter
from auditfw.components.engine.local import Local
from auditfw.components.report.html import HtmlReport
from auditfw.components.report.junit import JunitReport
from auditfw.components.report.markdown import MarkdownReport
from auditfw.config import build as bridge
from auditfw.core.document import Note, Section, Table
from auditfw.core.errors import AuditError, IncompleteError
from auditfw.core.records import Result

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
        with BackgroundWriter() as writer:
            for number, sections in enumerate(jobs):
                folder = tmp_path / str(workers) / str(number)
                folder.mkdir(parents=True)
                writer.finishing_of(pytest.fail)(folder, result(number, sections), plan(workers), {})
    for number in range(len(jobs)):
        for name in WRITTEN:
            here, there = ((tmp_path / str(workers) / str(number) / name).read_bytes() for workers in (1, 2))
            assert here == there, (number, name)


def test_a_failure_aside_is_told_to_its_job(tmp_path: Path) -> None:
    told: list[tuple[str, Exception]] = []
    with BackgroundWriter() as writer:
        for name in ("a", "gone", "c"):
            folder = tmp_path / name
            if name != "gone":
                folder.mkdir()
            writer.finishing_of(lambda error, name=name: told.append((name, error)))(folder, result(1, []), plan(2), {})  # type: ignore[misc]  # a lambda's default
    [(name, error)] = told
    assert name == "gone"
    assert isinstance(error, IncompleteError)
    assert (tmp_path / "a" / "result.json").is_file()
    assert (tmp_path / "c" / "result.json").is_file()
    with BackgroundWriter() as writer, pytest.raises(AuditError):
        writer.finishing_of(pytest.fail)(tmp_path / "gone", result(1, []), plan(1), {})


def test_a_process_that_dies_is_told_to_the_jobs_it_had(tmp_path: Path) -> None:
    told: list[Exception] = []
    with BackgroundWriter() as writer:
        for number in range(3):
            (tmp_path / str(number)).mkdir()
            writer.finishing_of(told.append)(tmp_path / str(number), result(1, []), plan(2), {})
            if number == 0:
                writer._wait(0)
                [process] = writer._process._pool._processes
                os.kill(process, signal.SIGKILL)
    assert all(isinstance(error, IncompleteError) for error in told)
    assert len(told) + sum((tmp_path / str(n) / "result.json").is_file() for n in range(3)) == 3
