"""The parts of a sample of lm-evaluation-harness, and what each says."""

from __future__ import annotations

import ast
import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from auditfw.components.files.file_settings import Records, Row
from auditfw.components.files.files import File, open_bytes
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import BOM, JsonLines
from auditfw.core.errors import DataError

from .converted import Where

# The files of samples as versions of lm-evaluation-harness wrote them: an array, and filters without a name.

NUMBERED = "filter {}"
NO_NAMES = (
    "samples name no filter, and documents come again: the first of each are read as filter 1, the next as filter 2"
)
DOCUMENT, FILTER = "doc_id", "filter"
START, FIRST = 64, 1 << 16  # bytes


def is_array(file: File, encoding: str) -> bool:
    """Whether a file holds one JSON array."""
    with open_bytes(file, encoding) as stream:
        return stream.read(START).removeprefix(BOM).lstrip().startswith(b"[")


def may_lack_filter(file: File, encoding: str) -> bool:
    """Whether the start of a file names no filter."""
    with open_bytes(file, encoding) as stream:
        return f'"{FILTER}"'.encode() not in stream.read(FIRST)


@dataclass(frozen=True)
class UnnamedFilters:
    """Where the samples of each filter begin, by the numbers of their records, and what these filters are called."""

    starts: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def made_up(self) -> bool:
        """Whether the names are none of the harness."""
        return NUMBERED.format(1) in self.names

    def named(self, got: Records) -> Sequence[Row]:
        """The records with their filter."""
        return [
            {FILTER: self.names[bisect_right(self.starts, number) - 1], **row}
            for row, number in zip(got.rows, got.numbers, strict=True)
        ]


def unnamed_filters(reader: JsonLines | JsonArray, file: File, known: Sequence[str]) -> UnnamedFilters:
    """The filters of a file whose samples name none, of which some are `known` by name in their order.

    There are none where one filter has all samples.
    """
    starts: list[int] = []
    first: str | None = None
    for block in reader.blocks(file, frozenset((DOCUMENT,)), False):
        got = block()
        for number, row in zip(got.numbers, got.rows, strict=True):
            document = str(row.get(DOCUMENT))
            first = document if first is None else first
            starts += [number] if document == first else []
    names = list(known) if len(known) == len(starts) else [NUMBERED.format(i) for i in range(1, len(starts) + 1)]
    return UnnamedFilters((0, *starts[1:]), tuple(names)) if len(starts) > 1 else UnnamedFilters()


PARTS = frozenset(
    (
        "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash",
        "prompt_hash", "target_hash",
    )
)  # fmt: skip
LABELS = ("exact_match", "acc", "em", "pass@1", "prompt_level_strict_acc", "acc_norm")  # each right or wrong
MADE = frozenset(
    (
        "id", "item", "filter", "repeat", "question", "choices", "stored", "unstored", "raw_text", "parsed_text",
        "ground_truth", "limit", "planned",
    )
)  # fmt: skip
LONGEST_LIST = 100_000  # characters of a target that is the text of a list
NO_FILTER = "none"
LIMITS = ("max_gen_toks", "max_new_tokens", "max_tokens", "max_completion_tokens")
NO_TEXT = (
    "log-likelihoods have no text; parsed_text is the choice with the highest value, parsers of texts find nothing"
)
LATER = (
    "repeats that the filter left out: the stored label is that of the first repeat; these rows have no stored label "
    'and no label under the parser stored, other parsers read them (source.where="repeat = 0" drops them)'
)
VOTED = "decides by a vote of the repeats; the label belongs to none of them and is left out, as is the answer"


