"""The matcher of Inspect AI's scorer match."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import ClassVar, Literal

from auditfw.formulas.texts.inspect_numbers import likely_numbers, number_of, number_of_2025
from auditfw.kinds.registry import declare

Location = Literal["end", "begin", "any", "exact"]

_EDGES = string.whitespace + string.punctuation
_ESCAPED = re.compile(r"\\([$,£€*_])")
_FORMAT = re.compile(r"[$,£€*_]")
_DOT = re.compile(r"\.(?!\d)")
_SHORT = 24  # characters of the words that are looked up


@declare("matcher", "inspect_match")
class InspectMatch:
    """Accepts what the scorer match of Inspect AI accepts: a completion that ends with the target, by default.

    Case is folded, and white space and ASCII punctuation at both ends of completion and target are ignored. `location`:
    where the target must be; "exact" means the whole completion. `numeric`: if the target is a number, the first number
    at that location is compared with it, both rounded to five digits. Without `escapes` a sign behind a backslash hides
    its number, as until 0.3.252; without `trimmed` so do brackets and marks of sentences, as until 0.3.260.

    Source: `match` of inspect_ai/scorer/_match.py and `match_str` of inspect_ai/scorer/_common.py
    (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    compares_empty: ClassVar[bool] = True

    location: Location = "end"
    ignore_case: bool = True
    numeric: bool = False
    escapes: bool = True
    trimmed: bool = True

    @property
    def family(self) -> str:
        """How it compares: all of a completion or its number, else the truth somewhere in it."""
        return "equality" if self.numeric or self.location == "exact" else "containment"

    def __call__(self, answer: str, truth: str) -> bool:
        wanted, number = _wanted(truth, self.ignore_case, self.numeric, self.escapes, self.trimmed)
        if number:
            return number in self._numbers(answer)
        return _stands(_folded(answer, self.ignore_case).strip(_EDGES), wanted, self.location)

    def _numbers(self, text: str) -> Iterator[str]:
        """The numbers of a completion that count at a location: one or none, all for "any"; case makes no difference.

        Signs and dots are taken from each word by itself: what goes is never white space, nor does it depend on any.
        """
        if self.location == "exact":
            numbers = iter([_number(text.strip(), self.escapes, trimmed=False)])
        else:
            words = likely_numbers(text, backwards=self.location == "end")
            read = ((word, _known if len(word) <= _SHORT else _number) for word in words)
            numbers = (number(word, self.escapes, self.trimmed) for word, number in read)
        found = filter(None, numbers)
        return found if self.location == "any" else islice(found, 1)


def _folded(text: str, ignore_case: bool) -> str:
    return text.strip().casefold() if ignore_case else text.strip()


@lru_cache(maxsize=65536)
def _wanted(truth: str, ignore_case: bool, numeric: bool, escapes: bool, trimmed: bool) -> tuple[str, str]:
    """A target without what does not count, and the number that it is, else ""."""
    text = _folded(truth, ignore_case)
    if numeric:
        text = _unformatted(text, escapes)
        value = number_of(text, trimmed)
        if value is not None:
            return text, _rounded(value)
    return text.strip(_EDGES), ""


def _unformatted(text: str, escapes: bool) -> str:
    """A text without signs of money, thousands and Markdown, and without the dots that are in no number."""
    return _bare(_ESCAPED.sub(r"\1", text) if escapes else text)


def _rounded(value: float) -> str:
    return format(value, ".5g")


def _number(word: str, escapes: bool, trimmed: bool) -> str:
    """The number that a word is, else ""."""
    value = number_of(_unformatted(word, escapes), trimmed)
    return "" if value is None else _rounded(value)


_known = lru_cache(maxsize=65536)(_number)


def _stands(text: str, wanted: str, location: Location) -> bool:
    if location == "end":
        return text.endswith(wanted)
    if location == "begin":
        return text.startswith(wanted)
    return text == wanted if location == "exact" else wanted in text


@declare("matcher", "inspect_match_numeric_2025")
class InspectMatchNumeric2025:
    """Accepts what match(numeric=True) of Inspect AI accepted in 2025: the last number is the target or ends with it.

    Only a target of digits alone, without sign or decimals, counted as a number; else texts were compared. So 25
    matched 5.

    Source: `match_str` of inspect_ai/scorer/_common.py (github.com/UKGovernmentBEIS/inspect_ai, release 0.3.130).
    """

    family: ClassVar[str] = "equality"

    compares_empty: ClassVar[bool] = True

    location: Location = "end"
    ignore_case: bool = True

    def __call__(self, answer: str, truth: str) -> bool:
        text, wanted = answer.strip(), truth.strip()
        if self.ignore_case:
            text, wanted = text.casefold(), wanted.casefold()
        if wanted.isnumeric():
            text, wanted = self._number(text), _rounded_2025(wanted)
        else:
            text, wanted = text.strip(_EDGES), wanted.strip(_EDGES)
        return _stands(text, wanted, self.location)

    def _number(self, text: str) -> str:
        """The number of a completion that counts, else the word where it was looked for first."""
        if self.location in ("any", "exact"):
            bare = _bare(text)
            return bare if self.location == "any" else _rounded_2025(bare)
        words = map(_bare, likely_numbers(text, backwards=self.location == "end"))
        first = next(words, "")
        return _rounded_2025(next((word for word in chain([first], words) if word.replace(".", "").isnumeric()), first))


def _bare(text: str) -> str:
    return _DOT.sub("", _FORMAT.sub("", text))


def _rounded_2025(word: str) -> str:
    value = number_of_2025(word)
    return word if value is None else format(value, ".5g")
