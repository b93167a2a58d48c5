"""Parsers and normalizers as lists of steps, and how a text's numbers and option letters are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from ..kinds import Step
from ..registry import register


def apply(steps: tuple[Step, ...], text: object) -> str:
    """Sends a value through steps, in order: falsy gives "", anything else goes through `str()` first."""
    if not text:
        return ""
    result = str(text)
    for step in steps:
        result = step(result)
    return result


@register("parser", "steps")
@dataclass(frozen=True)
class ParserSteps:
    """Finds the answer by a list of steps over the raw or the stored text."""

    column: Literal["raw_text", "parsed_text"] = "raw_text"
    steps: tuple[Step, ...] = ()
    only_with: str | None = None

    def __call__(self, text: object) -> str:
        return apply(self.steps, text)


@register("normalizer", "steps")
@dataclass(frozen=True)
class NormalizerSteps:
    """Makes texts comparable by a list of steps."""

    steps: tuple[Step, ...] = ()

    def __call__(self, text: object) -> str:
        return apply(self.steps, text)


# A minus sign counts wherever it touches the number, after a digit too ("10-5" holds 10 and -5): so read the field's
# own parsers. Commas count only between groups of three digits.
_WHOLE = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
_DIGITS = rf"{_WHOLE}|(?<![\w.])\.[0-9]+"
_MENTIONED = re.compile(rf"[-−]?\$?{_WHOLE}")
NUMBER = re.compile(rf"[-−]?\$?(?:{_DIGITS})")
_OVER = re.compile(rf"\s*/\s*\$?({_DIGITS})")
_FRAC = re.compile(r"\\[dt]?frac\s*\{\s*([-−]?[0-9.,]+)\s*\}\s*\{\s*([0-9.,]+)\s*\}")
_DROPPED = str.maketrans({"−": "-", ",": None, "$": None})


def mentioned(text: str) -> Iterator[Decimal]:
    """All numbers of a text, read as loosely as can be: the digits of .5 count as a 5."""
    return (_decimal(found[0]) for found in _MENTIONED.finditer(text))


def last_number(text: str) -> str:
    """The last number of a text as it is written, or ""."""
    last = ""
    for found in NUMBER.finditer(text):
        last = found[0]
    return last


def first_value(text: str) -> Decimal | None:
    """The first number or fraction of a text; None without one, or when it is divided by zero."""
    text = _FRAC.sub(r"\1/\2", text)
    found = NUMBER.search(text)
    if found is None:
        return None
    value = _decimal(found[0])
    over = _OVER.match(text, found.end())
    if over is None:
        return value
    divisor = _decimal(over[1])
    return value / divisor if divisor else None


def canonical(value: Decimal) -> str:
    """A number in its one plain spelling: "18.00" is "18", "-0" is "0"."""
    text = format(value, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _decimal(text: str) -> Decimal:
    return Decimal(text.translate(_DROPPED))


@lru_cache(maxsize=64)
def _option_patterns(letters: str) -> tuple[re.Pattern[str], ...]:
    one = f"[{re.escape(letters.upper())}{re.escape(letters.lower())}]"
    upper = f"[{re.escape(letters.upper())}]"
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"(?i:answer|option|choice)(?i:\s+is|\s*:|\s+)?[\s:*_`$]*(?:\\boxed\{{)?[(\[]?({one})(?![\w'’])(?!\s+[a-z])",
            rf"\A[\W_]*({one})[\W_]*\Z",
            rf"[(\[]({one})[)\]]",
            rf"(?m)^[\s*_`]*({upper})[.):]",
            rf"(?<![\w'’])({upper})(?![\w'’]|\s+[a-z])",
        )
    )


def option_letter(text: str, letters: str) -> str:
    """The option a text chooses, as a capital letter, or "".

    Tried in this order, the last occurrence of each: "answer is (C)"; nothing but the letter; "(C)"; "C." at the
    start of a line; a capital letter by itself that is no article.
    """
    for pattern in _option_patterns(letters):
        last = None
        for found in pattern.finditer(text):
            last = found
        if last is not None:
            return last[1].upper()
    return ""
