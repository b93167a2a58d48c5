"""Whether an answer stands in the text it was taken from, and which options of its question both of them name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from auditfw.formulas.markers import NUMBER

from .canonical import ascii_digits, bare, letter_form, number_form, yes_no_form
from .options import OPTIONS
from .truth_kinds import Kind

AFTER = 200  # characters from a letter on in which the text of its option stands
SEVERAL = 254  # no option is named, or several are
_FRACTION = re.compile(r"\\[dt]?frac\s*\{?([0-9]+)\}?\s*\{?([0-9]+)\}?|(?<![\w./])([0-9]+)\s?/\s?([0-9]+)(?![\w/])")
_LEADING_LETTER = re.compile(r"\s*\(?([A-J])(?:[).:]|\s*\Z)")


_YES_NO = re.compile(r"(?<!\w)(?:yes|no|true|false)(?!\w)", re.IGNORECASE)
# A letter that stands alone, and is no article: that is a capital at the start of a sentence alone.
_LONE = re.compile(r"(?<![A-Za-z'’])([B-HJ]|(?<=[a-z,;:] )A|[AI](?![^\S\n]+[a-z]))(?![A-Za-z'’])|\(([a-j])\)")
_bare = lru_cache(maxsize=1 << 14)(bare)


def stands_in(answer: str, text: str, kind: Kind, options: Sequence[str] = ()) -> bool:
    """Whether a text holds the number, the letter, the yes or no that an answer is, or the text of the letter's option.

    An answer that is none of these stands in no text.
    """
    if kind == "number":
        return _as_written(answer.strip(), text) or number_form(answer) in _numbers(text)
    if kind == "letter":
        return _letter_in(letter_form(answer), text, options)
    word = yes_no_form(answer)
    return bool(word) and word in map(str.casefold, _YES_NO.findall(text))


def _as_written(answer: str, text: str) -> bool:
    """Whether an answer stands in a text as it is written, and not within a longer number."""
    at = text.rfind(answer)
    if at < 0:
        return False
    before, after = text[at - 1 : at] if at else "", text[at + len(answer) : at + len(answer) + 2]
    return not (before.isdecimal() or before in (".", ",") or after[:1].isdecimal() or after[1:].isdecimal())


def _numbers(text: str) -> set[str]:
    """The forms of all numbers and fractions of a text, each without its minus too, which may be a dash."""
    text = ascii_digits(text)
    forms = {number_form(number) for number in {match[0] for match in NUMBER.finditer(text)}}
    forms |= {number_form("/".join(filter(None, match.groups()))) for match in _FRACTION.finditer(text)}
    return forms | {form.lstrip("-") for form in forms}


def _letter_in(letter: str, text: str, options: Sequence[str]) -> bool:
    if not letter:
        return False
    if _places_of(letter, text) or letter_form(text) == letter:
        return True
    place = OPTIONS.find(letter)
    option = _bare(options[place]) if 0 <= place < len(options) else ""
    return bool(option) and f" {option} " in f" {bare(text)} "


def _places_of(letter: str, text: str) -> list[int]:
    """Where a letter stands alone."""
    return [match.start() for match in _LONE.finditer(text) if (match[1] or match[2].upper()) == letter]


def option_places(answer: str, text: str, stored: str, options: Sequence[str], kind: Kind) -> tuple[int, int]:
    """The place of the option whose letter an answer names, and of the one whose text stands beside the letter.

    That is in what follows the letter in the text, else in the stored answer.
    """
    lead = _LEADING_LETTER.match(answer)
    letter = letter_form(answer) if kind == "letter" else lead[1] if lead else ""
    place = OPTIONS.find(letter) if letter else len(options)
    named = place if 0 <= place < len(options) else SEVERAL
    places = _places_of(letter, text) if letter else []
    by_text = _option_in(text[places[-1] : places[-1] + AFTER], options) if places else SEVERAL
    return named, by_text if by_text != SEVERAL else _option_in(stored, options)


def _option_in(text: str, options: Sequence[str]) -> int:
    """The place of the only option whose text stands in a text; one within another that stands there does not count."""
    words, texts = f" {bare(text)} ", [f" {_bare(option)} " for option in options]
    there = [i for i, option in enumerate(texts) if option.strip() and option in words]
    longest = [i for i in there if not any(texts[i] in texts[j] and texts[i] != texts[j] for j in there)]
    return longest[0] if len(longest) == 1 else SEVERAL
