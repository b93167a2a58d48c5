"""Samples of lm-evaluation-harness column by column: blocks of one kind of request, with the same metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from auditfw.components.files.batches import place
from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import Records
from auditfw.components.files.files import File
from auditfw.core.errors import DataError

from .converted import note
from .lm_eval_choices import LikeliestChoice
from .lm_eval_parts import (
    LATER,
    NO_TEXT,
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

NEEDED = ("doc_id", "resps")
TEXT = (str, type(None))
Maker = Callable[[], Sequence[Any]]


def by_columns(settings: LmEvalSettings, got: Records, file: File, names: frozenset[str]) -> Records | None:
    """The rows of samples, with these columns; None where they have to be made one by one."""
    rows = got.rows
    if not isinstance(rows, ColumnRows) or not rows or any(rows.absent.get(name) for name in NEEDED):
        return None
    filters = list(map(filter_of, rows.column("filter")))
    if settings.filter is not None and set(filters) != {settings.filter}:
        return None
    metric, requests = _metric(settings, rows), rows.column("resps")
    if metric is None:
        return None
    if all(map(_is_text, requests)):
        samples: Samples = TextSamples(settings, rows, filters, metric, requests)
    elif all(is_likelihood(first_of(one)) for one in requests):
        samples = LikelihoodSamples(settings, rows, filters, metric, requests)
    else:
        return None
    try:
        made = samples.columns(names)
    except DataError:
        return None  # its message says where
    for remark, (first, count) in samples.remarks().items():
        note(got, partial(place, file, got, first), remark, count)
    return replace(got, rows=made, **samples.places(got))


def _is_text(requests: Any) -> bool:
    """Whether a sample's answers are texts, some of which may be null: of its first request, as the harness counts."""
    first = requests[0] if type(requests) is list and requests else None
    if type(first) is not list or not first:
        return False
    return type(first[0]) in TEXT if len(first) == 1 else all(type(text) in TEXT for text in first)


def _metric(settings: LmEvalSettings, rows: ColumnRows) -> str | None:
    """The metric whose value is the label of each; None where that is for each sample to say."""
    lists = rows.column("metrics")
    names = metrics_of(lists[0])
    if not names or any(other != lists[0] for other in lists):
        return None
    name = settings.metric if settings.metric is not None else usual_metric(names) or names[0]
    return name if name in rows.columns and not rows.absent.get(name) else None


@dataclass(frozen=True)
class Samples:
    """Samples of a block as columns: a row each."""

    settings: LmEvalSettings
    rows: ColumnRows
    filters: Sequence[str]
    metric: str
    requests: Sequence[Any]

    def columns(self, names: frozenset[str]) -> ColumnRows:
        """The columns named, those that samples have as they are. Raises DataError."""
        makers = self.makers()
        made = {name: makers[name]() if name in makers else self.spread(self.rows.column(name)) for name in names}
        absent = {name: self._spread_places(found) for name, found in self.rows.absent.items() if name not in makers}
        return ColumnRows(made, len(self.documents), absent)

    def spread(self, values: Sequence[Any]) -> Sequence[Any]:
        """The value of each sample for each of its rows."""
        return values

    def _spread_places(self, places: frozenset[int]) -> frozenset[int]:
        flags = self.spread([i in places for i in range(len(self.rows))])
        return frozenset(i for i, there in enumerate(flags) if there)

    @cached_property
    def documents(self) -> Sequence[Any]:
        return self.spread(self.rows.column("doc_id"))

    @cached_property
    def repeats(self) -> Sequence[int]:
        """Which of the sample's rows each is."""
        return [0] * len(self.rows)

    def places(self, got: Records) -> dict[str, Any]:
        """Where the rows are."""
        lines = None if got.lines is None else self.spread(got.lines)
        return {"numbers": self.spread(got.numbers), "lines": lines, "parts": self.repeats}

    def remarks(self) -> Mapping[str, tuple[int, int]]:
        """The remarks with the first sample of each, and how often it is made."""
        return {}

    def makers(self) -> dict[str, Maker]:
        """What makes the columns that no sample has itself."""
        prefix, item, size = self.settings.prefix, self.settings.item, len(self.documents)
        filters = self.spread(self.filters)
        ids = zip(self.documents, filters, self.repeats, strict=True)
        arguments = self.rows.columns.get("arguments", ())
        return {
            "id": lambda: [f"{prefix}{document}/{name}/{repeat}" for document, name, repeat in ids],
            "item": lambda: [f"{item}{document}" for document in self.documents],
            "filter": lambda: filters,
            "repeat": lambda: self.repeats,
            "question": lambda: self.spread([arguments_of(one, 1, "arg_0")[0] for one in arguments]),
            "choices": lambda: [None] * size,
            "stored": lambda: self.labels,
            "unstored": lambda: [False] * size,
        }

    @property
    def labels(self) -> list[Any]:
        """The label of each sample."""
        return list(map(label_of, self.rows.column(self.metric)))


