"""What logs of harnesses were made under, by fields made by hand."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.components.files.logs.conditions import (
    every_eval_ever_conditions,
    helm_conditions,
    lighteval_conditions,
    lm_eval_conditions,
    log_conditions,
    prompt_text,
    promptfoo_conditions,
    sampling,
    scorer_of,
    system_of,
)
from auditfw.kinds.evidence import CONDITIONS, ScorerRule

OPEN = {"temperature": None, "top_p": None, "seed": None, "stop texts": None, "limit": None}


@pytest.mark.parametrize(
    ("settings", "known"),
    [
        ([], {}),
        ([None, "temperature=1"], {}),
        ([{"temperature": 0.0}], {"temperature": 0.0}),
        ([{"temperature": None}, {"temperature": 1}], {"temperature": 1}),
        ([{"temperature": 0.5}, {"temperature": 1}], {"temperature": 0.5}),
        ([{"do_sample": False}], {"temperature": 0}),
        ([{"do_sample": True}], {}),
        ([{"until": ["Q:"], "max_gen_toks": 64}], {"stop texts": ["Q:"], "limit": 64}),
        ([{"stop_seqs": []}, {"stop": ["\n"]}], {"stop texts": []}),
        ([{"max_tokens": 9, "seed": 0, "top_p": 0.9}], {"limit": 9, "seed": 0, "top_p": 0.9}),
        ([{"max_tokens": "many"}, {"max_tokens": 8}], {"limit": 8}),
    ],
)
def test_sampling(settings: list[Any], known: dict[str, Any]) -> None:
    assert sampling(*settings) == {**OPEN, **known}


SYSTEM, USER = {"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}
PARTS = {"role": "user", "content": [{"type": "text", "text": "2+"}, {"type": "text", "text": "2?"}]}
WRITTEN = '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}]'


@pytest.mark.parametrize(
    ("prompt", "text", "system"),
    [
        ("2+2?", "2+2?", None),
        ([USER], "2+2?", ""),
        ([SYSTEM, PARTS], "Be brief.\n\n2+2?", "Be brief."),
        (WRITTEN, "Be brief.\n\n2+2?", "Be brief."),
        ('[{"role": "user"', '[{"role": "user"', None),
        ("[1, 2]", "[1, 2]", None),
        (None, None, None),
        (7, None, None),
    ],
)
def test_prompts(prompt: Any, text: str | None, system: str | None) -> None:
    assert prompt_text(prompt) == text
    assert system_of([prompt]) == system


def test_prompts_with_several_system_texts() -> None:
    assert system_of([[SYSTEM, USER], [USER]]) == ["Be brief.", ""]
    assert system_of([]) is None


def test_scorers_without_what_scores_nothing() -> None:
    rule = ScorerRule("f", {"steps": [1], "metrics": [], "generation": {"until": ["Q"]}, "repeats": 2}, "0.4")
    assert scorer_of([rule]) == {"name": "f", "steps": [1]}
    assert scorer_of([rule, rule._replace(name="g")]) == [{"name": "f", "steps": [1]}, {"name": "g", "steps": [1]}]
    assert scorer_of([]) is None


def test_a_log_with_its_first_prompts() -> None:
    rows = [
        {"item": 1, "request": {"prompt": "a"}},
        {"item": 1, "request": {"prompt": "b"}},
        {"item": 2, "request": {}},
    ]
    conditions = log_conditions({"model": "m", "system text": ""}, rows, "request.prompt")
    assert (conditions.prompts, conditions.values["system text"], conditions.asked) == ({"1": "a"}, "", False)
    chat = log_conditions({"model": "m"}, [{"item": 1, "question": WRITTEN}], "question", asked=True)
    assert (chat.values, chat.asked) == ({"model": "m", "system text": "Be brief."}, True)


LIGHTEVAL = {
    "config_general": {
        "lighteval_sha": "abc",
        "model_name": "org/m",
        "model_config": {"system_prompt": None, "generation_parameters": {"temperature": 0.6, "max_new_tokens": 99}},
    },
    "versions": {"gsm8k|0": 1},
    "config_tasks": {
        "gsm8k|0": {
            "hf_repo": "openai/gsm8k", "hf_subset": "main", "evaluation_splits": ["test"], "num_fewshots": 0,
            "stop_sequence": ["Q:"], "metrics": [{"metric_name": "extractive_match"}],
        }
    },
}  # fmt: skip
HELM = {
    "name": "gsm:model=org_m",
    "scenario_spec": {"class_name": "helm.GSM8KScenario", "args": {}},
    "adapter_spec": {
        "method": "generation", "model": "org/m", "max_train_instances": 5, "temperature": 0.0, "max_tokens": 400,
        "stop_sequences": ["\n\n"], "num_outputs": 1, "random": None, "instructions": "",
    },
}  # fmt: skip
PROMPTFOO = {
    "metadata": {"promptfooVersion": "0.121.20"},
    "config": {
        "description": "demo", "tests": "tests.csv",
        "providers": [{"id": "openai:gpt", "config": {"temperature": 0, "max_tokens": 64}}],
    },
}  # fmt: skip
AGGREGATE = {
    "eval_library": {"name": "inspect_ai", "version": "0.3.285"},
    "model_info": {"id": "org/m", "name": "m"},
    "evaluation_results": [
        {
            "evaluation_name": "GSM8K",
            "source_data": {"dataset_name": "gsm8k", "hf_repo": "openai/gsm8k", "hf_split": "test"},
            "metric_config": {
                "evaluation_description": "accuracy",
                "llm_scoring": {"judges": [{"model_info": {"id": "org/judge"}}]},
            },
            "generation_config": {"generation_args": {"temperature": 0.7, "top_p": 0.9, "max_tokens": 512}},
        }
    ],
}


@pytest.mark.parametrize(
    ("conditions", "known"),
    [
        (
            lighteval_conditions(LIGHTEVAL, "gsm8k|0", None),
            {
                "harness": "lighteval abc", "task": "gsm8k|0", "task version": 1, "dataset": "openai/gsm8k/main",
                "split": "test", "model": "org/m", "system text": "", "shots": 0, "temperature": 0.6, "limit": 99,
                "stop texts": ["Q:"], "scorer": ["extractive_match"],
            },
        ),
        (lighteval_conditions({}, "gsm8k|0", "org/m"), {"harness": "lighteval", "task": "gsm8k|0", "model": "org/m"}),
        (
            helm_conditions(HELM, "test"),
            {
                "harness": "helm", "task": "gsm", "dataset": {"scenario": "helm.GSM8KScenario"}, "split": "test",
                "model": "org/m", "system text": "", "shots": 5, "temperature": 0.0, "limit": 400,
                "stop texts": ["\n\n"], "repeats": 1, "judge": "",
            },
        ),
        (helm_conditions({}, "test"), {"harness": "helm"}),
        (
            promptfoo_conditions(PROMPTFOO, [{"model": "openai:gpt", "assertion": "llm-rubric"}]),
            {
                "harness": "promptfoo 0.121.20", "task": "demo", "dataset": "tests.csv", "model": "openai:gpt",
                "temperature": 0, "limit": 64, "repeats": 1, "scorer": ["llm-rubric"], "judge": ["llm-rubric"],
            },
        ),
        (
            promptfoo_conditions({}, [{"model": "a", "assertion": "equals"}, {"model": "b", "assertion": "equals"}]),
            {"harness": "promptfoo", "model": ["a", "b"], "scorer": ["equals"], "judge": ""},
        ),
        (
            every_eval_ever_conditions(AGGREGATE, ["GSM8K"], None),
            {
                "harness": "inspect_ai 0.3.285", "task": "GSM8K", "dataset": "openai/gsm8k", "split": "test",
                "model": "org/m", "temperature": 0.7, "top_p": 0.9, "limit": 512, "scorer": "accuracy",
                "judge": ["org/judge"],
            },
        ),
        (every_eval_ever_conditions({}, ["GSM8K"], "org/m"), {"task": "GSM8K", "model": "org/m"}),
        (lm_eval_conditions({}, "gsm8k"), {"harness": "lm_eval"}),
    ],
)  # fmt: skip
def test_fields_of_harnesses(conditions: dict[str, Any], known: dict[str, Any]) -> None:
    assert {name: value for name, value in conditions.items() if value is not None} == known
    assert set(conditions) <= set(CONDITIONS)


def test_fields_of_other_shapes_are_not_recorded() -> None:
    odd = {"config": [], "configs": {"t": 3}, "metadata": 1, "adapter_spec": [], "evaluation_results": {}, "n-shot": 2}
    for conditions in (
        lm_eval_conditions(odd, "t"),
        lighteval_conditions({"config_general": [], "config_tasks": [], "versions": 1}, "t", "m"),
        helm_conditions(odd, None),
        promptfoo_conditions(odd, []),
        every_eval_ever_conditions(odd, [], None),
    ):
        assert conditions.get("temperature") is None
