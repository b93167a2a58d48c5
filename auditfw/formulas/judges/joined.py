"""Whether records of raters that were joined differ more often than a few slips: exact, over all raters."""

from __future__ import annotations

from collections.abc import Mapping

from auditfw.formulas.agreement.binomial import tails

ALPHA = 0.005


def most_differing(compared: Mapping[str, int], differing: Mapping[str, int], share: float) -> tuple[str, float]:
    """The rater whose records differ most beyond a share of those compared, and its p, times the number of raters."""
    p = {rater: tails(differing.get(rater, 0), n, share)[1] for rater, n in compared.items()}
    rater = min(p, key=lambda one: (p[one], one))
    return rater, min(1.0, p[rater] * len(p))
