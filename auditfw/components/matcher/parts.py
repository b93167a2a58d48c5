"""Matchers that want the truth somewhere in the answer, at its beginning or at its end."""

from __future__ import annotations

from typing import ClassVar

from auditfw.kinds.registry import declare


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
