"""Trials in the runs of HELM."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from auditfw.components.files.file_source import FileSource
from auditfw.components.files.files import File
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.logs.conditions import helm_conditions, log_conditions, scorer_of
from auditfw.components.files.logs.converted import (
    SPECIFICATION,
    STATISTICS,
    ConvertedFiles,
    HelmRows,
    beside,
    chosen_metric,
    labels,
)
from auditfw.components.files.logs.lm_eval import prefixes
from auditfw.components.files.logs.promptfoo import check_pattern
from auditfw.components.files.logs.versions import whole_object
from auditfw.kinds.evidence import LogConditions, ScorerRule, ShippedScorer
from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.registry import declare

SCORERS = {
    "exact_match": "helm_exact",
    "quasi_exact_match": "helm_quasi_exact",
    "final_number_exact_match": "helm_final_number",
}
JOINT = ("multiple_choice_joint", "multiple_choice_joint_chain_of_thought")  # methods that make a choice of the text


@declare("source", "helm")
class Helm(ConvertedFiles):
    """Reads the runs of HELM: a row for each request, with its label from the per_instance_stats.json next to it.

    It has the settings of all file sources; `path` is a run's folder, a folder of runs, or a scenario_state.json.
    - `metric`: the metric whose value is the stored label (null: the first exact-match metric that there is);
    - `by`: the columns whose values make the cells (subgroups), unless the run's own `by` names others.

    Columns: id (instance/trial), item (the instance), model, task (the run), temperature, split, perturbation, repeat
    (the trial), metric, question, raw_text (the likeliest completion), reasoning, parsed_text (mapped to a choice where
    HELM does so), ground_truth (the correct references), choices, stored, error, stop, tokens_out,
    limit, planned (the requests of the statistics).
    """

    logs = "runs of HELM"
    ruled_by = "metric"

    metric: str | None = None
    by: tuple[str, ...] = ("model", "task")

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of its files."""
        return ("scenario_state.json",)

    def described(self, file: File) -> File:
        """A run with its name."""
        return replace(file, set={"task": _run(file.path), **file.set})

    def reader(self, file: File) -> FileSource:
        """A reader of the requests."""
        return self._array(file.path, "request_states")

    def converter(self, file: File) -> HelmRows:
        """Makes the rows of a run; of several runs ids and items begin with the run."""
        prefix = prefixes([one.set for one in self.located()], ("task",))[file.number - 1]
        path, pattern = beside(file.path, STATISTICS), _pattern(file)
        if path is None:
            return HelmRows(prefix, pattern)
        metric, statistics = self._metric(file, path), replace(file, path=path)
        return HelmRows(prefix, pattern, metric, labels(self._array(path), statistics, metric))

    def rules(self) -> Mapping[str, ScorerRule]:
        """The rule of each run's metric: its name, and how answers became choices."""
        rules: dict[str, ScorerRule] = {}
        for file in self.located():
            path, adapter = beside(file.path, STATISTICS), _adapter(file)
            name = self._metric(file, path) if path else ""
            options = {key: adapter[key] for key in ("method", "output_mapping_pattern") if adapter.get(key)}
            rules |= {name: ScorerRule(name, options, "")} if name else {}
        return rules

    def conditions(self) -> tuple[LogConditions, ...]:
        """What each run was made under, by its specification and its first requests."""
        scorer, several = scorer_of(self.rules().values()), []
        for file, glance in self.glances():
            path = beside(file.path, SPECIFICATION)
            splits = list(dict.fromkeys(row.get("split") for row in glance.rows))
            values = helm_conditions(whole_object(path) if path else {}, splits[0] if len(splits) == 1 else splits)
            several.append(log_conditions({**values, "scorer": scorer}, glance.rows, "request.prompt"))
        return tuple(several)

    @staticmethod
    def scorers_of(rule: ScorerRule) -> list[ShippedScorer]:
        """The scorer of a metric, where it reads the completion itself and not a choice that HELM made of it."""
        name = SCORERS.get(rule.name)
        if name is None:
            return [ShippedScorer(why=f"the metric {rule.name} has no shipped rule")]
        mapped = "output_mapping_pattern" in rule.options or str(rule.options.get("method")) in JOINT
        return [ShippedScorer(name) if not mapped else ShippedScorer(why=f"{rule.name} reads the choice of a text")]

    @staticmethod
    def recognises(look: FirstLook) -> bool:
        """Whether a path is the requests of a run."""
        return look.format == "object" and {"adapter_spec", "request_states"} <= set(look.names)

    @staticmethod
    def beside_logs(look: FirstLook, logs: Sequence[str]) -> list[str] | None:
        """Nothing more for a file beside the requests of a run; None for any other."""
        folder = os.path.dirname(look.path)
        return [] if look.path.endswith(".json") and any(os.path.dirname(log) == folder for log in logs) else None

    def _metric(self, file: File, path: str) -> str:
        return chosen_metric(self._array(path), replace(file, path=path), self.metric, self.keys.of("metric"))

    def beside(self, file: File) -> tuple[str, ...]:
        """The statistics and the specification of a run."""
        paths = (beside(file.path, name) for name in (STATISTICS, SPECIFICATION))
        return tuple(path for path in paths if path is not None)

    def warnings(self) -> tuple[str, ...]:
        """Which runs have no statistics."""
        lacking = [file.path for file in self.located() if beside(file.path, STATISTICS) is None]
        return tuple(f"{path}: no {STATISTICS} next to it, so there are no labels" for path in lacking)

    def _array(self, path: str, records: str | None = None) -> JsonArray:
        settings = JsonArray(path=path, encoding=self.encoding, max_decoded=self.max_decoded, records=records)
        return settings.placed(self.reader_keys)


def _adapter(file: File) -> Mapping[str, Any]:
    """How a run asked the model."""
    path = beside(file.path, SPECIFICATION)
    adapter = whole_object(path).get("adapter_spec") if path else None
    return adapter if isinstance(adapter, Mapping) else {}


def _pattern(file: File) -> str | None:
    pattern = _adapter(file).get("output_mapping_pattern")
    check_pattern(pattern, f"{beside(file.path, SPECIFICATION)}: output_mapping_pattern")
    return pattern if isinstance(pattern, str) else None


def _run(path: str) -> str:
    """The name of a run: that of its folder."""
    return os.path.basename(os.path.dirname(os.path.abspath(path)))
