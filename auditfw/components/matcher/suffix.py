"""The matcher that wants the answer to end with the truth."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.registry import register


@register("matcher", "suffix")
@dataclass(frozen=True)
class Suffix:
    """Accepts an answer that ends with the truth."""

    def __call__(self, answer: str, truth: str) -> bool:
        return answer.endswith(truth)
