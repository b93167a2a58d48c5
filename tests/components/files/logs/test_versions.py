"""Versions that were not known: read with a remark where the records have the form, else refused by their version."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from files_read import put, read, refused
from log_records import component, result
from places import CASES

from auditfw.components.files.logs.versions import lm_eval_remark, promptfoo_version
from auditfw.components.source.lm_eval import LmEval
from auditfw.components.source.promptfoo import Promptfoo
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")
LOGS = CASES / "data" / "field_logs"
GSM = "samples_mygsm_2026-11-22T15-10-07.226628.jsonl"
RESULTS = "results_2026-11-22T15-10-07.226628.json"


def promptfoo(version: int, *results: object) -> Promptfoo:
    put("out.json", json.dumps({"evalId": "e", "results": {"version": version, "results": results}}, indent=1))
    return Promptfoo(path="out.json")


@pytest.mark.parametrize(("version", "remarks"), [(2, 0), (3, 0), (4, 1)])
def test_promptfoo_of_the_form_that_is_known(version: int, remarks: int) -> None:
    rows, tally = read(promptfoo(version, result(component("contains", "Rome"))))
    warnings = [line for line in tally["evidence"].warnings if "version" in line]
    assert [row["stored"] for row in rows] == [True]
    assert warnings == ["out.json: version 4 of promptfoo's results is not known (known: 2 and 3)"] * remarks


def test_promptfoo_of_another_form() -> None:
    refused(DataError, promptfoo(4, {"x": 1}), "out.json", "version 4", "not known", "known: 2 and 3", "'success'")
    refused(DataError, promptfoo(3, {"x": 1}), "out.json", "not a result of promptfoo")


def test_where_promptfoo_says_its_version() -> None:
    put("a.json", "\ufeff" + ' {"evalId": "x", "results": {\n "version": 12, "results": []}}')
    assert promptfoo_version("a.json") == 12
    put("a.json", '{"results": {"stats": {"version": 12}}}')
    assert promptfoo_version("a.json") is None
    put("a.jsonl", json.dumps(result()) + "\n")
    assert promptfoo_version("a.jsonl") is None


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
