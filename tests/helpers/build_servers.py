"""Results that build servers are told of, and what JUnit, SARIF and workflow commands allow."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

from auditfw.core.document import Section, Table
from auditfw.core.records import Estimate, GateResult, Input, Measurement, Result
from auditfw.core.result_json import dumps

COMMAND = re.compile(r"::(error|warning|notice) (title=[^:,]*(?:,file=[^:,]+)?(?:,line=[1-9][0-9]*)?)::(.*)")
RUNNER = re.compile(r"##\[|##vso\[|##teamcity\[", re.IGNORECASE)
PART = r"[A-Za-z0-9._~/-]|%[0-9A-Fa-f]{2}"
REFERENCE = re.compile(rf"(?:{PART})+|[a-z0-9]+://(?:{PART}|[:@])+")
EVIL = "##vso[task.complete]\r\n::error::x\n::add-mask::y\x1b]0;t\x07 section_start:1:a\r\x1b[0K ##teamcity[x] @me %0A"


def made(**changes: Any) -> Result:
    gates = [
        GateResult("few", "flips <= 3", "a+b", 7.0, "fail", "4 too many", "flips", 3.0, "max"),
        GateResult("open", "shift >= -5", "a+b", None, "inconclusive", "nothing was read", "shift", -5.0, "min"),
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
