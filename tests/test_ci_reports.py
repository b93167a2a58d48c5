"""What build servers read: junit.xml, report.sarif, code quality, annotations, the step summary, and which go where."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from test_sinks import hostile

from auditfw import run
from auditfw.audits.spine import judge_cells
from auditfw.commands import verbs
from auditfw.commands.error_output import say, warn
from auditfw.commands.run import speak
from auditfw.components.gate.bound import BoundGate
from auditfw.components.report.annotations import AnnotationsReport, commands
from auditfw.components.report.ci import CiReport, at_hand
from auditfw.components.report.codequality import codequality_document
from auditfw.components.report.findings import findings
from auditfw.components.report.json import JsonReport
from auditfw.components.report.junit import junit_text
from auditfw.components.report.sarif import SarifReport, sarif_document
from auditfw.components.report.summary import append, summary_text
from auditfw.config import build as bridge
from auditfw.core import escaping as sinks
from auditfw.core.document import Note, Section, Table
from auditfw.core.errors import DataError, UsageError
from auditfw.core.records import CellResult, Estimate, GateCells, GateResult, Input, Measurement, Result
from auditfw.core.result_json import dumps
from auditfw.kinds.context import ReportLimits

LIVE = {"link_open", "image", "html_inline", "html_block"}
COMMAND = re.compile(r"::(error|warning|notice) (title=[^:,]*(?:,file=[^:,]+)?(?:,line=[1-9][0-9]*)?)::(.*)")
RUNNER = re.compile(r"##\[|##vso\[|##teamcity\[", re.IGNORECASE)
REFERENCE = re.compile(r"(?:file://)?(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+")
EVIL = "##vso[task.complete]\r\n::error::x\n::add-mask::y\x1b]0;t\x07 section_start:1:a\r\x1b[0K ##teamcity[x] @me %0A"

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


def made(**changes: Any) -> Result:
    gates = [
        GateResult("few", "flips <= 3", "a+b", 7.0, "fail", "4 too many"),
        GateResult("open", "shift >= -5", "a+b", None, "inconclusive", "nothing was read"),
        GateResult("good", "n >= 1", None, None, "pass"),
    ]
    measured = [Measurement("flips", "a+b", {}, Estimate(7.0, 9)), Measurement("n", "stored", {}, Estimate(9.0, 9))]
    section = Section("Shifts", [Table(["cell", "n"], [[str(i), "1"] for i in range(30)], "<>")], console=True)
    result = Result(
        audit="parsing",
        verdict="fail",
        exit_code=1,
        counts={"read": 9, "audited": 9},
        by=("t",),
        measurements=measured,
        gates=gates,
        warnings=["1 truth normalises to nothing"],
        inputs=[Input("data/trials.jsonl", "ab" * 32, 12)],
        config_hash="cd" * 32,
        seed=0,
        versions={"auditfw": "0.1.0"},
        sections=[section],
    )
    return replace(result, **changes)


def flips(*ids: str, turned: int = 1) -> Any:
    import polars as pl

    schema = {"id": pl.String, "stored": pl.Boolean, "a+b": pl.Boolean}
    rows = [(name, True, i >= turned * len(ids)) for i, name in enumerate(ids)]
    return pl.DataFrame(rows, schema=schema, orient="row")


def write_lines(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


# junit.xml

# What the schema of Jenkins' xunit plugin allows: attributes, the required ones first, and children.
SHAPE: dict[str, tuple[list[str], int, list[str]]] = {
    "testsuites": (["name", "tests", "failures", "errors", "time"], 0, ["testsuite"]),
    "testsuite": (
        ["name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"],
        4,
        ["properties", "testcase", "system-out", "system-err"],
    ),
    "properties": ([], 0, ["property"]),
    "property": (["name", "value"], 2, []),
    "testcase": (["name", "classname", "time"], 2, ["skipped", "error", "failure", "system-out", "system-err"]),
    "failure": (["type", "message"], 0, []),
    "error": (["type", "message"], 0, []),
    "skipped": (["message", "type"], 0, []),
}


def check_junit(text: str) -> list[ET.Element]:
    """Holds a file to the shape, and its sums to its cases; gives the cases."""
    root = ET.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        allowed, required, children = SHAPE[element.tag]
        assert set(allowed[:required]) <= set(element.attrib) <= set(allowed), element.tag
        assert {child.tag for child in element} <= set(children), element.tag
    for holder in (root, *root):
        cases = list(holder.iter("testcase"))
        sums = {"tests": len(cases)}
        sums |= {
            name: sum(c.find(tag) is not None for c in cases)
            for name, tag in (("failures", "failure"), ("errors", "error"))
        }
        if holder.tag == "testsuite":
            sums["skipped"] = sum(case.find("skipped") is not None for case in cases)
        assert {name: int(holder.attrib[name]) for name in sums} == sums
    cases = list(root.iter("testcase"))
    keys = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(keys)) == len(keys)
    return cases


def test_a_gate_on_cells_has_a_case_for_each() -> None:
    errors = {"x": 10.0, "y": 95.0, "z": None}
    measured = [
        Measurement("error_rate", reading, {"t": name}, Estimate(value, 4, undefined=None if value else "no trial"))
        for reading in ("stored", "a+b")
        for name, value in errors.items()
    ]
    gate = BoundGate("error_rate", max=90, cell="worst")
    judged = gate("no_bad_cell", measured, "stored")
    [cells] = judge_cells({"no_bad_cell": gate, "n": BoundGate("n", min=1)}, measured, "stored", ["no_bad_cell", "n"])
    assert (judged.status, judged.value) == ("fail", 95.0)
    assert [(c.reading, dict(c.cell)["t"], c.value, c.status) for c in cells.cells] == [
        ("a+b", "y", 95.0, "fail"),
        ("a+b", "z", None, "inconclusive"),
        ("a+b", "x", 10.0, "pass"),
    ]
    cases = check_junit(junit_text(made(gates=[judged], cells=[cells])))
    assert [(c.get("classname"), c.get("name"), [child.tag for child in c]) for c in cases] == [
        ("auditfw.parsing", "no_bad_cell", ["failure"]),
        ("auditfw.parsing.no_bad_cell", "a+b: t=y", ["failure"]),
        ("auditfw.parsing.no_bad_cell", "a+b: t=z", ["skipped"]),
        ("auditfw.parsing.no_bad_cell", "a+b: t=x", []),
    ]
    rule = "error_rate in every cell <= 90"
    assert cases[1][0].get("message") == f"{rule}: value 95.0 of a+b, t=y"
    assert cases[2][0].get("message") == "inconclusive: no trial"


def test_more_cells_than_are_listed_are_counted() -> None:
    measured = [Measurement("n", "a", {"t": i}, Estimate(float(i), 1)) for i in range(7)]
    cells = BoundGate("n", min=4, cell="worst").cells("g", measured, "", 3)
    assert cells is not None
    assert [c.value for c in cells.cells] == [0.0, 1.0, 2.0]
    assert cells.left_out == {"fail": 1, "pass": 3}
    assert BoundGate("n", min=4).cells("g", [Measurement("n", "a", {}, Estimate(1.0, 1))], "", 3) is None


@pytest.mark.slow
def test_junit_stays_under_a_megabyte() -> None:
    """Two gates with 1,000 long cells each: those that failed come first, and what is left out is counted."""
    long = "\x00&\"'<" * 300
    listed = [CellResult("r", {"t": f"{i}{long}"}, 1.0, "fail" if i % 2 else "pass", long) for i in range(1_000)]
    cells = [GateCells(name, listed, {"pass": 5}) for name in ("one", "two")]
    text = junit_text(made(cells=cells))
    assert len(text.encode()) < 1_000_000
    cases = [case for case in check_junit(text) if case.get("classname") != "auditfw.parsing"]
    assert 50 < len(cases) < 2_000
    assert all(case.find("failure") is not None for case in cases)
    left = {
        p.get("name"): int(p.get("value") or 0)
        for p in ET.fromstring(text.encode()).iter("property")
        if "cells" in (p.get("name") or "")
    }
    assert sum(left.values()) + len(cases) == 2_010
    assert left["cells left out, two: pass"] == 505


@settings(deadline=None, max_examples=40)
@given(hostile, hostile)
def test_junit_is_valid_whatever_it_tells(one: str, other: str) -> None:
    gates = [
        GateResult("g", one, other, 1.0, "fail", one),
        GateResult(f"h{one}", other, one, None, "inconclusive", other),
    ]
    cells = [GateCells(one, [CellResult(other, {one: other}, None, "fail", one)], {other: 1})]
    check_junit(junit_text(made(audit=one, gates=gates, cells=cells, exit_code=4)))


# SARIF


# The names that the schema knows in each object we write; it allows no others.
KNOWN = {
    "log": {"$schema", "version", "runs"},
    "runs": {"tool", "automationDetails", "columnKind", "invocations", "artifacts", "results", "properties"},
    "tool": {"driver"},
    "driver": {"name", "version", "rules"},
    "rules": {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration"},
    "shortDescription": {"text"},
    "fullDescription": {"text"},
    "help": {"text"},
    "defaultConfiguration": {"level"},
    "automationDetails": {"id"},
    "invocations": {"executionSuccessful", "exitCode", "toolExecutionNotifications"},
    "toolExecutionNotifications": {"level", "message"},
    "message": {"text"},
    "artifacts": {"location", "length", "hashes"},
    "location": {"uri"},
    "results": {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"},
    "locations": {"physicalLocation", "logicalLocations"},
    "physicalLocation": {"artifactLocation", "region"},
    "artifactLocation": {"uri"},
    "region": {"startLine"},
    "logicalLocations": {"fullyQualifiedName"},
}
FREE = {"properties", "hashes", "partialFingerprints"}


def check_keys(part: Any, name: str) -> None:
    for one in part if isinstance(part, list) else [part]:
        if isinstance(one, dict) and name not in FREE:
            assert set(one) <= KNOWN[name], name
            for inner, value in one.items():
                check_keys(value, inner)


def check_sarif(document: Any) -> list[dict[str, Any]]:
    """Holds a document to what the SARIF 2.1.0 schema and code hosts ask for; gives its results."""
    check_keys(document, "log")
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-schema-2.1.0.json")
    [told] = document["runs"]
    rules = told["tool"]["driver"]["rules"]
    assert told["tool"]["driver"]["name"] == "auditfw"
    ids = [rule["id"] for rule in rules]
    assert len(set(ids)) == len(ids)
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in told["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        check_message(result["message"])
        [place] = result["locations"]
        assert REFERENCE.fullmatch(place["physicalLocation"]["artifactLocation"]["uri"])
        assert place["physicalLocation"].get("region", {"startLine": 1})["startLine"] >= 1
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
    keys = [result["partialFingerprints"]["primaryLocationLineHash"] for result in told["results"]]
    assert len(set(keys)) == len(keys)
    [call] = told["invocations"]
    assert isinstance(call["executionSuccessful"], bool)
    for note in call.get("toolExecutionNotifications", ()):
        check_message(note["message"])
    for artifact in told["artifacts"]:
        assert REFERENCE.fullmatch(artifact["location"]["uri"])
    assert len({dumps(artifact) for artifact in told["artifacts"]}) == len(told["artifacts"])
    assert len(told["results"]) + told["properties"]["leftOut"] == told["properties"]["found"]
    return list(told["results"])


def check_message(message: dict[str, str]) -> None:
    assert set(message) == {"text"}
    text = message["text"]
    assert text
    bare = re.sub(r"\\.|\{\{|\}\}", "", text, flags=re.DOTALL)
    assert not set("[]{}") & set(bare)


def lines_of(results: list[dict[str, Any]]) -> list[tuple[str, str, str, int]]:
    told = []
    for one in results:
        place = one["locations"][0]["physicalLocation"]
        line = place.get("region", {}).get("startLine", 0)
        told.append((one["ruleId"], one["level"], place["artifactLocation"]["uri"], line))
    return told


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
    assert texts[0] == "Trial b: stored as right, wrong under answer_v2+v1, answer_v2+v2, after_think+v2."
    assert results[0]["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "b"}]


@pytest.mark.parametrize("name", ["report.sarif", "junit.xml", "gl-code-quality-report.json", "places.parquet"])
def test_files_are_the_same_for_any_number_of_processes(parsed: dict[int, Path], name: str) -> None:
    assert (parsed[1] / name).read_bytes() == (parsed[2] / name).read_bytes()


def test_reports_are_written_again_from_the_folder(parsed: dict[int, Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = parsed[2]
    before = {name: (folder / name).read_bytes() for name in ("report.sarif", "junit.xml")}
    for name in before:
        (folder / name).unlink()
    assert verbs.report([str(folder), "report=[junit,sarif]"]) == 0
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
    assert results[2]["message"]["text"] == "Item q1: scholar VALID, auditor REJECT; final REJECT (auditor_veto)."
    assert results[0]["message"]["text"] == (
        "Gate agreement failed: percent_agreement >= 0.9; the value of scholar is 0.3333."
    )


def test_places_are_noted_only_where_a_report_wants_them() -> None:
    from auditfw.audits.spine import Run
    from auditfw.components.engine.local import Local

    kept = {
        name: Run(None, Local(), reports={name: part}, report=ReportLimits()).limits.max_places
        for name, part in (("s", SarifReport()), ("j", JsonReport()))
    }  # type: ignore[arg-type]
    assert kept == {"s": 1_000, "j": 0}


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
    assert found.listed[1].text == "Item q3: one (none), two B."


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


def test_sarif_is_capped_and_counts_the_rest() -> None:
    document = sarif_document(made(trials=flips(*(f"t{i:04}" for i in range(2_000)))), 1_000)
    results = check_sarif(document)
    assert (len(results), document["runs"][0]["properties"]["leftOut"]) == (1_000, 1_002)
    assert [one["level"] for one in results[:3]] == ["error", "warning", "note"]
    told = document["runs"][0]["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert told.startswith("1,002 further findings")
    for wrong in (0, 5_001):
        with pytest.raises(UsageError):
            SarifReport(wrong)


@settings(deadline=None, max_examples=40)
@given(hostile, hostile)
def test_sarif_is_valid_whatever_it_tells(one: str, other: str) -> None:
    gates = [
        GateResult(one, other, one, 1.0, "fail", other),
        GateResult(f"{one}h", one, None, None, "inconclusive", ""),
    ]
    shown = made(
        audit=one, gates=gates, warnings=[other or "w"], inputs=[Input(other or "x", "ab" * 32, 1)], trials=None
    )
    text = dumps(sarif_document(shown, 100))
    assert len(check_sarif(json.loads(text))) == 2
    assert not RUNNER.search(text)


def test_code_quality_has_what_gitlab_asks_for() -> None:
    rows = codequality_document(made(trials=flips("t1", "t2")))
    assert [(row["check_name"], row["severity"]) for row in rows] == [
        ("gate/few", "major"),
        ("gate/open", "minor"),
        ("flip-to-wrong", "info"),
        ("flip-to-wrong", "info"),
    ]
    assert all(set(row) == {"description", "check_name", "fingerprint", "severity", "location"} for row in rows)
    assert {row["location"]["path"] for row in rows} == {"data/trials.jsonl"}
    assert len({row["fingerprint"] for row in rows}) == 4
    assert codequality_document(made(gates=[], inputs=[], exit_code=5))[0]["location"] == {
        "path": "result.json",
        "lines": {"begin": 1},
    }


# Annotations


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A line as a GitHub runner reads it: the command, its properties, its message."""
    found = COMMAND.fullmatch(line)
    assert found is not None, line

    def undo(text: str) -> str:
        for code, character in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
            text = text.replace(code, character)
        return text

    pairs = (part.partition("=") for part in found[2].split(","))
    return found[1], {name: undo(value) for name, _, value in pairs}, undo(found[3])


