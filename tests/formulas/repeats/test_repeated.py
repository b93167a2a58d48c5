"""Repeats by condition: the mean over items of the means over conditions, by hand and by enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.repeats.of_k import all_of_k, any_of_k, bounds_of_k, rate_of
from auditfw.formulas.repeats.repeated import ItemRepeats, item_repeats

TRIALS = [  # item, condition, label
    (0, 0, 1), (0, 0, 0), (0, 0, 1),
    (0, 1, 0), (0, 1, 0),
    (1, 0, 1), (1, 0, 1),
    (2, 0, 1), (2, 0, -1),
]  # fmt: skip


def repeats(trials: list[tuple[int, int, int]], number: int = 3) -> ItemRepeats:
    items, conditions, labels = (np.array(column) for column in zip(*trials, strict=True))
    return item_repeats(items, number, conditions, labels, labels == -1)


def test_items_are_the_mean_of_their_conditions() -> None:
    """Item 0: 1 of any two of three and 0 of two; item 1: 1; item 2 has one scored repeat beside a run error."""
    own = repeats(TRIALS)
    assert (own.most, own.scored, own.lost) == (3, 3, (1, 9))
    assert own.values(any_of_k, 2).tolist()[:2] == [0.5, 1.0]
    rate = own.rate(any_of_k, 2)
    assert rate is not None
    assert (rate.share, rate.items, rate.missing) == (0.75, 2, 1)
    assert own.bounds(any_of_k, 2) == (pytest.approx(2.5 / 3), pytest.approx(2.5 / 3))
    assert own.bounds(all_of_k, 2) == (pytest.approx((1 / 6 + 1 + 0) / 3), pytest.approx((1 / 6 + 1 + 1) / 3))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.sampled_from([1, 1, 0, -1])), min_size=1, max_size=40),
    st.integers(1, 4),
)
def test_values_are_those_of_all_subsets(trials: list[tuple[int, int, int]], k: int) -> None:
    values = {}
    for item in range(5):
        of_conditions = []
        for condition in range(3):
            own = [label for i, c, label in trials if (i, c) == (item, condition) and label >= 0]
            subsets = list(combinations(own, k))
            if subsets:
                of_conditions.append(sum(map(any, subsets)) / len(subsets))
        values[item] = sum(of_conditions) / len(of_conditions) if of_conditions else np.nan
    np.testing.assert_allclose(repeats(trials, 5).values(any_of_k, k), list(values.values()))


@given(st.lists(st.tuples(st.integers(0, 6), st.just(0), st.sampled_from([1, 0, -1])), min_size=1), st.integers(1, 3))
def test_of_one_condition_it_is_the_plain_rate(trials: list[tuple[int, int, int]], k: int) -> None:
    own = repeats(trials, 7)
    assert own.rate(all_of_k, k) == rate_of(all_of_k, own.trials, own.right, k)
    assert own.bounds(all_of_k, k) == bounds_of_k(all_of_k, own.trials, own.right, own.errors, k)


@pytest.mark.parametrize(
    ("equal", "k", "why"),
    [
        (None, 2, None),
        (0.98, 2, None),
        (0.99, 1, None),  # of one there is nothing to draw
        (0.99, 2, "temperature 0: one draw, not 3 (the texts of repeats are equal, byte for byte)"),
        (None, 4, "no item has 4 scored repeats (most: 3)"),
    ],
)
def test_why_not(equal: float | None, k: int, why: str | None) -> None:
    own = repeats(TRIALS)
    assert ItemRepeats(own.items, own.number, own.trials, own.right, own.errors, equal).why_not(k) == why


def test_nothing_scored() -> None:
    own = repeats([(0, 0, -1), (0, 0, -1)])
    assert own.why_not(1) == "no trial with a label"
    assert own.rate(any_of_k, 1) is None


def test_difference_is_of_common_items() -> None:
    """One side has two repeats of items 0 and 1, the other three of items 1 and 2."""
    one = repeats([(0, 0, 1), (0, 0, 1), (1, 0, 1), (1, 0, 0)])
    other = repeats([(1, 0, 0), (1, 0, 0), (1, 0, 1), (2, 0, 1), (2, 0, 1), (2, 0, 1)])
    apart = one.difference(other, any_of_k, 2)
    assert apart is not None
    assert (apart.mean, apart.items) == (pytest.approx(1 - 2 / 3), 1)
