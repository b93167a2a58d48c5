"""Kappa and concordance with what each item adds: against their definitions, and against leaving items out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from auditfw.formulas.agreement import coefficients
from auditfw.formulas.judges.scales import ONCE, RowWeights, concordance, lower_end, nominal, rise

A = np.array([0, 0, 1, 1, 2, 2, 0, 1, 2, 2])
B = np.array([0, 1, 1, 1, 2, 0, 0, 1, 2, 1])


def table(own: np.ndarray, other: np.ndarray, k: int = 3) -> np.ndarray:
    return np.bincount(own * k + other, minlength=k * k).reshape(k, k)


def test_as_the_coefficients() -> None:
    square = coefficients.agreement_weights([0, 1, 2], "quadratic")
    assert nominal(A, B, 3).value == pytest.approx(float(coefficients.cohen(table(A, B))))
    assert concordance(A * 1.0, B * 1.0).value == pytest.approx(float(coefficients.cohen(table(A, B), square)))


@pytest.mark.parametrize("of", [lambda a, b, w: nominal(a, b, 3, w), lambda a, b, w: concordance(a * 1.0, b * 1.0, w)])
def test_influence_is_what_a_little_more_of_an_item_changes(of: object) -> None:
    at = of(A, B, ONCE)  # type: ignore[operator]
    for item in range(len(A)):
        counts = np.ones(len(A))
        counts[item] += 1e-5
        more = of(A, B, RowWeights(counts))  # type: ignore[operator]
        assert (more.value - at.value) / 1e-5 == pytest.approx(at.each[item] / len(A), abs=1e-4)
    assert at.each.mean() == pytest.approx(0, abs=1e-12)


def test_equal_pairs_may_be_counted() -> None:
    pairs, counts = np.unique(A * 3 + B, return_counts=True)
    weights = RowWeights(counts)
    counted = concordance(pairs // 3 * 1.0, pairs % 3 * 1.0, weights)
    assert lower_end(counted, weights) == pytest.approx(lower_end(concordance(A * 1.0, B * 1.0)))
    assert lower_end(nominal(pairs // 3, pairs % 3, 3, weights), weights) == pytest.approx(lower_end(nominal(A, B, 3)))


def test_trials_of_one_item_count_once() -> None:
    """Every item three times: the error is that of the items."""
    thrice = [np.repeat(of, 3) for of in (A, B)]
    groups = RowWeights(groups=np.repeat(np.arange(10), 3) * 7)
    assert lower_end(nominal(*thrice, 3), groups) == pytest.approx(lower_end(nominal(A, B, 3)))
    assert lower_end(nominal(*thrice, 3)) > lower_end(nominal(A, B, 3))


def test_a_rise() -> None:
    """Ten of twelve items turn from wrong to right: the gap is the difference, its lower end below, p by Student."""
    other = np.array([0, 1] * 6)
    own = 1 - other
    own[:2] = other[:2]
    gap, low, p = rise(nominal(other, other, 2), nominal(own, other, 2))
    assert gap == pytest.approx(1 - nominal(own, other, 2).value)
    assert 1 < low < gap
    assert 0 < p < 1e-4
    back = rise(nominal(own, other, 2), nominal(other, other, 2))
    assert (back.gap, back.p) == (pytest.approx(-gap), pytest.approx(1 - p))


def test_undefined() -> None:
    one = np.zeros(8, int)
    assert math.isnan(nominal(one, one, 2).value)
    assert math.isnan(concordance(one * 1.0, one * 1.0).value)
    assert rise(nominal(one, one, 2), nominal(A[:8], B[:8], 3)).p == 1.0
    assert lower_end(nominal(one, one, 2)) == -math.inf
    assert lower_end(nominal(A[:2], B[:2], 3)) == -math.inf, "two items have no interval"
