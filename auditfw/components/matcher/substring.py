"""The matcher that wants the truth somewhere in the answer."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.registry import register


@register("matcher", "substring")
@dataclass(frozen=True)
class Substring:
    """Accepts an answer that contains the truth, even inside a word."""

    def __call__(self, answer: str, truth: str) -> bool:
        return truth in answer
