"""Validators of judged rows: what is called valid, why, how refusals are written, and what the raters saw."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from auditfw.core.document import some
from auditfw.core.errors import UsageError
from auditfw.kinds.judgements import ANSWER, REASON, RETRIEVED, RowColumns
from auditfw.kinds.registry import declare


@declare("validator", "grounded")
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


@declare("validator", "reasons")
class Reasons:
    """Finds reasons that are missing, too long, or hold what looks like personal data.

    `shortest` and `longest` are in characters; `personal` looks for e-mail addresses, telephone, card and social
    security numbers. A finding names the kind of data and never repeats the text.
    """

    shortest: int = 1
    longest: int = 500
    personal: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.shortest <= self.longest:
            raise UsageError("shortest", "expected a whole number from 0 to longest", self.shortest)

    def __call__(self, rows: RowColumns, raters: Sequence[str]) -> list[str]:
        columns = {rater: rows[f"{rater}.{REASON}"] for rater in raters}
        size = len(next(iter(columns.values()), ()))
        return [
            "; ".join(
                what for rater, column in columns.items() for what in self._wrong(rater, rows[rater][i], column[i])
            )
            for i in range(size)
        ]

    def _wrong(self, rater: str, label: str | None, reason: Any) -> Iterator[str]:
        text = "" if reason is None else str(reason)
        if label is None:
            return
        if len(text.strip()) < self.shortest:
            size = some(len(text), "character")
            yield f"{rater} gives no reason" if not text.strip() else f"{rater}'s reason has {size}"
        if len(text) > self.longest:
            yield f"{rater}'s reason has {some(len(text), 'character')}"
        if self.personal:
            yield from (f"{rater}'s reason holds {what}" for what, pattern in PERSONAL.items() if pattern.search(text))


PERSONAL = {
    "an e-mail address": re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+"),
    "a social security number": re.compile(r"(?<!\d)\d{3}-\d{2}-\d{4}(?!\d)"),
    "a card number": re.compile(r"(?<!\d)\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{4}(?!\d)"),
    "a telephone number": re.compile(r"(?<![\w#])\+\d{1,3}[ -]?(?:\d[ -]?){7,12}(?!\d)|\(\d{3}\) ?\d{3}-\d{4}"),
}


@declare("validator", "refusal_token")
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


@declare("validator", "same_evidence")
class SameEvidence:
    """Finds rows whose raters saw different evidence, according to their records or objects."""

    def __call__(self, rows: RowColumns, raters: Sequence[str]) -> list[str]:
        held = [(name, [rows[f"{r}.{name}"] for r in raters if f"{r}.{name}" in rows]) for name in (ANSWER, RETRIEVED)]
        problems = []
        for i, conflict in enumerate(rows["conflict"]):
            apart = [name for name, columns in held if len({_plain(c[i]) for c in columns if c[i] is not None}) > 1]
            what = ", ".join(filter(None, [conflict or "", *apart]))
            problems.append(f"the raters' {what} differ" if what else "")
        return problems


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
