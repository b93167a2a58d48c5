"""The words of a text, written ever more plainly: without case, old signs, punctuation, articles and marks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from auditfw.formulas.texts.options import ALPHABET

from .numbers import ONES

_SIGNS = tuple(zip("’‘“”–—−\u00a0", "''\"\"--- ", strict=True))
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "ß": "ss", "æ": "ae", "œ": "oe", "đ": "d"})
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_TO_TWENTIETH = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {word: str(number) for number, word in enumerate(_TO_TWENTIETH.split(), 1)}
_NAMES_OF = {  # of each number its digits and its names
    digits: (digits, *(name for name, own in (*ONES.items(), *_ORDINALS.items()) if str(own) == digits))
    for digits in map(str, range(21))
}
_NUMERALS = "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi"
_ROMAN = {word: str(number) for number, word in enumerate(_NUMERALS.split(), 1) if len(word) > 1}  # V is a name as well
_APOSTROPHE = re.compile(r"'(?=s?\b)")
# Each begins with the characters that it takes, and looks back over them: so it is found more quickly.
_GROUPS = re.compile(r",(?<=\d,)(?=\d{3}\b)")
_MARKS = '-.,:/;!?"()[]{}*_`~|#\\<>='
_BLANKS, _IN_NUMBERS = str.maketrans(_MARKS, " " * len(_MARKS)), re.compile(r"[-.,:/](?=\.?\d)")
# A point or comma before a digit is punctuation behind a letter alone, as a hyphen is: .5 and -5 are numbers.
_PUNCTUATION = re.compile(
    rf"[{re.escape(_MARKS)}](?:(?<![-.,:/])"
    r"|(?<=[.,])(?:(?!\d)|(?<=[^\W\d].))|(?<=[:/])(?:(?!\d)|(?<!\d.))|(?<=-)(?:(?!\.?\d)|(?<=[^\W\d].)))"
)
_ARTICLES = re.compile(r"[at](?<!\w.)(?:(?<=a)n?|(?<=t)he)\b")
_LEAD_IN = re.compile(
    r"^\W*(?:(?:so|thus|therefore|hence)[,\s]+)?(?:(?:the|my)\s+)?(?:(?:final|correct|best|right)\s+)?"
    r"(?:answer|option|choice|result|solution)(?:\s+(?:is|would be))?\s*[:=]?\s+"
    r"|^\W*(?:it|this|that|they)(?:'s|\s+(?:is|was|are|were))\s+",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*[A-Za-z]{2}[^()]*\)")
_ORDINAL_END = re.compile(r"(\d+)(?:st|nd|rd|th)")


def joined(text: str) -> str:
    """The text with one blank between words."""
    return " ".join(text.split())


def caseless(text: str) -> str:
    """The text without case."""
    return joined(text.casefold())


@lru_cache(maxsize=256)
def modern(text: str) -> str:
    """The text in composed characters, with plain quotes and dashes."""
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKC", text)
    for sign, plain in _SIGNS:
        text = text.replace(sign, plain)
    return text


def unpunctuated(text: str) -> str:
    """The text without punctuation; that of a number stays."""
    return joined(_blanked(text))


def _blanked(text: str) -> str:
    """The text with blanks for punctuation."""
    text = _GROUPS.sub("", _APOSTROPHE.sub("", text))
    if text.isascii() and not _IN_NUMBERS.search(text):  # the same, and quicker
        return text.translate(_BLANKS)
    return _PUNCTUATION.sub(" ", text)


def without_articles(text: str) -> str:
    """The text without English articles."""
    return joined(_ARTICLES.sub(" ", text))


def unmarked(text: str) -> str:
    """The letters without their marks: é is e."""
    if text.isascii():
        return text
    return _BEYOND_ASCII.sub(_letters, unicodedata.normalize("NFKD", text))


def _letters(match: re.Match[str]) -> str:
    return "".join(letter for letter in match[0] if not unicodedata.combining(letter)).translate(_LETTERS)


@lru_cache(maxsize=4_096)
def bare(text: str) -> str:
    """The text without case, marks, punctuation and articles."""
    return without_articles(_blanked(unmarked(modern(text).casefold())))


def without_lead_in(text: str) -> str:
    """The bare text without words that only announce it: The answer is …"""
    return bare(_LEAD_IN.sub("", text))


def without_brackets(text: str) -> str:
    """The bare text without parentheses that hold letters."""
    return bare(_BRACKETS.sub(" ", text))


def roman_word(word: str) -> str:
    """The number of a Roman numeral."""
    return _ROMAN.get(word, word)


@lru_cache(maxsize=16_384)
def number_word(word: str) -> str:
    """The digits of a number in words, or of an ordinal."""
    if word in ONES:
        return str(ONES[word])
    match = _ORDINAL_END.fullmatch(word)
    return _ORDINALS.get(word, word) if match is None else match[1]


def number_parts(word: str) -> tuple[str, ...]:
    """Parts of which every word holds one that `number_word` makes into this one."""
    return _NAMES_OF.get(word, (word,))


@lru_cache(maxsize=16_384)
def singular(word: str) -> str:
    """An English word without the ending of its plural."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def singular_parts(word: str) -> tuple[str, ...]:
    """A part that every word holds of which `singular` makes this one."""
    return (word.removesuffix("y"),)


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
