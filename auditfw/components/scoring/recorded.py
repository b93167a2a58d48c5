"""The scoring of attempts whose scores are recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from auditfw.kinds.registry import register

from .wording import shown, unfinished


@register("scoring", "recorded")
@dataclass(frozen=True)
class RecordedScoring:
    """Takes the output itself as the score: a number from 0 to 1, true or false. The expected output is ignored.

    Any other output scores 0.
    """

    def __call__(self, output: Any, expected: Any) -> float:
        if not _is_score(output):
            return 0.0
        return 1.0 if output == 1 else unfinished(float(output))

    def remark(self, output: Any, expected: Any) -> str:
        """What an output that is not a score is."""
        return "" if _is_score(output) else f"{shown(output)} is not a score"


def _is_score(output: Any) -> bool:
    return isinstance(output, int | float) and 0 <= output <= 1
