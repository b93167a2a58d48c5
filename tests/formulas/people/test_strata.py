"""Classes of trials and the labels that each gets: published draws, cases by hand, and the laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.formulas.people.strata import classes_of, equal_parts, labels_by_cell, labels_by_class, proportional

SIZES = st.lists(st.one_of(st.integers(0, 8), st.integers(0, 5000)), min_size=4, max_size=4)


def test_a_class_is_what_the_readings_say() -> None:
    """Columns are trials; the first row is the reference: 1 right, 0 wrong, -1 no label."""
    reference = [1, 0, 1, 0, -1, -1, -1, 1, -1]
    another = [1, 0, 0, 1, 1, 0, -1, -1, 1]
    third = [-1, 0, 1, 1, 0, 0, -1, -1, 1]
    classes = classes_of([np.array(labels, np.int8) for labels in (reference, another, third)])
    assert classes.tolist() == [0, 1, 2, 3, 3, 1, -1, 0, 0]


@pytest.mark.parametrize(
    ("sizes", "n", "labels"),
    [
        ((1779, 6270, 6953, 96), 150, [18, 62, 68, 2]),  # NQ: 70 of 150 where readings differ, as 7,049 of 15,098
        ((2013, 2257, 5387, 33), 150, [31, 35, 82, 2]),
        ((316, 707, 452, 15), 150, [31, 69, 48, 2]),
        ((1992, 2799, 476, 9), 150, [42, 58, 48, 2]),  # GSM8K: a third
        ((790, 250, 23, 17), 100, [50, 16, 20, 14]),
        ((8698, 6270, 34, 96), 150, [58, 42, 13, 37]),
        ((500, 500, 0, 0), 30, [15, 15, 0, 0]),  # one reading
        ((3, 2, 1, 0), 10, [3, 2, 1, 0]),  # all
        ((0, 0, 0, 0), 10, [0, 0, 0, 0]),
        ((5, 5, 500, 500), 20, [2, 2, 8, 8]),  # the least of the small classes
        ((1, 1, 500, 1), 10, [1, 1, 7, 1]),
        ((700, 1, 1, 0), 10, [8, 1, 1, 0]),
        ((9, 9, 9, 9), 5, [1, 1, 2, 1]),  # fewer than the least of all
        ((100, 200, 0, 0), 10, [3, 7, 0, 0]),  # 3 1/3 and 6 2/3: to the larger remainder
        ((100, 100, 0, 0), 11, [6, 5, 0, 0]),  # a tie: to the first
    ],
)
def test_labels_by_class(sizes: tuple[int, ...], n: int, labels: list[int]) -> None:
    assert labels_by_class(sizes, n) == labels


def test_a_bound_is_fixed_and_the_rest_shared_out_again() -> None:
    """Of 30 in proportion 3, 9, 18: 5 at least for the first leaves 25 for 90 and 180; 15 at most for the third 10."""
    assert proportional([30, 90, 180], 30, [5, 0, 0]) == [5, 8, 17]
    assert proportional([30, 90, 15], 126, [0, 0, 15]) == [28, 83, 15]


@pytest.mark.parametrize(
    ("sizes", "n", "parts"),
    [
        ([100, 100, 100], 10, [4, 3, 3]),
        ([2, 100, 100], 12, [2, 5, 5]),
        ([1, 2, 3], 9, [1, 2, 3]),
        ([0, 7], 5, [0, 5]),
        ([9, 9, 9], 2, [1, 1, 0]),
        ([], 3, []),
    ],
)
def test_equal_parts(sizes: list[int], n: int, parts: list[int]) -> None:
    assert equal_parts(sizes, n) == parts


def test_cells_get_equal_parts_and_each_its_classes() -> None:
    assert labels_by_cell([(50, 50, 50, 50), (5, 5, 5, 5)], 60) == [[10, 10, 10, 10], [5, 5, 5, 5]]


@settings(max_examples=examples(400))
@given(SIZES, st.integers(10, 600), st.integers(0, 300))
def test_laws_of_the_draw(sizes: list[int], n: int, more: int) -> None:
    labels = labels_by_class(sizes, n)
    assert sum(labels) == min(n, sum(sizes))
    assert all(min(size, 2) <= got <= size for size, got in zip(sizes, labels, strict=True))
    again = labels_by_class(sizes, n + more, labels)
    assert sum(again) == min(n + more, sum(sizes))
    assert all(before <= now for before, now in zip(labels, again, strict=True))
    longer = labels_by_class(sizes, n + more)
    assert all(before <= now for before, now in zip(labels, longer, strict=True))
    differ = sizes[2] + sizes[3]
    if sizes[0] + sizes[1] >= n and 2 * n <= sum(sizes):
        assert labels[2] + labels[3] >= min(differ, n // 3)


@settings(max_examples=examples(200))
@given(st.lists(st.integers(0, 40), max_size=8), st.integers(0, 200), st.integers(0, 50))
def test_laws_of_equal_parts(sizes: list[int], n: int, more: int) -> None:
    parts, longer = equal_parts(sizes, n), equal_parts(sizes, n + more)
    assert sum(parts) == min(n, sum(sizes))
    assert all(part <= now <= size for part, now, size in zip(parts, longer, sizes, strict=True))
    room = [part for part, size in zip(parts, sizes, strict=True) if part < size]
    assert not room or max(parts) - min(room) <= 1
