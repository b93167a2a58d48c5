"""What each harness's log says of how a completion ended, of its tokens and of its limit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from files_read import lines, put, read
from inspect_logs import eval_log, head, json_log
from inspect_logs import sample as inspect_sample
from log_records import component, instance, result, run, sample, state

from auditfw.audits.parsing.kept.row_facts import FACTS
from auditfw.components.source.every_eval_ever import EveryEvalEver
from auditfw.components.source.helm import Helm
from auditfw.components.source.inspect import Inspect
from auditfw.components.source.lighteval import Lighteval
from auditfw.components.source.lm_eval import LmEval
from auditfw.components.source.promptfoo import Promptfoo

pytestmark = pytest.mark.usefixtures("here")
SAMPLES = "samples_t_2026-01-02T03-04-05.jsonl"


def facts(source: Any) -> list[dict[str, Any]]:
    """The facts of each row that are there."""
    rows, _ = read(source, optional=("id", "raw_text", *FACTS))
    return [{name: row[name] for name in FACTS if row.get(name) is not None} for row in rows]


def answered(stop: str | None = None, calls: int = 1, **more: Any) -> dict[str, Any]:
    """The output and the messages of a sample of Inspect."""
    message = {"role": "assistant", "content": "It is 4"}
    choices = [{"message": message, "stop_reason": stop, **more.pop("choice", {})}]
    usage = {"input_tokens": 9, "output_tokens": 5}
    output = {"completion": "It is 4", "choices": choices, "usage": usage, **more.pop("output", {})}
    return {"output": output, "messages": [{"role": "user", "content": "?"}, *[message] * calls], **more}


def score(**more: Any) -> dict[str, Any]:
    return {"scores": {"match": {"value": "C", "answer": "4", **more}}}


ONE = {"tokens_in": 9, "tokens_out": 5}


@pytest.mark.parametrize("write", [eval_log, json_log])
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (answered("max_tokens"), {"stop": "max_tokens", **ONE}),
        (answered("stop", calls=2), {"stop": "stop"}),  # the tokens are of two calls
        (answered("stop", calls=0), {"stop": "stop"}),
        (answered("stop", limit={"type": "working", "limit": 3}), {"stop": "working limit", **ONE}),
        (answered("stop", output={"error": "overloaded"}), {"stop": "error", **ONE}),
        (answered("stop", choice={"stop_details": {"type": "refusal"}}), {"stop": "stop", "reason": "refusal", **ONE}),
        (answered("stop", **score(reason="no_response")), {"stop": "stop", "reason": "no_response", **ONE}),
        (answered("stop", **score(metadata={"unscored_reason": "refusal"})),
         {"stop": "stop", "reason": "refusal", **ONE}),
        (answered(None), ONE),
        ({}, {}),
    ],
)  # fmt: skip
def test_inspect(write: Any, more: dict[str, Any], expected: dict[str, Any]) -> None:
    assert facts(Inspect(path=write(inspect_sample(**more)))) == [expected]


@pytest.mark.parametrize(
    ("more", "limit"),
    [
        ({"plan": {"config": {"max_tokens": 64}}, "model_generate_config": {"max_tokens": 128}}, 64),
        ({"model_generate_config": {"max_tokens": 128}}, 128),
        ({"model_generate_config": {"max_tokens": 0.5}}, None),
    ],
)
def test_limit_and_planned_samples_of_inspect(more: dict[str, Any], limit: int | None) -> None:
    path = eval_log(inspect_sample(), log_head=head(**more, results={"total_samples": 3}))
    assert facts(Inspect(path=path)) == [{"planned": 3} | ({} if limit is None else {"limit": limit})]


@pytest.mark.parametrize(
    ("arguments", "config", "limit"),
    [
        ({"gen_args_0": {"arg_1": {"max_gen_toks": 32}}}, {"config": {"gen_kwargs": {"max_tokens": 8}}}, 32),
        ([["Q", {"max_new_tokens": 16}]], {}, 16),
        (None, {"config": {"gen_kwargs": {"max_tokens": 8}}}, 8),
        (None, {"configs": {"t": {"generation_kwargs": {"max_completion_tokens": 4}}}}, 4),
        ({"gen_args_0": {"arg_0": "Q", "arg_1": {"until": ["x"]}}}, {}, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("more", [{"metrics": ["em"], "em": 1.0}, {"em": 1.0}])
def test_limit_of_lm_eval(arguments: Any, config: dict[str, Any], limit: int | None, more: dict[str, Any]) -> None:
    path = lines(sample(resps=[["2"]], arguments=arguments, **more), name=SAMPLES)
    put("results_2026-01-02T03-04-05.json", json.dumps({"results": {}, **config}))
    assert facts(LmEval(path=path)) == [{} if limit is None else {"limit": limit}]
    assert LmEval(path=path).assumed_limit == (256 if limit is None else None)


def test_planned_rows_of_lm_eval() -> None:
    filters = [{"name": name, "filter": []} for name in ("f", "g")]
    samples = [sample(filter=name, metrics=["em"], em=1.0) for name in ("f", "g")]  # three repeats each
    path = lines(*samples, name=SAMPLES)
    results = {"results": {}, "configs": {"t": {"filter_list": filters}}, "n-samples": {"t": {"effective": 4}}}
    put("results_2026-01-02T03-04-05.json", json.dumps(results))
    assert facts(LmEval(path=path)) == [{"planned": 24}] * 6


def test_lighteval() -> None:
    doc = {"query": "Q", "choices": ["4"], "gold_index": [0], "id": "0"}
    response = {"text": ["4", "5"], "output_tokens": [[1, 2, 3], [4]], "truncated_tokens_count": 7}
    rows = [
        {"doc": {**doc, "generation_size": 3}, "model_response": response, "metric": {"em": 1.0}},
        {"doc": {**doc, "id": "1", "generation_size": None}, "model_response": response, "metric": {"em": 1.0}},
    ]
    folder = Path("out/details/org/m/2026-01-02T03-04-05")
    folder.mkdir(parents=True)
    path = folder / "details_t_2026-01-02T03-04-05.parquet"
    pl.DataFrame(rows, strict=False).write_parquet(path)
    results = Path("out/results/org/m/results_2026-01-02T03-04-05.json")
    results.parent.mkdir(parents=True)
    results.write_text(json.dumps({"config_general": {"generation_parameters": {"max_new_tokens": 4}}}), "utf-8")
    sizes = [{"limit": limit, "tokens_out": n} for limit in (3, 4) for n in (3, 1)]
    assert facts(Lighteval(path=str(path))) == sizes
    _, tally = read(Lighteval(path=str(path)))
    assert [n for note, n in tally["notes"].items() if note.startswith("prompts were cut off")] == [2]


def test_helm() -> None:
    one = state("id1", ("Rome", -1.0))
    one["result"] |= {"prompt_truncated": True}
    one["result"]["completions"][0] |= {
        "finish_reason": {"reason": "length"},
        "tokens": [{"text": "R"}, {"text": "ome"}],
    }
    one["request"]["max_tokens"] = 2
    path = run(one, state("id2", ("Rome", -1.0)))
    assert facts(Helm(path=path)) == [{"stop": "length", "tokens_out": 2, "limit": 2}, {}]
    _, tally = read(Helm(path=path))
    assert [n for note, n in tally["notes"].items() if note.startswith("prompts were cut off")] == [1]


def test_promptfoo() -> None:
    response = {"output": "It is Rome", "finishReason": "length", "tokenUsage": {"prompt": 4, "completion": 6}}
    first = result(component("equals", "Rome"), response=response)
    second = result(component("equals", "Rome"), response={"output": "no", "isRefusal": True}, testIdx=1)
    third = result(component("equals", "x"), response={"output": "no", "guardrails": {"flagged": True}}, testIdx=2)
    third["provider"] = {"id": "p", "config": {"max_tokens": 3}}
    config = {"providers": ["echo", {"id": "p", "config": {"max_tokens": 8}}]}
    path = put("out.json", json.dumps({"results": {"results": [first, second, third]}, "config": config}))
    assert facts(Promptfoo(path=path)) == [
        {"stop": "length", "tokens_in": 4, "tokens_out": 6, "limit": 8},
        {"reason": "refusal", "limit": 8},
        {"reason": "refusal", "limit": 3},
    ]


def test_every_eval_ever() -> None:
    usage = {"input_tokens": 3, "output_tokens": 7}
    path = lines(
        instance("1", ["It is 4"], "4", token_usage=usage), instance("2", ["4", "5"], "4"), name="a_samples.jsonl"
    )
    arguments = {"generation_args": {"max_tokens": 9}}
    put("a.json", json.dumps({"evaluation_results": [{"evaluation_name": "GSM8K", "generation_config": arguments}]}))
    assert facts(EveryEvalEver(path=path)) == [{"tokens_in": 3, "tokens_out": 7, "limit": 9}, *[{"limit": 9}] * 2]
