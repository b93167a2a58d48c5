"""The distinct texts of a batch, by number."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from auditfw.formulas.lowercase import lowered


class Texts:
    """The distinct texts of a batch by number, and the lower-case form of any text asked for."""

    def __init__(self) -> None:
        self.of: list[str] = [""]
        self.number: dict[str, int] = {"": 0}
        self._beside: dict[str, int] = {}  # of texts with further columns: never the number of the plain text
        self._low: dict[str, str] = {}
        self._holding: dict[str, dict[int, bool]] = {}

    def add(self, text: str) -> int:
        """The number of a text, a new one if need be."""
        number = self.number if type(text) is str else self._beside
        known = number.get(text)
        if known is None:
            known = number[text] = len(self.of)
            self.of.append(text)
        return known

    def add_all(self, texts: Sequence[str]) -> list[int]:
        """The numbers of texts, in order."""
        if self._beside or not {str}.issuperset(map(type, texts)):
            return list(map(self.add, texts))
        number = self.number
        numbers = [number.setdefault(text, len(number)) for text in texts]
        self.of.extend(islice(number, len(self.of), None))
        return numbers

    def low(self, text: str) -> str:
        """A text in lower case, lowered once."""
        known = self._low.get(text)
        if known is None:
            known = self._low[text] = lowered(text)
        return known

    def inherit(self, text: str, part: str) -> None:
        """Takes the lower case of a text's beginning or end from the text's, where that is known letter by letter."""
        low = self._low.get(text)
        if low is None or part in self._low or len(low) != len(text) or not (low.isascii() or "Σ" not in text):
            return  # İ lowers to two characters, Σ by what follows it
        if text.startswith(part):
            self._low[part] = low[: len(part)]
        elif text.endswith(part):
            self._low[part] = low[len(text) - len(part) :]

    def holds(self, sign: str, number: int) -> bool:
        """Whether a text holds a lower-case sign, ignoring case."""
        known = self._holding.setdefault(sign, {})
        present = known.get(number)
        if present is None:
            low = self.low(self.of[number])
            present = known[number] = sign[0] in low and sign in low
        return present
