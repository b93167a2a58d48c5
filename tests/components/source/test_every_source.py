"""What holds for every source of logs: content parts are texts, errors a bucket, several truths as good as one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from files_read import lines, put
from inspect_logs import eval_log, json_log
from inspect_logs import sample as inspect_sample
from log_records import component, instance, result, run, sample, state, stats
from places import ROOT

import auditfw
from auditfw.commands.paths.sources import log_sources, source_of
from auditfw.components.files.looks.first_look import first_look
from auditfw.kinds.capabilities import capability
from auditfw.kinds.registry import components

pytestmark = pytest.mark.usefixtures("here")
PARTS = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Roma"}]
TRUTHS = ["Rome", "Roma"]
PLAIN = {"id": "1", "raw_text": PARTS, "ground_truth": TRUTHS, "stored": True, "error": None}
BROKEN = {"id": "2", "raw_text": None, "ground_truth": TRUTHS, "stored": None, "error": "HTTP 500"}
Source = dict[str, Any]


def jsonl() -> Source:
    return {"use": "jsonl", "path": lines(PLAIN, BROKEN)}


def as_json() -> Source:
    return {"use": "json", "path": put("a.json", json.dumps([PLAIN, BROKEN]))}


def parquet() -> Source:
    pl.DataFrame([PLAIN, BROKEN]).write_parquet("a.parquet")
    return {"use": "parquet", "path": "a.parquet"}


def frame() -> Source:
    return {"use": "frame", "frame": [PLAIN, BROKEN]}


def inspect(write: Callable[..., str]) -> Source:
    message = {"role": "assistant", "content": PARTS}
    good = {"output": {"completion": "Roma", "choices": [{"message": message}]}, "target": TRUTHS}
    bad = {"output": {"completion": "", "choices": []}, "scores": {}, "error": {"message": "HTTP 500"}}
    return {"use": "inspect", "path": write(inspect_sample(**good), inspect_sample(2, target=TRUTHS, **bad))}


def inspect_without_completion() -> Source:
    message = {"role": "assistant", "content": PARTS}
    good = {"output": {"choices": [{"message": message}]}, "target": TRUTHS}
    bad = {"output": {"choices": []}, "scores": {}, "error": {"message": "HTTP 500"}}
    return {"use": "inspect", "path": eval_log(inspect_sample(**good), inspect_sample(2, **bad))}


def lm_eval() -> Source:
    good = sample(resps=[[PARTS]], filtered_resps=["Roma"], target=str(TRUTHS), metrics=["em"], em=1.0)
    bad = {**good, "doc_id": 1, "resps": [[None]], "filtered_resps": [None], "em": None, "error": "HTTP 500"}
    return {"use": "lm_eval", "path": lines(good, bad, name="samples_t_2026-01-02T03-04-05.jsonl")}


def lighteval() -> Source:
    doc = {"query": "Q", "choices": TRUTHS, "gold_index": [0, 1], "id": "0"}
    good = {"doc": doc, "model_response": {"text": [PARTS]}, "metric": {"em": 1.0}, "error": None}
    bad = {"doc": {**doc, "id": "1"}, "model_response": {"text": []}, "metric": {"em": None}, "error": "HTTP 500"}
    pl.DataFrame([good, bad], strict=False).write_parquet("details_t_2026-01-02T03-04-05.parquet")
    return {"use": "lighteval", "path": "details_t_2026-01-02T03-04-05.parquet"}


def helm() -> Source:
    failed = {"success": False, "error": "HTTP 500", "completions": []}
    good = state("id1", (PARTS, -1.0))  # type: ignore[arg-type]  # HELM has texts here, other writers may not
    return {"use": "helm", "path": run(good, state("id2", result=failed), statistics=[stats("id1", 1.0)])}


def promptfoo() -> Source:
    good = result(component("contains-any", TRUTHS), response={"output": PARTS})
    bad = result(testIdx=1, failureReason=2, error="HTTP 500", success=False, response={}, gradingResult=None)
    return {"use": "promptfoo", "path": lines(good, bad)}


def promptfoo_results() -> Source:
    return {**promptfoo(), "row": "result"}


def every_eval_ever() -> Source:
    reference = {"input": {"raw": "?", "reference": TRUTHS, "choices": None}}
    good = instance("s1", [PARTS], "Roma", **reference)
    good["output"].pop("reasoning_trace")
    bad = instance("s2", [""], "", **reference, error="HTTP 500", answer_attribution=[])
    bad["evaluation"] = {"score": None, "is_correct": None}
    return {"use": "every_eval_ever", "path": lines(good, bad, name="a_samples.jsonl")}


def variant(name: str, use: str) -> Source:
    """The settings of a named variant of a source."""
    settings = yaml.safe_load((ROOT / "conf" / "source" / f"{name}.yaml").read_text("utf-8"))
    settings.pop("defaults")
    return {"use": use, **settings}


def opencompass() -> Source:
    good = {"prompt": "?", "origin_prediction": PARTS, "predictions": "Roma", "references": TRUTHS, "correct": True}
    bad = {**good, "origin_prediction": "", "predictions": "", "correct": None, "error": "HTTP 500"}
    details = {"details": {"type": "GEN", "0": good, "1": bad}}
    return {**variant("opencompass", "json"), "path": put("a.json", json.dumps(details))}


def openai_evals() -> Source:
    data = {"sampled": PARTS, "picked": "Roma", "expected": TRUTHS, "correct": True}
    good = {"event_id": 0, "sample_id": "s", "type": "match", "data": data}
    bad = {**good, "event_id": 1, "data": {"sampled": None, "picked": None, "expected": TRUTHS}, "error": "HTTP 500"}
    return {**variant("openai_evals", "jsonl"), "path": lines(good, bad)}


SOURCES: dict[str, Callable[[], Source]] = {
    "jsonl": jsonl,
    "json": as_json,
    "parquet": parquet,
    "frame": frame,
    "inspect .eval": lambda: inspect(eval_log),
    "inspect .json": lambda: inspect(json_log),
    "inspect, old": inspect_without_completion,
    "lm_eval": lm_eval,
    "lighteval": lighteval,
    "helm": helm,
    "promptfoo": promptfoo,
    "promptfoo, results": promptfoo_results,
    "every_eval_ever": every_eval_ever,
    "opencompass": opencompass,
    "openai_evals": openai_evals,
}


def test_every_source_of_logs_recognises_a_sample_of_its_own_and_no_other() -> None:
    recognised = {}
    for name, sample_of in SOURCES.items():
        source = sample_of()
        place = source.get("path")
        if isinstance(place, str):
            files = [place] if Path(place).is_file() else [str(one) for one in sorted(Path(place).rglob("*.json"))]
            recognised[name] = {found for file in files if (found := source_of(first_look(file)))}
            assert recognised[name] <= {source["use"]}, name
    declare = {name for name, one in components("source").items() if capability(one.cls, "recognises") is not None}
    assert {"".join(found) for found in recognised.values()} - {""} == declare == set(log_sources())


@pytest.mark.parametrize("name", SOURCES)
def test_parts_errors_and_several_truths(name: str) -> None:
    source = SOURCES[name]()
    settings = {"experiment": "answer_parsing", "parser": ["raw"], "normalizer": "none", "matcher": "exact", "by": []}
    done = auditfw.run({**settings, "source": source, "audit": {"baseline": None, "keep_text": True}})
    assert done.counts == {"read": 2, "audited": 1, "sample_error": 1}
    trials = done.trials.filter(pl.col("status") == "audited").rows(named=True)
    assert [(one["raw+none"], one["text.raw"], one["reasoning"], one["stored"]) for one in trials] == [
        (True, "Roma", "hm", True)
    ]
    if "inspect" not in name or "old" in name:  # its completion is a text already
        assert any("content parts read as their texts" in warning for warning in done.warnings)
