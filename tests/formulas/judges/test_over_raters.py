"""A bound on many raters, adjusted."""

from __future__ import annotations

import pytest

from auditfw.formulas.judges.over_raters import adjusted, items_to_tell, power


@pytest.mark.parametrize(
    ("p", "least", "expected"),
    [
        ([0.04], [0.0], [0.04]),
        ([0.04, 0.5], [0.0, 0.0], [0.08, 0.5]),
        ([0.01, 0.02, 0.03], [0.0, 0.0, 0.0], [0.03, 0.04, 0.04]),
        ([0.02, 0.04], [0.0, 0.04], [0.02, None]),  # the second cannot reach 0.05 / 2, so it is no member
        ([0.2], [0.1], [None]),
    ],
)
def test_adjusted_by_hand(p: list[float], least: list[float], expected: list[float | None]) -> None:
    assert adjusted(p, least) == [None if value is None else pytest.approx(value) for value in expected]


def test_what_is_told_by_hand() -> None:
    """Two labels as frequent, one rater, ten items: 5 or fewer of 10 have p = 0.033 at a share of 0.8, 6 have 0.121."""
    assert power(10, 1, 0.6) == pytest.approx(
        sum(c * 0.6**k * 0.4 ** (10 - k) for k, c in enumerate((1, 10, 45, 120, 210, 252)))
    )


def test_more_items_tell_more_and_more_raters_less() -> None:
    shares = [power(n, 40, 0.6) for n in (20, 50, 100, 400)]
    assert shares == sorted(shares)
    assert power(50, 1, 0.6) > power(50, 40, 0.6) > power(50, 1000, 0.6)
    assert power(50, 1, 0.2) == 0.0  # no rater is power from itself
    enough = items_to_tell(40, 0.6)
    assert enough is not None
    assert 80 < enough < 120
    assert items_to_tell(40, 0.2) is None
