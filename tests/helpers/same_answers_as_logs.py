"""The same answers of one model to the same sums, written as the log of each harness, all under the same conditions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import inspect_logs
import log_records
import polars as pl

MODEL, TASK, LIMIT, DATE = "org/m", "sums", 64, "2026-01-02T03-04-05.678901"
FLEXIBLE = "(-?[$0-9.,]{2,})|(-?[0-9]+)"


class Answered(NamedTuple):
    """A sum that was asked, its answer, what the model wrote, and whether that is right."""

    id: str
    question: str
    truth: str
    text: str
    right: bool


def answered(n: int = 40) -> list[Answered]:
    """Every fifth answer is wrong."""
    rows = []
    for i in range(n):
        left, right = 7 * i % 90 + 3, 11 * i % 80 + 12
        wrong = i % 5 == 3
        text = f"{left} + {right} is {left + right + (10 if wrong else 0)}"
        rows.append(Answered(str(i), f"What is {left} + {right}?", str(left + right), text, not wrong))
    return rows


def _put(path: Path, content: Any) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return str(path)


def as_inspect(folder: Path) -> str:
    samples = [
        inspect_logs.sample(
            one.id,
            value="C" if one.right else "I",
            input=one.question,
            target=one.truth,
            messages=[{"role": "user", "content": one.question}, {"role": "assistant", "content": one.text}],
            output={"model": MODEL, "completion": one.text, "choices": [{"stop_reason": "stop"}]},
        )
        for one in answered()
    ]
    head = inspect_logs.head(
        task=TASK,
        model=MODEL,
        dataset={"name": TASK, "samples": len(samples)},
        config={"epochs": 1},
        packages={"inspect_ai": "0.3.285"},
        scorers=[{"name": "match", "options": {"numeric": True}}],
        plan={"config": {"temperature": 0.0, "max_tokens": LIMIT}},
    )
    head["eval"] |= {"task_version": 1, "task_args": {"num_fewshot": 0}}
    return _put(folder / "inspect.json", {**head, "samples": samples})


def as_lm_eval(folder: Path) -> str:
    step = {"function": "regex", "group_select": -1, "regex_pattern": FLEXIBLE}
    config = {
        "task": TASK,
        "dataset_path": TASK,
        "output_type": "generate_until",
        "num_fewshot": 0,
        "generation_kwargs": {"temperature": 0.0, "max_gen_toks": LIMIT},
        "repeats": 1,
        "filter_list": [{"name": "flexible-extract", "filter": [step, {"function": "take_first"}]}],
        "metric_list": [{"metric": "exact_match"}],
    }
    results = {
        "results": {TASK: {}}, "configs": {TASK: config}, "versions": {TASK: 1.0}, "n-shot": {TASK: 0},
        "n-samples": {TASK: {"effective": len(answered())}}, "config": {"gen_kwargs": {}}, "lm_eval_version": "0.4.13",
        "model_name": MODEL, "system_instruction": None, "chat_template_sha": None,
    }  # fmt: skip
    samples = [
        {
            "doc_id": int(one.id), "doc": {}, "target": one.truth, "filter": "flexible-extract",
            "arguments": {"gen_args_0": {"arg_0": one.question, "arg_1": {"max_gen_toks": LIMIT}}},
            "resps": [[one.text]], "filtered_resps": [one.text.rpartition(" ")[2]], "metrics": ["exact_match"],
            "exact_match": float(one.right),
        }
        for one in answered()
    ]  # fmt: skip
    _put(folder / "lm_eval" / f"results_{DATE}.json", results)
    text = "".join(json.dumps(one) + "\n" for one in samples)
    return _put(folder / "lm_eval" / f"samples_{TASK}_{DATE}.jsonl", text)


def as_lighteval(folder: Path) -> str:
    details = [
        {
            "doc": {"query": one.question, "choices": [one.truth], "gold_index": [0], "id": one.id, "task_name": TASK},
            "metric": {"exact_match": float(one.right)},
            "model_response": {"input": one.question, "text": [one.text], "text_post_processed": None, "logprobs": []},
        }
        for one in answered()
    ]
    settings = {"temperature": 0.0, "max_new_tokens": LIMIT}
    general = {"lighteval_sha": "?", "model_name": MODEL, "model_config": {"generation_parameters": settings}}
    own = {"hf_repo": TASK, "num_fewshots": 0, "effective_num_docs": len(answered())}
    _put(
        folder / "lighteval" / "results" / MODEL / f"results_{DATE}.json",
        {"config_general": general, "versions": {TASK: 1}, "config_tasks": {TASK: own}},
    )
    path = folder / "lighteval" / "details" / MODEL / DATE / f"details_{TASK}_{DATE}.parquet"
    path.parent.mkdir(parents=True)
    pl.DataFrame(details, strict=False).write_parquet(path)
    return str(path)


def as_helm(folder: Path) -> str:
    run = folder / "helm" / f"{TASK}:model=org_m"
    states = [
        {
            "instance": {
                "input": {"text": one.question}, "split": "test", "id": one.id,
                "references": [{"output": {"text": one.truth}, "tags": ["correct"]}],
            },
            "train_trial_index": 0,
            "request": {"model": MODEL, "temperature": 0.0, "prompt": one.question, "max_tokens": LIMIT},
            "result": {"success": True, "completions": [{"text": one.text, "logprob": 0, "tokens": []}]},
        }
        for one in answered()
    ]  # fmt: skip
    adapter = {
        "method": "generation", "model": MODEL, "max_train_instances": 0, "temperature": 0.0, "max_tokens": LIMIT,
        "num_outputs": 1, "instructions": "",
    }  # fmt: skip
    values = [log_records.stats(one.id, float(one.right), metric="final_number_exact_match") for one in answered()]
    _put(run / "run_spec.json", {"name": f"{TASK}:model=org_m", "adapter_spec": adapter})
    _put(run / "per_instance_stats.json", values)
    return _put(run / "scenario_state.json", {"adapter_spec": adapter, "request_states": states})


def as_promptfoo(folder: Path) -> str:
    results = [
        log_records.result(
            log_records.component("contains", one.truth, one.right),
            testIdx=int(one.id),
            success=one.right,
            vars={"q": one.question},
            testCase={"vars": {"q": one.question}},
            provider={"id": MODEL},
            prompt={"raw": one.question, "label": "{{q}}"},
            response={"output": one.text},
        )
        for one in answered()
    ]
    provider = {"id": MODEL, "config": {"temperature": 0.0, "max_tokens": LIMIT}}
    config = {"description": TASK, "providers": [provider], "tests": TASK}
    right = sum(one.right for one in answered())
    stats = {"successes": right, "failures": len(results) - right, "errors": 0}
    whole = {"evalId": "e", "results": {"version": 3, "results": results, "stats": stats}, "config": config}
    return _put(folder / "promptfoo.json", {**whole, "metadata": {"promptfooVersion": "0.121.20"}})


def as_every_eval_ever(folder: Path) -> str:
    records = [
        log_records.instance(
            one.id,
            one.text,
            one.text.rpartition(" ")[2],
            evaluation_name=TASK,
            model_id=MODEL,
            input={"raw": one.question, "reference": [one.truth], "choices": None},
            evaluation={"score": float(one.right), "is_correct": one.right},
        )
        for one in answered()
    ]
    settings = {"generation_args": {"temperature": 0.0, "max_tokens": LIMIT}}
    data = {"dataset_name": TASK, "source_type": "other"}
    evaluation = {"evaluation_name": TASK, "source_data": data, "metric_config": {}, "generation_config": settings}
    whole = {"eval_library": {"name": "own", "version": "1"}, "model_info": {"id": MODEL}}
    whole |= {"evaluation_results": [evaluation], "detailed_evaluation_results": {"total_rows": len(records)}}
    _put(folder / "eee" / "run.json", whole)
    return _put(folder / "eee" / "run_samples.jsonl", "".join(json.dumps(one) + "\n" for one in records))


WRITERS: Mapping[str, Callable[[Path], str]] = {
    "inspect": as_inspect,
    "lm_eval": as_lm_eval,
    "lighteval": as_lighteval,
    "helm": as_helm,
    "promptfoo": as_promptfoo,
    "every_eval_ever": as_every_eval_ever,
}
