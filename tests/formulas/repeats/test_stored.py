"""By which convention a stored pass@k was computed: cases by hand, and the order of the check."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.formulas.repeats.of_k import any_of_k, rate_of
from auditfw.formulas.repeats.stored import CONVENTIONS, convention_of, conventions, right_of_first

# Two items: right, wrong, wrong, wrong and wrong, wrong, right, right.
ITEMS, RIGHT = [0, 0, 1, 1, 0, 0, 1, 1], [1, 0, 0, 0, 0, 0, 1, 1]
ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=40)


@pytest.mark.parametrize(("k", "first"), [(1, [1, 0]), (2, [1, 0]), (3, [1, 1]), (9, [1, 2])])
def test_right_of_first(k: int, first: list[int]) -> None:
    assert right_of_first(ITEMS, RIGHT, k).tolist() == first


def test_no_trials() -> None:
    assert right_of_first([], [], 3).tolist() == []
    assert right_of_first([2], [1], 1).tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="a number needs a trial"):
        conventions([0], [0], [0], 2)


def test_any_of_two() -> None:
    """Pairs: of 6 the first item has 3 with its right one, the second 5; plug-in 1 - (3/4)² and 1 - (1/2)²."""
    values = conventions([4, 4], [1, 2], right_of_first(ITEMS, RIGHT, 2), 2)
    assert tuple(values) == CONVENTIONS
    assert list(values.values()) == pytest.approx([8 / 12, (7 / 16 + 3 / 4) / 2, 0.5, 1.0])


def test_all_of_two() -> None:
    """Pairs: none of the first item, 1 of 6 of the second; plug-in (1/4)² and (1/2)²."""
    values = conventions([4, 4, 2], [1, 2, 2], [1, 0, 2], 2, every=True)
    assert list(values.values()) == pytest.approx([(1 / 6 + 1) / 3, (1 / 16 + 1 / 4 + 1) / 3, 1 / 3, 1 / 3])


def test_fewer_than_k() -> None:
    """Unbiased over the item of 3 alone, the others over both, with what there is; an item without a trial is none."""
    values = conventions([3, 1, 0], [3, 1, 0], [2, 1, 0], 2, every=True)
    assert values == {"unbiased": 1.0, "plug_in": 1.0, "first_k": 1.0, "all_n": 1.0}
    assert list(conventions([1], [1], [1], 2)) == ["plug_in", "first_k", "all_n"]


@pytest.mark.parametrize(
    ("stored", "room", "name"),
    [
        (0.667, 0.0005, "unbiased"),
        (0.594, 0.0005, "plug_in"),
        (0.5, 0.0005, "first_k"),
        (1.0, 0.0005, "all_n"),
        (0.6, 0.05, "plug_in"),  # 0.6 is no 0.667 within 0.05
        (0.7, 0.05, "unbiased"),
        (0.52, 0.005, None),
        (0.505, 0.005, "first_k"),  # just half a unit off
    ],
)
def test_which(stored: float, room: float, name: str | None) -> None:
    values = conventions([4, 4], [1, 2], [1, 0], 2)
    assert convention_of(stored, room, values) == name


def test_the_first_of_equal_ones() -> None:
    assert convention_of(1.0, 0.0, conventions([2], [2], [2], 2)) == "unbiased"
    assert convention_of(0.5, 0.0, {}) is None


@given(ROWS, st.integers(1, 6))
@settings(max_examples=examples(60), deadline=None)
def test_laws(rows: list[tuple[int, int]], k: int) -> None:
    """Of one repeat the first two are one; of all that there are, all but the plug-in."""
    items, right = np.array(rows).T
    trials, totals = np.bincount(items), np.bincount(items, weights=right).astype(int)
    one = conventions(trials, totals, right_of_first(items, right, 1), 1)
    assert one["plug_in"] == pytest.approx(one["unbiased"])
    made = conventions(trials, totals, right_of_first(items, right, k), k)
    assert made["first_k"] <= made["all_n"]
    unbiased = rate_of(any_of_k, trials, totals, k)
    assert made.get("unbiased") == (None if unbiased is None else unbiased.share)
    if (trials[trials > 0] == k).all():
        assert made["unbiased"] == pytest.approx(made["first_k"])
        assert made["first_k"] == made["all_n"]
    for item in set(items.tolist()):
        mine = [label for code, label in rows if code == item]
        assert right_of_first(items, right, k)[item] == sum(mine[:k])
