"""The matcher of HELM's metric final_number_exact_match."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.formulas.texts.words import helm_number
from auditfw.kinds.registry import register


@register("matcher", "helm_final_number")
@dataclass(frozen=True)
class HelmFinalNumber:
    """Accepts what HELM's final_number_exact_match accepts: an answer that is the last number of the truth.

    Use it with the parser helm_final_number. A truth without a number is never matched.

    Source: `final_number_exact_match` of src/helm/benchmark/metrics/evaluate_reference_metrics.py
    (github.com/stanford-crfm/helm, commit 63754d0).
    """

    def __call__(self, answer: str, truth: str) -> bool:
        number = answer.strip()
        return bool(number) and number == helm_number(truth).strip()
