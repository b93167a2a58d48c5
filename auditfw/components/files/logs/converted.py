"""Files whose records are converted to rows where they are read, with a memory that goes from record to record."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from auditfw.components.files.batches import place
from auditfw.components.files.columns.contents import reasoning_of
from auditfw.components.files.file_settings import Glance, Records, Row, RowBlock
from auditfw.components.files.file_source import FileSource
from auditfw.components.files.files import File
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.keys import FORMAT, Keys
from auditfw.components.files.rows import of_rows
from auditfw.core.errors import AuditError, DataError, nearest
from auditfw.core.notes import Remark
from auditfw.formulas.texts.pattern_bounds import PatternError
from auditfw.formulas.texts.patterns import search

PROMPT_CUT = "prompts were cut off: the model did not see all of them"
Where = Callable[[], str]
Note = Callable[[str], None]
Converter = Callable[[Records, File], Records]


@dataclass(frozen=True)
class ConvertedRows:
    """A block whose rows are made already."""

    records: Records

    @property
    def count(self) -> int:
        return len(self.records.rows)

    def __call__(self) -> Records:
        got = self.records
        return replace(got, dropped=Counter(got.dropped), notes=Counter(got.notes))


class ConvertedFiles(FileSource):
    """Files read by another source of files, whose records are converted one after the other."""

    def reader(self, file: File) -> FileSource:
        """The source that reads a file's records."""
        raise NotImplementedError

    def converter(self, file: File) -> Converter:
        """What makes rows out of records, with an empty memory."""
        raise NotImplementedError

    @property
    def reader_keys(self) -> Keys:
        """What messages of a reader call its settings: those of this source alone."""
        return Keys(self.keys.place, (FORMAT, *self.__dataclass_fields__))

    def glance(self, file: File) -> Glance:
        """The start of a file, converted."""
        glance = self.reader(file).glance(file)
        records = Records(glance.rows, range(1, len(glance.rows) + 1))
        try:
            rows = self.converter(file)(records, file).rows
        except AuditError:
            for _ in self.blocks(file, None, False):  # which knows the line
                pass
            raise
        columns = tuple(dict.fromkeys(name for row in rows for name in row))
        estimate = None if glance.estimate is None else round(glance.estimate * len(rows) / max(1, len(glance.rows)))
        return replace(glance, rows=rows, columns=columns, estimate=estimate, whole=True)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        """The rows, block by block."""
        convert = self.converter(file)
        for block in self.reader(file).blocks(file, None, counted):
            yield ConvertedRows(convert(block(), file))


def converted(got: Records, groups: Iterable[Sequence[Row]]) -> Records:
    """The rows that each record gives, as records."""
    rows: list[Row] = []
    sources: list[int] = []
    for i, several in enumerate(groups):
        rows += several
        sources += [i] * len(several)
    return of_rows(got, rows, sources)


def an_object(value: Any) -> Mapping[str, Any]:
    """An object of a record; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list of a record; none of anything else."""
    return [one for one in a_list(value) if isinstance(one, Mapping)]


def a_list(value: Any) -> list[Any]:
    """A list of a record; an empty one for anything else."""
    return value if isinstance(value, list) else []


