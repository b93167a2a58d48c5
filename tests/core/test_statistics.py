"""Intervals, tests and sums: values one can look up or work out by hand, and the laws they keep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.core.statistics import (
    EXACT_PAIRS,
    ExactSum,
    Moments,
    Ratio,
    benjamini_hochberg,
    further_items,
    mcnemar_exact,
    t975,
    wilson,
)


@pytest.mark.parametrize(
    ("value", "end", "bound", "counted", "more"),
    [
        (0.8, 0.7, 0.75, 100, 300),
        (0.8, 0.7, 0.7, 100, 0),
        (0.8, 0.7, 0.6, 100, 0),
        (0.6, 0.8, 0.7, 50, 150),
        (0.7, 0.6, 0.75, 100, None),
        (0.75, 0.6, 0.75, 100, None),
        (0.8, 0.8, 0.75, 100, None),
        (0.8, 0.7, 0.75, 0, None),
        (0.8, 0.1, 0.8 - 1e-9, 100, None),
    ],
)
def test_further_items(value: float, end: float, bound: float, counted: int, more: int | None) -> None:
    assert further_items(value, end, bound, counted) == more


@given(st.lists(st.lists(st.floats(0, 1), max_size=8), min_size=1, max_size=6))
@settings(max_examples=examples(60), deadline=None)
def test_moments_merge(parts: list[list[float]]) -> None:
    whole, every = Moments(), np.array([x for part in parts for x in part])
    for part in parts:
        whole.merge(Moments.of(np.array(part)))
    assert whole.n == every.size
    if every.size:
        assert whole.mean == pytest.approx(every.mean(), abs=1e-12)
        assert whole.deviation == pytest.approx(every.std(), abs=1e-9)
        assert (whole.least, whole.largest) == (every.min(), every.max())


def test_interval_is_students() -> None:
    from scipy import stats

    values = np.array([0.2, 0.5, 0.9, 0.4, 0.7])
    expected = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert Moments.of(values).interval() == pytest.approx(expected, abs=1e-12)
    assert Moments.of(values[:1]).interval() is None
    for freedom in (1, 2, 3, 10, 199, 200, 201, 5_000):
        assert t975(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=1e-9)


def test_ratio_with_one_key_each_is_the_mean() -> None:
    values = np.array([0.2, 0.5, 0.9, 0.4, 0.7])
    ratio = Ratio(5, scenarios=5, squares=float((values**2).sum()), cross=float(values.sum()), counts=5.0)
    ratio.total.add(float(values.sum()))
    assert ratio.interval() == pytest.approx(Moments.of(values).interval())


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), max_size=40), st.randoms())
def test_exact_sum(values: list[float], order: Any) -> None:
    """Any order gives the sum that is rounded once."""
    total = ExactSum()
    shuffled = values[:]
    order.shuffle(shuffled)
    for value in shuffled:
        total.add(value)
    try:
        expected = math.fsum(values)
    except OverflowError:
        return
    assert total.value == expected


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