def test_the_worst_are_annotated_and_the_rest_counted() -> None:
    lines = [read(line) for line in commands(made(trials=flips(*(f"t{i:02}" for i in range(30)))), 10)]
    assert [line[0] for line in lines] == ["error", "warning", *["notice"] * 9]
    assert lines[0][1:] == (
        {"title": "auditfw parsing: gate/few", "file": "data/trials.jsonl"},
        "Gate few failed: flips <= 3; the value of a+b is 7. 4 too many",
    )
    assert lines[1][2] == "Gate open is inconclusive: shift >= -5. nothing was read"
    assert lines[2][2] == "Trial t00: stored as right, wrong under a+b."
    assert lines[-1][2] == "22 more, in the report of the run"
    assert [line[0] for line in map(read, commands(made(exit_code=4, gates=[]), 10))] == ["error"]
    with pytest.raises(UsageError):
        AnnotationsReport(0)


@given(hostile | st.just(EVIL), hostile, st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_an_annotation_is_one_command_whatever_it_tells(one: str, other: str, encoding: str) -> None:
    shown = made(audit=one, gates=[GateResult(other, one, other, 1.0, "fail", one)], inputs=[Input(other, "ab", 1)])
    [line] = commands(shown, 10, encoding)
    line.encode(encoding)
    assert len(line.splitlines()) == 1
    assert line.isprintable() or any(c in line for c in "\xa0\u3000") or not line.isascii()
    assert not RUNNER.search(line)
    _, properties, message = read(line)
    if encoding == "utf-8":
        assert properties["title"] == sinks.log_line(f"auditfw {one}: gate/{other}")
        assert sinks.log_line(one)[:200] in message


@pytest.mark.parametrize("path", ["/etc/x", "../x", "", "a/../b"])
def test_files_elsewhere_are_not_named(path: str) -> None:
    [line] = commands(made(gates=made().gates[:1], inputs=[Input(path, "ab", 1)]), 10)
    assert set(read(line)[1]) == {"title"}


# The step summary


def test_summary_is_cut_at_section_ends() -> None:
    wide = [Section(f"S{i}", [Note("x" * 4_000)], console=True) for i in range(4)]
    shown = made(sections=[*wide, Section("Quiet", [Note("y")]), Section("Page", [Note("z")], console=True, page=True)])
    text = summary_text(shown, 10, 10_000)
    assert len(text.encode()) <= 10_000
    assert text.startswith("# Audit: parsing\n\n**Verdict: FAIL** (exit code 1)")
    assert "## Warnings" in text
    assert re.findall(r"^## (S\d)$", text, re.MULTILINE) == ["S0", "S1"]
    assert text.endswith("No room here for: S2, S3. The run's report.md has everything.\n\n")
    assert "Quiet" not in text
    assert "Page" not in text
    assert summary_text(shown, 10, 100) == ""
    assert "and 20 more rows" in summary_text(made(), 10)


def test_summary_is_appended_once_and_within_the_limit(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    assert append(made(), "", 10) == "is not set, no summary was written"
    assert append(made(), str(file), 10) == ""
    once = file.read_bytes()
    assert append(made(), str(file), 10) == ""
    assert file.read_bytes() == once
    assert append(made(seed=1, audit="other"), str(file), 10) == ""
    assert file.read_bytes().startswith(once + b"\n# Audit: other")
    file.write_bytes(b"x" * ((1 << 20) - 300))
    assert append(made(), str(file), 10) == "is full, no summary was written"
    file.write_bytes(b"x" * ((1 << 20) - 600))
    assert append(made(), str(file), 10) == ""
    assert len(file.read_bytes()) <= 1 << 20
    assert file.read_bytes().endswith(b"No room here for: Shifts. The run's report.md has everything.\n\n")
    assert "Is a directory" in append(made(), str(tmp_path), 10)


@settings(deadline=None, max_examples=40)
@given(hostile, hostile)
def test_summary_holds_no_link_picture_or_html(one: str, other: str) -> None:
    table = Table([one, other], [[other, one]], "<>", one)
    shown = made(audit=one, warnings=[other], sections=[Section(other, [Note(one), table], console=True)])
    text = summary_text(shown, 10)
    tokens = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).parse(text)
    kinds = {token.type for token in tokens} | {child.type for token in tokens for child in token.children or []}
    assert not kinds & LIVE
    assert not [
        child for token in tokens for child in token.children or [] if child.type == "text" and "@" in child.content
    ]


# Which go where


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, "none"),
        ({"CI": "false"}, "none"),
        ({"CI": "true"}, "other"),
        ({"CI": "true", "GITHUB_ACTIONS": "true"}, "github"),
        ({"CI": "true", "GITLAB_CI": "true"}, "gitlab"),
        ({"TF_BUILD": "True"}, "other"),
        ({"JENKINS_URL": "http://x"}, "other"),
    ],
)
def test_the_environment_is_read(environment: dict[str, str], wanted: str) -> None:
    assert at_hand(environment) == wanted


