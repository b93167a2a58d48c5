"""The matcher that wants the answer to be the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from auditfw.kinds.registry import declare

from .blanks import Test, blank_run, collapsed, past_blanks, step_on

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
