"""Trials in the details of lighteval."""

from __future__ import annotations

from dataclasses import replace

from auditfw.components.files.files import File
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.logs.conditions import lighteval_conditions, log_conditions
from auditfw.components.files.logs.converted import an_object
from auditfw.components.files.logs.lighteval import (
    LightevalRows,
    name_facts,
    results_beside,
    results_documents,
    results_limit,
)
from auditfw.components.files.logs.lm_eval import prefixes
from auditfw.kinds.evidence import LogConditions
from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.registry import declare

LAYOUTS = ("doc", "model_response", "metric"), ("__doc__", "__metric__"), ("full_prompt", "predictions", "metrics")


@declare("source", "lighteval")
class Lighteval(Parquet):
    """Reads what lighteval writes with --save-details: a row for each document and sample of an answer.

    It has the settings of all file sources; `path` is a file `details_TASK_DATE.parquet` or a folder of them.
    - `metric`: the metric whose value is the stored label (null: the first);
    - `by`: the columns whose values make the cells (subgroups), unless the run's own `by` names others.

    Columns: id (document/sample), item (the document), model, task, date, repeat, question, raw_text (the text, without
    its reasoning if lighteval removed that), parsed_text (what its rule extracted, if it is stored; for log-likelihoods
    the choice with the highest value), ground_truth, stored, choices, tokens_out, limit, planned, and those of the
    file.
    """

    logs = "details of lighteval"

    metric: str | None = None
    by: tuple[str, ...] = ("model", "task")

    @staticmethod
    def recognises(look: FirstLook) -> bool:
        """Whether a path is a file of details."""
        return any(set(one) <= set(look.columns) for one in LAYOUTS)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of its files."""
        return ("details_*.parquet",)

    def described(self, file: File) -> File:
        """A file of details with its model, task and date."""
        return replace(file, set={**name_facts(file.path), **file.set})

    def own_rows(self, file: File) -> LightevalRows:
        """The rows of a file; ids and items have a prefix where files differ by model, task or date."""
        facts = [one.set for one in self.located()]
        several = len({one["task"] for one in facts}) > 1
        prefix = prefixes(facts, ("model", "task", "date"))[file.number - 1]
        asked = results_limit(file.path), results_documents(file.path, file.set["task"])
        return LightevalRows(prefix, f"{file.set['task']}/" if several else "", self.metric, *asked)

    def conditions(self) -> tuple[LogConditions, ...]:
        """What each file was made under, by the results of its run and its first documents."""
        several = []
        for file, glance in self.glances():
            values = lighteval_conditions(results_beside(file.path), file.set["task"], file.set["model"])
            metric = self.metric or next(iter(an_object(glance.rows[0].get("metric"))), None)
            values["scorer"] = metric or values["scorer"]
            several.append(log_conditions(values, glance.rows, "model_response.input"))
        return tuple(several)
