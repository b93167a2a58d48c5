"""Matchers of texts: the truth is the answer, or somewhere in it; and how they step over runs of blanks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ClassVar

from auditfw.kinds.registry import declare

Test = Callable[[str], bool]


@lru_cache(maxsize=256)
def blank_run(blanks: frozenset[str]) -> str:
    """The pattern of a run of blanks."""
    return rf"[\s{re.escape(''.join(sorted(blanks)))}]+"


def collapsed(gap: str, text: str) -> str:
    """A text with one blank for each such run, and none at its ends."""
    return re.sub(gap, " ", text).strip()


def step_on(text: str, at: int, token: str, blanks: frozenset[str]) -> int:
    """Where a token ends that is after a run of blanks at this place, or -1."""
    start = past_blanks(text, at, blanks) if at >= 0 else at
    return start + len(token) if start > at and text.startswith(token, start) else -1


def past_blanks(text: str, at: int, blanks: frozenset[str]) -> int:
    """Where a run of blanks that begins at this place ends."""
    while at < len(text) and (text[at] in blanks or text[at].isspace()):
        at += 1
    return at


# Tokens, the characters that may be between them beside white space, whether word boundaries are wanted, and whether
# the tokens are the whole text: but for blanks at its ends (1), or to the letter (2).
WholeShape = tuple[tuple[str, ...], frozenset[str], bool, int]


@declare("matcher", "exact")
class Exact:
    """Accepts an answer that equals the truth.

    With `compares_empty` an empty truth is compared, too; without it the trial is undefined.
    """

    family: ClassVar[str] = "equality"

    compares_empty: bool = False

    def __call__(self, answer: str, truth: str) -> bool:
        return answer == truth

    def needle(self, truth: str, blanks: frozenset[str] | None) -> Test:
        """A test on texts of which runs of blanks and white space still are unchanged."""
        if blanks is None:
            return lambda text: text == truth
        gap = blank_run(blanks)
        if collapsed(gap, truth) != truth:
            return lambda text: collapsed(gap, text) == truth
        return _whole(tuple(truth.split(" ")), blanks)

    def shape(self, truth: str, blanks: frozenset[str] | None) -> WholeShape | None:
        """What such a test looks for, where tokens can express it."""
        if blanks is None:
            return (truth,), frozenset(), False, 2
        return (tuple(truth.split(" ")), blanks, False, 1) if collapsed(blank_run(blanks), truth) == truth else None


def _whole(tokens: Sequence[str], blanks: frozenset[str]) -> Test:
    """Wants a text to be these tokens with runs of blanks between them, and at most blanks at its ends.

    Most texts differ in their first word; none has to be normalised.
    """
    first, rest = tokens[0], tokens[1:]

    def test(text: str) -> bool:
        start = past_blanks(text, 0, blanks)
        if not text.startswith(first, start):
            return False
        end = start + len(first)
        for token in rest:
            end = step_on(text, end, token, blanks)
        return end >= 0 and past_blanks(text, end, blanks) == len(text)

    return test


# Tokens, the characters that may be between them beside white space, and whether word boundaries are wanted.
Shape = tuple[tuple[str, ...], frozenset[str], bool]


def short(truth: str) -> bool:
    """Is a truth so short, or a number, that it must be between boundaries?"""
    return len(truth) <= 4 or truth.isdigit()


def bounded(truth: str) -> tuple[str, str, str]:
    """The three patterns of which a short truth must fulfil one."""
    g = re.escape(truth)
    return rf"^{g}(?:\b|$)", rf"\b{g}\b", rf"(?:^|\b){g}$"


@declare("matcher", "containment")
class Containment:
    """Accepts an answer that contains the truth; a short or numeric truth must be between word boundaries."""

    family: ClassVar[str] = "containment"

    def __call__(self, answer: str, truth: str) -> bool:
        if short(truth):
            return any(re.search(pattern, answer) for pattern in bounded(truth))
        return truth in answer

    def needle(self, truth: str, blanks: frozenset[str] | None) -> Test:
        """A test on texts of which runs of blanks and white space still are unchanged."""
        return _needle(truth, blanks)

    def shape(self, truth: str, blanks: frozenset[str] | None) -> Shape | None:
        """What such a test looks for, where tokens can express it."""
        return _shape(truth, blanks)


@lru_cache(maxsize=65536)
def _needle(truth: str, blanks: frozenset[str] | None) -> Test:
    shape = _shape(truth, blanks)
    if shape is None:
        return _searched(truth, lambda: _any_bounded(truth)) if blanks is None else _tailing(truth, blank_run(blanks))
    tokens, gap, boundaries = shape
    return _substring(truth) if not boundaries and len(tokens) == 1 else _phrase(tokens, gap, boundaries)


def _shape(truth: str, blanks: frozenset[str] | None) -> Shape | None:
    boundaries = short(truth)
    if boundaries and not _worded(truth):
        return None
    if blanks is None:
        return (truth,), frozenset(), boundaries
    return (tuple(truth.split(" ")), blanks, boundaries) if collapsed(blank_run(blanks), truth) == truth else None


def _phrase(tokens: Sequence[str], blanks: frozenset[str], boundaries: bool) -> Test:
    """Looks for tokens with runs of blanks between them; with boundaries no word character may be beside them.

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
                end = step_on(text, end, token, blanks)
            if start >= 0 and end >= 0 and not (boundaries and _touched(text, start, end, blanks)):
                return True
            at = text.find(literal, at + 1)
        return False

    return test


def _step_back(text: str, at: int, token: str, blanks: frozenset[str]) -> int:
    """Where a token begins that is before a run of blanks that ends at this place, or -1."""
    end = at
    while end > 0 and (text[end - 1] in blanks or text[end - 1].isspace()):
        end -= 1
    return end - len(token) if 0 <= end < at and text.endswith(token, 0, end) else -1


def _touched(text: str, start: int, end: int, blanks: frozenset[str]) -> bool:
    """Whether a word character that is not a blank is right before or right after a part."""
    beside = (text[start - 1 : start], text[end : end + 1])
    return any(c and _word(c) and c not in blanks for c in beside)


def _word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _worded(truth: str) -> bool:
    """Are there word characters at both ends? Then the three patterns are one: no word character on either side."""
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


@declare("matcher", "substring")
class Substring:
    """Accepts an answer that contains the truth, even inside a word."""

    family: ClassVar[str] = "containment"

    def __call__(self, answer: str, truth: str) -> bool:
        return truth in answer


@declare("matcher", "prefix")
class Prefix:
    """Accepts an answer that begins with the truth.

    With `compares_empty` an empty truth is compared, too; without it the trial is undefined.
    """

    family: ClassVar[str] = "containment"

    compares_empty: bool = False

    def __call__(self, answer: str, truth: str) -> bool:
        return answer.startswith(truth)


@declare("matcher", "suffix")
class Suffix:
    """Accepts an answer that ends with the truth."""

    family: ClassVar[str] = "containment"

    def __call__(self, answer: str, truth: str) -> bool:
        return answer.endswith(truth)