@pytest.mark.parametrize(
    ("system", "files"),
    [
        ("github", ("junit.xml", "report.sarif")),
        ("gitlab", ("junit.xml", "gl-code-quality-report.json")),
        ("other", ("junit.xml",)),
        ("none", ("junit.xml", "report.sarif")),
    ],
)
def test_each_system_gets_its_files(
    system: Any,
    files: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "s.md"))
    report = CiReport(system)
    assert report(made(), str(tmp_path)) == files
    report.announce(made())
    out, err = capsys.readouterr()
    assert err.startswith("auditfw: report=ci on ")
    assert bool(out) == (system == "github") == (tmp_path / "s.md").exists()
    assert {path.name for path in tmp_path.iterdir()} == {*files, *(["s.md"] if system == "github" else [])}


def test_ci_may_be_chosen_alone_or_in_a_list() -> None:
    one, listed = (bridge.compose([word])["reports"] for word in ("report=ci", "report=[ci]"))
    assert one == listed == {"ci": {"use": "ci", "system": "auto"}}
    assert list(bridge.compose(["report=[console,ci]"])["reports"]) == ["console", "ci"]


def test_beside_json_the_others_leave_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    speak([AnnotationsReport(), JsonReport(), CiReport("github")], made(), None)
    out, err = capsys.readouterr()
    assert json.loads(out)["verdict"] == "fail"
    assert err.count("::error title=") == 2
    speak([AnnotationsReport(), JsonReport(print=False)], made(), None)
    assert capsys.readouterr().out.startswith("::error")


