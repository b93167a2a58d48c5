"""The details of lighteval: a row for each document and sample of an answer."""

from __future__ import annotations

import os
import re
from ast import literal_eval
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditfw.components.files.batches import place
from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import File
from auditfw.core.errors import DataError

from .converted import PROMPT_CUT, Note, Where, a_list, an_object, converted, note, number, other_record, there
from .lm_eval_parts import NO_TEXT, limit_in
from .versions import whole_object

DETAILS = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.parquet")
PARTS = ("doc", "model_response", "metric")
OLD = frozenset(("full_prompt", "predictions", "metrics"))  # columns of a detail before 0.11, in which all is flat
SEVERAL = "several samples of one document have one label together, which is left out"


@dataclass(frozen=True)
class LightevalRows:
    """Makes the rows of a file of details.

    `metric` is the metric of the stored label (None: the first), `limit` the most tokens of an answer where a document
    does not say it, `documents` how many documents were asked (None: not known).
    """

    prefix: str = ""
    item: str = ""
    metric: str | None = None
    limit: int | None = None
    documents: int | None = None

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records:
        """The rows of these records. Raises DataError for what is no detail."""
        return converted(got, [self._of(got, file, i) for i in range(len(got.rows))])

    def reads(self, names: frozenset[str], known: frozenset[str] = frozenset()) -> None:
        """All columns: older files have other names for the same."""

    def _of(self, got: Records, file: File, i: int) -> list[Row]:
        where = partial(place, file, got, i)
        return list(self._rows(got.rows[i], got.numbers[i], where, partial(note, got, where)))

    def _rows(self, record: Row, number: int, where: Where, remark: Note) -> Iterator[Row]:
        record = _parted(record) if OLD.issubset(record) else record
        doc, response, metrics = (_part(record, name, where) for name in PARTS)
        word = str(doc.get("id") or number)
        texts = a_list(response.get("text_post_processed")) or a_list(response.get("text"))
        shared = {
            **record,
            "item": f"{self.item}{word}",
            "question": doc.get("query"),
            "ground_truth": _truth(doc),
            "stored": self._label(metrics, where),
            "choices": doc.get("choices") or None,
        }
        if not texts:
            remark(NO_TEXT)
            texts, parsed = [None], _likeliest(doc, response)
        else:
            parsed = _extracted(doc) if len(texts) == 1 else None
        if len(texts) > 1:
            remark(SEVERAL)
            shared["stored"] = None
        tokens = a_list(response.get("output_tokens"))
        shared |= {"limit": doc.get("generation_size") or self.limit}
        shared |= {"planned": self.documents * len(texts)} if self.documents else {}
        cut = response.get("truncated_tokens_count")
        if isinstance(cut, int) and cut > 0:
            remark(PROMPT_CUT)
        for repeat, text in enumerate(texts):
            shared["tokens_out"] = _length(tokens[repeat]) if text is not None and repeat < len(tokens) else None
            row = {"id": f"{self.prefix}{word}/{repeat}", "repeat": repeat, "raw_text": text, "parsed_text": parsed}
            yield {**shared, **row}

    def _label(self, metrics: Row, where: Where) -> Any:
        known = [name for name, value in metrics.items() if value is not None]
        if self.metric is not None and self.metric not in metrics:
            raise DataError(where(), f"no metric '{self.metric}'", there(known), "set source.metric")
        return metrics[self.metric] if self.metric is not None else metrics[known[0]] if known else None


def name_facts(path: str) -> dict[str, Any]:
    """The task and the date that a file's name says, and the model that its folders say."""
    match = DETAILS.fullmatch(os.path.basename(path))
    folders = os.path.abspath(path).split(os.sep)[:-1]
    model = None
    if match and "details" in folders and folders[-1] == match["date"]:
        at = len(folders) - 1 - folders[::-1].index("details")
        model = "/".join(folders[at + 1 : -1]) or None
    stem = os.path.basename(path).removesuffix(".parquet").removeprefix("details_")
    return {"model": model, **(match.groupdict() if match else {"task": stem, "date": None})}


