"""Validators: what is wrong with a judged row, beside its labels. Off unless chosen; each is a count and a gate."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.document import some
from auditfw.core.errors import UsageError
from auditfw.kinds.judgements import ANSWER, REASON, RETRIEVED
from auditfw.kinds.registry import register

Rows = Mapping[str, Sequence[Any]]

REFUSES, VALID = "NOT_IN_CONTEXT", "VALID"


@register("validator", "refusal_token")
@dataclass(frozen=True)
class RefusalToken:
    """Finds refusals that are not the exact token: some rater says `label`, the answer's `field` is another text.

    And the other way round: the answer is the token, and some rater calls it something else. No trimming, no case.
    """

    token: str = "not in context"  # noqa: S105 - a fixed phrase, no secret
    label: str = REFUSES
    field: str = "claim"

    def __call__(self, rows: Rows, raters: Sequence[str]) -> list[str]:
        return [self._wrong(answer, [rows[rater][i] for rater in raters]) for i, answer in enumerate(rows[ANSWER])]

    def _wrong(self, answer: Any, labels: Sequence[str | None]) -> str:
        if answer is None:
            return ""
        said = answer.get(self.field) if isinstance(answer, dict) else answer
        if self.label in labels and said != self.token:
            return f"a refusal by label, but the answer is {str(said)[:60]!r}, not {self.token!r}"
        if said == self.token and any(label not in (self.label, None) for label in labels):
            return f"the answer is {self.token!r}, but not every rater says {self.label}"
        return ""


@register("validator", "grounded")
@dataclass(frozen=True)
class Grounded:
    """Finds rows that some rater calls `label` although the answer is empty or cites nothing."""

    label: str = VALID
    field: str = "claim"

    def __call__(self, rows: Rows, raters: Sequence[str]) -> list[str]:
        return [
            self._wrong(answer) if any(rows[rater][i] == self.label for rater in raters) else ""
            for i, answer in enumerate(rows[ANSWER])
        ]

    def _wrong(self, answer: Any) -> str:
        if not isinstance(answer, dict) or not str(answer.get(self.field) or "").strip():
            return f"{self.label} without an answer"
        return "" if answer.get("citations") else f"{self.label} without a citation"


@register("validator", "same_evidence")
@dataclass(frozen=True)
class SameEvidence:
    """Finds rows whose raters did not see the same evidence: their own records or objects hold other ones."""

    def __call__(self, rows: Rows, raters: Sequence[str]) -> list[str]:
        held = [(name, [rows[f"{r}.{name}"] for r in raters if f"{r}.{name}" in rows]) for name in (ANSWER, RETRIEVED)]
        found = []
        for i, conflict in enumerate(rows["conflict"]):
            apart = [name for name, columns in held if len({_plain(c[i]) for c in columns if c[i] is not None}) > 1]
            what = ", ".join(filter(None, [conflict or "", *apart]))
            found.append(f"the raters' {what} differ" if what else "")
        return found


def _plain(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


@register("validator", "reasons")
@dataclass(frozen=True)
class Reasons:
    """Finds reasons that are missing, too long, or hold what looks like personal data.

    `shortest` and `longest` are in characters; `personal` looks for e-mail addresses, telephone, card and social
    security numbers. The finding names the kind and never repeats the text.
    """

    shortest: int = 1
    longest: int = 500
    personal: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.shortest <= self.longest:
            raise UsageError("shortest", "must lie between 0 and longest", self.shortest)

    def __call__(self, rows: Rows, raters: Sequence[str]) -> list[str]:
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
