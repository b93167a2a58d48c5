"""The matcher of Inspect AI's scorer match(numeric=True) as it was in 2025."""

from __future__ import annotations

import re
import string
from itertools import chain
from typing import ClassVar, Literal

from auditfw.formulas.texts.inspect_numbers import number_of_2025
from auditfw.formulas.texts.words import likely_numbers
from auditfw.kinds.registry import declare

_EDGES = string.whitespace + string.punctuation
_FORMAT = re.compile(r"[$,£€*_]")
_DOT = re.compile(r"\.(?!\d)")


@declare("matcher", "inspect_match_numeric_2025")
class InspectMatchNumeric2025:
    """Accepts what match(numeric=True) of Inspect AI accepted in 2025: the last number is the target or ends with it.

    Only a target of digits alone, without sign or decimals, counted as a number; else texts were compared. So 25
    matched 5.

    Source: `match_str` of inspect_ai/scorer/_common.py (github.com/UKGovernmentBEIS/inspect_ai, release 0.3.130).
    """

    family: ClassVar[str] = "equality"

    compares_empty: ClassVar[bool] = True

    location: Literal["end", "begin", "any", "exact"] = "end"
    ignore_case: bool = True

    def __call__(self, answer: str, truth: str) -> bool:
        text, wanted = answer.strip(), truth.strip()
        if self.ignore_case:
            text, wanted = text.casefold(), wanted.casefold()
        if wanted.isnumeric():
            text, wanted = self._number(text), _rounded(wanted)
        else:
            text, wanted = text.strip(_EDGES), wanted.strip(_EDGES)
        if self.location == "end":
            return text.endswith(wanted)
        if self.location == "begin":
            return text.startswith(wanted)
        return text == wanted if self.location == "exact" else wanted in text

    def _number(self, text: str) -> str:
        """The number of a completion that counts, else the word where it was looked for first."""
        if self.location in ("any", "exact"):
            bare = _unformatted(text)
            return bare if self.location == "any" else _rounded(bare)
        words = map(_unformatted, likely_numbers(text, backwards=self.location == "end"))
        first = next(words, "")
        return _rounded(next((word for word in chain([first], words) if word.replace(".", "").isnumeric()), first))


def _unformatted(text: str) -> str:
    return _DOT.sub("", _FORMAT.sub("", text))


def _rounded(word: str) -> str:
    value = number_of_2025(word)
    return word if value is None else format(value, ".5g")
