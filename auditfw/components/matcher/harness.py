"""Matchers of other programs that compare in a line: of HELM, Inspect AI and OpenCompass."""

from __future__ import annotations

from typing import ClassVar

from auditfw.formulas.texts.patterns import BETWEEN_GROUPS
from auditfw.formulas.texts.words import helm_number
from auditfw.kinds.registry import declare


@declare("matcher", "helm_final_number")
class HelmFinalNumber:
    """Accepts what HELM's final_number_exact_match accepts: an answer that is the last number of the truth.

    Use it with the parser helm_final_number. A truth without a number is never matched.

    Source: `final_number_exact_match` of src/helm/benchmark/metrics/evaluate_reference_metrics.py
    (github.com/stanford-crfm/helm, commit 63754d0).
    """

    family: ClassVar[str] = "equality"

    def __call__(self, answer: str, truth: str) -> bool:
        number = answer.strip()
        return bool(number) and number == helm_number(truth).strip()


@declare("matcher", "opencompass_gsm8k")
class OpencompassGsm8k:
    """Accepts what OpenCompass's Gsm8kEvaluator accepts: the truth itself, or a number within 1e-6 of a whole truth.

    Source: `Gsm8kEvaluator.is_equal` of opencompass/datasets/gsm8k.py (github.com/open-compass/opencompass, commit
    a5acc4b).
    """

    family: ClassVar[str] = "equality"

    def __call__(self, answer: str, truth: str) -> bool:
        if answer == truth:
            return True
        try:
            return abs(float(answer) - int(truth)) < 1e-6
        except (ValueError, OverflowError):
            return False


@declare("matcher", "inspect_includes")
class InspectIncludes:
    """Accepts what the scorer includes of Inspect AI accepts: a completion in which the target occurs, case folded.

    Source: `includes` of inspect_ai/scorer/_match.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    family: ClassVar[str] = "containment"

    compares_empty: ClassVar[bool] = True

    ignore_case: bool = True

    def __call__(self, answer: str, truth: str) -> bool:
        return truth.casefold() in answer.casefold() if self.ignore_case else truth in answer


@declare("matcher", "inspect_pattern")
class CapturedGroups:
    """Accepts what the scorer pattern of Inspect AI accepts: one captured group equals the target, both in lower case.

    With `match_all` every group must equal a target. Several targets are then one truth, separated by U+001F.

    Source: `pattern` of inspect_ai/scorer/_pattern.py (github.com/UKGovernmentBEIS/inspect_ai, commit 499e615).
    """

    family: ClassVar[str] = "equality"

    ignore_case: bool = True
    match_all: bool = False

    def __call__(self, answer: str, truth: str) -> bool:
        groups, wanted = (answer.lower(), truth.lower()) if self.ignore_case else (answer, truth)
        if self.match_all:
            return set(groups.split(BETWEEN_GROUPS)) <= set(wanted.split(BETWEEN_GROUPS))
        return wanted in groups.split(BETWEEN_GROUPS)
