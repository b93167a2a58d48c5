"""Truths and labels that are all one, items with several truths, items that a value lacks: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.rows.label_lags import ValueLabels
from auditfw.formulas.rows.whole import one_label, one_truth, truths_differ, uneven


@pytest.mark.parametrize(
    ("counts", "options", "items"),
    [
        ([20], 0, 20),
        ([18, 2], 0, 18),
        ([17, 3], 0, None),
        ([19], 0, None),  # few items
        ([70, 10, 10, 10], 4, 70),  # 0.70 > 0.25 + 4 × 0.043
        ([70, 10, 10, 10], 0, None),
        ([59, 21, 10, 10], 4, None),
        ([70, 30], 2, None),  # yes and no
    ],
)
def test_one_truth(counts: list[int], options: int, items: int | None) -> None:
    truths = np.repeat(np.arange(len(counts)), counts)
    one = one_truth(truths, np.arange(len(truths)), options)
    assert (None if one is None else one.items) == items
    twice = one_truth(np.tile(truths, 3), np.tile(np.arange(len(truths)), 3), options)
    assert (None if twice is None else (twice.items, twice.of)) == (None if items is None else (items, sum(counts)))


@pytest.mark.parametrize(
    ("right", "called", "against"), [(True, 30, 10), (True, 38, None), (False, 8, 8), (False, 2, None)]
)
def test_one_label(right: bool, called: int, against: int | None) -> None:
    one = one_label(np.full(40, right), [np.arange(40) < 1, np.arange(40) < called])
    assert (None if one is None else one.against) == against
    assert one_label(np.arange(40) < 1, [np.arange(40) < 20]) is None
    assert one_label(np.ones(40, bool), []) is None


def test_truths_differ() -> None:
    items, truths = np.array([0, 1, 2, 0, 1, 2, -1]), np.array([5, 6, 7, 5, 8, -1, 9])
    one = truths_differ(items, truths)
    assert one is not None
    assert one.items.tolist() == [1]
    assert one.rows.tolist() == [1, 4]
    assert one.of == 3
    assert not one.many
    assert truths_differ(items, np.array([5, 6, 7, 5, 6, 7, 9])) is None
    many = truths_differ(np.tile(np.arange(20), 2), np.r_[np.arange(20), np.arange(17), 50, 51, 52])
    assert many is not None
    assert many.items.tolist() == [17, 18, 19]
    assert many.many


def test_uneven() -> None:
    """Value 1 lacks the ten items that value 0 has wrong: 30 of 40 right, and 30 of 30 on the common ones."""
    values, items = np.repeat([0, 1], [40, 30]), np.concatenate([np.arange(40), np.arange(30)])
    right = items < 30
    one = uneven(values, items, right, np.ones(70, bool))
    assert one is not None
    assert one.items == 40
    assert one.lacking.tolist() == [0, 10]
    assert one.rates.tolist() == [0.75, 1.0]
    assert one.moved == 0.25
    assert one.chances[0] == 1
    assert one.chances[1] < 1e-7
    assert one.selected
    random = uneven(values, items, items % 2 == 0, np.ones(70, bool))
    assert random is not None
    assert not random.selected
    assert uneven(np.repeat([0, 1], 40), np.tile(np.arange(40), 2), np.ones(80, bool), np.ones(80, bool)) is None
    assert uneven(np.repeat([0, 1], 40), np.arange(80), np.ones(80, bool), np.ones(80, bool)) is None, "by design"


def test_turned_pairs() -> None:
    """Value 0 is better by 40 items that stand twice, or more; without them value 1 is."""
    items = np.concatenate([np.arange(100), np.arange(100)])
    right = np.concatenate([np.arange(100) < 60, (np.arange(100) >= 60) & (np.arange(100) < 75)])
    labels = ValueLabels(np.repeat([0, 1], 100), items, right, np.ones(200, bool))
    assert labels.turned(np.ones(200, bool)) == []
    assert labels.turned(items >= 55) == [(0, 1)]
    assert labels.within(0, 0.5) == [(1, pytest.approx(0.45))]
    assert labels.within(0, 0.4) == []
    apart = ValueLabels(labels.values, np.full(200, -1), right, labels.labelled)
    assert apart.turned(items >= 55) == [(0, 1)], "without items"
