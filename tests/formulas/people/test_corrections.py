"""A judge's rate corrected by people's labels: cases by hand, and the laws."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.core.statistics import Z95
from auditfw.formulas.people.corrections import (
    Validation,
    corrected_share,
    label_worth,
    post_strata,
    prediction_powered,
    rogan_gladen,
)
from auditfw.formulas.people.shares import GroupCounts, LabelledGroup, domain_share

A, B, C = GroupCounts(60, 20, 15), GroupCounts(30, 9, 2, 1), GroupCounts(10, 3, 1)


@pytest.mark.parametrize(
    ("groups", "strata"),
    [
        ([A, B], [A, B]),
        ([A, B, C], [B, GroupCounts(70, 23, 16)]),  # three labels: with the largest
        ([A, C, GroupCounts(5, 4, 4)], [A, GroupCounts(15, 7, 5)]),  # two small ones that are enough together
        ([A, GroupCounts(0, 0, 0)], [A, GroupCounts(0, 0, 0)]),
        ([C, C], [C, C]),
    ],
)
def test_post_strata(groups: list[GroupCounts], strata: list[GroupCounts]) -> None:
    assert post_strata(groups) == strata


def test_the_corrected_rate_weighs_people_by_the_judges_labels() -> None:
    """60 × 15/20 + 40 × 3/12 = 55 of 100."""
    share = corrected_share([A, GroupCounts(40, 12, 3)], 80.0)
    assert share == domain_share([A, GroupCounts(40, 12, 3)], 80.0)
    assert share is not None
    assert share.value == pytest.approx(0.55)


def test_the_worth_of_a_label() -> None:
    """Rates 3/4 and 1/4, weights .6 and .4: p = .55, within .1875."""
    groups = [LabelledGroup(60, 20, 15), LabelledGroup(40, 12, 3)]
    assert label_worth(groups, 0.55) == pytest.approx(0.55 * 0.45 / 0.1875)
    assert label_worth([LabelledGroup(60, 20, 20), LabelledGroup(40, 12, 0)], 0.6) is None


def test_ppi_by_hand() -> None:
    """People 1 1 0 0, the judge 1 0 0 0 on them, 1 1 0 0 on four others.

    cov = 1/8, var of all eight = (3 × 25 + 5 × 9)/64/7 = 15/56: λ = (1/8)/(2 × 15/56) = 7/30. The value is
    7/60 + 1/2 - 7/120. Residuals 23/30, 1, 0, 0.
    """
    made = prediction_powered(*(np.array(x, float) for x in ([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0])))
    assert made.weight == pytest.approx(7 / 30)
    assert made.value == pytest.approx(1 / 2 + 7 / 120)
    variance = np.var([23 / 30, 1, 0, 0]) / 4 + (7 / 30) ** 2 * 0.25 / 4
    assert made.high - made.value == pytest.approx(Z95 * math.sqrt(variance))


def test_ppi_by_question() -> None:
    """Two questions with errors e and -e: variance 2/1 × 2e²."""
    people, judge, others = np.array([1.0, 0.0]), np.array([0.0, 0.0]), np.array([0.0, 0.0])
    made = prediction_powered(people, judge, others, np.array([0, 1, 0, 1]))
    assert (made.weight, made.value) == (0.0, 0.5)
    assert made.high - made.value == pytest.approx(Z95 * math.sqrt(2 * 2 * 0.25**2))


def test_ppi_with_nothing_else() -> None:
    made = prediction_powered(np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.array([]))
    assert (made.value, made.weight) == (0.5, 0.0)
    assert made.low == pytest.approx(0.5 - Z95 * math.sqrt(0.25 / 2))


def test_rogan_gladen_by_hand() -> None:
    """Called positive 50 of 100, sensitivity 9/10, specificity 8/10: (0.5 + 0.8 - 1)/0.7."""
    share = rogan_gladen(50, 100, Validation(10, 9, 10, 8))
    assert share is not None
    assert share.value == pytest.approx(0.3 / 0.7)
    assert share.low < share.value < share.high


def test_the_limits_of_lang_and_reiczigel() -> None:
    """With z² more trials and one more success each: rate .5, 10/12, 9/12, so centre (.5 + .75 - 1)/(7/12) = 3/7."""
    share = rogan_gladen(50, 100, Validation(10, 9, 10, 8))
    n, a, b, t, z = 100 + Z95**2, 10 / 12 * 2 / 12 / 12, 9 / 12 * 3 / 12 / 12, 3 / 7, Z95
    shift = 2 * z * z * (t * a - (1 - t) * b)
    half = z / (7 / 12) * math.sqrt(0.25 / n + t * t * a + (1 - t) ** 2 * b)
    assert share is not None
    assert (share.low, share.high) == pytest.approx((t + shift - half, t + shift + half))


@pytest.mark.parametrize("validation", [(0, 0, 10, 8), (10, 8, 0, 0), (10, 5, 10, 5), (10, 1, 10, 2)])
def test_a_judge_that_does_not_tell(validation: tuple[int, int, int, int]) -> None:
    assert rogan_gladen(50, 100, Validation(*validation)) is None


@settings(max_examples=examples(200))
@given(st.integers(2, 30), st.integers(1, 40))
def test_a_judge_that_says_the_opposite_helps_nothing(n: int, others: int) -> None:
    rng = np.random.default_rng(n * 41 + others)
    people, judge, rest = (rng.integers(0, 2, size).astype(float) for size in (n, n, others))
    made = prediction_powered(people, judge, rest)
    assert 0 <= made.weight <= 1
    turned = prediction_powered(people, 1 - people, rest)
    assert (turned.weight, turned.value) == (0.0, pytest.approx(float(people.mean())))
    mirrored = prediction_powered(1 - people, 1 - judge, 1 - rest)
    assert (1 - mirrored.value, mirrored.weight) == pytest.approx((made.value, made.weight))
