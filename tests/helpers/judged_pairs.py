"""Judgements of a hundred items, by a scholar, an auditor and what became final, that one can check by hand."""

from __future__ import annotations

from typing import Any

from auditfw.formulas.agreement import Judged, Ratings

LABELS = ("VALID", "NOT_IN_CONTEXT", "REJECT", "ABSTAIN")
VALID, REFUSED, REJECT, ABSTAIN, NONE = 0, 1, 2, 3, -1
RATERS = ("scholar", "auditor", "final.strict")
# scholar, auditor, final: 90 of 100 items labelled by both; the scholar abstains on 4, the auditor on 2, both on 1
COUNTS = {
    (VALID, VALID, VALID): 50,
    (REFUSED, REFUSED, REFUSED): 20,
    (REJECT, REJECT, REJECT): 9,
    (VALID, REJECT, REJECT): 6,
    (ABSTAIN, VALID, REJECT): 3,
    (ABSTAIN, ABSTAIN, REJECT): 1,
    (VALID, ABSTAIN, REJECT): 1,
    (VALID, NONE, NONE): 8,
    (NONE, VALID, NONE): 2,
}


def judged(**settings: Any) -> Judged:
    ratings = Ratings.of(LABELS, RATERS, COUNTS)
    told = {"raters": RATERS[:2], "abstain": ("ABSTAIN",), "acceptable": ("VALID", "NOT_IN_CONTEXT")}
    return Judged(ratings, **(told | settings))


SCHOLAR = judged(candidate="scholar", reference="auditor")
ALL = judged(group="all", facts={"hard_flags": 2})
THREE = Ratings.of(
    ("1", "2", "3"),
    ("a", "b", "c"),
    {(0, 0, 0): 5, (0, 0, 1): 2, (1, 1, 1): 4, (2, 1, -1): 1, (-1, -1, 2): 1},
    (1, 2, 3),
)
