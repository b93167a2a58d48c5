"""The samples of lm-evaluation-harness: a row for each document, filter and repeat."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeGuard

from auditfw.components.files.batches import place
from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import File
from auditfw.core.errors import DataError

from .converted import Note, Where, converted, note, other_record, there

PARTS = frozenset(
    (
        "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
        "prompt_hash", "target_hash",
    )
)  # fmt: skip
LABELS = ("exact_match", "acc", "em", "pass@1", "prompt_level_strict_acc", "acc_norm")  # each right or wrong
LONGEST_LIST = 100_000  # characters of a target that is the text of a list
NO_FILTER = "none"
OTHER_FILTER = "filtered"  # the bucket of rows of other filters
NO_TEXT = (
    "log-likelihoods have no text; parsed_text is the choice with the highest value, parsers of texts find nothing"
)
LATER = (
    "repeats that the filter left out: the stored label is that of the first repeat; these rows have no stored label "
    'and no label under the parser stored, other parsers read them (source.where="repeat = 0" drops them)'
)
VOTED = "decides by a vote of the repeats; the label belongs to none of them and is left out, as is the answer"


@dataclass(frozen=True)
class LmEvalRows:
    """Makes the rows of a file of samples.

    - `prefix`, `item`: what is put before ids and items, where files have several tasks or models;
    - `metric`: the column of the stored label (None: the first that says right or wrong);
    - `voting`: the filters that let the repeats vote;
    - `delimiter`: what the harness puts between the question and a choice;
    - `filter`: the one filter whose rows are made (None: all).
    """

    prefix: str = ""
    item: str = ""
    metric: str | None = None
    voting: frozenset[str] = frozenset()
    delimiter: str = " "
    filter: str | None = None

    def __call__(self, got: Records, file: File) -> Records:
        """The rows of these records. Raises DataError for what is no sample."""
        return converted(got, [self._of(got, file, i) for i in range(len(got.rows))])

    def _of(self, got: Records, file: File, i: int) -> list[Row]:
        where = partial(place, file, got, i)
        record = got.rows[i]
        if self.filter is not None and filter_of(record) != self.filter:
            got.dropped[OTHER_FILTER] += 1
            return []
        return list(self._rows(record, where, partial(note, got, where)))

    def reads(self, names: frozenset[str]) -> None:
        """All columns: which there are besides is known by the records alone."""

    def _rows(self, record: Row, where: Where, remark: Note) -> Iterator[Row]:
        requests = _requests(record, where)
        name = filter_of(record)
        label = self._label(record, where)
        shared = {
            **record,
            "item": f"{self.item}{record['doc_id']}",
            "filter": name,
            "question": _argument(record, 0, "arg_0"),
            "choices": None,
            "stored": label,
            "unstored": False,
        }
        if _is_likelihood(requests[0]):
            remark(NO_TEXT)
            choice = LikeliestChoice(record, requests, self._metric(record, where), self.delimiter, where)
            chosen = {"parsed_text": choice.text, "choices": choice.texts, "ground_truth": choice.truth}
            yield {**shared, **self._id(record, name, 0), "raw_text": None, **chosen}
            return
        truth = _target(record.get("target"))
        texts = requests[0] if isinstance(requests[0], list) else [requests[0]]
        parsed = _first(record.get("filtered_resps"))
        voted = name in self.voting and len(texts) > 1
        if voted:
            remark(f"filter '{name}' {VOTED}")
        for repeat, text in enumerate(texts):
            row = {**shared, **self._id(record, name, repeat), "raw_text": text, "ground_truth": truth}
            row["parsed_text"] = None if voted else _of_repeat(parsed, repeat)
            left_out = repeat > 0 and not voted and not _is_list(parsed)
            if left_out:
                remark(LATER)
            row["unstored"] = voted or left_out
            row["stored"] = label if repeat == 0 and not voted and (len(texts) == 1 or not _is_list(parsed)) else None
            yield row

    def _id(self, record: Row, name: str, repeat: int) -> Row:
        return {"id": f"{self.prefix}{record['doc_id']}/{name}/{repeat}", "repeat": repeat}

    def _metric(self, record: Row, where: Where) -> str | None:
        """The name of the metric whose value is the label. Raises DataError where there is none of that name."""
        names = record.get("metrics")
        listed = [name for name in names if isinstance(name, str)] if _is_list(names) else None
        known = [key for key in record if key not in PARTS] if listed is None else listed
        if self.metric is not None:
            if self.metric not in record:
                raise DataError(where(), f"no metric '{self.metric}'", there(known), METRIC)
            return self.metric
        return next((name for name in LABELS if name in known), known[0] if known else None)

    def _label(self, record: Row, where: Where) -> Any:
        value = record.get(self._metric(record, where) or "")
        return None if isinstance(value, list | dict) else value


def filter_of(record: Row) -> str:
    """The name of the filter of a record."""
    return str(record.get("filter") or NO_FILTER)


METRIC = "set source.metric to one of these, or leave it out"


class LikeliestChoice:
    """What a model chose by the log-likelihoods of the choices, and which choice is right."""

    def __init__(self, record: Row, requests: Sequence[Any], metric: str | None, delimiter: str, where: Where) -> None:
        self._where = where
        values = [self._value(request) for request in requests]
        texts = [_argument(record, i, "arg_1") for i in range(len(values))]
        if metric == "acc_mutual_info" and len(values) % 2 == 0:
            half = len(values) // 2
            values, texts = [a - b for a, b in zip(values[:half], values[half:], strict=True)], texts[:half]
        inputs = len(texts) > 1 and all(
            text == texts[0] for text in texts
        )  # of several texts before the same end, one is chosen
        shown = [_argument(record, i, "arg_0") for i in range(len(values))] if inputs else texts
        there = len(values) > 1 and all(isinstance(text, str) for text in shown)
        self.texts = [text.removeprefix(delimiter) for text in shown] if there else None
        best = _highest(_by_length(values, self.texts, metric))
        self.text = self.texts[best] if self.texts else None
        self.truth = None if inputs else self._truth(record.get("target"))

    def _truth(self, target: Any) -> Any:
        """The text of the right choice, or of several: the harness takes whole numbers for their places."""
        target = _target(target)
        if self.texts is None:
            return target
        several = target if isinstance(target, list) else [target]
        truths = [self.texts[int(one)] if _is_place(one, self.texts) else one for one in several]
        return truths if isinstance(target, list) else truths[0]

    def _value(self, request: Any) -> float:
        first = request[0] if _is_list(request) and request and _is_list(request[0]) else request
        try:
            return float(first[0])
        except (TypeError, ValueError, IndexError, KeyError):
            raise DataError(self._where(), "a log-likelihood is not a number", str(first)) from None


def _is_place(target: Any, texts: Sequence[str]) -> bool:
    return str(target).isascii() and str(target).isdigit() and int(target) < len(texts)


def _by_length(values: Sequence[float], texts: Sequence[str] | None, metric: str | None) -> Sequence[float]:
    """The values as a metric compares them: by character or byte for `acc_norm` and `acc_bytes`."""
    if texts is None or metric not in ("acc_norm", "acc_bytes"):
        return values
    sizes = [len(text.encode("utf-8", "replace")) if metric == "acc_bytes" else len(text) for text in texts]
    return [value / size if size else -math.inf for value, size in zip(values, sizes, strict=True)]


def _highest(values: Sequence[float]) -> int:
    """The place of the first highest value; as in the harness NaN counts as the highest."""
    return next((i for i, value in enumerate(values) if math.isnan(value)), values.index(max(values)))


def _requests(record: Row, where: Where) -> Sequence[Any]:
    """The model's answers, request by request. Raises DataError for what is no sample of the harness."""
    if "doc_id" not in record or "resps" not in record:
        absent = "doc_id" if "doc_id" not in record else "resps"
        raise other_record(where, "sample of lm-evaluation-harness", f"'{absent}'", record)
    requests = record["resps"]
    if not _is_list(requests) or not requests or requests[0] in (None, []):
        raise DataError(where(), "the sample has no answer in 'resps'", str(requests))
    return list(requests)


