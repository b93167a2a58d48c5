"""Answers that give an option's text where its letter is wanted, or the letter where the text is."""

from __future__ import annotations

import re
from collections.abc import Iterable

from auditfw.formulas.texts.options import ALPHABET

from .words import bare

_LETTER = re.compile(r"\s*\(?([A-Z])\)?[.:]?\s*")


def letter_of(text: str) -> str | None:
    """The letter of an option that a text is, brackets allowed."""
    match = _LETTER.fullmatch(text)
    return None if match is None else match[1]


def letter_by_text(text: str, options: Iterable[str]) -> str | None:
    """The letter of the one option whose text this is."""
    wanted = bare(text)
    letters = [letter for letter, option in zip(ALPHABET, options, strict=False) if bare(option) == wanted]
    return letters[0] if wanted and len(letters) == 1 else None


def choice_form(answer: str, truth: str, options: Iterable[str]) -> str | None:
    """`letter_text`: the answer is the text of the option whose letter is the truth; `text_letter`: the reverse."""
    listed = list(options)
    for form, text, letter in (("letter_text", answer, truth), ("text_letter", truth, answer)):
        wanted = letter_of(letter)
        if wanted is not None and letter_by_text(text, listed) == wanted:
            return form
    return None
