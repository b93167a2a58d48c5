"""Steps that cut: their result is a part of the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from auditfw.core.errors import UsageError
from auditfw.formulas.lowercase import lowered
from auditfw.formulas.markers import MarkerScan, run_on
from auditfw.kinds.capabilities import call_capability
from auditfw.kinds.registry import declare
from auditfw.kinds.text import Step


@dataclass(frozen=True)
class Delimited:
    """A cut at the last occurrence of a delimiter; a text without it stays whole.

    Case is ignored by looking in the lower-cased text. The position found there is taken in the text as it is, so a
    letter that lower case makes longer (İ) shifts the cut, as in the reference.
    """

    kernel_name: ClassVar[str] = ""

    delimiter: str
    ignore_case: bool = True

    def __post_init__(self) -> None:
        _not_empty("delimiter", self.delimiter)

    def __call__(self, text: str) -> str:
        return self.cut(text, text.lower())

    def fast(self, text: str) -> str:
        # ASCII is lower-cased sooner than it is searched for the signs.
        if not text.isascii() and self._signs not in text:
            return text
        return self.cut(text, lowered(text))

    def cut(self, text: str, low: str) -> str:
        looked, wanted = low if self.ignore_case else text, self._wanted
        at = looked.rfind(wanted) if wanted[0] in looked else -1
        return text if at < 0 else self.keep(text, at, at + len(wanted))

    def keep(self, text: str, start: int, end: int) -> str:
        """What is kept of a text whose last delimiter is between these places."""
        raise NotImplementedError

    @property
    def native(self) -> tuple[object, ...] | None:
        """The step in the form the native kernel takes; None where it is not."""
        return (self.kernel_name, self._wanted, self.ignore_case) if self.kernel_name else None

    @cached_property
    def _wanted(self) -> str:
        return self.delimiter.lower() if self.ignore_case else self.delimiter

    @cached_property
    def _signs(self) -> str:
        """The delimiter's longest part that has no case: where it is missing there is no delimiter."""
        return longest_caseless(self.delimiter)


@declare("step", "after_last")
class AfterLast(Delimited):
    """Keeps what follows the last delimiter, without leading white space; the whole text if there is none."""

    kernel_name: ClassVar[str] = "after_last"

    def keep(self, text: str, start: int, end: int) -> str:
        return text[end:].lstrip()


@declare("step", "before_last")
class BeforeLast(Delimited):
    """Keeps the text before the last delimiter; the whole text if there is none."""

    kernel_name: ClassVar[str] = "before_last"

    def keep(self, text: str, start: int, end: int) -> str:
        return text[:start]


@declare("step", "before_first")
class BeforeFirst:
    """Keeps the text before the earliest marker; a marker at the very start of the text is ignored.

    Such a marker is ignored later in the text too.
    """

    markers: tuple[str, ...]
    ignore_case: bool = True

    def __post_init__(self) -> None:
        if not self.markers:
            raise UsageError("markers", "expected at least one marker", "none", 'write markers: ["user:"]')
        for marker in self.markers:
            _not_empty("markers", marker)

    def __call__(self, text: str) -> str:
        looked = text.lower() if self.ignore_case else text
        places = [looked.find(marker.lower() if self.ignore_case else marker) for marker in self.markers]
        return text[: min((at for at in places if at > 0), default=len(text))]

    def fast(self, text: str) -> str:
        return self.cut(text, lowered(text) if self.ignore_case else text)

    def cut(self, text: str, low: str) -> str:
        at = self._scan.first(low if self.ignore_case else text)
        return text if at < 0 else text[:at]

    @property
    def native(self) -> tuple[object, ...]:
        """The step in the form the native kernel takes."""
        return ("before_first", self._scan.markers, self.ignore_case)

    @cached_property
    def _scan(self) -> MarkerScan:
        return MarkerScan([marker.lower() if self.ignore_case else marker for marker in self.markers])


@declare("step", "first_line")
class FirstLine:
    """Keeps the first line that is not blank, stripped."""

    native: ClassVar[tuple[object, ...]] = ("first_line",)
    family: ClassVar[str] = "first_line"

    def __call__(self, text: str) -> str:
        return next((line.strip() for line in text.splitlines() if line.strip()), "")


@declare("step", "last_line")
class LastLine:
    """Keeps the last line that is not blank, stripped."""

    native: ClassVar[tuple[object, ...]] = ("last_line",)
    family: ClassVar[str] = "last_line"

    def __call__(self, text: str) -> str:
        return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


@declare("step", "before_run_on")
class BeforeRunOn:
    """Keeps the text before a line that begins another turn: "Question:", "Q:", "Human:", "问题：" and the like.

    A turn that a text begins with is its own.
    """

    def __call__(self, text: str) -> str:
        at = run_on(text)
        return text if at is None else text[:at]


@declare("step", "first_of")
class FirstOf:
    """Keeps the result of the first list of steps that leaves more than white space; "" if none does."""

    choices: tuple[tuple[Step, ...], ...]

    def __post_init__(self) -> None:
        if not self.choices:
            raise UsageError("choices", "expected lists of steps", "none", "write choices: [[STEP, …], [STEP, …]]")

    def __call__(self, text: str) -> str:
        for steps in self.choices:
            left = text
            for step in steps:
                left = step(left)
            if left.strip():
                return left
        return ""

    def fast(self, text: str) -> str:
        return self.cut(text, lowered(text))

    @property
    def native(self) -> tuple[object, ...]:
        """The step in the form the native kernel takes."""
        return ("first_of", self.choices)

    def cut(self, text: str, low: str) -> str:
        for steps in self.choices:
            left = text
            for step in steps:
                # `low` belongs to the text as long as no step has changed it.
                cut = call_capability(step, "cut") if left is text else None
                left = (call_capability(step, "fast") or step)(left) if cut is None else cut(left, low)
            if left.strip():
                return left
        return ""


def longest_caseless(text: str) -> str:
    """The longest part of ASCII signs and digits, whose only lower case or upper case is they themselves."""
    return max(re.findall(r"[^a-zA-Z\x80-\U0010ffff]+", text), key=len, default="")


def _not_empty(setting: str, text: str) -> None:
    if not text:
        raise UsageError(setting, "expected a text", "''", 'write for example "</think>"')
