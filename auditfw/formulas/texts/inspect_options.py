"""The names of options in Inspect AI: A to Z, then 1, 2 and so on.

Source: `answer_character` and `answer_index` of inspect_ai/_util/answer.py and `_score_target` of
inspect_ai/scorer/_choice.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
"""

from __future__ import annotations

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def option_names(options: int) -> list[str]:
    """The names of so many options."""
    return [*LETTERS[:options], *map(str, range(1, options - len(LETTERS) + 1))]


def options_named(text: str) -> int:
    """How many options a text would name: a quick look, before it is known whether all of them are options."""
    return sum(1 if word.isnumeric() else len(word) for word in _words(text))


def option_positions(text: str) -> list[int]:
    """The places of the options that a text names, sorted: letters by themselves, "AB", "A, B" or numbers.

    Raises ValueError for a text that names something else.
    """
    return sorted(map(_position, (name for word in _words(text) for name in ([word] if word.isnumeric() else word))))


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


def _position(name: str) -> int:
    if len(name) == 1 and name.isalpha():
        letter = name.upper()
        if len(letter) == 1:
            return ord(letter) - ord("A")
    elif name.isnumeric() and int(name) > 0:
        return len(LETTERS) - 1 + int(name)
    raise ValueError(f"not an option: {name}")
