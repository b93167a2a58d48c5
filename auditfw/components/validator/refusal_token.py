"""The validator of refusals: they are one token, to the letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.kinds.judgements import ANSWER, RowColumns
from auditfw.kinds.registry import register


@register("validator", "refusal_token")
@dataclass(frozen=True)
class RefusalToken:
    """Finds refusals that are not the exact token: a rater says `label`, but the answer's `field` is another text.

    It also finds the reverse: the answer is the token, but a rater gives another label. Texts are compared exactly.
    """

    token: str = "not in context"  # noqa: S105 - a fixed phrase, no secret
    label: str = "NOT_IN_CONTEXT"
    field: str = "claim"

    def __call__(self, rows: RowColumns, raters: Sequence[str]) -> list[str]:
        return [self._wrong(answer, [rows[rater][i] for rater in raters]) for i, answer in enumerate(rows[ANSWER])]

    def _wrong(self, answer: Any, labels: Sequence[str | None]) -> str:
        if answer is None:
            return ""
        answer_text = answer.get(self.field) if isinstance(answer, dict) else answer
        if self.label in labels and answer_text != self.token:
            return f"a refusal by label, but the answer is {str(answer_text)[:60]!r}, not {self.token!r}"
        if answer_text == self.token and any(label not in (self.label, None) for label in labels):
            return f"the answer is {self.token!r}, but not every rater says {self.label}"
        return ""
