"""Rates of labels by item: churn, the flips that an error rate hides."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from auditfw.components.metric.labels import churn
from auditfw.core.records import PERCENT
from auditfw.formulas.clusters import ItemSums
from auditfw.formulas.label_counts import LabelCounts, LabelItems, churn_percent, flip_rates, shift_sums
from auditfw.formulas.shifts import ShiftSums
from auditfw.formulas.sign_flips import SignFlips


def flips(n: int, up: int, down: int, items: LabelItems | None = None) -> LabelCounts:
    """So many trials that are right in the reference, but for those that a reading turns right."""
    kept = n - up - down
    return LabelCounts(kept + up, down, 0, 0, kept, down, up, 0, items=items)


def sums(items: int, each: int, *successes: int) -> ItemSums:
    """Items of equal size, the first ones with these successes."""
    n, s = items * each, sum(successes)
    holding = sum(map(bool, successes))
    return ItemSums(n // each, n, s, items * each**2, sum(x * x for x in successes), each * s, each, holding, items)


@pytest.mark.parametrize(
    ("n", "up", "down", "value", "rarer"), [(100, 3, 5, 6.0, 3), (100, 5, 3, 6.0, 3), (40, 2, 2, 10.0, 2)]
)
def test_churn_is_twice_the_rarer_flips(n: int, up: int, down: int, value: float, rarer: int) -> None:
    low, high = proportion_confint(rarer, n, method="wilson")
    assert churn_percent(flips(n, up, down)) == pytest.approx((value, 200 * low, 200 * high))


def test_sums_of_separate_trials() -> None:
    """3 up and 5 down: a sum of -2, eight changes, each its own square."""
    assert shift_sums(flips(100, 3, 5)) == ShiftSums(100, 100, -2, 8, 100, 8, -2, 8)


def test_flips_in_one_direction_are_no_churn() -> None:
    """No flip of 100 to true: the upper end is twice z²/(100 + z²)."""
    assert churn_percent(flips(100, 0, 20)) == pytest.approx((0.0, 0.0, 200 * 3.841459 / 103.841459))
    assert churn_percent(flips(100, 0, 0))[:2] == (0.0, 0.0)


def test_all_that_can_change_in_both_directions() -> None:
    """Five of ten each way: all labels change, and no end is above 100 percent."""
    value, low, high = churn_percent(flips(10, 5, 5))
    assert (value, high) == (100.0, 100.0)
    assert low == pytest.approx(200 * proportion_confint(5, 10, method="wilson")[0])


def test_each_end_is_that_of_the_direction_where_it_is_less() -> None:
    """Three flips to true in one item of five, four to false in four: by item the fewer have the wider interval."""
    wrong = sums(20, 5, 3)
    apart = sums(20, 5, 1, 1, 1, 1)
    items = LabelItems(apart, wrong, wrong, apart, shift_sums(flips(100, 3, 4)), SignFlips(1.0, True, 0, 0))
    labels = flips(100, 3, 4, items)
    up, down = flip_rates(labels)
    assert up.low < down.low
    assert down.high < up.high
    assert churn_percent(labels) == (6.0, 200 * up.low, 200 * down.high)


@given(st.integers(1, 400), st.data())
def test_the_lower_end_is_above_a_bound_where_both_directions_are_above_half_of_it(n: int, data: st.DataObject) -> None:
    up = data.draw(st.integers(0, n))
    labels = flips(n, up, data.draw(st.integers(0, n - up)))
    bound = data.draw(st.floats(0.01, 100))
    value, low, high = churn_percent(labels)
    rates = flip_rates(labels)
    assert (low > bound) == all(100 * rate.low > bound / 2 for rate in rates)
    assert 0 <= low <= value <= high <= 100
    assert value <= 100 * (labels.to_true + labels.to_false) / n
    assert churn_percent(flips(n, labels.to_false, labels.to_true)) == (value, low, high)


def test_the_metric() -> None:
    found = churn()(LabelCounts(90, 10, 7, 0, 88, 6, 2, 4))
    assert (found.value, found.counted, found.missing, found.undefined) == (4.0, 100, 7, None)
    assert (found.low, found.high) == churn_percent(flips(100, 2, 6))[1:]
    assert (churn.roles, churn.range) == ({"candidate"}, PERCENT)
    assert (churn.title, churn.unit, churn.digits) == ("churn", "%", 2)
    nothing = churn()(LabelCounts(3, 1, 0, 0, 0, 0, 0, 0, why_unpaired="no partner"))
    assert (nothing.value, nothing.low, nothing.high, nothing.undefined) == (None, None, None, "no partner")
