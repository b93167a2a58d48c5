"""Samples that ended in an error are a bucket of their own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from files_read import lines, put
from sentences import parsing as says

import auditfw

pytestmark = pytest.mark.usefixtures("here")


def sample(**changes: Any) -> dict[str, Any]:
    """A sample as Inspect logs have it; one that failed has no choices, no completion and no scores."""
    good = {
        "output": {"completion": "14", "choices": [{"message": {"content": [{"type": "text", "text": "14"}]}}]},
        "scores": {"match": {"value": "C"}}, "target": "14",
    }  # fmt: skip
    failed = {"output": {"completion": "", "choices": []}, "scores": {}, "error": {"message": "Boom", "traceback": "x"}}
    return {**good, **(failed if changes.pop("failed", False) else {}), **changes}


SAMPLES = [
    (sample(), "audited"),
    (sample(failed=True), "sample_error"),
    (sample(failed=True, target=None), "sample_error"),
    (sample(failed=True, output={"completion": "14"}), "audited"),  # it has an output
    (sample(failed=True, scores={"match": {"value": "I"}}), "audited"),  # it was scored
    (sample(failed=True, error=None), "audited"),  # an empty answer, and no error
    (sample(failed=True, error=""), "audited"),
    (sample(failed=True, error={}), "audited"),
    (sample(failed=True, error=False), "audited"),
    (sample(failed=True, error="None"), "audited"),
    (sample(failed=True, error="rate limit"), "sample_error"),
    (sample(failed=True, error=True), "sample_error"),
    (sample(failed=True, output=None), "sample_error"),
    (sample(target=None), "no_ground_truth"),
]
MAPPED = {"ground_truth": "target", "stored": "scores.match.value"}
SCORED = {"stored_true": ["C"], "stored_false": ["I"]}


@pytest.mark.parametrize("raw", ["output.completion", "output.choices[0].message.content"])
@pytest.mark.parametrize("error", [{}, {"error": "error.message"}])
def test_samples_that_ended_in_an_error_are_a_bucket(raw: str, error: dict[str, str]) -> None:
    rows = [{"id": n, **row} for n, (row, _) in enumerate(SAMPLES)]
    put("a.json", json.dumps({"samples": rows}))
    source = {"use": "json", "path": "a.json", "records": "samples", "columns": {**MAPPED, "raw_text": raw, **error}}
    done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source, "audit": SCORED})
    status = done.trials.lazy().collect()["status"].to_list()
    wanted = [bucket for _, bucket in SAMPLES]
    if error:  # only objects with a message are errors then
        wanted = [
            b if b != "sample_error" or isinstance(SAMPLES[n][0]["error"], dict) else "audited"
            for n, b in enumerate(wanted)
        ]
    if "choices" in raw:  # the sample with another output has no choices
        wanted[3] = "sample_error"
    assert status == wanted
    assert done.counts == {"read": len(rows), **{bucket: wanted.count(bucket) for bucket in sorted(set(wanted))}}


def test_errors_in_a_table_and_without_stored_labels() -> None:
    table = "id,raw_text,ground_truth,error\n1,a,a,\n2,,b,timeout\n3,c,c,warning\n4,,d,\n5,,e,nan\n"
    for source in (
        {"use": "csv", "path": put("a.csv", table)},
        {"use": "csv", "path": put("b.csv", table.replace("error", "why")), "columns": {"error": "why"}},
    ):
        done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source})
        assert done.counts == {"read": 5, "audited": 4, "sample_error": 1}


def test_an_error_that_comes_after_the_first_records_is_found() -> None:
    rows = [{"id": n, "raw_text": "a", "ground_truth": "a"} for n in range(1_200)]
    path = lines(*rows, {"id": "x", "raw_text": "", "ground_truth": "a", "error": "boom"})
    source = {"use": "jsonl", "path": path}
    done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source})
    assert done.counts == {"read": 1_201, "audited": 1_200, "sample_error": 1}
    done = auditfw.run({"experiment": "answer_parsing", "by": ["error"], "source": source})
    assert done.counts == {"read": 1_201, "audited": 1_200, "sample_error": 1}


def test_a_mapped_error_that_no_record_has_is_told() -> None:
    path = lines({"id": 1, "raw_text": "a", "ground_truth": "a"})
    source = {"use": "jsonl", "path": path, "columns": {"error": "meta.error"}}
    done = auditfw.run({"experiment": "answer_parsing", "by": [], "source": source})
    assert done.counts == {"read": 1, "audited": 1}
    assert says.NO_RECORD_HAS_NO_SAMPLE in done.warnings
