"""The matcher that wants the answer to begin with the truth."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.registry import register


@register("matcher", "prefix")
@dataclass(frozen=True)
class Prefix:
    """Accepts an answer that begins with the truth.

    With `compares_empty` an empty truth is compared, too; without it the trial is undefined.
    """

    compares_empty: bool = False

    def __call__(self, answer: str, truth: str) -> bool:
        return answer.startswith(truth)
