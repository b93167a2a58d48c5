"""Steps that find the answer in the ways the field writes it."""

from __future__ import annotations

import re
from functools import cached_property
from typing import ClassVar, Literal

from auditfw.core.errors import UsageError
from auditfw.formulas.markers import NUMBER
from auditfw.formulas.texts.canonical import last_box, quick_last_box
from auditfw.formulas.texts.finders import REST, Find, KeptPart, quick_option_letter, searcher
from auditfw.formulas.texts.options import OPTIONS, announced_first, option_letter
from auditfw.kinds.registry import declare


@declare("step", "last_number")
class LastNumber:
    """Keeps the last number as it is written, with its sign, $, commas, decimals and exponent.

    `currency: drop` takes the $ away.
    """

    family: ClassVar[str] = "last_number"

    currency: Literal["keep", "drop"] = "keep"

    def __call__(self, text: str) -> str:
        last = ""
        for match in NUMBER.finditer(text):
            last = match[0]
        return _priced(last, self.currency)

    @property
    def fast(self) -> Find:
        return _number_search(KeptPart(-1), self.currency)


@declare("step", "first_number")
class FirstNumber:
    """Keeps the first number as it is written, with its sign, $, commas, decimals and exponent.

    `currency: drop` takes the $ away.
    """

    family: ClassVar[str] = "first_number"

    currency: Literal["keep", "drop"] = "keep"

    def __call__(self, text: str) -> str:
        match = NUMBER.search(text)
        return _priced(match[0], self.currency) if match else ""

    @property
    def fast(self) -> Find:
        return _number_search(KeptPart(), self.currency)


def _priced(number: str, currency: str) -> str:
    return number if currency == "keep" else number.replace("$", "")


def _number_search(part: KeptPart, currency: str) -> Find:
    find = searcher(NUMBER.pattern, part, engine="re")
    return find if currency == "keep" else lambda text: _priced(find(text), currency)


_YES_OR_NO = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)


@declare("step", "boxed")
class Boxed:
    r"""Keeps the content of the last \boxed{…} whose braces balance; "" without one."""

    family: ClassVar[str] = "boxed"

    def __call__(self, text: str) -> str:
        return last_box(text)

    fast = staticmethod(quick_last_box)


@declare("step", "choice_letter")
class ChoiceLetter:
    """Keeps the letter of the option a text chooses: "answer is (C)", "C is correct", "(C)", "C.", or a lone letter.

    These forms are tried in that order; the last match counts. Last comes a letter within a sentence, if there is no
    other one. A before a word is an article, I a pronoun; a letter beside Chinese, Japanese, Korean or Thai text stands
    alone; look-alike letters (full width, Greek, Cyrillic) count as Latin ones. "" if there is none.
    """

    family: ClassVar[str] = "last_letter"

    letters: str = OPTIONS

    def __post_init__(self) -> None:
        if not (self.letters.isascii() and self.letters.isalpha()):
            raise UsageError(
                "letters", "expected the letters of the options", repr(self.letters), "write letters: ABCDE"
            )

    def __call__(self, text: str) -> str:
        return option_letter(text, self.letters)

    @property
    def fast(self) -> Find:
        return quick_option_letter(self.letters)


@declare("step", "first_letter")
class FirstLetter:
    """Keeps the letter of the option that a text announces first: "answer is (C)", "答案是C", "C is correct".

    A text that announces none gives what choice_letter keeps of it. "" if there is none.
    """

    family: ClassVar[str] = "first_letter"

    letters: str = OPTIONS

    def __post_init__(self) -> None:
        ChoiceLetter(self.letters)

    def __call__(self, text: str) -> str:
        return announced_first(text, self.letters) or quick_option_letter(self.letters)(text)


@declare("step", "yes_no")
class YesOrNo:
    """Keeps the first yes or no, or the last one, in lower case; "" if there is neither."""

    which: Literal["first", "last"] = "first"

    @property
    def family(self) -> str:
        """How it finds the answer."""
        return "announced" if self.which == "first" else "last_line"

    def __call__(self, text: str) -> str:
        words: list[str] = _YES_OR_NO.findall(text)
        return words[0 if self.which == "first" else -1].lower() if words else ""


@declare("step", "tag")
class Tag:
    """Keeps the text between the last pair of the given tags, by default <answer> and </answer>."""

    family: ClassVar[str] = "tag"

    name: str = "answer"

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[\w:.-]+", self.name):
            raise UsageError(
                "name", "expected the name of a tag", repr(self.name), "write it without < and >, such as answer"
            )

    @cached_property
    def _ends(self) -> re.Pattern[str]:
        return re.compile(rf"(?i)<(/?){re.escape(self.name)}(?:\s[^<>]*)?>")

    def __call__(self, text: str) -> str:
        opened: int | None = None
        last = ""
        for tag in self._ends.finditer(text):
            if not tag[1]:
                opened = tag.end()
            elif opened is not None:
                last, opened = text[opened : tag.start()].strip(), None
        return last

    def fast(self, text: str) -> str:
        return self(text) if "</" in text else ""


@declare("step", "answer_is")
class AnswerIs:
    """Keeps the rest of the line after the last "answer is" or "answer:", without * and _ at its ends and a final dot.

    Case is ignored; "" if none of the phrases occurs.
    """

    family: ClassVar[str] = "announced"

    phrases: tuple[str, ...] = ("answer is", "answer:")

    def __post_init__(self) -> None:
        if not self.phrases or "" in self.phrases:
            raise UsageError(
                "phrases", "expected phrases that are not empty", list(self.phrases), 'write phrases: ["answer is"]'
            )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        phrases = "|".join(map(re.escape, sorted(self.phrases, key=len, reverse=True)))
        return re.compile(rf"(?:{phrases})[\s:*_]*", re.IGNORECASE)

    def __call__(self, text: str) -> str:
        end = -1
        for match in self._pattern.finditer(text):
            end = match.end()
        if end < 0:
            return ""
        return self._tidied(text[end:].split("\n", 1)[0])

    @property
    def fast(self) -> Find:
        rest = searcher(f"(?i){self._pattern.pattern}", KeptPart(-1, REST), engine="re")
        return lambda text: self._tidied(rest(text))

    @staticmethod
    def _tidied(line: str) -> str:
        return line.strip().rstrip("*_").rstrip(".").rstrip("*_").rstrip()