@dataclass(frozen=True)
class LmEvalSettings:
    """How samples become rows.

    - `prefix`, `item`: what is put before ids and items, where files have several tasks or models;
    - `metric`: the column of the stored label (None: the first that says right or wrong);
    - `voting`: the filters that let the repeats vote;
    - `delimiter`: what the harness puts between the question and a choice;
    - `filter`: the one filter whose rows are made (None: all);
    - `unnamed`: the filters of samples that name none;
    - `limit`: the most tokens of an answer, where samples do not say it;
    - `documents`: how many documents were asked, counted once a filter (None: not known).
    """

    prefix: str = ""
    item: str = ""
    metric: str | None = None
    voting: frozenset[str] = frozenset()
    delimiter: str = " "
    filter: str | None = None
    unnamed: UnnamedFilters = field(default_factory=UnnamedFilters)
    limit: int | None = None
    documents: int | None = None

    def planned(self, texts: int) -> int | None:
        """How many rows a file should have whose documents have so many texts each."""
        return None if self.documents is None else self.documents * texts

    def limit_of(self, arguments: Any) -> int | None:
        """The most tokens of the answer to a request: as it says, else as the task does."""
        asked = arguments_of(arguments, 1, "arg_1")[0]
        return limit_in(asked) or self.limit


def limit_in(settings: Any) -> int | None:
    """The most tokens of an answer by the settings of its generation; None where they do not say it."""
    for name in LIMITS if isinstance(settings, dict) else ():
        value = settings.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1 > 0:
            return int(value)
    return None


def metrics_of(names: Any) -> list[str] | None:
    """The metrics that a sample lists; None where it lists none, as in older files."""
    return [name for name in names if isinstance(name, str)] if is_list(names) else None


def usual_metric(names: Iterable[str]) -> str | None:
    """The first metric that says right or wrong."""
    there = set(names)
    return next((name for name in LABELS if name in there), None)


def label_of(value: Any) -> Any:
    """The label that the value of a metric is."""
    return None if isinstance(value, list | dict) else value


def filter_of(name: Any) -> str:
    """The name of a sample's filter."""
    return str(name or NO_FILTER)


def is_likelihood(request: Any) -> bool:
    """Whether an answer is a log-likelihood: a pair of a number and whether the choice is the greedy one."""
    first = request[0] if is_list(request) and request else None
    return is_list(first) and len(first) == 2 and str(first[1]) in ("True", "False")


def target_of(target: Any) -> Any:
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


def arguments_of(arguments: Any, count: int, name: str) -> list[Any]:
    """An argument of so many requests, as in `arguments.gen_args_0.arg_0`; older files have lists of lists."""
    if isinstance(arguments, dict):
        requests = [arguments.get(f"gen_args_{i}") for i in range(count)]
        return [request.get(name) if isinstance(request, dict) else None for request in requests]
    requests, at = arguments[:count] if is_list(arguments) else [], int(name[-1])
    found = [request[at] if is_list(request) and at < len(request) else None for request in requests]
    return found + [None] * (count - len(found))


def first_of(filtered: Any) -> Any:
    return filtered[0] if is_list(filtered) and filtered else filtered


def of_repeat(parsed: Any, repeat: int) -> Any:
    """What a filter kept of a repeat: it keeps one answer of each, or of the first alone."""
    if is_list(parsed):
        return parsed[repeat] if repeat < len(parsed) else None
    return parsed if repeat == 0 else None


def is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


class LikeliestChoice:
    """What a model chose by the log-likelihoods of the choices, and which choice is right."""

    def __init__(
        self, asked: tuple[Any, Any], requests: Sequence[Any], metric: str | None, delimiter: str, where: Where
    ) -> None:
        """Takes the sample's arguments and target, its answers, and how it is scored."""
        (arguments, target), self._where = asked, where
        values = [self._value(request) for request in requests]
        texts = arguments_of(arguments, len(values), "arg_1")
        if metric == "acc_mutual_info" and len(values) % 2 == 0:
            half = len(values) // 2
            values, texts = [a - b for a, b in zip(values[:half], values[half:], strict=True)], texts[:half]
        inputs = len(texts) > 1 and all(text == texts[0] for text in texts)  # one of several is put before the same end
        shown = arguments_of(arguments, len(values), "arg_0") if inputs else texts
        there = len(values) > 1 and all(isinstance(text, str) for text in shown)
        self.texts = [text.removeprefix(delimiter) for text in shown] if there else None
        best = _highest(_by_length(values, self.texts, metric))
        self.text = self.texts[best] if self.texts else None
        self.truth = None if inputs else self._truth(target)

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
