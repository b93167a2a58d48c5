"""The validator of answers that are called valid: they are there, and cite something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.kinds.judgements import ANSWER, RowColumns
from auditfw.kinds.registry import register


@register("validator", "grounded")
@dataclass(frozen=True)
class Grounded:
    """Finds rows to which a rater gives `label` although the answer is empty or has no citation."""

    label: str = "VALID"
    field: str = "claim"

    def __call__(self, rows: RowColumns, raters: Sequence[str]) -> list[str]:
        return [
            self._wrong(answer) if any(rows[rater][i] == self.label for rater in raters) else ""
            for i, answer in enumerate(rows[ANSWER])
        ]

    def _wrong(self, answer: Any) -> str:
        if not isinstance(answer, dict) or not str(answer.get(self.field) or "").strip():
            return f"{self.label} without an answer"
        return "" if answer.get("citations") else f"{self.label} without a citation"
