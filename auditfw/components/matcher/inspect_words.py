"""The matcher of Inspect AI's scorers exact and f1, which compare normalised words."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from functools import lru_cache
from typing import ClassVar, Literal

from auditfw.core.errors import UsageError
from auditfw.kinds.registry import declare

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_MARKS = str.maketrans("", "", string.punctuation)
_EDGES = string.whitespace + string.punctuation


@declare("matcher", "inspect_words")
class InspectWords:
    """Accepts what the scorers exact and f1 of Inspect AI accept: words without case, articles and ASCII punctuation.

    Words are divided by blanks and hyphens; one that is a number is its value. `score`: whether they must be the same,
    or F1 counts, which must reach `threshold`. Without `trimmed` punctuation around a number hides it, as it did until
    0.3.252. `repeats` says that words count as often as they occur, and for "exact" in their order: not until 0.3.252
    (f1: 0.3.269). With `bare`, as until 0.3.276, a target of which nothing is left is compared, too.

    Source: `max_exact_score` and `max_f1_score` of inspect_ai/scorer/_classification.py
    (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615; earlier: releases 0.3.252, 0.3.269 and 0.3.276).
    """

    family: ClassVar[str] = "equality"

    compares_empty: ClassVar[bool] = True

    score: Literal["exact", "f1"] = "exact"
    threshold: float = 0.5
    trimmed: bool = True
    repeats: bool = True
    bare: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.threshold <= 1:
            raise UsageError("threshold", "expected a number above 0 and at most 1", self.threshold)

    def __call__(self, answer: str, truth: str) -> bool:
        wanted = _wanted(truth, self.trimmed)
        if not (truth.strip() if self.bare else wanted):
            return False
        words = _words(answer, self.trimmed)
        if self.score == "exact":
            return words == wanted if self.repeats else {*words} == {*wanted}
        return self._f1(words, wanted) >= self.threshold

    def _f1(self, words: list[str], wanted: list[str]) -> float:
        """F1 of two bags of words, to two digits: nothing has a precision and a recall of 1."""
        one, two = (Counter(each if self.repeats else {*each}) for each in (words, wanted))
        both = (one & two).total()
        precision, recall = (both / each.total() if each else 1.0 for each in (one, two))
        return round(2 * precision * recall / (precision + recall), 2) if precision or recall else 0.0


def _words(text: str, trimmed: bool) -> list[str]:
    return [part for word in re.split("[ -]", text) for part in _normalised(word, trimmed).split()]


_wanted = lru_cache(maxsize=65536)(_words)


def _normalised(word: str, trimmed: bool) -> str:
    """A word, or what is between two blanks, without what does not count; it may come to several words, or none."""
    word = word.casefold()
    if not _is_number(word):
        inner = word.strip(_EDGES) if trimmed else ""
        word = inner if _is_number(inner) else word.translate(_MARKS)
    return _ARTICLE.sub(" ", str(float(word)) if _is_number(word) else word)


def _is_number(word: str) -> bool:
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False
