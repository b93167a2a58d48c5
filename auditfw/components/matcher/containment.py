"""The matcher that looks for the truth in the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ClassVar

from auditfw.kinds.registry import declare

from .blanks import Test, blank_run, collapsed, step_on

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
