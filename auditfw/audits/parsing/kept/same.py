"""The columns by which answers are the same: hashes of what a judge was shown, made where labels are a judge's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from auditfw.audits.parsing.trials import ITEM, QUESTION, TrialBatch, as_texts, as_values
from auditfw.audits.same_keys import AnswerKeys, SameAnswers
from auditfw.core.imports import pl
from auditfw.kinds.metrics import Gate

COLUMNS = ("row.same", "row.same_text")  # of the key of the answer, and of its text byte for byte


@dataclass(frozen=True, kw_only=True)
class SameSettings:
    """Whose labels are stored, and what makes answers the same: the settings of the parsing audit for that."""

    labels: Literal["rule", "judge"] = "rule"
    same_answer: SameAnswers | None = field(default_factory=SameAnswers)
    gates: dict[str, Gate] = field(default_factory=dict)

    def keep_gates(self) -> None:
        """Forgets the gates where nothing is asked of them: runs that differ in them alone are one."""
        if self.same_judged is None:
            object.__setattr__(self, "gates", {})

    @property
    def same_judged(self) -> SameAnswers | None:
        """What makes answers that a judge labelled the same; None where a rule did, or nothing is asked."""
        return self.same_answer if self.labels == "judge" else None

    @property
    def same_beside(self) -> dict[str, str]:
        """The columns that must be equal then, by their settings."""
        columns = () if self.same_judged is None else self.same_judged.columns
        return {f"same_answer.columns[{i}]": name for i, name in enumerate(columns)}


def same_columns(
    trials: TrialBatch, columns: Mapping[str, Sequence[Any]], keys: AnswerKeys, further: Sequence[str]
) -> dict[str, Any]:
    """The columns of the rows of a batch, as they are sent; 0 where there is no text.

    The truth, the values of `further` columns and, without items, the question must be the same, too.
    """
    raw, parsed = (as_texts(columns.get(name), trials.rows) for name in ("raw_text", "parsed_text"))
    texts = [text if whole is None else whole for whole, text in zip(raw, parsed, strict=True)]
    names = [*([] if ITEM in columns else [QUESTION]), *further]
    further_values = (as_values(columns[name]) for name in names if name in columns)
    beside = zip(trials.every_truth, *further_values, strict=True)
    return dict(zip(COLUMNS, keys.of(texts, list(beside)), strict=True))


def same_expressions() -> dict[str, pl.Expr]:
    """The same as they are written: null where there is nothing."""
    return {name: pl.when(pl.col(name) != 0).then(pl.col(name)) for name in COLUMNS}
