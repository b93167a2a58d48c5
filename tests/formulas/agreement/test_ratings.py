"""Ratings merge, and do not depend on their order."""

from __future__ import annotations

import pytest
from judged_pairs import COUNTS, LABELS, RATERS, SCHOLAR

from auditfw.formulas.agreement import Abstain, Ratings


def test_ratings_merge_and_do_not_depend_on_order() -> None:
    parts = [Ratings.of(LABELS, RATERS, {key: n}) for key, n in COUNTS.items()]
    assert Ratings.merged(reversed(parts)) == Ratings.merged(parts) == SCHOLAR.ratings
    assert SCHOLAR.ratings.n == 102 - 2
    with pytest.raises(ValueError, match="no ratings"):
        Ratings.merged([])


@pytest.mark.parametrize(
    ("labels", "how", "left", "n"),
    [
        (["?"], "label", ("x", "y", "?"), 6),
        (["?"], "missing", ("x", "y"), 6),
        (["?"], "exclude", ("x", "y"), 4),
        (["z"], "label", ("x", "y", "?"), 6),
        (["z"], "missing", ("x", "y", "?"), 6),
    ],
)
def test_ways_to_treat_abstentions(labels: list[str], how: Abstain, left: tuple[str, ...], n: int) -> None:
    """Three raters: on two of six items one abstains, which leaves two to compare where it counts as missing."""
    ratings = Ratings.of(("x", "y", "?"), ("a", "b", "c"), {(0, 0, 0): 3, (1, 0, 1): 1, (0, 0, 2): 2})
    held = ratings.abstaining(labels, how)
    assert (held.labels, held.n) == (left, n)
