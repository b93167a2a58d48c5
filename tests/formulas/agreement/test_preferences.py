"""Position bias on counts one can check by hand."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from auditfw.formulas.agreement.items import exchange_p, preferences


def test_thirty_seven_to_seven() -> None:
    found = preferences([(1, 0)] * 37 + [(0, 1)] * 7 + [(0, 0)] * 5)
    assert (found.first, found.second, found.decided, found.items) == (37, 7, 44, 44)
    assert found.share == 37 / 44
    assert found.p == pytest.approx(binomtest(7, 44).pvalue, rel=1e-12)
    assert (round(found.low or 0, 4), round(found.high or 0, 4)) == (0.7063, 0.9207)


def test_items_are_flipped_whole() -> None:
    """Three items judged eight times each, always for the first: the smallest p of three items is 1/4."""
    found = preferences([(8, 0)] * 3)
    assert (found.first, found.second, found.p, found.items) == (24, 0, 0.25, 3)
    assert found.low is not None
    assert found.low < 0.5


@pytest.mark.parametrize(
    ("items", "share", "p"),
    [
        ([], None, 1.0),
        ([(0, 0)], None, 1.0),
        ([(1, 1)] * 9, 0.5, 1.0),
        ([(0, 1)] * 6, 0.0, 2 * 0.5**6),
        ([(1, 0)] * 5 + [(0, 1)] * 5, 0.5, 1.0),
    ],
)
def test_preferences(items: list[tuple[int, int]], share: float | None, p: float) -> None:
    found = preferences(items)
    assert (found.share, found.p) == (share, p)


def test_exchanging_two_labels() -> None:
    """Of 12 items 10 agree only when exchanged, 2 only as they are; ties and a third label do not change."""
    table = [[1, 6, 3], [4, 1, 0], [0, 2, 9]]
    assert exchange_p(table, (), 0, 1) == pytest.approx(binomtest(2, 12).pvalue)
    assert exchange_p([[5, 0, 0], [0, 5, 0], [0, 0, 1]], (), 0, 1) == pytest.approx(2 * 0.5**10)
    clusters = ((((((0, 1)), 4),), 3),)
    assert exchange_p(table, clusters, 0, 1) == 0.25
