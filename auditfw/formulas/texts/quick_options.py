"""The letter of the option that a text chooses, by the native kernel where it is built."""

from __future__ import annotations

from functools import lru_cache

from auditfw.formulas.markers import ROMAN, option_patterns, without_i

from .finders import Find, KeptPart, searcher

_LAST = KeptPart(-1, 1)


@lru_cache
def quick_option_letter(letters: str) -> Find:
    """What finds the same letter in a text as `markers.option_letter`."""
    letters = letters.upper()
    roman = searcher(ROMAN.pattern, engine="re") if "I" in letters else None
    plain, numbered = _searches(letters, letters), _searches(letters, without_i(letters))

    def letter_of(text: str) -> str:
        searches = numbered if roman is not None and roman(text) else plain
        for search in searches:
            letter = search(text)
            if letter:
                return letter.upper()
        return ""

    return letter_of


def _searches(letters: str, options: str) -> list[Find]:
    """The searches by the patterns of an option; the first two are those of all letters, which no number looks like."""
    patterns = *option_patterns(letters)[:2], *option_patterns(options)[2:]
    return [searcher(pattern.pattern, _LAST, engine="re") for pattern in patterns]
