"""Ratings merge, and do not depend on their order."""

from __future__ import annotations

import pytest
from judged_pairs import COUNTS, LABELS, RATERS, SCHOLAR

from auditfw.formulas.agreement import Ratings


def test_ratings_merge_and_do_not_depend_on_order() -> None:
    parts = [Ratings.of(LABELS, RATERS, {key: n}) for key, n in COUNTS.items()]
    assert Ratings.merged(reversed(parts)) == Ratings.merged(parts) == SCHOLAR.ratings
    assert SCHOLAR.ratings.n == 102 - 2
    with pytest.raises(ValueError, match="no ratings"):
        Ratings.merged([])
