"""The letter of the option that a text chooses, by the native kernel where it is built."""

from __future__ import annotations

from auditfw.formulas.markers import ROMAN, option_patterns

from .finders import KeptPart, extract

_LAST = KeptPart(-1, 1)


def quick_option_letter(text: str, letters: str) -> str:
    """The same as `markers.option_letter`."""
    letters = letters.upper()
    options = letters
    if "I" in letters and extract(ROMAN.pattern, text, engine="re"):
        options = letters.replace("I", "")
    for number, (pattern, other) in enumerate(zip(option_patterns(letters), option_patterns(options), strict=True)):
        letter = extract((pattern if number < 2 else other).pattern, text, _LAST, engine="re")
        if letter:
            return letter.upper()
    return ""
