"""Binomial tails against SciPy's, and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from searching import examples

from auditfw.formulas.rows.exact import tails


def test_by_hand() -> None:
    assert tails(1, 3, 0.5) == pytest.approx((4 / 8, 7 / 8))
    assert tails(0, 2, 0.25) == pytest.approx((9 / 16, 1.0))


@pytest.mark.parametrize(
    ("count", "share", "below", "above"), [(0, 0.0, 1, 1), (1, 0.0, 1, 0), (5, 1.0, 1, 1), (4, 1.0, 0, 1)]
)
def test_sure_things(count: int, share: float, below: int, above: int) -> None:
    assert tails(count, 5, share) == (below, above)


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(1, 3_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.001, 0.999))
def test_as_scipy(counted: tuple[int, int], share: float) -> None:
    count, n = counted
    below, above = tails(count, n, share)
    assert below == pytest.approx(binom.cdf(count, n, share), rel=1e-9, abs=1e-12)
    assert above == pytest.approx(binom.sf(count - 1, n, share), rel=1e-9, abs=1e-12)


def test_large_counts_are_quick() -> None:
    below, above = tails(500_500, 1_000_000, 0.5)
    assert below == pytest.approx(binom.cdf(500_500, 1_000_000, 0.5), rel=1e-6)
    assert above == pytest.approx(binom.sf(500_499, 1_000_000, 0.5), rel=1e-6)
