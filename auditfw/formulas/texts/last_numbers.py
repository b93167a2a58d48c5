"""The last number of a text as other evaluation programs cut it."""

from __future__ import annotations

import re

_HELM = re.compile(r"-?[\d,]+(?:.\d+)?")


def helm_number(text: str) -> str:
    """The last number without its commas, "" without one; any one character counts as the decimal point.

    So "5 12" is one number. Source: `final_number_exact_match` of
    src/helm/benchmark/metrics/evaluate_reference_metrics.py (github.com/stanford-crfm/helm, commit 63754d0).
    """
    matches = _HELM.findall(text)
    return matches[-1].replace(",", "") if matches else ""
