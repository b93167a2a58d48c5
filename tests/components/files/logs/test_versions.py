"""Versions that were not known: read with a remark where the records have the form, else refused by their version."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from files_read import lines, put, read, refused
from log_records import component, instance, result
from places import CASES

from auditfw.components.files.logs.versions import lm_eval_remark, promptfoo_version
from auditfw.components.source.every_eval_ever import EveryEvalEver
from auditfw.components.source.lm_eval import LmEval
from auditfw.components.source.promptfoo import Promptfoo
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")
LOGS = CASES / "data" / "field_logs"
GSM = "samples_mygsm_2026-11-22T15-10-07.226628.jsonl"
RESULTS = "results_2026-11-22T15-10-07.226628.json"


def promptfoo(version: object, *results: object) -> Promptfoo:
    put("out.json", json.dumps({"evalId": "e", "results": {"version": version, "results": results}}, indent=1))
    return Promptfoo(path="out.json")


@pytest.mark.parametrize(
    ("version", "remarks"), [(2, 0), (3, 0), (4, 1), ("3", 0), ("3.1", 0), ("4", 1), (None, 0), ({}, 0)]
)
def test_promptfoo_of_the_form_that_is_known(version: object, remarks: int) -> None:
    rows, tally = read(promptfoo(version, result(component("contains", "Rome"))))
    warnings = [line for line in tally["evidence"].warnings if "version" in line]
    assert [row["stored"] for row in rows] == [True]
    assert warnings == ["out.json: version 4 of promptfoo's results is not known (known: 2 and 3)"] * remarks


def test_promptfoo_of_another_form() -> None:
    refused(DataError, promptfoo(4, {"x": 1}), "out.json", "version 4", "not known", "known: 2 and 3", "'success'")
    refused(DataError, promptfoo(3, {"x": 1}), "out.json", "not a result of promptfoo")
    moved = {"version": 9, "rows": [result(component("contains", "Rome"))]}
    put("out.json", json.dumps({"evalId": "e", "results": moved}))
    refused(DataError, Promptfoo(path="out.json"), "out.json", "version 9", "no key 'results'")
    graded = {**result(component("contains", "Rome")), "gradingResult": None, "grade": {}}
    refused(DataError, promptfoo(9, graded), "out.json", "version 9", "holds no result of an assertion")


def test_where_promptfoo_says_its_version() -> None:
    put("a.json", "\ufeff" + ' {"evalId": "x", "results": {\n "version": 12, "results": []}}')
    assert promptfoo_version("a.json") == "12"
    put("a.json", '{"results": {"stats": {"version": 12}}}')
    assert promptfoo_version("a.json") is None
    put("a.jsonl", json.dumps(result()) + "\n")
    assert promptfoo_version("a.jsonl") is None


@pytest.mark.parametrize(
    ("version", "remarks"), [("0.1.0", 0), ("0.2.1", 0), ("0.3", 0), (None, 0), ("0.30.0", 1), ("5.0", 1), (1, 1)]
)
def test_records_of_every_eval_ever(version: object, remarks: int) -> None:
    records = [instance(f"s{n}", [f"It is {n}"], str(n), schema_version=version) for n in range(2)]
    lines(*records, name="a_samples.jsonl")
    rows, tally = read(EveryEvalEver(path="a_samples.jsonl"))
    said = f"a_samples.jsonl: version {version} of Every Eval Ever is not known (known: 0.1, 0.2 and 0.3)"
    assert [row["raw_text"] for row in rows] == ["It is 0", "It is 1"]
    assert tally["notes"] == ({f"{said} (first: a_samples.jsonl:1)": 2} if remarks else {})


@pytest.mark.parametrize("name", ["sample_id", "evaluation", "input", "output.raw"])
def test_records_of_every_eval_ever_of_another_form(name: str) -> None:
    record = instance("s", ["It is 4"], "4", schema_version="0.9")
    record = {**record, "output": {"text": "x"}} if "." in name else {k: v for k, v in record.items() if k != name}
    for version, words in (("0.9", "version 0.9 of Every Eval Ever is not known"), ("0.3.0", "not an instance of")):
        lines({**record, "schema_version": version}, name="a_samples.jsonl")
        refused(DataError, EveryEvalEver(path="."), "a_samples.jsonl:1", words, f"no '{name}'")


@pytest.mark.parametrize("version", ["0.4.13", "0.3.0", "0.4", "", None])
def test_versions_of_lm_eval_that_are_known(version: str | None) -> None:
    assert lm_eval_remark("r.json", {"lm_eval_version": version}) == ""


@pytest.mark.parametrize("version", ["0.40.1", "0.5.0", "1.0"])
def test_versions_of_lm_eval_that_are_not_known(version: str) -> None:
    shutil.copy(LOGS / "lm_eval" / GSM, GSM)
    whole = json.loads((LOGS / "lm_eval" / RESULTS).read_text("utf-8"))
    Path(RESULTS).write_text(json.dumps({**whole, "lm_eval_version": version}), "utf-8")
    rows, tally = read(LmEval(path=GSM))
    assert len(rows) == 48
    assert (
        f"version {version} of lm-evaluation-harness is not known (known: 0.3 and 0.4)" in tally["evidence"].warnings[0]
    )


def test_samples_of_lm_eval_of_another_form() -> None:
    put("samples_t.jsonl", '{"doc_id": 1, "responses": []}\n')
    refused(DataError, LmEval(path="samples_t.jsonl"), "samples_t.jsonl:1", "not a sample of lm-evaluation-harness")
