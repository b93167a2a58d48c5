"""Findings: flips and disagreements with their file and line, in an order, with a fingerprint that stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from build_servers import check_sarif, flips, lines_of, made, write_lines
from sentences import report as says

from auditfw import run
from auditfw.commands.report import report
from auditfw.components.report.code_hosts import sarif_document
from auditfw.components.report.findings import findings
from auditfw.core import escaping as sinks
from auditfw.core.records import Result

PLACED = [
    {
        "id": "a",
        "raw_text": "Paris.\nUser: And of Italy?",
        "parsed_text": "Paris.",
        "ground_truth": "Paris",
        "stored": 1,
    },
    {"id": "b", "raw_text": "Rome</think>x", "parsed_text": "Rome", "ground_truth": "Rome", "stored": 1},
    {"id": "c", "raw_text": "**H₂O**", "parsed_text": "**H₂O**", "ground_truth": "H2O", "stored": 0},
]
PAIRS = [("q1", "VALID", "REJECT"), ("q2", "VALID", "VALID"), ("q3", "REJECT", "VALID")]


@pytest.fixture(scope="module")
def parsed(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The same run on three files with one process and with two."""
    base = tmp_path_factory.mktemp("parsed")
    files = []
    for at, row in enumerate(PLACED):
        file = write_lines(base / f"{at}.jsonl", [row])
        file.write_text("\n" * at + file.read_text("utf-8"), encoding="utf-8")
        files.append({"path": str(file)})
    given: dict[str, Any] = {"experiment": "answer_parsing", "by": [], "report": ["sarif", "junit", "codequality"]}
    given |= {"source": {"use": "jsonl", "files": files}}
    for workers in (1, 2):
        run({**given, "engine": {"workers": workers}}, base / str(workers))
    return {workers: base / str(workers) for workers in (1, 2)}


def test_flips_are_found_with_file_and_line(parsed: dict[int, Path]) -> None:
    document = json.loads((parsed[1] / "report.sarif").read_text("utf-8"))
    results = check_sarif(document)
    base = parsed[1].parent
    assert lines_of(results) == [
        ("flip-to-wrong", "note", f"file://{base}/1.jsonl", 2),
        ("flip-to-right", "note", f"file://{base}/2.jsonl", 3),
    ]
    texts = [one["message"]["text"] for one in results]
    assert texts[0] == says.TRIAL_STORED_AS_RIGHT_WRONG_UNDER
    assert results[0]["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "b"}]


@pytest.mark.parametrize("name", ["report.sarif", "junit.xml", "gl-code-quality-report.json", "trials.parquet"])
def test_files_are_the_same_for_any_number_of_processes(parsed: dict[int, Path], name: str) -> None:
    assert (parsed[1] / name).read_bytes() == (parsed[2] / name).read_bytes()


def test_reports_are_written_again_from_the_folder(parsed: dict[int, Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = parsed[2]
    before = {name: (folder / name).read_bytes() for name in ("report.sarif", "junit.xml")}
    for name in before:
        (folder / name).unlink()
    assert report([str(folder), "report=[junit,sarif]"]) == 0
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert capsys.readouterr().out == ""


@pytest.fixture(scope="module")
def disagreeing(tmp_path_factory: pytest.TempPathFactory) -> Result:
    base = tmp_path_factory.mktemp("pairs")
    rows = [{"qid": q, "scholar": {"label": s}, "auditor": {"label": a}} for q, s, a in PAIRS]
    source = {"use": "pairs", "path": str(write_lines(base / "pairs.jsonl", rows))}
    return run({"experiment": "cross_agent", "source": source, "report": ["sarif"]}, base / "run")


def test_disagreements_are_found_with_file_and_line(disagreeing: Result) -> None:
    results = check_sarif(sarif_document(disagreeing, 100))
    file = sinks.uri(disagreeing.inputs[0].path)
    assert lines_of(results) == [
        ("gate/agreement", "error", file, 0),
        ("gate/kappa", "error", file, 0),
        ("disagreement", "note", file, 1),
        ("disagreement", "note", file, 3),
    ]
    assert results[2]["message"]["text"] == says.ITEM_SCHOLAR_VALID_AUDITOR_REJECT
    assert results[0]["message"]["text"] == says.GATE_AGREEMENT_FAILED_PERCENT_AGREEMENT


def test_overruled_agreements_come_before_disagreements() -> None:
    import polars as pl

    rows = [("q1", "A", "B", "B", "veto"), ("q2", "A", "A", "B", "flag"), ("q3", None, "B", None, "")]
    table = pl.DataFrame(rows, schema=["qid", "one", "two", "final", "why"], orient="row")
    found = findings(made(audit="consistency", gates=[], tables={"disagreements": table}), 10)
    assert [(one.rule, one.subject) for one in found.listed] == [
        ("overruled", "q2"),
        ("overruled", "q3"),
        ("disagreement", "q1"),
    ]
    assert found.listed[1].text == says.ITEM_ONE_NONE_TWO


def test_a_finding_keeps_its_fingerprint() -> None:
    """Rows before it, its line and its place in the list do not change it; its id does."""

    def keys(*ids: str) -> dict[str, str]:
        results = check_sarif(sarif_document(made(trials=flips(*ids)), 100))
        return {
            one["locations"][0].get("logicalLocations", [{"fullyQualifiedName": ""}])[0]["fullyQualifiedName"]: one[
                "partialFingerprints"
            ]["primaryLocationLineHash"]
            for one in results
        }

    first, second = keys("t1", "t2"), keys("t0", "t2", "t1", "t3")
    assert {name: second[name] for name in ("t1", "t2", "a+b")} == {name: first[name] for name in ("t1", "t2", "a+b")}
    assert len(set(second.values())) == 5
    twice = check_sarif(sarif_document(made(trials=flips("t1", "t1")), 100))
    assert [one["partialFingerprints"]["auditfwFinding/v1"][-2:] for one in twice[2:]] == [":1", ":2"]
