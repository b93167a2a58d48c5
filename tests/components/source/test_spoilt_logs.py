"""Logs in which any value may be another: rows come of them, or one line with the place."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from files_read import QUIET, lines, put, read
from hypothesis import given
from hypothesis import strategies as st
from log_records import component, instance, likelihoods, result, run, sample, state, stats

from auditfw.components.files.file_settings import Records
from auditfw.components.files.files import File
from auditfw.components.files.logs.lighteval import LightevalRows
from auditfw.components.source.every_eval_ever import EveryEvalEver
from auditfw.components.source.helm import Helm
from auditfw.components.source.lm_eval import LmEval
from auditfw.components.source.promptfoo import Promptfoo
from auditfw.core.errors import AuditError

pytestmark = pytest.mark.usefixtures("here")
ODD = st.sampled_from([None, True, 0, -1, 1.5, "", "x", [], [[]], [None], {}, {"a": 1}, ["x", {}], [["1", "True"]]])


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where every value inside a record is."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(place for key, part in pairs for place in places(part, (*way, key)))]


def spoilt(record: Any, way: tuple[Any, ...], value: Any) -> Any:
    record = copy.deepcopy(record)
    inner = record
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = value
    return record


def check(source: Any) -> None:
    refusal = None
    try:
        read(source)
    except AuditError as error:
        refusal = error
    assert refusal is None or (refusal.where and "\n" not in str(refusal))


SAMPLES = [
    sample(exact_match=1.0, metrics=["exact_match"]),
    likelihoods(["-1", "-2"], ["a", "b"], "1", acc=1, metrics=["acc"]),
    likelihoods(["-1", "-2"], ["a", "b"], "1", acc_norm=1, metrics=["acc_norm"]),
]


@pytest.mark.parametrize("record", SAMPLES)
@QUIET
@given(data=st.data(), value=ODD)
def test_samples_of_lm_eval(record: Any, data: Any, value: Any) -> None:
    lines(spoilt(record, data.draw(st.sampled_from(places(record)[1:])), value))
    check(LmEval(path="a.jsonl"))


RESULT = result(component("contains-any", ["a", "b"]), {"componentResults": [component("equals", "x")]}, evalId="e")


@pytest.mark.parametrize("row", ["assertion", "result"])
@QUIET
@given(data=st.data(), value=ODD)
def test_results_of_promptfoo(row: Any, data: Any, value: Any) -> None:
    lines(spoilt(RESULT, data.draw(st.sampled_from(places(RESULT)[1:])), value))
    check(Promptfoo(path="a.jsonl", row=row))


@QUIET
@given(data=st.data(), value=ODD)
def test_requests_of_helm(data: Any, value: Any) -> None:
    one = state("id1", ("A", -1.0), ("B", -2.0), output_mapping={"A": "Paris"}, perturbation={"name": "typos"})
    known = [stats("id1", 1.0, {"name": "typos"})]
    whole = {"states": [one], "statistics": known}
    whole = spoilt(whole, data.draw(st.sampled_from(places(whole)[1:])), value)
    path = run(name="r")
    put(f"{path}/scenario_state.json", json.dumps({"request_states": whole["states"]}))
    put(f"{path}/per_instance_stats.json", json.dumps(whole["statistics"]))
    check(Helm(path=path))


@QUIET
@given(data=st.data(), value=ODD)
def test_instances_of_every_eval_ever(data: Any, value: Any) -> None:
    record = instance("s", ["a", "b"], "a", messages=[{"turn_idx": 0, "role": "assistant", "content": "x"}])
    lines(spoilt(record, data.draw(st.sampled_from(places(record)[1:])), value), name="a_samples.jsonl")
    check(EveryEvalEver(path="a_samples.jsonl"))


@QUIET
@given(data=st.data(), value=ODD)
def test_details_of_lighteval(data: Any, value: Any) -> None:
    """Parquet has one type a column: the makers alone meet what no file can hold."""
    doc = {"id": "0", "choices": ["A", "B"], "gold_index": [0], "specific": {"extracted_predictions": ["A"]}}
    record = {"doc": doc, "model_response": {"text": [], "logprobs": [-1.0, -2.0]}, "metric": {"em": 1.0}}
    got = Records([spoilt(record, data.draw(st.sampled_from(places(record)[1:])), value)], [1])
    refusal = None
    try:
        LightevalRows()(got, File("a.parquet"))
    except AuditError as error:
        refusal = error.where
    assert refusal in (None, "a.parquet:1")
