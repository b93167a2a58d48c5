"""The JSON Schema of result.json that ships, and the page that lists every column of every table."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import jsonschema
import pytest
from places import ROOT
from sentences import commands as says

import auditfw
from auditfw.audits.answers import RULES
from auditfw.config.variants import shipped_conf
from auditfw.core.records import Result
from auditfw.core.result_json import dumps, measurement_columns, result_document

SCHEMA = json.loads((ROOT / "auditfw" / "commands" / "schema" / "result.json").read_text("utf-8"))
PAGE = (ROOT / "auditfw" / "commands" / "manual" / "run_files.md").read_text("utf-8")
GATES = {
    "stable": {"use": "answer"},
    "both": {"use": "bound", "metric": "error_rate", "min": 1, "max": 90},
    "worst": {"use": "bound", "metric": "flips", "max": 3, "cell": "worst"},
    "named": {"use": "rule", "where": '"flips@answer_v2+v2" <= 10'},
}
MORE: dict[str, dict[str, Any]] = {
    "answer_parsing": {"gates": GATES, "audit": {"keep_text": True}, "report": ["texts"]},
    "self_audit": {"source": {"limit": 4}},
}
OF_A_RUN = {"adjudication"}  # needs a finished run and labels: tests/commands/labelling
EXPERIMENTS = sorted({file.stem for file in (shipped_conf() / "experiment").glob("*.yaml")} - OF_A_RUN)


def strict(schema: Any) -> Any:
    """The schema, by which nothing may have a key that it does not name."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: strict(part) for key, part in schema.items()}
    return {"additionalProperties": False, **parts} if "properties" in schema else parts


@cache
def run(experiment: str) -> Result:
    return auditfw.run({"experiment": experiment, **MORE.get(experiment, {})})


def document(experiment: str) -> Any:
    return json.loads(dumps(result_document(run(experiment))))


def errors(found: Any, schema: Any = SCHEMA) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema)
    return [f"{one.json_path}: {one.message}" for one in validator.iter_errors(found)]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_result_of_a_shipped_experiment_is_valid(experiment: str) -> None:
    assert errors(document(experiment), strict(SCHEMA)) == []


def test_a_result_with_gates_of_every_kind_is_valid() -> None:
    found = document("answer_parsing")
    assert errors(found, strict(SCHEMA)) == []
    gates = {gate["name"]: gate for gate in found["gates"]}
    assert (gates["both"]["side"], gates["both"]["bound"]) == ("between", [1, 90])
    assert gates["worst"]["cell"].keys() == {"temperature", "variant", "condition"}
    assert [(term["metric"], term["reading"], term["value"]) for term in gates["named"]["terms"]] == [
        ("flips", "answer_v2+v2", 30)
    ]
    assert (gates["stable"]["answer"], [term["metric"] for term in gates["stable"]["terms"]]) == (
        "fragile", ["moves_whole", "unfinished"],
    )  # fmt: skip
    for name in ("stable", "named"):
        assert [gates[name][key] for key in ("metric", "bound", "side", "value", "low", "high")] == [None] * 6


def test_sentences_speak_of_rules_by_their_places() -> None:
    answer = document("answer_parsing")["answer"]
    assert len(answer["because_rules"]) == len(answer["because"])
    spoken = [[answer["rules"][place] for place in places] for places in answer["because_rules"]]
    first = spoken[0][0]
    assert (first["rule"], first["reading"], first["status"], first["setting"]) == (
        "moves_whole", "answer_v2+v1", "fragile", "audit.margin and audit.alpha",
    )  # fmt: skip
    assert answer["because"][0].startswith(says.ANSWER_SHIFTS_THE_ERROR_RATE)
    assert " ".join(answer["scopes"]) == answer["scope"]


def test_the_schema_knows_the_rules_of_all_audits() -> None:
    found = document("answer_parsing")
    [first, *_] = found["answer"]["rules"]
    for name, kind in RULES.items():
        own = {key: getattr(kind, key) for key in ("asks", "number", "unit", "test", "setting", "status")}
        answer = found["answer"] | {"rules": [first | own | {"rule": name}], "because_rules": []}
        assert errors(found | {"answer": answer}, strict(SCHEMA)) == [], name


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"verdict": "good"}, "$.verdict"),
        ({"gates": [{"name": "g"}]}, "$.gates[0]"),
        ({"seed": "0"}, "$.seed"),
        ({"later": 1}, ""),
    ],
)
def test_what_is_no_result(change: dict[str, Any], error: str) -> None:
    found = errors({**document("answer_parsing"), **change})
    assert (not found) if not error else found[0].startswith(error)


def described(table: str) -> set[str]:
    """The columns that the page lists of a table."""
    rows = [line.split("|")[1:5] for line in PAGE.splitlines() if line.startswith(f"| `{table.partition(' ')[0]}`")]
    names = [cells[1] for cells in rows if table.partition(" ")[2] in ("", cells[0].partition("` ")[2].strip())]
    return {name.strip(" `") for cell in names for name in cell.split(",")}


def general(column: str, result: Result) -> str:
    """A column by the word that the page has for it."""
    prefix, dot, _ = column.partition(".")
    if column in result.by:
        return "BY"
    words = {"text": "PARSER", "code": "READING", "to_true": "READING", "to_false": "READING", "param": "NAME"}
    words |= {"final": "POLICY", "why": "POLICY"} | ({"code": "RATER"} if result.audit == "consistency" else {})
    if dot and prefix in words:
        return f"{prefix}.{words[prefix]}"
    if column in {one.reading for one in result.measurements} - {"stored", "live", "run_all"}:
        return {"parsing": "READING", "consistency": "RATER", "self_audit": "RULE"}.get(result.audit, column)
    return column


@pytest.mark.slow
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_the_page_lists_every_column_of_every_table(experiment: str) -> None:
    result = run(experiment)
    of_trials = {general(name, result) for name in result.trials.columns}
    assert of_trials - described(f"trials of {result.audit}") == set()
    assert {general(name, result) for name in measurement_columns(result)} - described("measurements") == set()
    for name, frame in result.tables.items():
        columns = {general(column, result) for column in frame.collect_schema().names()}
        assert columns - described(name) == set(), name


def test_the_page_names_the_schema() -> None:
    [place] = re.findall(r"`(auditfw/commands/schema/[^`]+)`", PAGE)
    assert (ROOT / place).exists()
