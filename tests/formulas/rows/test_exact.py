"""Exact tests against SciPy's, and by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom, norm
from searching import examples

from auditfw.formulas.rows.exact import least_gain, two_shares


def test_by_hand() -> None:
    assert two_shares(3, 3, 0, 3) == pytest.approx(2 / 20)  # one of the 20 ways to choose 3 of 6, twice
    assert two_shares(1, 2, 1, 2) == 1.0
    assert two_shares(0, 5, 0, 7) == 1.0


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(1, 400), st.integers(1, 400), st.data())
def test_as_scipy(n: int, m: int, data: st.DataObject) -> None:
    a, b = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    tails = hypergeom.cdf(a, n + m, a + b, n), hypergeom.sf(a - 1, n + m, a + b, n)
    assert two_shares(a, n, b, m) == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-7, abs=1e-14)


def test_large_counts_are_quick() -> None:
    assert two_shares(250_400, 500_000, 249_900, 500_000) == pytest.approx(0.3186, abs=1e-3)


def test_least_gain() -> None:
    assert least_gain(0, 0, 100) < 0 < least_gain(10, 0, 100) < 0.1
    assert least_gain(30, 30, 100) < 0
    spread = math.sqrt((8 / 23 + 2 / 23 - (6 / 23) ** 2) / 23)  # a pair more either way: of 23 pairs 8 rise, 2 fall
    assert least_gain(7, 1, 21) == pytest.approx(6 / 23 - norm.ppf(0.975) * spread)