@dataclass(frozen=True)
class TextSamples(Samples):
    """Samples of generated texts: a row each text."""

    @cached_property
    def _several(self) -> bool:
        return any(len(one[0]) > 1 for one in self.requests)

    @property
    def _none(self) -> Sequence[None]:
        return [None] * len(self.rows)

    @cached_property
    def _at(self) -> list[int]:
        return [i for i, one in enumerate(self.requests) for _ in one[0]]

    def spread(self, values: Sequence[Any]) -> Sequence[Any]:
        return [values[i] for i in self._at] if self._several else values

    @cached_property
    def repeats(self) -> Sequence[int]:
        return [repeat for one in self.requests for repeat in range(len(one[0]))]

    def remarks(self) -> Mapping[str, tuple[int, int]]:
        first, counts = dict[str, int](), Counter[str]()
        for i, remark, count in self._remarks() if self._several else ():
            first.setdefault(remark, i)
            counts[remark] += count
        return {remark: (first[remark], counts[remark]) for remark in first}

    def _remarks(self) -> Iterator[tuple[int, str, int]]:
        for i, (one, parsed) in enumerate(zip(self.requests, self._parsed, strict=True)):
            if len(one[0]) > 1 and self._voted[i]:
                yield i, f"filter '{self.filters[i]}' {VOTED}", 1
            elif len(one[0]) > 1 and not is_list(parsed):
                yield i, LATER, len(one[0]) - 1

    @cached_property
    def _parsed(self) -> list[Any]:
        """What the filter kept of each sample."""
        return list(map(first_of, self.rows.column("filtered_resps")))

    @cached_property
    def _voted(self) -> list[bool]:
        """Whether the texts of each sample have one answer by a vote, if they are several."""
        return [name in self.settings.voting for name in self.filters]

    def makers(self) -> dict[str, Maker]:
        texts = {
            "raw_text": lambda: [text for one in self.requests for text in one[0]],
            "ground_truth": lambda: self.spread(list(map(target_of, self.rows.column("target")))),
            "parsed_text": lambda: [of_repeat(parsed, 0) for parsed in self._parsed],
            "limit": lambda: self.spread(
                list(map(self.settings.limit_of, self.rows.columns.get("arguments", self._none)))
            ),
            "planned": lambda: self.spread([self.settings.planned(len(one[0])) for one in self.requests]),
        }
        return {**super().makers(), **texts, **(self._of_several() if self._several else {})}

    def _of_several(self) -> dict[str, Maker]:
        """What makes the columns that are others where samples have several texts."""

        def each(of_one: Callable[[int, int, int], Any]) -> Maker:
            sizes = [len(one[0]) for one in self.requests]
            return lambda: [of_one(i, repeat, size) for i, size in enumerate(sizes) for repeat in range(size)]

        def answer(i: int, repeat: int, size: int) -> Any:
            return None if size > 1 and voted[i] else of_repeat(parsed[i], repeat)

        def unstored(i: int, repeat: int, size: int) -> bool:
            return size > 1 and (voted[i] or (repeat > 0 and not is_list(parsed[i])))

        def label(i: int, repeat: int, size: int) -> Any:
            own = size == 1 or not (repeat or voted[i] or is_list(parsed[i]))
            return labels[i] if own else None

        parsed, voted, labels = self._parsed, self._voted, self.labels
        return {"parsed_text": each(answer), "unstored": each(unstored), "stored": each(label)}


@dataclass(frozen=True)
class LikelihoodSamples(Samples):
    """Samples of log-likelihoods: the choice with the highest value."""

    @property
    def _choices(self) -> list[LikeliestChoice]:
        asked = zip(self.rows.column("arguments"), self.rows.column("target"), strict=True)
        scored = self.metric, self.settings.delimiter, str
        return [LikeliestChoice(one, list(texts), *scored) for one, texts in zip(asked, self.requests, strict=True)]

    def remarks(self) -> Mapping[str, tuple[int, int]]:
        return {NO_TEXT: (0, len(self.rows))}

    def makers(self) -> dict[str, Maker]:
        choices = self._choices  # also where nobody reads them: each has to be one
        return {
            **super().makers(),
            "raw_text": lambda: [None] * len(choices),
            "limit": lambda: [None] * len(choices),
            "planned": lambda: [self.settings.planned(1)] * len(choices),
            "parsed_text": lambda: [choice.text for choice in choices],
            "choices": lambda: [choice.texts for choice in choices],
            "ground_truth": lambda: [choice.truth for choice in choices],
        }
