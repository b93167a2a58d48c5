"""Files of finished runs read back: what is not one of ours is told in one line, by every verb the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from running import run_auditfw
from sentences import commands as says

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.run_folder import NO_BUDGET, read_run
from auditfw.commands.stored_run import kept_step, read_result, read_sections, read_step, save_sections, stored
from auditfw.commands.sweep import gather, worst
from auditfw.commands.sweep.folder import read_plan
from auditfw.commands.sweep.table import build_summary
from auditfw.components.files.run_tables import FIRST_SCHEMA
from auditfw.core.document import Chart, Exhibit, NumberText, Section, Series, Table
from auditfw.core.errors import AuditError, DataError
from auditfw.core.records import Answer, GateResult
from auditfw.core.result_json import SCHEMA as RESULT_SCHEMA
from auditfw.core.results.latest import NextStep

MEASUREMENT = {"metric": "kappa", "reading": "a", "cell": {}, "value": 0.5, "counted": 2, "missing": 0}
RESULT: dict[str, Any] = {
    "schema": RESULT_SCHEMA,
    "audit": "consistency",
    "verdict": "pass",
    "exit_code": 0,
    "counts": {"read": 2, "audited": 2},
    "measurements": [{**MEASUREMENT, "low": None, "high": None, "undefined": None}],
    "gates": [{"name": "g", "rule": "kappa >= 0", "reading": "a", "value": 0.5, "status": "pass", "why": ""}],
    "warnings": [],
    "inputs": [{"path": "p.jsonl", "sha256": "00", "bytes": 1}],
    "config_hash": "00",
    "seed": 0,
    "versions": {"auditfw": "0"},
    "answer": None,
    "digests": {},
}
# what stands in result.json, and what is said of it
BAD: list[tuple[Any, str]] = [
    ("{", "is not JSON (Expecting"),
    ("[" * 100_000, "is not JSON ("),
    ([], "is not an object of schema auditfw.result/2 ([])"),
    (3, "is not an object of schema auditfw.result/2 (3)"),
    ({}, "is not of schema auditfw.result/2"),
    ({**RESULT, "schema": "auditfw.result/9"}, "is not of schema auditfw.result/2 (auditfw.result/9)"),
    ({"schema": RESULT_SCHEMA}, "has no key 'audit'"),
    ({**RESULT, "exit_code": "0"}, "exit_code is not a whole number (0)"),
    ({**RESULT, "exit_code": True}, "exit_code is not a whole number (True)"),
    ({**RESULT, "counts": {"read": "2"}}, "counts.read is not a whole number (2)"),
    ({**RESULT, "counts": []}, "counts is not an object ([])"),
    ({**RESULT, "measurements": {}}, "measurements is not a list ({})"),
    ({**RESULT, "measurements": [MEASUREMENT]}, "measurements[0] has no key 'low'"),
    ({**RESULT, "gates": [3]}, "gates[0] is not an object (3)"),
    ({**RESULT, "warnings": [None]}, "warnings[0] is not a text (null)"),
    ({**RESULT, "inputs": [{"path": "p", "sha256": "0"}]}, "inputs[0] has no key 'bytes'"),
    ({**RESULT, "budget": 3}, "budget is not an object (3)"),
    ({**RESULT, "budget": {"absent": "3"}}, "budget.absent is not a whole number (3)"),
    ({**RESULT, "budget": {"limit": {"value": 3}}}, "budget.limit has no key 'assumed'"),
]
READERS: list[Callable[[Path], object]] = [read_run, stored, read_result]


def written(folder: Path, content: object, name: str = "result.json") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return folder


@pytest.mark.parametrize(("content", "said"), BAD, ids=[said for _, said in BAD])
def test_a_result_that_is_none(tmp_path: Path, content: object, said: str) -> None:
    written(tmp_path, content)
    for reader in READERS:
        with pytest.raises(DataError) as refused:
            reader(tmp_path)
        assert str(refused.value).startswith(f"{tmp_path / 'result.json'}: {said}")
        assert str(refused.value).endswith(says.NAME_THE_FOLDER_OF_A)


def test_a_later_key_does_no_harm(tmp_path: Path) -> None:
    [gate] = RESULT["gates"]
    result = read_run(written(tmp_path, {**RESULT, "gates": [{**gate, "later": 1}], "later": 1}))
    gates = [GateResult("g", "kappa >= 0", "a", 0.5, "pass")]
    assert result == {**RESULT, "gates": gates, "findings": [], "not_checked": [], "budget": NO_BUDGET}


def test_what_an_older_run_does_not_store_is_none(tmp_path: Path) -> None:
    numbers = {"value": 1, "low": None, "high": None, "p": None, "bound": 1.5, "fired": True}
    rule = {"rule": "churns", "reading": "r", "cell": {"model": "a"}, **numbers}
    answer = {"status": "fragile", "headline": "h", "because": ["b"], "next": "n", "scope": "s", "rules": [rule]}
    read = read_run(written(tmp_path, {**RESULT, "answer": answer}))["answer"]
    words = {"asks": "", "number": "", "unit": "", "test": "", "setting": None, "status": None}
    assert read == {
        **answer,
        "because_rules": [],
        "scopes": [],
        "kinds": [],
        "words": "",
        "change": "",
        "rules": [{**rule, **words}],
    }


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ({"value": "much"}, says.GATES_VALUE_EXPECTED_A_NUMBER),
        ({"bound": [1]}, says.GATES_BOUND_EXPECTED_A_LIST),
        ({"side": "below"}, "gates[0].side: invalid enum value 'below'"),
        ({"terms": [{"metric": 3, "reading": None}]}, says.GATES_TERMS_METRIC_EXPECTED_TEXT),
        ({"status": ...}, says.GATES_OBJECT_MISSING_REQUIRED_FIELD),
    ],
)
def test_a_gate_that_is_none(tmp_path: Path, gate: dict[str, Any], said: str) -> None:
    changed = {key: value for key, value in {**RESULT["gates"][0], **gate}.items() if value is not ...}
    with pytest.raises(DataError) as refused:
        read_run(written(tmp_path, {**RESULT, "gates": [changed]}))
    assert str(refused.value).startswith(f"{tmp_path / 'result.json'}: {said}")


def test_a_file_is_no_run(tmp_path: Path) -> None:
    file = written(tmp_path, "{}", "p.jsonl") / "p.jsonl"
    for reader in READERS:
        with pytest.raises(DataError, match=r"p\.jsonl: is a file, not the folder of a run - name the folder of a"):
            reader(file)


def test_sections_and_measurements_that_are_none(tmp_path: Path) -> None:
    written(tmp_path, {**RESULT, "schema": FIRST_SCHEMA})
    sections = {"schema": "auditfw.sections/1", "sections": [{"title": "x"}], "cells": []}
    for name, content, said in (
        ("sections.json", [], r"sections\.json: is not an object"),
        ("sections.json", sections, r"measurements\.parquet: no such file"),
        ("measurements.parquet", "x", r"measurements\.parquet: holds a table that cannot be read"),
    ):
        written(tmp_path, content, name)
        with pytest.raises(DataError, match=said):
            read_result(tmp_path)


def test_numbers_of_tables_are_stored_beside_their_texts(tmp_path: Path) -> None:
    """In a table of an older run those are numbers that end with an interval; another cell is refused."""
    number = NumberText("2.1", "[0.3, 4.0]", 2.125, 0.3, 4.0)
    table = Table(["name", "value"], [["a", "1 [in words]"], ["b", number]])
    exhibit = Exhibit("1", [], [], [], [], {"r": "wrong"})
    save_sections(str(tmp_path), [Section("s", [table, exhibit])])
    saved = json.loads((tmp_path / "sections.json").read_text("utf-8"))
    [stored_table, _] = saved["sections"][0]["blocks"]
    assert stored_table["numbers"] == [[1, 1, 3, 2.125, 0.3, 4.0]]

    def read(*numbers: object) -> list[Any]:
        stored_table["numbers"] = list(numbers)
        written(tmp_path, saved, "sections.json")
        return read_sections(tmp_path)[0][0].blocks

    for numbers, kinds in (([[1, 1, 3, 2.125, 0.3, 4.0]], [str, NumberText]), ([], [str, str])):
        assert read(*numbers) == [table, exhibit]
        assert [type(row[1]) for row in read(*numbers)[0].rows] == kinds
    del stored_table["numbers"]
    [[older, _]] = [section.blocks for section in read_sections(written(tmp_path, saved, "sections.json"))[0]]
    assert [(type(row[1]), row[1]) for row in older.rows] == [(NumberText, row[1]) for row in table.rows]
    for place in ([1, 2, 3], [-1, 1, 3], [2, 1, 3], [1, 1, 2], [1, 1, -1], [1, 1, 99]):
        with pytest.raises(DataError, match=r"blocks\[0\]\.numbers\[1\] names no cell with an interval"):
            read([1, 1, 3, 2.125, 0.3, 4.0], [*place, 2.125, 0.3, 4.0])


def test_a_chart_of_an_older_run_names_its_metrics_by_its_points(tmp_path: Path) -> None:
    chart = Chart("Agreement", "coefficient", "agreement", [Series("r", ["kappa", "ac1"], [0.5, 0.6])], "points")
    save_sections(str(tmp_path), [Section("s", [chart])])
    saved = json.loads((tmp_path / "sections.json").read_text("utf-8"))
    saved["sections"][0]["blocks"][0]["by_metric"] = True
    [read] = read_sections(written(tmp_path, saved, "sections.json"))[0][0].blocks
    assert isinstance(read, Chart)
    assert read.metrics == {"kappa": "kappa", "ac1": "ac1"}


def test_a_job_with_a_broken_result_is_one_that_failed(tmp_path: Path) -> None:
    written(tmp_path / "0", RESULT)
    written(tmp_path / "1", [])
    written(tmp_path / "2", "x", "auditfw.log")
    written(tmp_path / "2", {"exit_code": "x", "error": ""}, "error.json")
    jobs = gather(tmp_path)
    assert ([job.exit_code for job in jobs], worst([job.exit_code for job in jobs])) == ([0, 3, 3], 3)
    one, two = build_summary(jobs, SweepTable()).failures
    assert one.endswith(says.IS_NOT_AN_OBJECT_OF)
    assert says.EXIT_CODE_IS_NOT_A in two
    assert two.endswith(" (log: 2/auditfw.log)")


@pytest.mark.parametrize("content", [[], {"schema": "auditfw.plan/1"}, {"schema": "auditfw.plan/1", "jobs": [1]}])
def test_a_plan_that_is_none(tmp_path: Path, content: object) -> None:
    with pytest.raises(AuditError, match=r"plan\.json: .* - name the folder of a sweep"):
        read_plan(written(tmp_path, content, "plan.json"))


@pytest.mark.parametrize(
    "words", [("compare", "one", "two"), ("accept", "two"), ("report", "two"), ("rerun", "two")], ids=str
)
def test_every_verb_reads_alike(tmp_path: Path, words: tuple[str, ...]) -> None:
    written(tmp_path / "one", RESULT)
    written(tmp_path / "two", [])
    done = run_auditfw(words, tmp_path)
    said = says.AUDITFW_ERROR_TWO_IS_NOT
    assert (done.returncode, done.stderr[: len(said)], done.stderr.count("\n")) == (3, said, 1)


def test_the_next_step_of_a_run_keeps_its_parts_in_the_manifest(tmp_path: Path) -> None:
    step = NextStep("Read them: auditfw explain ", " v1")
    kept = kept_step(Answer("fragile", "", [], step, ""))
    assert kept == {"next": ("Read them: auditfw explain ", " v1")}
    assert kept_step(None) == kept_step(Answer("stable", "", [], "Report the rate", "")) == {}
    read = read_step(written(tmp_path, kept, "manifest.json"), str(step))
    assert isinstance(read, NextStep)
    assert read.parts == step.parts
    for manifest in ({"next": ["rm -r ", ""]}, {"next": 3}, {}, "{"):  # it vouches for nothing
        assert type(read_step(written(tmp_path, manifest, "manifest.json"), str(step))) is str
