"""Matchers: does a normalised answer agree with a normalised truth?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from auditfw.core.errors import UsageError
from auditfw.core.records import Refusal
from auditfw.formulas.markers import (
    ALPHABET,
    OPTIONS,
    first_value,
    last_number,
    mentioned,
    option_beyond,
    option_letter,
)
from auditfw.kinds.registry import register

Test = Callable[[str], bool]
# Tokens, the characters that may stand between them beside white space, and whether word boundaries are wanted.
Shape = tuple[tuple[str, ...], frozenset[str], bool]
# The same, and whether the tokens are the whole text: but for blanks at its ends (1), or to the letter (2).
WholeShape = tuple[tuple[str, ...], frozenset[str], bool, int]


def short(truth: str) -> bool:
    """Is a truth so short, or a number, that it must stand between boundaries?"""
    return len(truth) <= 4 or truth.isdigit()


def bounded(truth: str) -> tuple[str, str, str]:
    """The three patterns of which a short truth must fulfil one."""
    g = re.escape(truth)
    return rf"^{g}(?:\b|$)", rf"\b{g}\b", rf"(?:^|\b){g}$"


@register("matcher", "containment")
@dataclass(frozen=True)
class Containment:
    """Looks for the truth in the answer; a short or numeric truth must stand between word boundaries."""

    def __call__(self, answer: str, truth: str) -> bool:
        if short(truth):
            return any(re.search(pattern, answer) for pattern in bounded(truth))
        return truth in answer

    def needle(self, truth: str, blanks: frozenset[str] | None) -> Test:
        """A test on texts of which runs of blanks and white space still stand as they are."""
        return _needle(truth, blanks)

    def shape(self, truth: str, blanks: frozenset[str] | None) -> Shape | None:
        """What such a test looks for, where that can be told as tokens."""
        return _shape(truth, blanks)


@lru_cache(maxsize=65536)
def _needle(truth: str, blanks: frozenset[str] | None) -> Test:
    shape = _shape(truth, blanks)
    if shape is None:
        return _searched(truth, lambda: _any_bounded(truth)) if blanks is None else _tailing(truth, _gap(blanks))
    tokens, gap, boundaries = shape
    return _substring(truth) if not boundaries and len(tokens) == 1 else _phrase(tokens, gap, boundaries)


def _shape(truth: str, blanks: frozenset[str] | None) -> Shape | None:
    boundaries = short(truth)
    if boundaries and not _worded(truth):
        return None
    if blanks is None:
        return (truth,), frozenset(), boundaries
    return (tuple(truth.split(" ")), blanks, boundaries) if _tailed(_gap(blanks), truth) == truth else None


@lru_cache(maxsize=256)
def _gap(blanks: frozenset[str]) -> str:
    """The pattern of a run of blanks."""
    return rf"[\s{re.escape(''.join(sorted(blanks)))}]+"


def _phrase(tokens: Sequence[str], blanks: frozenset[str], boundaries: bool) -> Test:
    """Looks for tokens with runs of blanks between them; with boundaries no word character may stand beside them.

    Walking on from each place of the longest token is as quick as a regular expression, and needs no compiling: there
    are thousands of truths.
    """
    anchor = max(range(len(tokens)), key=lambda i: len(tokens[i]))
    literal, before, after = tokens[anchor], tokens[:anchor][::-1], tokens[anchor + 1 :]

    def test(text: str) -> bool:
        at = text.find(literal)
        while at >= 0:
            start, end = at, at + len(literal)
            for token in before:
                start = _step_back(text, start, token, blanks)
            for token in after:
                end = _step_on(text, end, token, blanks)
            if start >= 0 and end >= 0 and not (boundaries and _touched(text, start, end, blanks)):
                return True
            at = text.find(literal, at + 1)
        return False

    return test


def _step_on(text: str, at: int, token: str, blanks: frozenset[str]) -> int:
    """Where a token ends that stands after a run of blanks at this place, or -1."""
    start = _past_blanks(text, at, blanks) if at >= 0 else at
    return start + len(token) if start > at and text.startswith(token, start) else -1


def _step_back(text: str, at: int, token: str, blanks: frozenset[str]) -> int:
    """Where a token begins that stands before a run of blanks that ends at this place, or -1."""
    end = at
    while end > 0 and (text[end - 1] in blanks or text[end - 1].isspace()):
        end -= 1
    return end - len(token) if 0 <= end < at and text.endswith(token, 0, end) else -1


def _touched(text: str, start: int, end: int, blanks: frozenset[str]) -> bool:
    """Whether a word character that is no blank stands right before or right after a stretch."""
    beside = (text[start - 1 : start], text[end : end + 1])
    return any(c and _word(c) and c not in blanks for c in beside)


def _tailed(gap: str, text: str) -> str:
    return re.sub(gap, " ", text).strip()


def _word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _worded(truth: str) -> bool:
    """Do word characters stand at both ends? Then the three patterns are one: no word character on either side."""
    return truth != "" and _word(truth[0]) and _word(truth[-1])


def _any_bounded(truth: str) -> str:
    return "|".join(bounded(truth))


def _substring(truth: str) -> Test:
    return lambda text: truth in text


def _searched(literal: str, make: Callable[[], str]) -> Test:
    """A search that is compiled when the literal, without which it cannot succeed, is met for the first time."""
    search: Callable[[str], re.Match[str] | None] | None = None

    def test(text: str) -> bool:
        nonlocal search
        if literal not in text:
            return False
        if search is None:
            search = re.compile(make()).search
        return search(text) is not None

    return test


def _tailing(truth: str, gap: str) -> Test:
    """The definition itself, for a truth at whose edges a word boundary means something else (50%, c++)."""
    inner = _searched(truth, lambda: _any_bounded(truth)) if short(truth) else _substring(truth)
    longest = max(re.split(gap, truth), key=len)
    tail = re.compile(gap).sub
    return lambda text: longest in text and inner(tail(" ", text).strip())


@register("matcher", "exact")
@dataclass(frozen=True)
class Exact:
    """Wants the answer to be the truth."""

    def __call__(self, answer: str, truth: str) -> bool:
        return answer == truth

    def needle(self, truth: str, blanks: frozenset[str] | None) -> Test:
        """A test on texts of which runs of blanks and white space still stand as they are."""
        if blanks is None:
            return lambda text: text == truth
        gap = _gap(blanks)
        if _tailed(gap, truth) != truth:
            return lambda text: _tailed(gap, text) == truth
        return _whole(tuple(truth.split(" ")), blanks)

    def shape(self, truth: str, blanks: frozenset[str] | None) -> WholeShape | None:
        """What such a test looks for, where that can be told as tokens."""
        if blanks is None:
            return (truth,), frozenset(), False, 2
        return (tuple(truth.split(" ")), blanks, False, 1) if _tailed(_gap(blanks), truth) == truth else None


def _whole(tokens: Sequence[str], blanks: frozenset[str]) -> Test:
    """Wants a text to be these tokens with runs of blanks between them, and at most blanks at its ends.

    Most texts are told apart by their first word; none has to be normalised.
    """
    first, rest = tokens[0], tokens[1:]

    def test(text: str) -> bool:
        start = _past_blanks(text, 0, blanks)
        if not text.startswith(first, start):
            return False
        end = start + len(first)
        for token in rest:
            end = _step_on(text, end, token, blanks)
        return end >= 0 and _past_blanks(text, end, blanks) == len(text)

    return test


def _past_blanks(text: str, at: int, blanks: frozenset[str]) -> int:
    while at < len(text) and (text[at] in blanks or text[at].isspace()):
        at += 1
    return at


@register("matcher", "prefix")
@dataclass(frozen=True)
class Prefix:
    """Wants the answer to begin with the truth."""

    def __call__(self, answer: str, truth: str) -> bool:
        return answer.startswith(truth)


@register("matcher", "numeric")
@dataclass(frozen=True)
class Numeric:
    """Compares as numbers; undefined where the truth holds none.

    `which` says which of the answer's numbers counts: the first (a fraction, too), the last, or any that is mentioned,
    read so loosely that the digits of .5 count as a 5. Equal is: no further apart than `tolerance`, or than
    `relative` times the truth.
    """

    tolerance: float = 0.0
    relative: float = 0.0
    which: Literal["first", "last", "any"] = "first"

    def __post_init__(self) -> None:
        for setting in ("tolerance", "relative"):
            if getattr(self, setting) < 0:
                raise UsageError(setting, "must not be below 0", getattr(self, setting), "write 0 for exact equality")

    def __call__(self, answer: str, truth: str) -> bool | None:
        wanted = first_value(truth)
        if wanted is None:
            return None
        room = max(Decimal(repr(self.tolerance)), abs(wanted) * Decimal(repr(self.relative)))
        return any(value == wanted or abs(value - wanted) <= room for value in self._values(answer))

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that holds no number, None otherwise."""
        return Refusal("hold no number") if first_value(truth) is None else None

    def _values(self, answer: str) -> list[Decimal]:
        if self.which == "any":
            return list(mentioned(answer))
        value = first_value(answer if self.which == "first" else last_number(answer))
        return [] if value is None else [value]


