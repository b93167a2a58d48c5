"""What the logs of harnesses were made under, by the fields that each writes beside its samples.

Of a value that a field leaves open ("as the provider likes") nothing is recorded: null is not none. The names of values
are those of `auditfw.kinds.evidence.CONDITIONS`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from auditfw.components.files.file_settings import Row
from auditfw.kinds.evidence import LogConditions, ScorerRule

from .converted import a_list, an_object, objects
from .lighteval import task_settings
from .lm_eval_parts import limit_in
from .lm_eval_results import limit_of, model_of, task_config

MOST_PROMPTS = 200  # that are looked at, of the first items of a log
GENERATION = ("generation", "repeats", "declared")  # options of a rule that say nothing of scoring
SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")
STOPS = ("until", "stop_seqs", "stop_sequences", "stop", "stop_tokens")
JUDGED = (
    "llm-rubric",
    "model-graded",
    "factuality",
    "g-eval",
    "answer-relevance",
    "context-",
    "similar",
    "select-best",
)


def versioned(name: str, version: Any) -> str:
    """A harness with its version, where that is known."""
    return f"{name} {version}" if version not in (None, "", "?", "unknown") else name


def sampling(*settings: Any) -> dict[str, Any]:
    """How answers were drawn, each value by the first of the settings that has it."""
    known = [an_object(one) for one in settings]

    def first(*names: str) -> Any:
        return next((one[name] for one in known for name in names if one.get(name) is not None), None)

    greedy = first("temperature") is None and first("do_sample") is False
    return {
        "temperature": 0 if greedy else first("temperature"),
        "top_p": first("top_p"),
        "seed": first("seed"),
        "stop texts": first(*STOPS),
        "limit": next((limit for one in known if (limit := limit_in(dict(one)))), None),
    }


def scorer_of(rules: Iterable[ScorerRule]) -> Any:
    """The rules of stored labels with their settings; None where none is known."""
    rules_of = [
        {"name": one.name, **{k: v for k, v in one.options.items() if k not in GENERATION and v not in (None, [], {})}}
        for one in rules
    ]
    return (rules_of[0] if len(rules_of) == 1 else rules_of) or None


def prompt_text(prompt: Any) -> str | None:
    """A prompt as one text: messages, also where they are written as JSON, one after the other."""
    messages = messages_of(prompt)
    if messages is None:
        return prompt if isinstance(prompt, str) else None
    return "\n\n".join(_content(one) for one in messages)


def system_of(prompts: Iterable[Any]) -> Any:
    """The system text of prompts that are messages: one, or several; "" for none, None where no prompt is messages."""
    texts: dict[str, None] = {}
    for prompt in prompts:
        if (messages := messages_of(prompt)) is not None:
            systems = [_content(one) for one in messages if one.get("role") in ("system", "developer")]
            texts["\n\n".join(systems)] = None
    return next(iter(texts)) if len(texts) == 1 else list(texts) or None


def messages_of(prompt: Any) -> list[Mapping[str, Any]] | None:
    """The messages of a prompt; None where it is a text."""
    if isinstance(prompt, str) and prompt.lstrip().startswith("[") and '"role"' in prompt:
        try:
            prompt = json.loads(prompt)
        except (ValueError, RecursionError):
            return None
    messages = objects(prompt)
    return messages if messages and all("role" in one for one in messages) else None


def _content(message: Mapping[str, Any]) -> str:
    value = message.get("content")
    return value if isinstance(value, str) else "".join(str(one.get("text") or "") for one in objects(value))


def log_conditions(values: Mapping[str, Any], rows: Sequence[Row], prompt: str, asked: bool = False) -> LogConditions:
    """The conditions of a log with its first rows; `prompt` is the way to a prompt in one, as in `request.prompt`."""
    prompts = _first_prompts(rows, prompt)
    system = system_of(prompts.values())
    if system is not None and values.get("system text") in (None, ""):
        values = {**values, "system text": system}
    whole = {item: text for item, one in prompts.items() if (text := prompt_text(one)) is not None}
    return LogConditions(values, whole, asked)


def _first_prompts(rows: Sequence[Row], prompt: str) -> dict[str, Any]:
    prompts: dict[str, Any] = {}
    for row in rows:
        value: Any = row
        for part in prompt.split("."):
            value = an_object(value).get(part)
        if value and row.get("item") is not None and len(prompts) < MOST_PROMPTS:
            prompts.setdefault(str(row["item"]), value)
    return prompts


def lm_eval_conditions(whole: Mapping[str, Any], task: str) -> dict[str, Any]:
    """The conditions of a task by a results file of lm-evaluation-harness; of no file the harness alone."""
    config, run = task_config(whole, task), an_object(whole.get("config"))
    if not whole:
        return {"harness": "lm_eval"}
    template = whole.get("chat_template_sha") if "chat_template_sha" in whole else None
    return {
        "harness": versioned("lm_eval", whole.get("lm_eval_version") or whole.get("git_hash")),
        "task": task,
        "task version": an_object(whole.get("versions")).get(task),
        "dataset": _dataset(config),
        "split": config.get("test_split") or config.get("validation_split"),
        "model": model_of(whole),
        "chat template": template or ("" if "chat_template_sha" in whole else None),
        "system text": whole.get("system_instruction") or ("" if "system_instruction" in whole else None),
        "shots": an_object(whole.get("n-shot")).get(task, config.get("num_fewshot")),
        **sampling(run.get("gen_kwargs"), config.get("generation_kwargs")),
        "limit": limit_of(whole, task),
        "seed": {name.removesuffix("_seed"): run[name] for name in SEEDS if run.get(name) is not None} or None,
        "repeats": config.get("repeats"),
        "judge": "",
    }


def _dataset(config: Mapping[str, Any]) -> Any:
    path, name = config.get("dataset_path"), config.get("dataset_name")
    files = an_object(config.get("dataset_kwargs")).get("data_files")
    parts = [str(one) for one in (path, name) if one]
    return {"path": "/".join(parts), "files": files} if files and parts else "/".join(parts) or None


def lighteval_conditions(whole: Mapping[str, Any], task: str, model: Any) -> dict[str, Any]:
    """The conditions of a task by a results file of lighteval; of no file the harness, the task and the model."""
    general = an_object(whole.get("config_general"))
    config = an_object(general.get("model_config")) or general
    own, versions = task_settings(whole, task), an_object(whole.get("versions"))
    metrics = [one.get("metric_name") for one in objects(own.get("metrics") or own.get("metric"))]
    return {
        "harness": versioned("lighteval", general.get("lighteval_sha")),
        "task": task,
        "task version": versions.get(task, own.get("version")),
        "dataset": "/".join(str(own[name]) for name in ("hf_repo", "hf_subset") if own.get(name)) or None,
        "split": ", ".join(map(str, a_list(own.get("evaluation_splits")))) or None,
        "model": general.get("model_name") or model,
        "system text": config.get("system_prompt") or ("" if "system_prompt" in config else None),
        "shots": own.get("num_fewshots"),
        **sampling(config.get("generation_parameters"), general.get("generation_parameters")),
        **({"stop texts": list(own["stop_sequence"])} if own.get("stop_sequence") else {}),
        "limit": limit_in(config.get("generation_parameters")) or own.get("generation_size"),
        "scorer": [str(one) for one in metrics if one] or None,
    }


def helm_conditions(whole: Mapping[str, Any], split: Any) -> dict[str, Any]:
    """The conditions of a run by the run_spec.json of HELM; of no file the harness alone."""
    adapter, scenario = an_object(whole.get("adapter_spec")), an_object(whole.get("scenario_spec"))
    if not adapter:
        return {"harness": "helm"}
    arguments = an_object(scenario.get("args"))
    judged = [str(one.get("class_name")) for one in objects(whole.get("annotators"))]
    return {
        "harness": "helm",
        "task": str(whole.get("name") or "").partition(":")[0] or None,
        "dataset": {"scenario": scenario["class_name"], **arguments} if scenario.get("class_name") else None,
        "split": split,
        "model": adapter.get("model") or adapter.get("model_deployment"),
        "chat template": "" if adapter.get("chat_template") is None and "chat_template" in adapter else None,
        "system text": adapter.get("instructions"),
        "shots": adapter.get("max_train_instances"),
        **sampling({k: v for k, v in adapter.items() if k != "random"}),
        "seed": adapter.get("random"),
        "repeats": adapter.get("num_outputs"),
        "judge": ", ".join(judged) if "annotators" in whole or adapter else None,
    }


def promptfoo_conditions(whole: Mapping[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """The conditions of a file of promptfoo's results, by its configuration and its first results."""
    config, about = an_object(whole.get("config")), an_object(whole.get("metadata"))
    tests, models = config.get("tests"), list(dict.fromkeys(row.get("model") for row in rows if row.get("model")))
    kinds = list(dict.fromkeys(str(row.get("assertion")) for row in rows if row.get("assertion")))
    listed = config.get("providers")
    providers = [an_object(one.get("config")) for one in objects(listed if isinstance(listed, list) else [listed])]
    repeats = an_object(whole.get("runtimeOptions")).get("repeat") or an_object(config.get("evaluateOptions")).get(
        "repeat"
    )
    judges = [kind for kind in kinds if kind.removeprefix("not-").startswith(JUDGED)]
    return {
        "harness": versioned("promptfoo", about.get("promptfooVersion")),
        "task": config.get("description"),
        "dataset": tests if isinstance(tests, str) else None,
        "model": models[0] if len(models) == 1 else models or None,
        **sampling(*(providers[:1] if len(providers) == 1 else [])),
        "repeats": repeats or (1 if config else None),
        "scorer": kinds or None,
        "judge": judges if judges else "" if kinds else None,
    }


