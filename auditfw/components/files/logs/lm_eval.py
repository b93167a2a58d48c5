"""The samples of lm-evaluation-harness: a row for each document, filter and repeat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from auditfw.components.files.batches import place
from auditfw.components.files.file_settings import NarrowError, Records, Row
from auditfw.components.files.files import File
from auditfw.core.errors import DataError

from .converted import Note, Where, converted, note, other_record, there
from .lm_eval_choices import LikeliestChoice
from .lm_eval_columns import by_columns
from .lm_eval_parts import (
    LABELS,
    LATER,
    MADE,
    NO_TEXT,
    PARTS,
    VOTED,
    LmEvalSettings,
    arguments_of,
    filter_of,
    first_of,
    is_likelihood,
    is_list,
    label_of,
    metrics_of,
    of_repeat,
    target_of,
    usual_metric,
)

NEEDED = frozenset(("doc_id", "resps", "filtered_resps", "filter", "metrics", "target", "arguments"))
OTHER_FILTER = "filtered"  # the bucket of rows of other filters


@dataclass(frozen=True)
class LmEvalRows(LmEvalSettings):
    """Makes the rows of a file of samples."""

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records:
        """The rows of these records. Raises DataError for what is no sample, NarrowError."""
        if self.unnamed.starts:
            got = replace(got, rows=self.unnamed.named(got))
        made = None if names is None else by_columns(self, got, file, names)
        if made is not None:
            return made
        try:
            return converted(got, [self._of(got, file, i, one, names is not None) for i, one in enumerate(got.rows)])
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

    def _of(self, got: Records, file: File, i: int, record: Row, narrow: bool) -> list[Row]:
        where = partial(place, file, got, i)
        if self.filter is not None and filter_of(record.get("filter")) != self.filter:
            got.dropped[OTHER_FILTER] += 1
            return []
        return list(self._rows(record, where, partial(note, got, where), narrow))

    def _rows(self, record: Row, where: Where, remark: Note, narrow: bool) -> Iterator[Row]:
        requests = _requests(record, where)
        name, arguments = filter_of(record.get("filter")), record.get("arguments")
        label = self._label(record, where, narrow)
        shared = {
            **record,
            "item": f"{self.item}{record['doc_id']}",
            "filter": name,
            "question": arguments_of(arguments, 1, "arg_0")[0],
            "choices": None,
            "stored": label,
            "unstored": False,
        }
        if is_likelihood(requests[0]):
            remark(NO_TEXT)
            asked, metric = (arguments, record.get("target")), self._metric(record, where, narrow)
            choice = LikeliestChoice(asked, requests, metric, self.delimiter, where)
            chosen = {"parsed_text": choice.text, "choices": choice.texts, "ground_truth": choice.truth}
            no_text = {"raw_text": None, "limit": None, "planned": self.planned(1)}
            yield {**shared, **self._id(record, name, 0), **no_text, **chosen}
            return
        truth = target_of(record.get("target"))
        texts = requests[0] if isinstance(requests[0], list) else [requests[0]]
        parsed = first_of(record.get("filtered_resps"))
        voted = name in self.voting and len(texts) > 1
        shared |= {"limit": self.limit_of(arguments), "planned": self.planned(len(texts))}
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
        listed = metrics_of(record.get("metrics"))
        known = [key for key in record if key not in PARTS] if listed is None else listed
        if self.metric is not None:
            if self.metric not in record:
                raise DataError(where(), f"no metric '{self.metric}'", there(known), METRIC)
            return self.metric
        usual = usual_metric(known)
        if usual is None and listed is None and narrow:
            raise NarrowError
        return usual or (known[0] if known else None)

    def _label(self, record: Row, where: Where, narrow: bool) -> Any:
        metric = self._metric(record, where, narrow)
        if narrow and metric is not None and metric not in record:
            raise NarrowError
        return label_of(record.get(metric or ""))


METRIC = "set source.metric to one of these, or leave it out"


def _requests(record: Row, where: Where) -> Sequence[Any]:
    """The model's answers, request by request. Raises DataError for what is no sample of the harness."""
    if "doc_id" not in record or "resps" not in record:
        absent = "doc_id" if "doc_id" not in record else "resps"
        raise other_record(where, "sample of lm-evaluation-harness", f"'{absent}'", record)
    requests = record["resps"]
    if not is_list(requests) or not requests or requests[0] in (None, []):
        raise DataError(where(), "the sample has no answer in 'resps'", str(requests))
    return list(requests)
