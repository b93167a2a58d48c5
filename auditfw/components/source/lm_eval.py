"""Trials in the logs of lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any

from auditfw.components.files.file_settings import PEEKED, Glance, Row, RowBlock
from auditfw.components.files.files import File
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.logs.conditions import lm_eval_conditions, log_conditions, scorer_of
from auditfw.components.files.logs.lm_eval import LmEvalRows, prefixes
from auditfw.components.files.logs.lm_eval_parts import (
    FILTER,
    NO_NAMES,
    UnnamedFilters,
    filter_of,
    is_array,
    may_lack_filter,
    unnamed_filters,
)
from auditfw.components.files.logs.lm_eval_results import (
    check_results,
    documents_of,
    filter_scorer,
    filters,
    limit_of,
    model_of,
    name_facts,
    patterns_of,
    results_path,
    rules,
    samples_beside,
    task_config,
    voting,
)
from auditfw.components.files.logs.promptfoo import check_pattern
from auditfw.components.files.logs.versions import lm_eval_remark, whole_object
from auditfw.core.errors import AuditError, DataError, NothingAudited, nearest
from auditfw.kinds.evidence import Evidence, LogConditions, ScorerRule, ShippedScorer
from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.registry import declare

RESULTS = {"results", "configs", "versions"}
ONLY_RESULTS = (
    "is a results file of lm-evaluation-harness without samples beside it",
    None,
    "run the harness with --log_samples and name samples_TASK_DATE.jsonl",
)
DEFAULT_LIMIT = 256  # of every backend up to 0.4.13
BATCHES = 1_000  # that are read for the filters that no results file declares


@declare("source", "lm_eval")
class LmEval(JsonLines):
    """Reads what lm-evaluation-harness writes with --log_samples: a row for each document, filter and repeat.

    It has the settings of `jsonl`; `path` is a file `samples_TASK_DATE.jsonl` or a folder of them; the results file
    next to it is read too.
    - `metric`: the metric whose value is the stored label (null: the first that says right or wrong);
    - `filter`: the one filter whose rows are read (null: all);
    - `by`: the columns whose values make the cells (subgroups), unless the run's own `by` names others.

    Columns: id (document/filter/repeat), item (the document), model, task, date, filter, repeat, question, raw_text,
    parsed_text, ground_truth, stored, choices, limit, planned, and those of the file. A filter that keeps only the
    first repeat has a label for that one; for log-likelihoods parsed_text is the choice with the highest value.
    """

    logs = "logs of lm-evaluation-harness"
    ruled_by = "filter"
    rivals = "rules"
    chooses = ("filter",)
    _sums = True

    metric: str | None = None
    filter: str | None = None
    by: tuple[str, ...] = ("model", "task", "filter")

    @property
    def summed(self) -> bool:
        """Whether the checksums of its files of samples are known when they are read."""
        return self.sums()

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of its files."""
        return ("samples_*.jsonl",)

    def described(self, file: File) -> File:
        """A file of samples with its model, task and date."""
        return replace(file, set={**_facts(file.path), **file.set})

    def opened(self, required: Sequence[str], optional: Sequence[str] | None, unfinite: bool = False) -> Evidence:
        try:
            return super().opened(required, optional, unfinite)
        except NothingAudited:
            starts = [] if self.filter is None else [glance for _, glance in replace(self, filter=None).glances()]
            there = dict.fromkeys(filter_of(row.get(FILTER)) for start in starts for row in start.rows)
            if self.filter is None or not there:
                raise
            what = f"no record has the filter '{self.filter}'"
            raise NothingAudited("source.filter", what, None, nearest(self.filter, list(there))) from None

    def glance(self, file: File) -> Glance:
        """The start of a file; of one filter its first samples, which may come late."""
        array = self._array(file)
        glance = super().glance(file) if array is None else array.glance(file)
        if self.filter is None or glance.whole:
            return glance
        rows = list(islice(self._of_filter(file), PEEKED))
        return replace(glance, rows=rows, columns=tuple(dict.fromkeys(name for row in rows for name in row)))

    def _of_filter(self, file: File) -> Iterator[Row]:
        """The samples of the one filter."""
        unnamed = self._unnamed(file)
        for block in self.blocks(file, None, False):
            got = block()
            rows = unnamed.named(got) if unnamed.starts else got.rows
            yield from (row for row in rows if filter_of(row.get(FILTER)) == self.filter)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        array = self._array(file)
        return super().blocks(file, columns, counted) if array is None else array.blocks(file, columns, counted)

    def holding(self, file: File, names: Iterable[str]) -> Iterator[Row] | None:
        return super().holding(file, names) if self._array(file) is None else None

    def _array(self, file: File) -> JsonArray | None:
        """What reads a file that holds one JSON array; None for one of lines."""
        if file.path not in self._arrays:
            self._arrays[file.path] = is_array(file, self.encoding)
        if not self._arrays[file.path]:
            return None
        return JsonArray(path=file.path, encoding=self.encoding, max_decoded=self.max_decoded).placed(self.keys)

    def own_rows(self, file: File) -> LmEvalRows:
        """The rows of a file; ids and items have a prefix where files differ by model, task or date."""
        at = next(i for i, one in enumerate(self.located()) if one.path == file.path)
        config = _config(file)
        delimiter = config.get("target_delimiter")
        return LmEvalRows(
            self._prefixes[at],
            f"{file.set['task']}/" if self._several else "",
            self.metric,
            voting(config),
            delimiter if isinstance(delimiter, str) else " ",
            self.filter,
            self._unnamed(file),
            *_facts_of(file),
        )

    @cached_property
    def _prefixes(self) -> list[str]:
        return prefixes([one.set for one in self.located()], ("model", "task", "date"))

    @cached_property
    def _several(self) -> bool:
        return len({one.set["task"] for one in self.located()}) > 1

    @cached_property
    def _arrays(self) -> dict[str, bool]:
        """Whether each file that was looked at is one array."""
        return {}

    @cached_property
    def _filters(self) -> dict[str, UnnamedFilters]:
        """The filters of each file whose samples name none."""
        return {}

    def _unnamed(self, file: File) -> UnnamedFilters:
        if file.path not in self._filters:
            found = UnnamedFilters()
            if may_lack_filter(file, self.encoding):
                found = unnamed_filters(self._array(file) or self, file, tuple(filters(_config(file))))
            self._filters[file.path] = found
        return self._filters[file.path]

    def beside(self, file: File) -> tuple[str, ...]:
        """The results file."""
        path = results_path(file.path)
        return () if path is None else (path,)

    def warnings(self) -> tuple[str, ...]:
        """Which files have no results file or one of another version, and which filters have several rules."""
        results = [(file.path, results_path(file.path)) for file in self.located()]
        lacking = [path for path, beside in results if beside is None]
        several = [name for name, facts in self._rules().items() if len(facts) > 1]
        known = dict.fromkeys(beside for _, beside in results if beside is not None)
        remarks = [remark for path in known if (remark := lm_eval_remark(path, whole_object(path)))]
        unnamed = [file for file in self.located() if self._unnamed(file).made_up]
        return (
            *remarks,
            *(f"{file.path}: {NO_NAMES}" for file in unnamed),
            *(
                f"{path}: no results file next to it: the model and the filters' rules are not known"
                for path in lacking
            ),
            *(
                f"filter '{name}' has different rules in different tasks: its labels have no baseline rule"
                for name in several
            ),
        )

    def rules(self) -> Mapping[str, ScorerRule]:
        """The rule of each filter, as far as all tasks have the same: as results files say it, else as records do."""
        several = self._rules()
        return {name: facts[0] for name, facts in several.items() if len(facts) == 1} if several else self._undeclared()

    def _undeclared(self) -> dict[str, ScorerRule]:
        """The filters as their records alone show them: by name, and whether they have texts."""
        rules: dict[str, ScorerRule] = {}
        try:
            for task in islice(self.open(["filter", "raw_text"], []).tasks, BATCHES):
                columns = task().columns
                for name, text in zip(columns["filter"], columns["raw_text"], strict=True):
                    kind = "multiple_choice" if text is None else "generate_until"
                    rules.setdefault(name, ScorerRule(name, {"output_type": kind, "declared": False}, ""))
        except AuditError:
            return {}
        return rules

    def conditions(self) -> tuple[LogConditions, ...]:
        """What each file was made under, by its results file and its first samples."""
        several = []
        for file, glance in self.glances():
            path, task = results_path(file.path), file.set["task"]
            whole = whole_object(path) if path else {}
            chosen = [rule for name, rule in rules(whole, task).items() if self.filter in (None, name)]
            values = {**lm_eval_conditions(whole, task), "scorer": scorer_of(chosen)}
            several.append(log_conditions(values, glance.rows, "question", asked=True))
        return tuple(several)

    @property
    def assumed_limit(self) -> int | None:
        """The most tokens of an answer where neither samples nor results files say it: the harness's own."""
        declared = any(row.get("limit") for _, glance in self.glances() for row in glance.rows)
        return None if declared else DEFAULT_LIMIT

    @staticmethod
    def scorers_of(rule: ScorerRule) -> list[ShippedScorer]:
        """The scorer of a filter with its metric."""
        return [filter_scorer(rule)]

    @staticmethod
    def recognises(look: FirstLook) -> bool:
        """Whether a path is a file of samples."""
        return {"doc_id", "resps", "filtered_resps"} <= look.keys

    @staticmethod
    def beside_logs(look: FirstLook, logs: Sequence[str]) -> list[str] | None:
        """The samples that were written with a results file. Raises DataError where there are none, and no logs."""
        if look.format != "object" or not set(look.names) >= RESULTS:
            return None
        samples = samples_beside(look.path)
        if not (samples or logs):
            raise DataError(look.path, *ONLY_RESULTS)
        return samples

    def _rules(self) -> dict[str, list[ScorerRule]]:
        """The different rules of each filter that is read."""
        known: dict[str, list[ScorerRule]] = {}
        for file in self.located():
            path = results_path(file.path)
            for name, facts in rules(whole_object(path), file.set["task"]).items() if path else ():
                if self.filter in (None, name) and facts not in known.setdefault(name, []):
                    for pattern in patterns_of(facts):
                        check_pattern(pattern, f"{path}: filter {name} of {file.set['task']}")
                    known[name].append(facts)
        return known


def _facts(path: str) -> dict[str, Any]:
    beside, facts = results_path(path), name_facts(path)
    if beside:
        check_results(beside, whole_object(beside), facts["task"])
    return {"model": model_of(whole_object(beside)) if beside else None, **facts}


def _facts_of(file: File) -> tuple[int | None, int | None]:
    """The most tokens of an answer, and how many documents there should be."""
    path = results_path(file.path)
    whole = whole_object(path) if path else {}
    return limit_of(whole, file.set["task"]), documents_of(whole, file.set["task"])


def _config(file: File) -> Mapping[str, Any]:
    path = results_path(file.path)
    return task_config(whole_object(path), file.set["task"]) if path else {}
