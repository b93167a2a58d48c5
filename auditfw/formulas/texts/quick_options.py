"""The letter of the option that a text chooses, by the native kernel where it is built."""

from __future__ import annotations

from functools import lru_cache

from .finders import FILLED, Find, KeptPart, searcher
from .options import FOREIGN, ROMAN, ROMAN_FREE, SENTENCE, latin, option_patterns, without_i

_FIRST, _LAST = KeptPart(0, FILLED), KeptPart(-1, FILLED)


@lru_cache
def quick_option_letter(letters: str) -> Find:
    """What finds the same letter in a text as `options.option_letter`."""
    letters = letters.upper()
    roman = searcher(ROMAN.pattern, engine="re") if "I" in letters else None
    plain = _searches(letters, letters)

    def letter_of(text: str) -> str:
        ascii_only, text = text.isascii(), latin(text)
        searches = _searches(letters, without_i(letters)) if roman is not None and roman(text) else plain
        for number, (search, first) in enumerate(searches):
            letter = "" if ascii_only and number in FOREIGN else search(text)
            if letter and (number < SENTENCE or first(text).upper() == letter.upper()):
                return letter.upper()
        return ""

    return letter_of


@lru_cache
def _searches(letters: str, options: str) -> list[tuple[Find, Find]]:
    """The searches by the patterns of an option, for the last match and the first; no Roman number is like some."""
    patterns = *option_patterns(letters)[:ROMAN_FREE], *option_patterns(options)[ROMAN_FREE:]
    return [(searcher(one.pattern, _LAST, engine="re"), searcher(one.pattern, _FIRST, engine="re")) for one in patterns]
