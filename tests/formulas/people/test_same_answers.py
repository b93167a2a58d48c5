"""The same answer graded more than once: cases by hand, and pairs counted one by one."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.core.statistics import Z95
from auditfw.formulas.clusters import rate
from auditfw.formulas.people.same_answers import Grades, grade_error, noise_floor, preferences, same_pairs

ROW = st.tuples(
    st.integers(0, 3), st.sampled_from("aAbB"), st.integers(0, 2), st.integers(0, 2)
)  # item, text, grade, by


def graded(rows: list[tuple[int, str, int, int]]) -> Grades:
    items, texts, grades, _ = zip(*rows, strict=True)
    keys = np.array([ord(text.lower()) for text in texts], np.uint64)
    return Grades(np.array(items), keys, np.array([ord(text) for text in texts], np.uint64), np.array(grades))


def test_one_answer_with_grades_0_0_1_1_is_four_of_six_pairs() -> None:
    pairs = same_pairs(graded([(0, "a", grade, 0) for grade in (0, 1, 0, 1)]))
    assert (pairs.groups, pairs.two_grades) == (1, 1)
    assert (pairs.pairs.tolist(), pairs.differing.tolist(), pairs.identical) == ([6], [4], (6, 4))
    assert pairs.rate() is None
    assert pairs.rate(6) == rate([6], [4])


def test_a_key_is_within_its_item_and_texts_within_their_key() -> None:
    rows = [
        (0, "a", 0, 0),
        (0, "A", 1, 0),
        (0, "A", 1, 0),
        (1, "a", 1, 0),
        (2, "b", 0, 0),
        (2, "b", 0, 0),
        (2, "a", 1, 0),
    ]
    pairs = same_pairs(graded(rows))
    assert (pairs.groups, pairs.two_grades) == (2, 1)
    assert (pairs.pairs.tolist(), pairs.differing.tolist()) == ([3, 1], [2, 0])
    assert pairs.identical == (2, 0)


def test_who_has_the_higher_grade() -> None:
    """Item 0: 0 has 1 and 1, 1 has 0: two wins; item 1: 1 has 1, 2 has 0; item 2: no two grades; item 3: 0 alone."""
    rows = [
        (0, "a", 1, 0),
        (0, "a", 1, 0),
        (0, "A", 0, 1),
        (1, "b", 1, 1),
        (1, "b", 0, 2),
        (2, "a", 1, 0),
        (2, "a", 1, 2),
    ]
    rows += [(2, "a", 1, 2), (3, "a", 1, 0), (3, "a", 0, 0)]
    made = preferences(graded(rows), np.array([by for *_, by in rows]), 3)
    assert [(one.won, one.met, one.by_item.tolist()) for one in made] == [(2, 2, [2]), (1, 3, [-2, 1]), (0, 1, [-1])]


@pytest.mark.parametrize(("differing", "error"), [(0, 0), (0.5, 0.5), (0.18, 0.1), (0.0198, 0.01), (0.51, None)])
def test_how_many_grades_are_wrong_at_least(differing: float, error: float | None) -> None:
    """2 × 0.1 × 0.9 = 0.18 of the pairs differ where a tenth of the grades is wrong."""
    assert grade_error(differing) == (None if error is None else pytest.approx(error))


def test_the_floor_of_a_rate_and_of_a_difference() -> None:
    assert noise_floor(0.08, 400) == pytest.approx(Z95 * math.sqrt(0.04 / 400))
    assert noise_floor(0.08, 400, 100) == pytest.approx(Z95 * math.sqrt(0.04 / 400 + 0.04 / 100))


@settings(max_examples=examples(200))
@given(st.lists(ROW, min_size=1, max_size=40))
def test_as_pairs_one_by_one_in_any_order(rows: list[tuple[int, str, int, int]]) -> None:
    pairs, differing, wins = Counter[int](), Counter[int](), Counter[tuple[int, int]]()
    identical = [0, 0]
    for (item, text, grade, by), (other_item, other_text, other_grade, other_by) in combinations(rows, 2):
        if item != other_item or text.lower() != other_text.lower():
            continue
        pairs[item] += 1
        differing[item] += grade != other_grade
        identical[0] += text == other_text
        identical[1] += text == other_text and grade != other_grade
        if grade != other_grade and by != other_by:
            up = by if grade > other_grade else other_by
            wins[up, item] += 1
            wins[by + other_by - up, item] -= 1
    shuffled = sorted(rows, key=lambda row: hash((row, 7)))
    for order in (rows, shuffled):
        made = same_pairs(graded(order))
        assert made.pairs.tolist() == [pairs[item] for item in sorted(pairs)]
        assert made.differing.tolist() == [differing[item] for item in sorted(pairs)]
        assert made.identical == tuple(identical)
        sums = preferences(graded(order), np.array([by for *_, by in order]), 3)
        for value, one in enumerate(sums):
            assert one.by_item.tolist() == [n for (by, _), n in sorted(wins.items()) if by == value]
