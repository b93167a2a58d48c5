"""The matcher of Inspect AI's scorer includes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from auditfw.kinds.registry import register


@register("matcher", "inspect_includes")
@dataclass(frozen=True)
class InspectIncludes:
    """Accepts what the scorer includes of Inspect AI accepts: a completion in which the target occurs, case folded.

    Source: `includes` of inspect_ai/scorer/_match.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    compares_empty: ClassVar[bool] = True

    ignore_case: bool = True

    def __call__(self, answer: str, truth: str) -> bool:
        return truth.casefold() in answer.casefold() if self.ignore_case else truth in answer
