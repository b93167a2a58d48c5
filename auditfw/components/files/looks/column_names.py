"""The names that columns of results often have, by ours."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auditfw.components.files.columns.addresses import ABSENT, address, dig

COMMON: Mapping[str, tuple[str, ...]] = {  # the more telling first
    "raw_text": (
        "raw_text", "raw_response", "raw_output", "raw_completion", "response", "model_response", "llm_response",
        "output", "outputs", "model_output", "model_outputs", "completion", "generated_text", "generation",
        "generations", "generated", "actual_output", "llm_output", "llm_full_answer", "full_response", "prediction",
        "raw_answer", "model_answer", "llm_answer", "answer_text", "generated_answer", "logit_0", "got",
    ),
    "ground_truth": (
        "ground_truth", "groundtruth", "ground_truths", "target", "truth", "gt", "gold", "gold_answer",
        "golden_answer", "gt_answer", "correct_answer", "expected", "expected_answer", "expected_output",
        "expected_response", "ideal", "refr",
        "reference", "reference_answer", "reference_output", "references", "reference_outputs", "golden_answers",
        "gold_answers", "answer", "answers", "solution", "label",
    ),
    "stored": (
        "stored", "is_correct", "correct", "acc", "exact_match", "accuracy", "passed", "pass", "ok", "hit", "if_right",
        "is_right", "right", "acceptable", "correctness", "em", "success", "match", "is_match", "verdict",
        "grade", "status", "score", "error_score", "result", "outcome", "label",
    ),
    "parsed_text": (
        "parsed_text", "extracted", "extracted_answer", "parsed", "parsed_answer", "parsed_pred", "filtered",
        "predicted_answer", "predicted", "pred_answer", "picked", "pred_index", "pred_indexs", "pred",
    ),
    "item": (
        "item", "item_id", "question_id", "problem_id", "doc_id", "qid", "task_id", "example_id", "query_id",
        "prompt_id", "id", "uid", "sample_id", "custom_id", "index", "idx", "key", "question", "problem", "prompt",
        "query", "input", "user_input", "instruction",
    ),
    "id": (
        "id", "trial_id", "uid", "uuid", "sample_id", "record_id", "row_id", "custom_id", "question_id", "problem_id",
        "doc_id", "qid", "task_id", "example_id", "index", "idx", "key",
    ),
}  # fmt: skip
ENDINGS = ("_response", "_output", "_completion", "_generation", "_pred", "_prediction")  # of a model's text
MADE_BY_MODEL = ("answer", "answers", "text")  # beside a truth that has another name
LAST_TRUTHS = ("answer", "answers", "solution", "label")  # that are often no truth of a model's text
NESTED = ("answer", "output", "text", "content", "response", "result", "value", "label", "expected")  # in an object
NO_TRUTH = ("usage", "input", "inputs", "params", "config")  # objects in whose parts no name is looked for

SPECIAL = frozenset('.[]{}#"')  # in a name that is no part of an address
LABELS = frozenset({"0", "1", "0.0", "1.0", "true", "false", "none", ""})
TRUE = frozenset({"correct", "right", "pass", "passed", "yes", "y", "c"})
FALSE = frozenset({"incorrect", "wrong", "fail", "failed", "no", "n", "i"})


def plain(name: str) -> str:
    """A column's name in lower case, with underscores between its words."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\s.?-]+", "_", words).strip("_").lower()


def addressable(name: Any) -> bool:
    """Whether a key can be part of an address as it is."""
    return isinstance(name, str) and bool(name) and not set(name) & SPECIAL


def values_at(records: Sequence[Mapping[str, Any]], columns: Sequence[str], at: str) -> list[Any]:
    """What is at an address of records, or in a column of this name; None where nothing is."""
    way = address(at, columns, at)
    return [None if (part := dig(row, way)) is ABSENT else part for row in records]


# Where a model's text is inside an answer of a chat interface, as such interfaces shape it.

DEEPEST = 5
ASSISTANT = ("assistant", "model", "ai")


def chat_text(columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> str | None:
    """The address of the text in the first column that holds such answers; None where there is none."""
    for name in columns:
        if not addressable(name):
            continue
        first = next((row[name] for row in records if isinstance(row.get(name), dict | list) and row[name]), None)
        at = next(_texts({name: first}, 0), None)
        if at is not None:
            return at.removeprefix(".")
    return None


def _texts(value: Any, depth: int) -> Iterator[str]:
    """The addresses of texts that a model wrote, below this one."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        last = value[-1] if value else None
        if isinstance(last, dict) and last.get("role") in ASSISTANT and "content" in last:
            yield "[-1].content"
        elif isinstance(last, dict) and isinstance(last.get("generated_text"), str):
            yield "[0].generated_text"
        return
    if not isinstance(value, dict):
        return
    first = _first(value.get("choices"))
    if isinstance(first.get("message"), dict) and "content" in first["message"]:
        yield ".choices[0].message.content"
    if isinstance(first.get("text"), str):
        yield ".choices[0].text"
    if isinstance(_first(value.get("candidates")).get("content"), dict):
        yield ".candidates[0].content.parts[0].text"
    if isinstance(_first(value.get("outputs")).get("text"), str):
        yield ".outputs[0].text"
    if value.get("role") in ASSISTANT and "content" in value:
        yield ".content"
    for key, part in value.items():
        if addressable(key):
            yield from (f".{key}{inner}" for inner in _texts(part, depth + 1))


def _first(parts: Any) -> Mapping[str, Any]:
    return parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], dict) else {}
