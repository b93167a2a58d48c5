"""Under which form a whole answer, or a part of it, is the truth, both of them texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Hashable, Mapping

from . import words
from .names import clock_of, date_of, holds_date, holds_name, same_acronym, same_name
from .numbers import NUMBER_WORDS
from .words import bare

MOST_WORDS = 8  # of a truth that is looked for in an answer
Plain = Callable[[str], str]

# Each goes on from the one before.
PLAINER: Mapping[str, Plain] = {
    "case": words.caseless,
    "unicode": words.modern,
    "punctuation": words.unpunctuated,
    "articles": words.without_articles,
    "diacritics": words.unmarked,
}


def _by_word(change: Plain) -> Plain:
    return lambda text: " ".join(map(change, bare(text).split()))


def _spacing(text: str) -> str | None:
    plain = bare(text)
    return None if re.search(r"\d", plain) else plain.replace(" ", "")


def _and(text: str) -> str:
    return " ".join(word for word in bare(text).split() if word not in ("&", "and"))


def _roman(text: str) -> str | None:
    plain = bare(text).split()
    return " ".join(map(words.roman_word, plain)) if len(plain) > 1 else None


def _order(text: str) -> str | None:
    plain = bare(text)
    return None if re.search(r"\d", plain) else " ".join(sorted(plain.split()))


# What each form makes of a text; two texts of one value are the same. In the order of trust.
VALUES: Mapping[str, Callable[[str], Hashable | None]] = {
    "lead_in": words.without_lead_in,
    "parentheses": words.without_brackets,
    "spacing": _spacing,
    "and": _and,
    "roman": _roman,
    "words": _by_word(words.number_word),
    "plural": _by_word(words.singular),
    "date": date_of,
    "clock": clock_of,
    "order": _order,
}
PAIRS: Mapping[str, Callable[[str, str], bool]] = {"initials": same_name, "acronym": same_acronym}


def text_form(answer: str, truth: str) -> str | None:
    """The form under which a whole answer is the truth."""
    one, other = answer.strip(), truth.strip()
    if not one or not other:
        return None
    if one == other:
        return "equal"
    for form, plain in PLAINER.items():
        one, other = plain(one), plain(other)
        if one and one == other:
            return form
    for form, value_of in VALUES.items():
        value = value_of(answer)
        if value and value == value_of(truth):
            return form
    return next((form for form, same in PAIRS.items() if same(answer, truth)), None)


def text_value(form: str, text: str) -> Hashable | None:
    """What a form of whole texts makes of one; None where it says nothing of it."""
    if form in VALUES:
        return VALUES[form](text) or None
    if form not in PLAINER:
        return None
    plain = text.strip()
    for name, plainer in PLAINER.items():
        plain = plainer(plain)
        if name == form:
            break
    return plain or None


def inside_form(answer: str, truth: str) -> str | None:
    """The form under which whole words of an answer are the truth."""
    plain, wanted = bare(answer), bare(truth)
    sought = wanted.split()
    n = len(sought)
    if not 0 < n <= MOST_WORDS:
        return None
    if f" {wanted} " in f" {plain} ":
        return "inside"
    numbers = any(map(str.isdecimal, map(words.number_word, sought)))  # other words stay as they are
    if numbers and _holds(plain, sought, words.number_word, words.number_parts):
        return "inside_words"
    if n > 1 and len(wanted) >= 7 and not re.search(r"\d", wanted) and _spaced(plain, sought):
        return "inside_spacing"
    if holds_date(answer, date_of(truth)):
        return "inside_date"
    if n > 1 and re.search("[A-Z]", truth) and holds_name(answer, truth):
        return "inside_initials"
    if (n > 1 or len(wanted) > 5) and _holds(plain, sought, words.singular, words.singular_parts):
        return "inside_plural"
    return None


def _holds(plain: str, sought: list[str], change: Plain, parts_of: Callable[[str], tuple[str, ...]]) -> bool:
    """Whether changed words are among the changed ones of a text; `parts_of` is to find quickly that they are not."""
    wanted = list(map(change, sought))
    if not all(any(part in plain for part in parts_of(word)) for word in wanted):
        return False
    return f" {' '.join(wanted)} " in f" {' '.join(map(change, plain.split()))} "


def _spaced(plain: str, sought: list[str]) -> bool:
    """Whether one word more or less is written in the same letters."""
    wanted, n = "".join(sought), len(sought)
    if wanted not in plain.replace(" ", ""):
        return False
    parts = plain.split()
    return any("".join(parts[i : i + k]) == wanted for k in (n - 1, n + 1) for i in range(len(parts) - k + 1))


def beside_numbers(text: str) -> set[str]:
    """The plain words of a text that name no number."""
    plain = {words.singular(word) for word in bare(text.replace("-", " ")).split() if word not in NUMBER_WORDS}
    return {word for word in plain if not any(map(str.isdigit, word))}


def part_of_truth(answer: str, truth: str) -> bool:
    """Whether an answer is part of the truth, at least half of its words."""
    parts, whole = bare(answer).split(), bare(truth).split()
    return 0 < len(whole) <= 2 * len(parts) < 2 * len(whole) and f" {' '.join(parts)} " in f" {' '.join(whole)} "


_SCRIPT = re.compile(r"[^\W\d_]")


def other_script(answer: str, truth: str) -> bool:
    """Whether an answer has letters, and none in a script of the truth."""
    own, wanted = _scripts(answer), _scripts(truth)
    return bool(own and wanted) and own.isdisjoint(wanted)


def _scripts(text: str) -> set[str]:
    if text.isascii():
        return {"LATIN"} if _SCRIPT.search(text) else set()
    return {unicodedata.name(letter, "").partition(" ")[0] for letter in set(_SCRIPT.findall(text))} - {""}
