"""Rates of labels: what could be used or was, and names of labels that are none."""

from __future__ import annotations

import pytest
from judged_pairs import LABELS, RATERS, SCHOLAR

from auditfw.components.metric import agreement, judgements
from auditfw.core.errors import UsageError
from auditfw.formulas.agreement import Judged, Ratings
from auditfw.formulas.agreement.ratings import SCALE


def test_labels_that_could_be_used_or_were() -> None:
    two = Judged(Ratings.of(LABELS, RATERS[:2], {(0, 0): 8, (2, 2): 1, (0, 2): 1}), "scholar", "auditor")
    declared, used = agreement.GwetAC1()(two), agreement.GwetAC1(categories="used")(two)
    assert declared is not None
    assert used is not None
    pooled = 0.85
    for found, k in ((declared, 4), (used, 2)):
        chance = 2 * pooled * (1 - pooled) / (k - 1)
        assert found.value == pytest.approx((0.9 - chance) / (1 - chance))
    third = Judged(Ratings.of(LABELS, RATERS, {(0, 0, 1): 8, (2, 2, 1): 1, (0, 2, 3): 1}), "scholar", "auditor")
    assert agreement.GwetAC1(categories="used")(third) == used, "by these two raters"


def test_weights_of_labels_without_an_order() -> None:
    counted = {(0, 0): 8, (2, 2): 1, (0, 2): 1}
    for unfit in ({}, {SCALE: "they are categories"}):
        two = Judged(Ratings.of(LABELS, RATERS[:2], counted), "scholar", "auditor", unfit=unfit)
        assert (agreement.WeightedKappa()(two) is None) == bool(unfit)


def test_an_unknown_label_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'REJECT'"):
        judgements.SpecificAgreement("REJCT")(SCHOLAR)
