"""The scoring of texts by the characters in common."""

from __future__ import annotations

from typing import Any, Literal

from auditfw.kinds.registry import declare

from .wording import ELSE, shown, unfinished


@declare("scoring", "text")
class TextScoring:
    """Gives the share of characters that two texts have in common, in order: Ratcliff and Obershelp's similarity.

    `blanks` says whether runs of white space count as written ("exact") or as one space, stripped at the ends
    ("collapse"). Texts longer than `max_characters` are only compared for equality.
    """

    blanks: Literal["exact", "collapse"] = "exact"
    ignore_case: bool = False
    max_characters: int = 10_000

    def __call__(self, output: Any, expected: Any) -> float:
        if not isinstance(output, str) or not isinstance(expected, str):
            return 0.0
        text, truth = self._plain(output), self._plain(expected)
        if text == truth:
            return 1.0
        if max(len(text), len(truth)) > self.max_characters:
            return 0.0
        from difflib import SequenceMatcher

        return unfinished(SequenceMatcher(None, text, truth, autojunk=False).ratio())

    def refusal(self, expected: Any) -> tuple[str, str]:
        """Why every output would score 0 against an expected one, and what to do; "" where it is a text."""
        return ("", "") if isinstance(expected, str) else ("is not text", ELSE)

    def _plain(self, text: str) -> str:
        text = " ".join(text.split()) if self.blanks == "collapse" else text
        return text.casefold() if self.ignore_case else text

    def remark(self, output: Any, expected: Any) -> str:
        """What was found and expected, cut short; "" where they are equal."""
        if not isinstance(output, str):
            return f"expected a text, got {shown(output)}"
        return "" if self(output, expected) == 1.0 else f"expected {shown(expected)}, got {shown(output)}"