def every_eval_ever_conditions(whole: Mapping[str, Any], names: Sequence[str], model: Any) -> dict[str, Any]:
    """The conditions of evaluations by the aggregate file of Every Eval Ever; of no file the task and the model."""
    library = an_object(whole.get("eval_library"))
    results = [one for one in objects(whole.get("evaluation_results")) if one.get("evaluation_name") in names]
    one: Mapping[str, Any] = results[0] if results else {}
    data, metric = an_object(one.get("source_data")), an_object(one.get("metric_config"))
    generation = an_object(one.get("generation_config"))
    judges = objects(an_object(metric.get("llm_scoring")).get("judges"))
    named = [
        an_object(judge.get("model_info")).get("id") or an_object(judge.get("model_info")).get("name")
        for judge in judges
    ]
    return {
        "harness": versioned(str(library["name"]), library.get("version")) if library.get("name") else None,
        "task": list(names) if len(names) > 1 else names[0] if names else None,
        "dataset": data.get("hf_repo") or data.get("dataset_name"),
        "split": data.get("hf_split"),
        "model": an_object(whole.get("model_info")).get("id") or model,
        **sampling(generation.get("generation_args")),
        "scorer": metric.get("metric_name") or metric.get("evaluation_description"),
        "judge": [str(name) for name in named if name] or ("" if metric else None),
    }
