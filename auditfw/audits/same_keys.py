"""What makes two answers to one question the same: the settings for that, the keys of texts, and rows read again."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zlib import crc32

from auditfw.core.errors import UsageError
from auditfw.formulas.texts.endings import text_hashes
from auditfw.kinds.capabilities import call_capability
from auditfw.kinds.evidence import Evidence, one_pass_of

NORMALIZER = "same_answer"  # the shipped one


@dataclass(frozen=True)
class SameAnswers:
    """What makes two answers to one question the same: the settings of an audit for that.

    Texts of at most `longest` characters are compared by the normalizer same_answer, longer ones byte for byte, and
    the values of `columns` must be equal; under `least` pairs there is no rate.
    """

    longest: int = 200
    columns: tuple[str, ...] = ()
    least: int = 10

    def __post_init__(self) -> None:
        for name, least in (("longest", 0), ("least", 1)):
            if getattr(self, name) < least:
                raise UsageError(
                    f"same_answer.{name}", f"expected a whole number of {least} or more", getattr(self, name)
                )


@dataclass(frozen=True)
class AnswerKeys:
    """Makes the keys of answers: hashes that are equal where answers, and what stands beside them, are the same."""

    normalizer: Any  # the shipped one
    longest: int

    @cached_property
    def _quick(self) -> tuple[list[Callable[[str], str]], list[Callable[[str], str]]]:
        """The steps of the normalizer, in quicker forms where they have some: of all texts, and of those of ASCII.

        The first two are for superscripts and other forms of characters, which are not of ASCII.
        """
        steps = [call_capability(step, "fast") or step for step in self.normalizer.steps]
        return steps, steps[2:]

    def of(self, texts: Sequence[str | None], beside: Sequence[Hashable]) -> tuple[array[int], array[int]]:
        """For each row the hash of its key with what is beside it, and of its text byte for byte; 0: no text."""
        keys = {text: self.key(text) for text in dict.fromkeys(texts) if text is not None}
        checks: dict[str | None, int] = {text: crc32(text.encode("utf-8", "surrogatepass")) for text in keys}
        written = {own: f"\0{own!r}" for own in set(beside)}
        rows = zip(texts, beside, strict=True)
        hashes = text_hashes(["\0" if text is None else keys[text] + written[own] for text, own in rows])
        for row, text in enumerate(texts):
            if text is None:
                hashes[row] = 0
            elif not hashes[row]:
                hashes[row] = 1
        checks[None] = 0
        return hashes, array("Q", map(checks.__getitem__, texts))

    def key(self, text: str) -> str:
        """What a text is the same by; a long one, and one that has nothing left, as it is."""
        key = text if len(text) <= self.longest else ""
        for step in self._quick[key.isascii()] if key else ():
            key = step(key)
        return f"~{key}" if key else f"={text}"


def rows_again(evidence: Evidence, numbers: Sequence[int]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Some rows of a source, read again: each by its number, as its columns have it."""
    once, start, wanted = one_pass_of(evidence.tasks), 0, sorted(set(numbers))
    for task in evidence.tasks if once is None else once.tasks:
        if not wanted:
            return
        batch = task()
        end = start + len(batch)
        own = [number for number in wanted if number < end]
        wanted = wanted[len(own) :]
        for number in own:
            yield number, {name: column[number - start] for name, column in batch.columns.items()}
        start = end
