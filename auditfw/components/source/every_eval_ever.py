"""Trials in the instance-level files of Every Eval Ever."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.components.files.files import File
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.logs.conditions import every_eval_ever_conditions
from auditfw.components.files.logs.every_eval_ever import (
    EveryEvalEverRows,
    aggregate_beside,
    limits_beside,
    records_beside,
)
from auditfw.core.errors import DataError
from auditfw.kinds.evidence import Evidence, LogConditions
from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.registry import declare


@declare("source", "every_eval_ever")
class EveryEvalEver(JsonLines):
    """Reads instance-level files of Every Eval Ever (`*_samples.jsonl`): a row for each record and output.

    It has the settings of `jsonl`; `path` is a file or a folder of them. A file in which the converter replaced every
    output by the extracted answer is refused: a parser has nothing to read there.
    - `by`: the columns whose values make the cells (subgroups), unless the run's own `by` names others.

    Columns: id (evaluation/result/sample), item (the sample), model, task, repeat, question, choices, raw_text,
    reasoning, parsed_text (what was extracted), ground_truth, stored, error, tokens_in, tokens_out, limit, planned, and
    those of the file.
    """

    logs = "records of Every Eval Ever"

    by: tuple[str, ...] = ("model", "task")

    @staticmethod
    def recognises(look: FirstLook) -> bool:
        """Whether a path is such a file."""
        return {"schema_version", "evaluation_id", "input", "output"} <= look.keys

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of its files."""
        return ("*_samples.jsonl", "instance_level*.jsonl")

    def own_rows(self, file: File) -> EveryEvalEverRows:
        """The rows of a file."""
        return EveryEvalEverRows(limits_beside(file.path), records_beside(file.path))

    def conditions(self) -> tuple[LogConditions, ...]:
        """What each file was made under, by the file of the evaluations beside it and its first records."""
        several = []
        for file, glance in self.glances():
            names = list(dict.fromkeys(str(row["task"]) for row in glance.rows if row.get("task")))
            model = next((row["model"] for row in glance.rows if row.get("model")), None)
            several.append(LogConditions(every_eval_ever_conditions(aggregate_beside(file.path), names, model)))
        return tuple(several)

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Finds files and columns. Raises DataError where all outputs are what was extracted."""
        evidence = super().open(required, optional)
        if "raw_text" in evidence.columns:
            for file in self.located():
                self._check_outputs(file)
        return evidence

    def _check_outputs(self, file: File) -> None:
        rows, make = 0, self.own_rows(file)
        for block in self.blocks(file, None, False):
            for row in make(block(), file).rows:
                if row["raw_text"] is not None:
                    if row["raw_text"] != row["parsed_text"]:
                        return
                    rows += 1
        if rows:
            what = f"output.raw is the extracted answer in all {rows:,} records: a parsing audit has no output to read"
            raise DataError(file.path, what, None, "read the log that the file was converted from")
