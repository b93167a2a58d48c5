"""Trials in the logs of lm-evaluation-harness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from auditfw.components.files.files import File
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.logs.lm_eval import LmEvalRows
from auditfw.components.files.logs.lm_eval_results import (
    check_results,
    model_of,
    name_facts,
    patterns_of,
    results_path,
    rules,
    task_config,
    voting,
)
from auditfw.components.files.logs.names import prefixes
from auditfw.components.files.logs.patterns import check_pattern
from auditfw.components.files.logs.versions import lm_eval_remark
from auditfw.components.files.logs.whole_object import whole_object
from auditfw.kinds.evidence import ScorerRule
from auditfw.kinds.registry import declare


@declare("source", "lm_eval")
class LmEval(JsonLines):
    """Reads what lm-evaluation-harness writes with --log_samples: a row for each document, filter and repeat.

    It has the settings of `jsonl`; `path` is a file `samples_TASK_DATE.jsonl` or a folder of them; the results file
    next to it is read too.
    - `metric`: the metric whose value is the stored label (null: the first that says right or wrong);
    - `filter`: the one filter whose rows are read (null: all);
    - `by`: the columns whose values make the cells (subgroups), unless the run's own `by` names others.

    Columns: id (document/filter/repeat), item (the document), model, task, date, filter, repeat, question, raw_text,
    parsed_text, ground_truth, stored, choices, and those of the file. A filter that keeps only the first repeat has a
    label for that one; for log-likelihoods parsed_text is the choice with the highest value.
    """

    ruled_by = "filter"
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

    def located(self) -> tuple[File, ...]:
        """The files of samples, each with its model, task and date."""
        return tuple(replace(file, set={**_facts(file.path), **file.set}) for file in super().located())

    def own_rows(self, file: File) -> LmEvalRows:
        """The rows of a file; ids and items have a prefix where files differ by model, task or date."""
        files = self.located()
        facts, at = [one.set for one in files], next(i for i, one in enumerate(files) if one.path == file.path)
        config = _config(file)
        delimiter = config.get("target_delimiter")
        return LmEvalRows(
            prefixes(facts, ("model", "task", "date"))[at],
            f"{file.set['task']}/" if len({one["task"] for one in facts}) > 1 else "",
            self.metric,
            voting(config),
            delimiter if isinstance(delimiter, str) else " ",
            self.filter,
        )

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
        return (
            *remarks,
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
        """The rule of each filter, as far as results files say it and all tasks have the same."""
        return {name: facts[0] for name, facts in self._rules().items() if len(facts) == 1}

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


def _config(file: File) -> Mapping[str, Any]:
    path = results_path(file.path)
    return task_config(whole_object(path), file.set["task"]) if path else {}
