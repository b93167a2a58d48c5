"""The samples of lm-evaluation-harness, column by column: a row for each document, filter and repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from auditfw.components.files.batches import place
from auditfw.components.files.column_rows import ColumnRows, column_of, columns_of
from auditfw.components.files.file_settings import NarrowError, Records
from auditfw.components.files.files import File
from auditfw.components.files.rows import of_rows
from auditfw.core.errors import DataError

from .converted import Where, note, other_record, there
from .lm_eval_parts import (
    LABELS,
    LATER,
    MADE,
    NO_TEXT,
    PARTS,
    VOTED,
    LikeliestChoice,
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
METRIC = "set source.metric to one of these, or leave it out"
Maker = Callable[[], Sequence[Any]]


@dataclass(frozen=True)
class LmEvalRows(LmEvalSettings):
    """Makes the rows of a file of samples."""

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records:
        """The rows of these records. Raises DataError for what is no sample, NarrowError."""
        if self.unnamed.starts:
            got = replace(got, rows=self.unnamed.named(got))
        if self.filter is not None:
            kept = [i for i, one in enumerate(column_of(got.rows, "filter")) if filter_of(one) == self.filter]
            if len(kept) < len(got.rows):
                got.dropped[OTHER_FILTER] += len(got.rows) - len(kept)
                got = of_rows(got, [got.rows[i] for i in kept], kept)
        try:
            return self._made(got, file, names)
        except DataError:
            if names is not None:
                raise NarrowError from None  # its message says which columns there are
            for i in range(len(got.rows)):  # whose first fault is named
                self._made(of_rows(got, [got.rows[i]], [i]), file, names)
            raise

    def _made(self, got: Records, file: File, names: frozenset[str] | None) -> Records:
        if not got.rows:
            return of_rows(got, [], [])
        samples = Samples(self, got, file, names is not None)
        made = of_rows(got, samples.columns(names), samples.sources)
        counts, first = Counter[str](), dict[str, int]()
        for i, remark, count in samples.remarks():
            counts[remark] += count
            first.setdefault(remark, i)
        for remark, count in counts.items():
            note(got, partial(place, file, got, first[remark]), remark, count)
        return made

    def reads(self, names: frozenset[str], known: frozenset[str] = frozenset()) -> frozenset[str] | None:
        """What is named and not made here, and all that may be a metric.

        All columns where samples do not list their metrics, and none at the start has a usual one.
        """
        if "metrics" not in known and known.isdisjoint(LABELS):
            return None
        labels = {*LABELS, *known}.difference(PARTS, MADE)
        return NEEDED | labels | names.difference(MADE) | ({self.metric} if self.metric else set())


@dataclass(frozen=True)
class Samples:
    """Some samples, and the columns of their rows; with `narrow` they are records of some columns alone."""

    settings: LmEvalSettings
    got: Records
    file: File
    narrow: bool

    def columns(self, names: frozenset[str] | None) -> ColumnRows:
        """The columns named, or all: those of the samples, and those made of them. Raises DataError, NarrowError."""
        rows, makers = self._rows, self._makers()
        every = dict.fromkeys((*self.got.rows[0], *makers, *rows.columns)) if names is None else names
        columns = {name: makers[name]() if name in makers else self._spread(rows.column(name)) for name in every}
        absent = {name: those for name, those in rows.absent.items() if name in columns and name not in makers}
        places = list(enumerate(self.sources)) if absent else []
        absent = {name: frozenset(row for row, i in places if i in those) for name, those in absent.items()}
        return ColumnRows(columns, len(self.sources), absent)

    @cached_property
    def sources(self) -> Sequence[int]:
        """The place of the sample that each row is of."""
        return [i for i, texts in enumerate(self._texts) for _ in texts] if self._several else range(len(self._texts))

    def remarks(self) -> Iterator[tuple[int, str, int]]:
        """What is to be remarked, with the place of the sample, and how often."""
        if self._choices:
            yield min(self._choices), NO_TEXT, len(self._choices)
        for i, texts in enumerate(self._texts) if self._several else ():
            if self._voted(i):
                yield i, f"filter '{self._filters[i]}' {VOTED}", 1
            elif len(texts) > 1 and not is_list(self._parsed[i]):
                yield i, LATER, len(texts) - 1

    @cached_property
    def _rows(self) -> ColumnRows:
        return columns_of(self.got.rows)

    @cached_property
    def _requests(self) -> list[Any]:
        """The model's answers, request by request. Raises DataError for what is no sample of the harness."""
        for name in ("doc_id", "resps"):
            if (at := self._rows.first_without(name)) is not None:
                raise other_record(self._where(at), "sample of lm-evaluation-harness", f"'{name}'", self.got.rows[at])
        requests = self._rows.column("resps")
        for i, one in enumerate(requests):
            if not isinstance(one, list) or not one or one[0] in (None, []):
                raise DataError(self._where(i)(), "the sample has no answer in 'resps'", str(one))
        return requests

    @cached_property
    def _metrics(self) -> list[str | None]:
        """The metric whose value is the label of each sample. Raises DataError, NarrowError."""
        lists = self._rows.column("metrics")
        if (own := self.settings.metric) is not None:
            if (at := self._rows.first_without(own)) is not None:
                raise DataError(self._where(at)(), f"no metric '{own}'", there(self._known(at)), METRIC)
            return [own] * len(lists)
        alike = is_list(lists[0]) and lists.count(lists[0]) == len(lists)
        return [self._metric(0)] * len(lists) if alike else list(map(self._metric, range(len(lists))))

    def _metric(self, i: int) -> str | None:
        known = self._known(i)
        usual = usual_metric(known)
        if usual is None and self.narrow and not is_list(self.got.rows[i].get("metrics")):
            raise NarrowError  # the sample does not say which it is
        return usual or next(iter(known), None)

    def _known(self, i: int) -> list[str]:
        """The metrics that a sample lists, else whatever is no part of samples."""
        record = self.got.rows[i]
        listed = metrics_of(record.get("metrics"))
        return [name for name in record if name not in PARTS] if listed is None else listed

    @cached_property
    def _labels(self) -> list[Any]:
        """The label of each sample. Raises NarrowError."""
        columns = {name: self._rows.column(name) for name in set(self._metrics) if name is not None}
        if self.narrow and any(self._rows.first_without(name) is not None for name in columns):
            raise NarrowError
        return [label_of(columns[name][i]) if name is not None else None for i, name in enumerate(self._metrics)]

    @cached_property
    def _choices(self) -> dict[int, LikeliestChoice]:
        """The choice of each sample of log-likelihoods, by its place. Raises DataError for what is no number."""
        likely = [i for i, one in enumerate(self._requests) if is_likelihood(one[0])]
        choices, metrics, delimiter = dict[int, LikeliestChoice](), self._metrics, self.settings.delimiter
        for i in likely:
            asked = self._asked[i], self._targets[i]
            choices[i] = LikeliestChoice(asked, self._requests[i], metrics[i], delimiter, self._where(i))
        return choices

    @cached_property
    def _asked(self) -> list[Any]:
        """The arguments of each sample's requests, which take long to decode."""
        return self._rows.column("arguments")

    @cached_property
    def _targets(self) -> list[Any]:
        return self._rows.column("target")

    @cached_property
    def _texts(self) -> list[list[Any]]:
        """The texts of each sample, a row each; log-likelihoods have none, and one row."""
        texts = [one[0] if isinstance(one[0], list) else one[:1] for one in self._requests]
        for i in self._choices:
            texts[i] = [None]
        return texts

    @cached_property
    def _several(self) -> bool:
        return any(len(texts) != 1 for texts in self._texts)

    @cached_property
    def _filters(self) -> list[str]:
        return list(map(filter_of, self._rows.column("filter")))

    @cached_property
    def _parsed(self) -> list[Any]:
        """What the filter kept of each sample."""
        return list(map(first_of, self._rows.column("filtered_resps")))

    def _voted(self, i: int) -> bool:
        """Whether a sample has several texts, and one answer by their vote."""
        return len(self._texts[i]) > 1 and self._filters[i] in self.settings.voting

    def _where(self, i: int) -> Where:
        return partial(place, self.file, self.got, i)

    def _spread(self, values: Sequence[Any]) -> Sequence[Any]:
        """The value of each sample for each of its rows."""
        return [values[i] for i in self.sources] if self._several else values

    def _makers(self) -> dict[str, Maker]:
        """What makes the columns that no sample has itself, in the order of a row."""
        settings, texts, filters, spread = self.settings, self._texts, self._filters, self._spread
        documents, labels, choices = self._rows.column("doc_id"), self._labels, self._choices
        repeats = [n for some in texts for n in range(len(some))]
        rows = list(zip(self.sources, repeats, strict=True))
        prefix = settings.prefix

        def answer(i: int, repeat: int) -> Any:
            if i in choices:
                return choices[i].text
            return None if self._voted(i) else of_repeat(self._parsed[i], repeat)

        def label(i: int, repeat: int) -> Any:
            several = len(texts[i]) > 1 and (repeat or self._voted(i) or is_list(self._parsed[i]))
            return None if several else labels[i]

        def unstored(i: int, repeat: int) -> bool:
            return self._voted(i) or (repeat > 0 and not is_list(self._parsed[i]))

        return {
            "item": lambda: spread([f"{settings.item}{document}" for document in documents]),
            "filter": lambda: spread(filters),
            "question": lambda: spread([arguments_of(one, 1, "arg_0")[0] for one in self._asked]),
            "choices": lambda: spread([choices[i].texts if i in choices else None for i in range(len(texts))]),
            "stored": lambda: [label(*row) for row in rows] if self._several else labels,
            "unstored": lambda: [unstored(*row) for row in rows],
            "limit": lambda: spread(
                [None if i in choices else settings.limit_of(one) for i, one in enumerate(self._asked)]
            ),
            "planned": lambda: spread([settings.planned(len(some)) for some in texts]),
            "id": lambda: [f"{prefix}{documents[i]}/{filters[i]}/{repeat}" for i, repeat in rows],
            "repeat": lambda: repeats,
            "raw_text": lambda: [text for some in texts for text in some],
            "ground_truth": lambda: spread(
                [choices[i].truth if i in choices else target_of(one) for i, one in enumerate(self._targets)]
            ),
            "parsed_text": lambda: [answer(*row) for row in rows],
        }


# What the names and folders of log files say: by what they differ, and what is put before ids therefore.

Facts = Mapping[str, Any]


def prefixes(files: Sequence[Facts], names: Sequence[str]) -> list[str]:
    """For each file what distinguishes it from others: those of its facts that differ between files, as `a/b/`.

    Of the names only as many as needed are taken, in their order; where all of them together are the same for two
    files, the number of the file stands last.
    """
    if len(files) < 2:
        return [""] * len(files)
    taken: list[str] = []
    for name in names:
        if len({str(file.get(name)) for file in files}) > 1 and not _apart(files, taken):
            taken.append(name)
    parts = [[str(file.get(name)) for name in taken] for file in files]
    if not _apart(files, taken):
        parts = [[*words, str(number)] for number, words in enumerate(parts, 1)]
    return ["".join(f"{word}/" for word in words) for words in parts]


def _apart(files: Sequence[Facts], names: Sequence[str]) -> bool:
    keys = [tuple(str(file.get(name)) for name in names) for file in files]
    return len(set(keys)) == len(keys)
