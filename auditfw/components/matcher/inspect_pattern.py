"""The matcher of Inspect AI's scorer pattern."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.formulas.texts.patterns import BETWEEN_GROUPS
from auditfw.kinds.registry import register


@register("matcher", "inspect_pattern")
@dataclass(frozen=True)
class CapturedGroups:
    """Accepts what the scorer pattern of Inspect AI accepts: one captured group equals the target, both in lower case.

    With `match_all` every group must equal a target. Several targets are then one truth, separated by U+001F.

    Source: `pattern` of inspect_ai/scorer/_pattern.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    ignore_case: bool = True
    match_all: bool = False

    def __call__(self, answer: str, truth: str) -> bool:
        groups, wanted = (answer.lower(), truth.lower()) if self.ignore_case else (answer, truth)
        if self.match_all:
            return set(groups.split(BETWEEN_GROUPS)) <= set(wanted.split(BETWEEN_GROUPS))
        return wanted in groups.split(BETWEEN_GROUPS)
