"""Parsers of options: the text of a chosen one, and letters of indices, options and texts."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar, Literal

from auditfw.formulas.texts.inspect_numbers import option_names
from auditfw.formulas.texts.options import OPTIONS
from auditfw.kinds.registry import declare
from auditfw.kinds.text import beside

CHOICES = "choices"


@declare("parser", "choice_text")
class ChoiceText:
    """Keeps the letter of the option whose text occurs in the answer, in any case; of several the last and longest.

    The column `choices` holds the options: a list of texts in the order of their letters (A to Z, then 1, 2 …), or a
    JSON list. An option must not be part of a longer word or number. `gives: text` keeps the text of the option
    instead.
    """

    needs: ClassVar[tuple[str, ...]] = (CHOICES,)
    family: ClassVar[str] = "last_letter"

    gives: Literal["letter", "text"] = "letter"
    column: Literal["raw_text", "parsed_text"] = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        options = options_of(beside(text).get(CHOICES))
        words = _words(str(text)) if text else ""
        ends = [(*_last(words, _words(option)), -i) for i, option in enumerate(options)]
        end, _, place = max(ends, default=(-1, 0, 0))
        if end < 0:
            return ""
        return options[-place] if self.gives == "text" else option_names(len(options))[-place]


def options_of(value: Any) -> Sequence[str]:
    """The texts of the options in a column: a list, one written as JSON, or an object with the list `text`."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ()
    if isinstance(value, Mapping):
        value = value.get("text")
    return [str(option) for option in value] if isinstance(value, list | tuple) else ()


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    return " ".join(text.casefold().split())


def _last(words: str, option: str) -> tuple[int, int]:
    """Where an option occurs for the last time, as its end and its length; -1 where it does not."""
    edges = r"(?<!\w)" * option[:1].isalnum(), r"(?!\w)" * option[-1:].isalnum()
    places = [match.end() for match in re.finditer(re.escape(option).join(edges), words)] if option else []
    return (places[-1] if places else -1, len(option))


_INDEX = re.compile(r"\s*(\d{1,2})(?:\.0+)?\s*")
_LETTER = re.compile(r"\s*\(?([A-Za-z])\)?\.?\s*")
_ARTICLES = frozenset({"a", "an", "the"})


@declare("parser", "letter_of_index")
class LetterOfIndex:
    """Gives the letter of the option whose number the truth is: A for 0, or for 1 where `base` is 1.

    By default 0 is the first number where any truth of the run is 0, else 1. A truth that is no such number stays.
    """

    family: ClassVar[str] = "whole"

    base: Literal[0, 1] | None = None
    column: Literal["raw_text", "parsed_text"] = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        written = str(text) if text else ""
        match = _INDEX.fullmatch(written)
        place = int(match[1]) - (self.base or 0) if match else -1
        return OPTIONS[place] if 0 <= place < len(OPTIONS) else written

    def fitted(self, truths: Iterable[str]) -> LetterOfIndex:
        """The same with the number of the first option, where it is not set."""
        if self.base is not None:
            return self
        matches = map(_INDEX.fullmatch, truths)
        return replace(self, base=0 if any(match is not None and int(match[1]) == 0 for match in matches) else 1)


@declare("parser", "letter_of_option")
class LetterOfOption:
    """Gives the letter of the option whose text the truth is, in any case, without articles and punctuation.

    The column `choices` holds the options, as in choice_text. A truth that is the text of none, or of several, stays.
    """

    needs: ClassVar[tuple[str, ...]] = (CHOICES,)
    family: ClassVar[str] = "whole"

    column: Literal["raw_text", "parsed_text"] = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        written = str(text) if text else ""
        options = options_of(beside(text).get(CHOICES))
        for same in (str.strip, bare):
            places = [place for place, option in enumerate(options) if same(option) == same(written) != ""]
            if len(places) == 1:
                return option_names(len(options))[places[0]]
        return written


@declare("parser", "option_of_letter")
class OptionOfLetter:
    """Gives the text of the option whose letter the truth is, as (A) too; a truth that is none stays.

    The column `choices` holds the options, as in choice_text.
    """

    needs: ClassVar[tuple[str, ...]] = (CHOICES,)
    family: ClassVar[str] = "whole"

    column: Literal["raw_text", "parsed_text"] = "raw_text"
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        written = str(text) if text else ""
        options = options_of(beside(text).get(CHOICES))
        match = _LETTER.fullmatch(written)
        place = ord(match[1].upper()) - ord("A") if match else -1
        return options[place] if 0 <= place < len(options) else written


@lru_cache(maxsize=4096)
def bare(text: str) -> str:
    """A text by its words: in any case, without punctuation and articles."""
    words = re.sub(r"[^\w']+", " ", unicodedata.normalize("NFKC", text).casefold()).split()
    return " ".join(word for word in words if word not in _ARTICLES)
