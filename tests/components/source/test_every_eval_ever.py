"""Instance-level files of Every Eval Ever, made by hand after instance_level_eval.schema.json."""

from __future__ import annotations

import json
from typing import Any

import pytest
from files_read import lines, put, read, refused
from log_records import instance

import auditfw
from auditfw.components.files.logs.every_eval_ever import limits_beside
from auditfw.components.source.every_eval_ever import EveryEvalEver
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")
NAMES = ("id", "item", "raw_text", "parsed_text", "ground_truth", "stored")


def rows_of(*names: str, path: str = "a_samples.jsonl") -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names or NAMES) for row in read(EveryEvalEver(path=path))[0]]


def test_records() -> None:
    lines(
        instance("s1", ["It is 4"], "4"),
        instance("s2", ["4", "It is 5"], "4", evaluation_result_id="r1"),
        instance("s3", "It is 4", "4"),  # as in schema 0.1
        name="a_samples.jsonl",
    )
    truths = ["4", "four"]
    assert rows_of() == [
        ("gsm8k/m/1/GSM8K/s1", "GSM8K/s1", "It is 4", "4", truths, True),
        ("gsm8k/m/1/r1/s2/0", "GSM8K/s2", "4", "4", truths, True),
        ("gsm8k/m/1/r1/s2/1", "GSM8K/s2", "It is 5", "4", truths, True),
        ("gsm8k/m/1/GSM8K/s3", "GSM8K/s3", "It is 4", "4", truths, True),
    ]
    assert rows_of("model", "task", "question", "reasoning")[0] == ("org/m", "GSM8K", "2+2?", "hm")
    assert len(rows_of("id", path=".")) == 4


def test_conversations() -> None:
    turns = [
        {"turn_idx": 0, "role": "user", "content": "?"},
        {"turn_idx": 1, "role": "assistant", "content": "first", "reasoning_trace": "hm"},
        {"turn_idx": 2, "role": "assistant", "content": "last"},
    ]
    answers = [
        {"turn_idx": 1, "extracted_value": "f", "is_terminal": True},
        {"turn_idx": 2, "extracted_value": "l", "is_terminal": False},
    ]
    lines(
        instance("s1", None, "", messages=turns, answer_attribution=answers),
        instance("s2", None, "", messages=turns, answer_attribution=[]),
        instance("s3", None, "", messages=[], answer_attribution=[]),
        name="a_samples.jsonl",
    )
    assert rows_of("raw_text", "parsed_text", "reasoning") == [
        ("first", "f", "hm"), ("last", None, None), (None, None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(("second", "of_all"), [(64, {"": 64}), (32, {})])
def test_limits_are_those_of_the_evaluation(second: int, of_all: dict[str, int]) -> None:

    def config(n: int) -> dict[str, Any]:
        return {"generation_args": {"max_tokens": n}}

    limits = {"r1": ("X", 64), "r2": ("Y", second)}
    results = [
        {"evaluation_result_id": one, "evaluation_name": name, "generation_config": config(n)}
        for one, (name, n) in limits.items()
    ]
    put("a.json", json.dumps({"evaluation_results": results}))
    assert limits_beside("a_samples.jsonl") == {"r1": 64, "X": 64, "r2": second, "Y": second, **of_all}


def test_files_without_outputs_are_refused() -> None:
    lines(*(instance(str(n), ["4"], "4") for n in range(3)), name="a_samples.jsonl")
    what = "a_samples.jsonl: output.raw is the extracted answer in all 3 records: a parsing audit has no output to read"
    refused(DataError, EveryEvalEver(path="a_samples.jsonl"), what, "read the log that the file was converted from")
    lines(*(instance(str(n), ["4"], "4") for n in range(3)), instance("3", ["It is 4"], "4"), name="b_samples.jsonl")
    assert len(rows_of(path="b_samples.jsonl")) == 4


def test_samples_that_ended_in_an_error() -> None:
    failed = instance("s2", [], "", error="timeout", evaluation={"score": 0.0, "is_correct": None})
    lines(instance("s1", ["It is 4"], "4"), {**failed, "answer_attribution": []}, name="a_samples.jsonl")
    source = {"use": "every_eval_ever", "path": "a_samples.jsonl"}
    counts = auditfw.run({"experiment": "answer_parsing", "source": source}).counts
    assert counts == {"read": 2, "audited": 1, "sample_error": 1}


def test_what_is_no_instance() -> None:
    put("a_samples.jsonl", "\n" + json.dumps({"evaluation_id": "x", "evaluation_results": []}) + "\n")
    refused(DataError, EveryEvalEver(path="a_samples.jsonl"), "a_samples.jsonl:2: not an instance", "no 'sample_id'")
