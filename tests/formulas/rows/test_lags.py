"""Labels and truths of another row: spans that one can count, and what must not be taken for one."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.rows.label_lags import Grouping, inverted, shifted_labels
from auditfw.formulas.rows.truth_lags import shifted_truths

N = 400
ALL = Grouping(np.ones(N, bool))
HALVES = Grouping(np.ones(N, bool), [np.arange(N) // (N // 2)])


def labels(seed: int, share: float = 0.6) -> np.ndarray:
    return np.random.default_rng(seed).random(N) < share


def test_inverted_labels() -> None:
    rule, other = labels(1), labels(2)
    whole = inverted(~rule, [other, rule], HALVES, 0.01)
    assert whole is not None
    assert whole.group.whole
    assert (whole.rule, whole.misses) == (1, 0)
    half = rule.copy()
    half[200:] = ~half[200:]
    one = inverted(half, [other, rule], HALVES, 0.01)
    assert one is not None
    assert (one.group.column, one.group.value, len(one.group.rows)) == (0, 1, 200)


@pytest.mark.parametrize("stored", [labels(1), labels(3), np.ones(N, bool), np.zeros(N, bool)])
def test_labels_that_are_not_inverted(stored: np.ndarray) -> None:
    assert inverted(stored, [labels(1)], HALVES, 0.01) is None
    assert inverted(np.zeros(N, bool), [np.ones(N, bool)], HALVES, 0.01) is None, "all wrong is not the opposite"


@pytest.mark.parametrize("lag", [1, -1, 2, -3])
def test_shifted_labels_in_a_span(lag: int) -> None:
    rule = labels(4)
    stored = rule.copy()
    stored[100:220] = rule[100 + lag : 220 + lag]
    one = shifted_labels(stored, [labels(5), rule], ALL)
    assert one is not None
    assert (one.rule, one.lag) == (1, lag)
    assert abs(one.first - 100) < 15
    assert abs(one.last - 219) < 15
    assert one.own == np.count_nonzero((stored != rule)[one.first : one.last + 1])
    assert one.p < 1e-6


def test_shifted_labels_of_one_value() -> None:
    """The rows of a value lie apart: its labels are those of its next row."""
    rule, values = labels(6), np.arange(N) % 2
    stored = rule.copy()
    stored[values == 1] = np.roll(rule[values == 1], -1)
    one = shifted_labels(stored, [rule], Grouping(np.ones(N, bool), [values]))
    assert one is not None
    assert (one.group.column, one.group.value, one.lag, one.rows) == (0, 1, 1, 199)


@pytest.mark.parametrize(
    "stored", [labels(7), labels(8), np.where(np.arange(N) % 50 == 0, ~labels(7), labels(7)), np.ones(N, bool)]
)
def test_labels_that_are_not_shifted(stored: np.ndarray) -> None:
    assert shifted_labels(stored, [labels(7)], ALL) is None


def test_sorted_labels_are_not_shifted() -> None:
    """Rows sorted by label are alike at any lag."""
    rule = np.arange(N) < 250
    stored = rule.copy()
    stored[245:255] = ~stored[245:255]
    assert shifted_labels(stored, [rule], ALL) is None


def answers(seed: int, values: int, right: float = 0.7) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    truths = draw.integers(0, values, N)
    return np.where(draw.random(N) < right, truths, draw.integers(0, values, N)), truths


@pytest.mark.parametrize(("first", "end"), [(0, N), (100, 180)])
@pytest.mark.parametrize("lag", [1, -2])
def test_shifted_truths(first: int, end: int, lag: int) -> None:
    made, truths = answers(9, 60)
    moved = truths.copy()
    moved[first:end] = truths[np.clip(np.arange(first, end) + lag, 0, N - 1)]
    one = shifted_truths(made, moved, ALL)
    assert one is not None
    assert one.lag == -lag
    assert one.first <= first + 10
    assert one.last >= end - 10
    assert one.rows <= end - first + 15
    assert one.matches > 0.5 * one.rows
    assert one.own < 0.15 * one.rows
    assert one.p < 0.005


@pytest.mark.parametrize("values", [2, 5, 60, 400])
def test_truths_that_are_not_shifted(values: int) -> None:
    for seed in range(10):
        assert shifted_truths(*answers(seed, values), HALVES) is None
    assert shifted_truths(answers(1, 60)[0], answers(2, 60)[1], HALVES) is None, "truths of other items"
    assert shifted_truths(np.full(N, -1), answers(2, 60)[1], ALL) is None


def test_an_item_in_a_row_is_no_shift() -> None:
    """Four models answer each item one after the other: the truth of the next row is mostly the own one."""
    truths = np.repeat(np.random.default_rng(3).integers(0, 50, N // 4), 4)
    assert shifted_truths(truths, truths, ALL) is None
