"""Intervals and tests: values one can look up or work out by hand, and the laws they keep."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.core.statistics import EXACT_PAIRS, benjamini_hochberg, mcnemar_exact, wilson

COUNTS = st.integers(0, 400)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [(10, 100, 0.05523, 0.17437), (0, 10, 0.0, 0.27753), (10, 10, 0.72247, 1.0), (1, 2, 0.09453, 0.90547)],
)
def test_wilson(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-6)


@given(successes=COUNTS, more=COUNTS)
def test_wilson_holds_the_share_and_mirrors(successes: int, more: int) -> None:
    n = successes + more
    if n:
        low, high = wilson(successes, n)
        assert 0.0 <= low <= successes / n <= high <= 1.0
        assert wilson(more, n) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(
    ("up", "down", "p"),
    [(0, 0, 1.0), (3, 3, 1.0), (0, 5, 2 / 32), (5, 0, 2 / 32), (1, 5, 2 * 7 / 64), (0, 23, 2 / 2**23), (0, 1, 1.0)],
)
def test_mcnemar(up: int, down: int, p: float) -> None:
    assert mcnemar_exact(up, down) == pytest.approx(p, rel=1e-12)


@given(up=st.integers(0, 3_000), down=st.integers(0, 3_000))
def test_mcnemar_is_symmetric_and_a_probability(up: int, down: int) -> None:
    assert mcnemar_exact(up, down) == mcnemar_exact(down, up)
    assert 0.0 <= mcnemar_exact(up, down) <= 1.0


def test_mcnemar_beyond_whole_numbers_goes_on_smoothly() -> None:
    n = EXACT_PAIRS + 2
    exact = min(1.0, 2 * sum(math.comb(n, i) for i in range(471)) / 2**n)
    assert mcnemar_exact(470, n - 470) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03, 0.005], [0.02, 0.04, 0.04, 0.02]),
        ([0.5, 0.5], [0.5, 0.5]),
        ([0.9, 0.001], [0.9, 0.002]),
    ],
)
def test_benjamini_hochberg(p: list[float], q: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(q)


@given(p=st.lists(st.floats(0, 1), max_size=30))
def test_adjusted_values_are_no_smaller_and_keep_the_order(p: list[float]) -> None:
    q = benjamini_hochberg(p)
    assert all(a <= b <= 1.0 for a, b in zip(p, q, strict=True))
    order = sorted(range(len(p)), key=lambda i: p[i])
    assert [q[i] for i in order] == sorted(q)
