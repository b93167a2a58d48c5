"""Records of logs as harnesses write them, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from files_read import put


def sample(**more: Any) -> dict[str, Any]:
    return {"doc_id": 0, "resps": [["1", "2", "2"]], "filtered_resps": ["2"], "target": "2", "filter": "f", **more}


def likelihoods(values: list[Any], choices: list[str], target: Any, **more: Any) -> dict[str, Any]:
    arguments = {f"gen_args_{i}": {"arg_0": "Q", "arg_1": f" {choice}"} for i, choice in enumerate(choices)}
    resps = [[[value, "False"]] for value in values]
    return {"doc_id": 0, "target": target, "arguments": arguments, "resps": resps, "filtered_resps": resps, **more}


def result(*components: Any, **more: Any) -> dict[str, Any]:
    return {
        "testIdx": 0,
        "promptIdx": 0,
        "success": True,
        "vars": {"q": "Rome"},
        "testCase": {"vars": {"q": "Rome"}},
        "provider": {"id": "p"},
        "prompt": {"raw": "Q", "label": "L"},
        "response": {"output": "It is Rome"},
        "gradingResult": {"componentResults": list(components)},
        **more,
    }


def component(kind: str, value: Any, passed: bool = True, **more: Any) -> dict[str, Any]:
    return {"pass": passed, "assertion": {"type": kind, "value": value}, **more}


def state(
    word: str, *texts: tuple[str, float], perturbation: Any = None, trial: int = 0, **more: Any
) -> dict[str, Any]:
    references = [
        {"output": {"text": text}, "tags": ["correct"] if text in ("Rome", "Roma") else []}
        for text in ("Paris", "Rome", "Roma")
    ]
    instance = {"input": {"text": "?"}, "references": references, "split": "test", "id": word}
    return {
        "instance": {**instance, **({"perturbation": perturbation} if perturbation else {})},
        "train_trial_index": trial,
        "request": {"model": "org/m", "temperature": 0.0, "prompt": "Q: ?"},
        "result": {"success": True, "completions": [{"text": t, "logprob": p, "tokens": []} for t, p in texts]},
        **more,
    }


def stats(word: str, value: float, perturbation: Any = None, trial: int = 0, metric: str = "exact_match") -> Any:
    one = {"name": {"name": metric, "split": "test"}, "count": 1, "sum": value, "mean": value}
    other = {"name": {"name": "num_output_tokens", "split": "test"}, "count": 1, "sum": 3, "mean": 3.0}
    base = {"instance_id": word, "train_trial_index": trial, "stats": [other, one]}
    return {**base, **({"perturbation": perturbation} if perturbation else {})}


def run(*states: Any, statistics: Any = None, name: str = "mmlu,model=m", **adapter: Any) -> str:
    folder = Path("suite", name)
    folder.mkdir(parents=True, exist_ok=True)
    put(f"{folder}/scenario_state.json", json.dumps({"adapter_spec": adapter, "request_states": states}, indent=1))
    put(f"{folder}/run_spec.json", json.dumps({"name": name, "adapter_spec": {"method": "generation", **adapter}}))
    if statistics is not None:
        put(f"{folder}/per_instance_stats.json", json.dumps(statistics))
    return str(folder)


def instance(word: str, raw: Any, extracted: str, **more: Any) -> dict[str, Any]:
    attribution = {"turn_idx": 0, "source": "output.raw", "extracted_value": extracted, "extraction_method": "regex"}
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "gsm8k/m/1",
        "model_id": "org/m",
        "evaluation_name": "GSM8K",
        "sample_id": word,
        "interaction_type": "single_turn",
        "input": {"raw": "2+2?", "reference": ["4", "four"], "choices": None},
        "output": None if raw is None else {"raw": raw, "reasoning_trace": ["hm"]},
        "answer_attribution": [{**attribution, "is_terminal": True}],
        "evaluation": {"score": 1.0, "is_correct": True},
        **more,
    }
