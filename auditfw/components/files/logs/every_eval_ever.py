"""The instance-level files of Every Eval Ever: a row for each record and output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from auditfw.components.files.batches import place
from auditfw.components.files.columns.contents import reasoning_of
from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import File
from auditfw.core.errors import DataError

from .converted import Where, an_object, converted, note, objects, there
from .lm_eval_parts import limit_in
from .versions import every_eval_ever_remark, whole_object

NEEDED = ("evaluation_id", "sample_id", "evaluation", "input")


@dataclass(frozen=True)
class EveryEvalEverRows:
    """Makes the rows of a file of instances.

    `limits` are the most tokens of an answer by evaluation, `records` is how many there are (None: not known).
    """

    limits: Mapping[str, int] = field(default_factory=dict)
    records: int | None = None

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records:
        """The rows of these records. Raises DataError for what is no instance."""
        groups = []
        for i, record in enumerate(got.rows):
            where = partial(place, file, got, i)
            groups.append(list(_rows(record, where, self)))
            if remark := every_eval_ever_remark(record):
                note(got, where, remark, file=file.path)
        return converted(got, groups)

    def reads(self, names: frozenset[str], known: frozenset[str] = frozenset()) -> None:
        """All columns."""


def _rows(record: Row, where: Where, file: EveryEvalEverRows) -> Iterator[Row]:
    absent = next((name for name in NEEDED if name not in record), None)
    output = an_object(record.get("output"))
    if absent is None and output and "raw" not in output and not record.get("error"):
        absent = "output.raw"
    if absent is not None:
        if remark := every_eval_ever_remark(record):
            raise DataError(where(), remark, f"no '{absent}'; {there(record)}", "update")
        what = f"not an instance of Every Eval Ever: no '{absent}'"
        raise DataError(where(), what, there(record), "read the file *_samples.jsonl, not the evaluation's")
    asked, answers = an_object(record.get("input")), objects(record.get("answer_attribution"))
    last = next((one for one in reversed(answers) if one.get("is_terminal")), answers[-1] if answers else {})
    texts, thoughts = _texts(record, last)
    several, usage = len(texts) > 1, an_object(record.get("token_usage"))
    name = record.get("evaluation_result_id") or record.get("evaluation_name")
    word = f"{record['evaluation_id']}/{name}/{record['sample_id']}"
    for repeat, text in enumerate(texts):
        yield {
            **{key: value for key, value in record.items() if key not in ("input", "output")},
            "id": f"{word}/{repeat}" if several else word,
            "item": f"{record.get('evaluation_name')}/{record['sample_id']}",
            "repeat": repeat,
            "model": record.get("model_id"),
            "task": record.get("evaluation_name"),
            "question": asked.get("raw"),
            "choices": asked.get("choices"),
            "raw_text": text,
            "reasoning": (thoughts[repeat] if repeat < len(thoughts) else None) or reasoning_of(text),
            "parsed_text": last.get("extracted_value"),
            "ground_truth": asked.get("reference"),
            "stored": an_object(record.get("evaluation")).get("is_correct"),
            "error": record.get("error"),
            "tokens_in": usage.get("input_tokens") if not several else None,
            "tokens_out": usage.get("output_tokens") if not several else None,
            "limit": file.limits.get(str(name), file.limits.get("")),
            **({"planned": file.records * len(texts)} if file.records else {}),
        }


def aggregate_beside(path: str) -> Mapping[str, Any]:
    """The file of the evaluations whose instances a file holds; empty where it is not there."""
    folder, name = os.path.split(path)
    whole = os.path.join(folder, f"{name.partition('.')[0].removesuffix('_samples')}.json")
    there = name.partition(".")[0].endswith("_samples") and os.path.isfile(whole)
    return whole_object(whole) if there else {}


def records_beside(path: str) -> int | None:
    """How many instances a file should hold, as the file of the evaluations says it; None where it does not."""
    whole = an_object(aggregate_beside(path).get("detailed_evaluation_results"))
    records = whole.get("total_rows")
    return records if type(records) is int and records > 0 else None


def limits_beside(path: str) -> dict[str, int]:
    """The most tokens of an answer by the id and the name of each evaluation, as the file of the evaluations says it.

    "" is for all where they are the same.
    """
    limits: dict[str, int] = {}
    for one in objects(aggregate_beside(path).get("evaluation_results")):
        limit = limit_in(an_object(one.get("generation_config")).get("generation_args"))
        names = (one.get("evaluation_result_id"), one.get("evaluation_name"))
        limits |= {str(each): limit for each in names if limit is not None and each is not None}
    return limits | ({"": min(limits.values())} if len(set(limits.values())) == 1 else {})


def _texts(record: Row, answer: Row) -> tuple[list[Any], list[Any]]:
    """The outputs with their reasoning; of a conversation the message that the answer was taken from, or the last."""
    output = record.get("output")
    if isinstance(output, Mapping):
        return _list(output.get("raw")) or [None], _list(output.get("reasoning_trace"))
    turns = [one for one in objects(record.get("messages")) if one.get("role") == "assistant"]
    chosen = [one for one in turns if one.get("turn_idx") == answer.get("turn_idx")] or turns[-1:]
    return [one.get("content") for one in chosen[:1]] or [None], [one.get("reasoning_trace") for one in chosen[:1]]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