def results_beside(path: str) -> Mapping[str, Any]:
    """The results of the same run; empty where there are none."""
    match = DETAILS.fullmatch(os.path.basename(path))
    folders = os.path.abspath(path).split(os.sep)[:-1]
    if match is None or "details" not in folders:
        return {}
    at = len(folders) - 1 - folders[::-1].index("details")
    model = folders[at + 1 : -1]
    results = os.sep.join([*folders[:at], "results", *model, f"results_{match['date']}.json"])
    return whole_object(results) if os.path.isfile(results) else {}


def results_limit(path: str) -> int | None:
    """The most tokens of an answer by the results of the same run; None where they are not found, or do not say it."""
    general = an_object(results_beside(path).get("config_general"))
    config = an_object(general.get("model_config")) or general
    return limit_in(general.get("generation_parameters")) or limit_in(config.get("generation_parameters"))


def task_settings(whole: Mapping[str, Any], task: str) -> Mapping[str, Any]:
    """The settings of a task by the results of a run; empty where they are not there."""
    tasks = an_object(whole.get("config_tasks"))
    return an_object(tasks.get(task) or tasks.get(task.rpartition("|")[0]))


def results_documents(path: str, task: str) -> int | None:
    """How many documents of a task were asked, by the results of the same run; None where they do not say it."""
    asked = task_settings(results_beside(path), task).get("effective_num_docs")
    return asked if type(asked) is int and asked > 0 else None


def _length(tokens: Any) -> int | None:
    """How many tokens an output has; a file may have its tokens, or their number."""
    return len(tokens) if isinstance(tokens, list) else tokens if type(tokens) is int else None


def _part(record: Row, name: str, where: Where) -> Mapping[str, Any]:
    """A part of a detail: older files have underscores around its name. Raises DataError."""
    part = record.get(name, record.get(f"__{name}__"))
    if isinstance(part, Mapping):
        return part
    raise other_record(where, "detail of lighteval", f"'{name}'", record)


def _parted(record: Row) -> Row:
    """A flat detail, of lighteval before 0.11, with the parts that later ones have."""
    gold, predictions = _listed(record.get("gold")), _listed(record.get("predictions"))
    choices, places = _listed(record.get("choices")) or gold, _listed(record.get("gold_index")) or [*range(len(gold))]
    texts = all(isinstance(one, str) for one in predictions)
    values = [one[0] if isinstance(one, list | tuple) and one else one for one in predictions]
    doc = {"id": None, "query": record.get("example") or record.get("full_prompt"), "choices": choices}
    doc |= {"gold_index": places, "specific": record.get("specifics")}
    response = {"text": predictions} if texts else {"logprobs": values}
    return {**record, "doc": doc, "model_response": response, "metric": an_object(record.get("metrics"))}


def _listed(value: Any) -> list[Any]:
    """A list of a flat detail; some files have it as the text that Python prints."""
    if isinstance(value, str) and value.startswith(("[", "(")):
        try:
            value = literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return [value]
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else []


def _truth(doc: Row) -> Any:
    """The right choices: one text, or several."""
    choices, gold = a_list(doc.get("choices")), doc.get("gold_index")
    places = gold if isinstance(gold, list) else [gold]
    truths = [choices[i] for i in places if isinstance(i, int) and 0 <= i < len(choices)]
    return truths if len(truths) > 1 else truths[0] if truths else None


def _extracted(doc: Row) -> Any:
    """What lighteval extracted from the answer, where its rule wrote that down."""
    several = a_list(an_object(doc.get("specific")).get("extracted_predictions"))
    return several[0] if several else None


def _likeliest(doc: Row, response: Row) -> Any:
    choices, values = a_list(doc.get("choices")), [number(one) for one in a_list(response.get("logprobs"))]
    return choices[values.index(max(values))] if values and len(values) == len(choices) else None
