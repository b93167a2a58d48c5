"""The harnesses whose logs are known by their content."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from .first_look import FirstLook

INSPECT_MEMBERS = ("header.json", "_journal/start.json")
INSPECT_KEYS = {"version", "status", "eval"}
LM_EVAL_RESULTS = {"results", "configs", "versions"}
ONLY_RESULTS = (
    "is a results file of lm-evaluation-harness without samples beside it",
    None,
    "run the harness with --log_samples and name samples_TASK_DATE.jsonl",
)


def _inspect(look: FirstLook) -> bool:
    if look.format == "zip":
        return any(name in look.names for name in INSPECT_MEMBERS)
    return look.format == "object" and set(look.names) >= INSPECT_KEYS


def _keys(look: FirstLook) -> set[str]:
    """The columns of a file, or the keys of its one object, which may be the only line."""
    return {*look.columns, *(look.names if look.format == "object" else ())}


def _lm_eval(look: FirstLook) -> bool:
    return {"doc_id", "resps", "filtered_resps"} <= _keys(look)


def _promptfoo(look: FirstLook) -> bool:
    if look.format == "sqlite":
        return {"evals", "eval_results"} <= set(look.names)
    return {"evalId", "results"} <= _keys(look) or {"gradingResult", "promptIdx"} <= _keys(look)


def _lighteval(look: FirstLook) -> bool:
    layouts = ("doc", "model_response", "metric"), ("__doc__", "__metric__"), ("full_prompt", "predictions", "metrics")
    return any(set(layout) <= set(look.columns) for layout in layouts)


def _every_eval_ever(look: FirstLook) -> bool:
    return {"schema_version", "evaluation_id", "input", "output"} <= _keys(look)


def _helm(look: FirstLook) -> bool:
    return look.format == "object" and {"adapter_spec", "request_states"} <= set(look.names)


KNOWN: Mapping[str, tuple[str, Callable[[FirstLook], bool]]] = {  # by source, in the order of its runs
    "every_eval_ever": ("records of Every Eval Ever", _every_eval_ever),
    "helm": ("runs of HELM", _helm),
    "inspect": ("logs of Inspect AI", _inspect),
    "lighteval": ("details of lighteval", _lighteval),
    "lm_eval": ("logs of lm-evaluation-harness", _lm_eval),
    "promptfoo": ("results of promptfoo", _promptfoo),
}


def harness_of(look: FirstLook) -> str | None:
    """The source of a harness's log; None for any other file."""
    return next((name for name, (_, known) in KNOWN.items() if known(look)), None)


def is_lm_eval_results(look: FirstLook) -> bool:
    """Whether a file is what lm-evaluation-harness writes beside its samples."""
    return look.format == "object" and set(look.names) >= LM_EVAL_RESULTS


def is_beside(look: FirstLook, logs: Mapping[str, Sequence[str]]) -> bool:
    """Whether a file is one that a harness writes beside logs of its own, as its source reads it or needs it not."""
    if is_lm_eval_results(look):
        return "lm_eval" in logs
    folder = os.path.dirname(look.path)
    return look.path.endswith(".json") and any(os.path.dirname(log) == folder for log in logs.get("helm", ()))
