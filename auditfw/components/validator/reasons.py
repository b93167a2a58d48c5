"""The validator of reasons: they are there, short enough, and hold no personal data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.core.document import some
from auditfw.core.errors import UsageError
from auditfw.kinds.judgements import REASON, RowColumns
from auditfw.kinds.registry import register


@register("validator", "reasons")
@dataclass(frozen=True)
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
