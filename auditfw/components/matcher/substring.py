"""The matcher that wants the truth somewhere in the answer."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.registry import register


@register("matcher", "substring")
@dataclass(frozen=True)
class Substring:
    """Accepts an answer in which the truth occurs, inside a word too."""

    def __call__(self, answer: str, truth: str) -> bool:
        return truth in answer
