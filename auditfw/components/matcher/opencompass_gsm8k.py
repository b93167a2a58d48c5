"""The matcher of OpenCompass's evaluator for GSM8K."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.kinds.registry import register


@register("matcher", "opencompass_gsm8k")
@dataclass(frozen=True)
class OpencompassGsm8k:
    """Accepts what OpenCompass's Gsm8kEvaluator accepts: the truth itself, or a number within 1e-6 of a whole truth.

    Source: `Gsm8kEvaluator.is_equal` of opencompass/datasets/gsm8k.py (github.com/open-compass/opencompass, commit
    a5acc4b).
    """

    def __call__(self, answer: str, truth: str) -> bool:
        if answer == truth:
            return True
        try:
            return abs(float(answer) - int(truth)) < 1e-6
        except (ValueError, OverflowError):
            return False
