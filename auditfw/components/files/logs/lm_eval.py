"""The samples of lm-evaluation-harness: a row for each document, filter and repeat."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from auditfw.components.files.batches import place
from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import NarrowError, Records, Row
from auditfw.components.files.files import File
from auditfw.core.errors import DataError

from .converted import Note, Where, converted, note, other_record, there
from .lm_eval_columns import single_texts
from .lm_eval_parts import (
    LABELS,
    MADE,
    PARTS,
    LmEvalSettings,
    argument_of,
    filter_of,
    first_of,
    is_likelihood,
    is_list,
    label_of,
    metrics_of,
    of_repeat,
    target_of,
)

NEEDED = frozenset(("doc_id", "resps", "filtered_resps", "filter", "metrics", "target", "arguments"))
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
class LmEvalRows(LmEvalSettings):
    """Makes the rows of a file of samples."""

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records:
        """The rows of these records. Raises DataError for what is no sample, NarrowError."""
        rows = None if names is None else single_texts(self, got.rows, names)
        if rows is not None:
            return replace(got, rows=rows, parts=[0] * len(rows))
        light = _without_arguments(got.rows, names)
        try:
            return converted(got, [self._of(got, file, i, light, names is not None) for i in range(len(light))])
        except DataError:
            if names is None:
                raise
            raise NarrowError from None  # its message says which columns there are

    def reads(self, names: frozenset[str], known: frozenset[str] = frozenset()) -> frozenset[str] | None:
        """What is named and not made here, and all that may be a metric.

        All columns where samples do not list their metrics, and none at the start has a usual one.
        """
        if "metrics" not in known and known.isdisjoint(LABELS):
            return None
        labels = {*LABELS, *known} - PARTS - MADE
        return NEEDED | labels | (names - MADE) | ({self.metric} if self.metric else set())

    def _of(self, got: Records, file: File, i: int, light: Sequence[Row], narrow: bool) -> list[Row]:
        where = partial(place, file, got, i)
        record = light[i]
        if self.filter is not None and filter_of(record) != self.filter:
            got.dropped[OTHER_FILTER] += 1
            return []
        if light is not got.rows and is_likelihood(first_of(record.get("resps"))):
            record = got.rows[i]
        return list(self._rows(record, where, partial(note, got, where), narrow))

    def _rows(self, record: Row, where: Where, remark: Note, narrow: bool) -> Iterator[Row]:
        requests = _requests(record, where)
        name = filter_of(record)
        label = self._label(record, where, narrow)
        shared = {
            **record,
            "item": f"{self.item}{record['doc_id']}",
            "filter": name,
            "question": argument_of(record, 0, "arg_0"),
            "choices": None,
            "stored": label,
            "unstored": False,
        }
        if is_likelihood(requests[0]):
            remark(NO_TEXT)
            choice = LikeliestChoice(record, requests, self._metric(record, where, narrow), self.delimiter, where)
            chosen = {"parsed_text": choice.text, "choices": choice.texts, "ground_truth": choice.truth}
            yield {**shared, **self._id(record, name, 0), "raw_text": None, **chosen}
            return
        truth = target_of(record.get("target"))
        texts = requests[0] if isinstance(requests[0], list) else [requests[0]]
        parsed = first_of(record.get("filtered_resps"))
        voted = name in self.voting and len(texts) > 1
        if voted:
            remark(f"filter '{name}' {VOTED}")
        for repeat, text in enumerate(texts):
            row = {**shared, **self._id(record, name, repeat), "raw_text": text, "ground_truth": truth}
            row["parsed_text"] = None if voted else of_repeat(parsed, repeat)
            left_out = repeat > 0 and not voted and not is_list(parsed)
            if left_out:
                remark(LATER)
            row["unstored"] = voted or left_out
            row["stored"] = label if repeat == 0 and not voted and (len(texts) == 1 or not is_list(parsed)) else None
            yield row

    def _id(self, record: Row, name: str, repeat: int) -> Row:
        return {"id": f"{self.prefix}{record['doc_id']}/{name}/{repeat}", "repeat": repeat}

    def _metric(self, record: Row, where: Where, narrow: bool) -> str | None:
        """The name of the metric whose value is the label.

        Raises DataError where there is none of that name, NarrowError where a `narrow` record does not say which it is.
        """
        listed = metrics_of(record)
        known = [key for key in record if key not in PARTS] if listed is None else listed
        if self.metric is not None:
            if self.metric not in record:
                raise DataError(where(), f"no metric '{self.metric}'", there(known), METRIC)
            return self.metric
        usual = next((name for name in LABELS if name in known), None)
        if usual is None and listed is None and narrow:
            raise NarrowError
        return usual or (known[0] if known else None)

    def _label(self, record: Row, where: Where, narrow: bool) -> Any:
        metric = self._metric(record, where, narrow)
        if narrow and metric is not None and metric not in record:
            raise NarrowError
        return label_of(record.get(metric or ""))


def _without_arguments(rows: Sequence[Row], names: frozenset[str] | None) -> Sequence[Row]:
    """Records without the arguments of their requests, where these are not asked for and cost something to make."""
    if names is None or "question" in names or "arguments" in names or not isinstance(rows, ColumnRows):
        return rows
    return replace(rows, columns={name: values for name, values in rows.columns.items() if name != "arguments"})


METRIC = "set source.metric to one of these, or leave it out"


class LikeliestChoice:
    """What a model chose by the log-likelihoods of the choices, and which choice is right."""

    def __init__(self, record: Row, requests: Sequence[Any], metric: str | None, delimiter: str, where: Where) -> None:
        self._where = where
        values = [self._value(request) for request in requests]
        texts = [argument_of(record, i, "arg_1") for i in range(len(values))]
        if metric == "acc_mutual_info" and len(values) % 2 == 0:
            half = len(values) // 2
            values, texts = [a - b for a, b in zip(values[:half], values[half:], strict=True)], texts[:half]
        inputs = len(texts) > 1 and all(
            text == texts[0] for text in texts
        )  # of several texts before the same end, one is chosen
        shown = [argument_of(record, i, "arg_0") for i in range(len(values))] if inputs else texts
        there = len(values) > 1 and all(isinstance(text, str) for text in shown)
        self.texts = [text.removeprefix(delimiter) for text in shown] if there else None
        best = _highest(_by_length(values, self.texts, metric))
        self.text = self.texts[best] if self.texts else None
        self.truth = None if inputs else self._truth(record.get("target"))

    def _truth(self, target: Any) -> Any:
        """The text of the right choice, or of several: the harness takes whole numbers for their places."""
        target = target_of(target)
        if self.texts is None:
            return target
        several = target if isinstance(target, list) else [target]
        truths = [self.texts[int(one)] if _is_place(one, self.texts) else one for one in several]
        return truths if isinstance(target, list) else truths[0]

    def _value(self, request: Any) -> float:
        first = request[0] if is_list(request) and request and is_list(request[0]) else request
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
    if not is_list(requests) or not requests or requests[0] in (None, []):
        raise DataError(where(), "the sample has no answer in 'resps'", str(requests))
    return list(requests)