def _is_likelihood(request: Any) -> bool:
    """Whether an answer is a log-likelihood: a pair of a number and whether the choice is the greedy one."""
    first = request[0] if _is_list(request) and request else None
    return _is_list(first) and len(first) == 2 and str(first[1]) in ("True", "False")


def _target(target: Any) -> Any:
    """A target, which the harness writes as text, also where it is a list."""
    if not isinstance(target, str) or not (target.startswith("[") and target.endswith("]")):
        return target
    if len(target) > LONGEST_LIST:
        return target
    try:
        several = ast.literal_eval(target)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return target
    plain = isinstance(several, list) and several and all(isinstance(one, str | int | float) for one in several)
    return list(map(str, several)) if plain else target


def _argument(record: Row, number: int, name: str) -> Any:
    """An argument of a request, as in `arguments.gen_args_0.arg_0`; older files have lists of lists."""
    arguments = record.get("arguments")
    if isinstance(arguments, Mapping):
        request = arguments.get(f"gen_args_{number}")
        return request.get(name) if isinstance(request, Mapping) else None
    if _is_list(arguments) and number < len(arguments):
        request, at = arguments[number], int(name[-1])
        return request[at] if _is_list(request) and at < len(request) else None
    return None


def _first(filtered: Any) -> Any:
    return filtered[0] if _is_list(filtered) and filtered else filtered


def _of_repeat(parsed: Any, repeat: int) -> Any:
    """What a filter kept of a repeat: it keeps one answer of each, or of the first alone."""
    if _is_list(parsed):
        return parsed[repeat] if repeat < len(parsed) else None
    return parsed if repeat == 0 else None


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)