@register("matcher", "choice")
@dataclass(frozen=True)
class Choice:
    """Compares the letters of the options chosen; a truth that names none, or one beyond `letters`, is not read."""

    letters: str = OPTIONS

    def __post_init__(self) -> None:
        if not (self.letters.isascii() and self.letters.isalpha()):
            raise UsageError("letters", "expected the letters of the options", self.letters, "write letters: ABCDE")

    def __call__(self, answer: str, truth: str) -> bool | None:
        wanted, _ = _wanted(truth, self.letters)
        return option_letter(answer, self.letters) == wanted if wanted else None

    def refuses(self, truth: str) -> Refusal | None:
        """What is wrong with a truth that names no option, or one beyond `letters`; None otherwise."""
        wanted, beyond = _wanted(truth, self.letters)
        if wanted:
            return None
        if not beyond:
            return Refusal("name no option")
        why = f"name an option beyond audit.matcher.letters={self.letters}"
        return Refusal(why, "letters", _with(self.letters.upper(), beyond))


@lru_cache(maxsize=65536)
def _wanted(truth: str, letters: str) -> tuple[str, str]:
    """The option that a truth names, or that beyond the letters."""
    beyond = option_beyond(truth, letters)
    return ("", beyond) if beyond else (option_letter(truth, letters), "")


def _with(letters: str, letter: str) -> str:
    """The letters, and those up to another one where they are the first of the alphabet."""
    first = ALPHABET[: ALPHABET.index(letter) + 1]
    return first if ALPHABET.startswith(letters) else "".join(sorted({*letters, letter}))
