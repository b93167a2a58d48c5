"""Parsers of truths that name an option in another way than the answers do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Literal

from auditfw.formulas.texts.inspect_numbers import option_names
from auditfw.formulas.texts.options import OPTIONS
from auditfw.kinds.registry import declare
from auditfw.kinds.text import beside

from .choice_text import CHOICES, options_of

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