# The real command


@pytest.fixture(scope="module")
def on_a_runner(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """A run as on GitHub Actions, on completions, labels and cells that hold commands to runners."""
    base = tmp_path_factory.mktemp("runner")
    rows = [
        {
            "id": f"{EVIL}{i}",
            "raw_text": f"{EVIL}\nUser: {EVIL}",
            "parsed_text": EVIL,
            "stored": i % 2,
            "model": f"{EVIL}{i % 3}",
        }
        for i in range(24)
    ]
    for row in rows:
        row["ground_truth"] = "null" if row["stored"] else f"vso {EVIL}"
    write_lines(base / "evil.jsonl", rows)
    words = ["source=jsonl", "source.path=evil.jsonl", "by=[model]", "report=[console,ci]"]
    words += ["+gates.cells={use: bound, metric: error_rate, max: 10, cell: worst}"]
    environment = {**os.environ, "GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": "summary.md", "COLUMNS": "80"}
    done = subprocess.run(
        [sys.executable, "-m", "auditfw", *words],
        cwd=base,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    [folder] = [path for path in base.glob("outputs/parsing/*/*") if not path.is_symlink()]
    return done, folder


def test_a_runner_sees_no_command_of_the_data(on_a_runner: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, _ = on_a_runner
    assert done.returncode == 1, done.stderr
    for stream in (done.stdout, done.stderr):
        assert not RUNNER.search(stream)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", stream)
    lines = done.stdout.splitlines()
    own = [line for line in lines if line.lstrip().startswith("::")]
    assert all(line.startswith(("╭ ", "│", "run folder: ", "::")) for line in lines)
    assert len(own) == 11
    assert {read(line)[0] for line in own[:2]} == {"error"}
    assert not [line for line in done.stderr.splitlines() if line.lstrip().startswith("::")]
    assert "report=ci on GitHub Actions: junit, sarif, annotations, summary" in done.stderr
    assert "<U+0023>#vso[task.complete]␍␊::error::x" in done.stdout.replace("\n", "").replace("│ ", "")


def test_a_runner_gets_files_that_hold(on_a_runner: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, folder = on_a_runner
    result = json.loads((folder / "result.json").read_text("utf-8"))
    cases = check_junit((folder / "junit.xml").read_text("utf-8"))
    cells = [case for case in cases if case.get("classname") == "auditfw.parsing.cells"]
    assert len(cases) == len(result["gates"]) + len(cells)
    assert len(cells) == 3 * 5
    results = check_sarif(json.loads((folder / "report.sarif").read_text("utf-8")))
    assert {line[2] for line in lines_of(results)} == {"evil.jsonl"}
    assert all(
        one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in results if "flip" in one["ruleId"]
    )
    summary = (folder.parents[3] / "summary.md").read_text("utf-8")
    assert summary.startswith("# Audit: parsing\n")
    assert not RUNNER.search((folder / "result.json").read_text("utf-8"))


def test_what_goes_to_standard_error_commands_no_runner(capsys: pytest.CaptureFixture[str]) -> None:
    say(DataError("a.jsonl:1", "a label that is not declared", EVIL))
    warn(EVIL)
    told = capsys.readouterr().err
    assert not RUNNER.search(told)
    assert told.count("<U+0023>#vso[task.complete]") == 2
    assert len(told.splitlines()) == 2


def test_json_tells_the_same_and_commands_no_runner() -> None:
    text = dumps({"a": [EVIL]})
    assert not RUNNER.search(text)
    assert json.loads(text) == {"a": [EVIL]}
