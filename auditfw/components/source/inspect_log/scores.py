"""What a score of Inspect says: right, wrong, not scored, or a text that is none of these."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditfw.core.errors import DataError, UsageError

CORRECT, INCORRECT, PARTIAL, NO_ANSWER = "C", "I", "P", "N"
NONFINITE = "\0NaN"  # stands in a decoded sample for NaN and the infinities
WORDS = {CORRECT: True, INCORRECT: False, NO_ANSWER: False, "yes": True, "true": True, "no": False, "false": False}
PARSING = frozenset(("pattern", "answer", "choice", "math"))  # of these alone `answer` is what they parsed


class Unscored:
    """The label of a sample that its scorer left unscored."""


UNSCORED = Unscored()
Label = bool | str | Unscored | None


@dataclass(frozen=True)
class ScoreRules:
    """How the value of a score becomes a label.

    `partial` is the number that P stands for, `threshold` the least number that is right, `key` says which value counts
    where a score has several.
    """

    partial: float = 0.5
    threshold: float = 0.5
    key: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.partial <= 1:
            raise UsageError("partial", "expected a number from 0 to 1", self.partial)

    def label(self, value: Any, where: str, notes: Counter[str]) -> Label:
        """The label that a value stands for. Raises DataError for several values without a key."""
        if isinstance(value, dict | list):
            value = self._part(value, where)
        if value is None or value == NONFINITE:
            return UNSCORED
        if isinstance(value, bool):
            return value
        if value == PARTIAL:
            notes[f"scores P (partial) read as {self.partial:g}: {self._word(self.partial)} (source.partial)"] += 1
            return self.partial >= self.threshold
        if isinstance(value, str):
            return self._of_text(value, notes)
        return self._of_number(value, notes)

    def text(self, value: Any, where: str, notes: Counter[str]) -> str | None:
        """The label as Inspect writes it, for raters: C, I, P, N or the text itself; None where there is none."""
        part = self._part(value, where) if isinstance(value, dict | list) else value
        if part in (PARTIAL, NO_ANSWER):
            return str(part)
        label = self.label(part, where, notes)
        if isinstance(label, bool):
            return CORRECT if label else INCORRECT
        return label if isinstance(label, str) else None

    def share(self, value: Any, where: str, notes: Counter[str]) -> float | None:
        """The score as a share of a right one: 1 for what is right, a number below as it is, or as a share of a
        threshold over 1; None where unscored."""
        part = self._part(value, where) if isinstance(value, dict | list) else value
        label = self.label(part, where, notes)
        if isinstance(label, str):
            do = "name a scorer of C and I, or of numbers, in source.scorer"
            raise DataError(where, "the score says neither right nor wrong", label, do)
        if not isinstance(label, bool):
            return None
        number = self.partial if part == PARTIAL else _number(part)
        return 1.0 if label else max(number, 0.0) / max(self.threshold, 1.0)

    def _of_text(self, text: str, notes: Counter[str]) -> bool | str:
        """A label in words, or a number written as text."""
        known = WORDS.get(text) if text in WORDS else WORDS.get(text.lower()) if len(text) > 1 else None
        if known is not None:
            return known
        try:
            number = float(text)
        except ValueError:
            return text
        return self._of_number(number, notes) if math.isfinite(number) else text

    def _of_number(self, number: float, notes: Counter[str]) -> bool:
        if number not in (0, 1):
            least = f"right from {self.threshold:g} on (source.threshold)"
            notes[f"scores that are numbers other than 0 and 1: {least}"] += 1
        return number >= self.threshold

    def _word(self, number: float) -> str:
        return "right" if number >= self.threshold else "wrong"

    def _part(self, value: Mapping[str, Any] | list[Any], where: str) -> Any:
        """The value at the key of a score that has several; a list has its places as keys."""
        parts = value if isinstance(value, Mapping) else {str(i): part for i, part in enumerate(value)}
        names = ", ".join(map(str, parts))
        if self.key is None:
            first = next(iter(parts), "KEY")
            raise DataError(where, "the score has several values", names, f"write source.key={first}")
        if self.key not in parts:
            raise DataError(where, f"the score has no '{self.key}'", names, "name one of these in source.key")
        part = parts[self.key]
        if isinstance(part, dict | list):
            raise DataError(where, f"the score's '{self.key}' has several values itself", None, "choose another key")
        return part


def _number(value: Any) -> float:
    """The number that a value is, or is as text; 0 for any other."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) else 0.0
