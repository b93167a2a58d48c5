"""Steps that rewrite words, marks and numbers by what is around them."""

from __future__ import annotations

import re
from functools import cached_property
from typing import ClassVar

from auditfw.core.errors import UsageError
from auditfw.formulas.markers import canonical, first_value
from auditfw.kinds.registry import declare

_DOTTED = re.compile(r"\b(?:[a-z]\.)+[a-z]\b")
# A dot is dropped exactly when a single letter is on either side. The dot comes first in the pattern, so that it
# can be searched for.
_DROPPED_DOT = re.compile(r"\.(?<=\b[a-z]\.)(?=[a-z]\b)")


@declare("step", "undot")
class Undot:
    """Removes the dots of lower-case abbreviations, so that d.c. becomes dc."""

    native: ClassVar[tuple[object, ...]] = ("undot",)

    def __call__(self, text: str) -> str:
        return _DOTTED.sub(lambda match: match[0].replace(".", ""), text)

    def fast(self, text: str) -> str:
        return _DROPPED_DOT.sub("", text)


@declare("step", "remove_words")
class RemoveWords:
    """Replaces whole words, by default the English articles, with a space."""

    words: tuple[str, ...] = ("a", "an", "the")

    def __post_init__(self) -> None:
        if not self.words or "" in self.words:
            raise UsageError("words", "expected words that are not empty", list(self.words), 'write words: ["the"]')

    @property
    def native(self) -> tuple[object, ...]:
        """The step in the form the native kernel takes."""
        return ("words", self._longest_first)

    @property
    def _longest_first(self) -> tuple[str, ...]:
        return tuple(sorted(self.words, key=len, reverse=True))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = "|".join(map(re.escape, self._longest_first))
        return re.compile(rf"(?<!\w)(?:{words})(?!\w)")

    def __call__(self, text: str) -> str:
        return self._pattern.sub(" ", text)


_MARKDOWN = (
    (re.compile(r"(?m)^[ \t]*(?:```|~~~)[^\n]*\n?"), ""),
    (re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)"), r"\1"),
    (re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+"), ""),
    (re.compile(r"(?m)^[ \t]*(?:>[ \t]?)+"), ""),
    (re.compile(r"(?m)^[ \t]*[-*+][ \t]+"), ""),
    (re.compile(r"(?<!`)`+([^`\n]+)`+"), r"\1"),
    (re.compile(r"\*{1,3}(?=[^\s*])([^*\n]*[^\s*])\*{1,3}"), r"\1"),
    (re.compile(r"(?<!\w)_{1,3}(?=[^\s_])([^_\n]*[^\s_])_{1,3}(?!\w)"), r"\1"),
    (re.compile(r"~~(?=\S)([^~\n]+)~~"), r"\1"),
)


@declare("step", "strip_markdown")
class StripMarkdown:
    """Removes Markdown marks: of bold, italics, code, headings, quotes, bullets and links only the text is kept.

    The numbers of a numbered list stay, because they may be the answer; so do underscores inside words, and fenced
    code.
    """

    def __call__(self, text: str) -> str:
        for pattern, by in _MARKDOWN:
            text = pattern.sub(by, text)
        return text


@declare("step", "number")
class Number:
    """Keeps the first number in plain form, without currency signs, commas or per cent; "" if there is none.

    18.00 becomes 18, $1,000 becomes 1000, 3/4 becomes 0.75.
    """

    family: ClassVar[str] = "first_number"

    def __call__(self, text: str) -> str:
        value = first_value(text)
        return "" if value is None else canonical(value)