def number(value: Any) -> float:
    """A number of a record; minus infinity for anything else."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if plain else -math.inf


def there(names: Iterable[object]) -> str:
    """The names that a record has, for messages."""
    return f"found: {', '.join(map(str, names))}"


def other_record(where: Where, tool: str, absent: str, record: Row) -> DataError:
    """The error for a record that the tool did not write."""
    return DataError(where(), f"not a {tool}: no {absent}", there(record), "choose another source")


def note(got: Records, where: Where, remark: str, count: int = 1, file: str = "") -> None:
    """Counts a remark, which names the first place where it was made."""
    got.notes[Remark(remark, file, where())] += count


# The runs of HELM: a row for each request, with the label that the run's statistics have for it.

METRICS = (
    "exact_match", "quasi_exact_match", "final_number_exact_match", "math_equiv_chain_of_thought", "math_equiv",
    "prefix_exact_match", "quasi_prefix_exact_match",
)  # fmt: skip
STATISTICS, SPECIFICATION = "per_instance_stats.json", "run_spec.json"
CORRECT = "correct"
PATIENCE = 1.0  # seconds for one answer
NO_TEXT = "no_text"
BY_CHOICE = "requests for one choice each have no answer of their own, and are not audited"
NO_LABEL = "requests that are missing in the statistics have no label"

Key = tuple[str, str, str]


class HelmRows:
    """Makes the rows of a run's requests.

    `labels` are the values of the metric by request (None: there are none), `pattern` says what of an answer is mapped
    to a choice.
    """

    def __init__(
        self, prefix: str, pattern: str | None, metric: str | None = None, labels: Mapping[Key, Any] | None = None
    ) -> None:
        self._prefix, self._pattern, self._metric, self._labels = prefix, pattern, metric, labels

    def __call__(self, got: Records, file: File) -> Records:
        """The rows of these requests. Raises DataError for what is none."""
        return converted(got, [self._of(got, file, i) for i in range(len(got.rows))])

    def _of(self, got: Records, file: File, i: int) -> list[Row]:
        where = partial(place, file, got, i)
        state = got.rows[i]
        instance = state.get("instance")
        if not isinstance(instance, Mapping) or "request" not in state:
            raise other_record(where, "request of HELM", "'instance' or no 'request'", state)
        result = an_object(state.get("result"))
        if result and result.get("success") is not False and "completions" not in result:
            raise other_record(where, "request of HELM", "'completions' in its result", result)
        if state.get("reference_index") is not None or state.get("request_mode") == "calibration":
            note(got, where, BY_CHOICE)
            got.dropped[NO_TEXT] += 1
            return []
        row = self._row(state, instance)
        if result.get("prompt_truncated") is True:
            note(got, where, PROMPT_CUT)
        if self._labels is not None:
            row |= {"metric": self._metric, "planned": len(self._labels) or None}
            row["stored"] = self._labels.get(key(instance.get("id"), state, instance.get("perturbation")))
            if row["stored"] is None and row["error"] is None:
                note(got, where, NO_LABEL)
        return [row]

    def _row(self, state: Row, instance: Row) -> dict[str, Any]:
        request, result = an_object(state.get("request")), an_object(state.get("result"))
        completion = max(objects(result.get("completions")), key=lambda one: number(one.get("logprob")), default={})
        text = completion.get("text")
        references = objects(instance.get("references"))
        changed = an_object(instance.get("perturbation")).get("name")
        word, trial = str(instance.get("id")), state.get("train_trial_index") or 0
        failed = not result or result.get("success") is False
        return {
            **{name: value for name, value in state.items() if name != "result"},
            "id": f"{self._prefix}{word}/{f'{changed}/' if changed else ''}{trial}",
            "item": f"{self._prefix}{word}",
            "perturbation": changed,
            "repeat": trial,
            "split": instance.get("split"),
            "model": request.get("model"),
            "temperature": request.get("temperature"),
            "question": an_object(instance.get("input")).get("text"),
            "raw_text": None if failed else text,
            "reasoning": an_object(completion.get("thinking")).get("text") or reasoning_of(text),
            "parsed_text": None if failed else self._mapped(text, state.get("output_mapping")),
            "ground_truth": [_text(one) for one in references if CORRECT in a_list(one.get("tags"))] or None,
            "choices": [_text(one) for one in references] or None,
            "error": str(result.get("error") or "no result") if failed else None,
            "stop": an_object(completion.get("finish_reason")).get("reason"),
            "tokens_out": len(a_list(completion.get("tokens"))) or None,
            "limit": request.get("max_tokens") or None,
        }

    def _mapped(self, text: Any, mapping: Any) -> Any:
        """The answer as HELM compares it: without blanks at its ends, a letter as the choice that it stands for."""
        if not isinstance(text, str):
            return text
        text = text.strip()
        if not isinstance(mapping, Mapping):
            return text
        return str(mapping.get(text if self._pattern is None else _matched(self._pattern, text)) or "")


def chosen_metric(reader: JsonArray, file: File, metric: str | None, setting: str) -> str:
    """The metric whose values are the labels: as it is set, else the first known one. Raises DataError."""
    for record in _records(reader, file):
        names = sorted(_stats(record))
        name = metric or next((known for known in METRICS if known in names), None)
        if name is None:
            raise DataError(
                file.path, "no metric that says right or wrong", there(names), f"set {setting} to one of these"
            )
        if name not in names:
            raise DataError(file.path, f"no metric '{name}'", there(names), nearest(name, names))
        return name
    return metric or METRICS[0]


def labels(reader: JsonArray, file: File, metric: str) -> dict[Key, Any]:
    """The values of a metric by request."""
    values: dict[Key, Any] = {}
    for record in _records(reader, file):
        stat = _stats(record).get(metric)
        if stat is not None:
            word = key(record.get("instance_id"), record, record.get("perturbation"))
            values[word] = stat.get("mean", stat.get("sum"))
    return values


def _stats(record: Row) -> dict[str, Mapping[str, Any]]:
    return {str(an_object(one.get("name")).get("name")): one for one in objects(record.get("stats"))}


def key(word: Any, record: Row, perturbation: Any) -> Key:
    """What a request and its statistics have in common."""
    return str(word), json.dumps(perturbation or None, sort_keys=True), str(record.get("train_trial_index") or 0)


def beside(path: str, name: str) -> str | None:
    """A file of the same run, also compressed; None where it is not there."""
    paths = (os.path.join(os.path.dirname(path), name + ending) for ending in ("", ".gz", ".zst"))
    return next((path for path in paths if os.path.isfile(path)), None)


def _records(reader: JsonArray, file: File) -> Iterator[Row]:
    for block in reader.blocks(file, frozenset(("instance_id", "perturbation", "train_trial_index", "stats")), False):
        yield from block().rows


def _matched(pattern: str, text: str) -> str:
    """What a run's pattern captures, else matches. Raises DataError for a pattern that cannot be used."""
    try:
        match = search(pattern, text, 0, PATIENCE)
    except (PatternError, TimeoutError) as error:
        what = "the pattern of the run's output_mapping_pattern cannot be used"
        raise DataError(SPECIFICATION, what, f"{pattern}: {error}") from None
    return "" if match is None else str((match[1] if match.re.groups else match[0]) or "")


def _text(reference: Row) -> Any:
    return an_object(reference.get("output")).get("text")
