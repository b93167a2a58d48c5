"""pass@k and pass^k from stored repeats: by hand, by enumeration of all subsets, the prototypes, and the laws."""

from __future__ import annotations

import json
import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import CASES
from searching import examples

from auditfw.core.statistics import wilson
from auditfw.formulas.clusters import clustered_mean
from auditfw.formulas.repeats.of_k import (
    EXACT,
    all_of_k,
    any_of_k,
    bounds_of_k,
    difference_of_k,
    equal_texts,
    rate_of,
    rate_of_k,
)

STORED = json.loads((CASES / "data" / "repeats_prototypes" / "cases.json").read_text("utf-8"))["of_k"]
BOTH = pytest.mark.parametrize("chance", [any_of_k, all_of_k])
ITEM = st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
ITEMS = st.lists(ITEM, min_size=1, max_size=30)
LARGE = st.integers(1, 300).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


@pytest.mark.parametrize(
    ("n", "c", "k", "any_of", "all_of"),
    [
        (5, 2, 1, 2 / 5, 2 / 5),
        (5, 2, 2, 7 / 10, 1 / 10),  # of 10 pairs 3 hold no right one, 1 both
        (5, 2, 3, 9 / 10, 0),
        (5, 2, 4, 1, 0),
        (5, 0, 2, 0, 0),
        (5, 5, 5, 1, 1),
        (4, 3, 4, 1, 0),
        (3, 1, 4, math.nan, math.nan),
        (0, 0, 1, math.nan, math.nan),
        (1000, 1, 1000, 1, 0),
        (100, 1, 50, 0.5, 0),
        (100, 99, 50, 1, 0.5),
    ],
)
def test_by_hand(n: int, c: int, k: int, any_of: float, all_of: float) -> None:
    assert any_of_k([n], [c], k).tolist() == pytest.approx([any_of], nan_ok=True, rel=1e-12)
    assert all_of_k([n], [c], k).tolist() == pytest.approx([all_of], nan_ok=True, rel=1e-12)


@given(ITEMS, st.integers(1, 9))
@settings(max_examples=examples(60), deadline=None)
def test_all_subsets(rows: list[tuple[int, int]], k: int) -> None:
    """The share of all subsets of k repeats of which any, or all, are right."""
    trials, right = zip(*rows, strict=True)
    for (n, c), some, every in zip(rows, any_of_k(trials, right, k), all_of_k(trials, right, k), strict=True):
        drawn = list(combinations([1] * c + [0] * (n - c), k))
        expected = [sum(map(rule, drawn)) / len(drawn) if drawn else math.nan for rule in (any, all)]
        assert [some, every] == pytest.approx(expected, nan_ok=True, rel=1e-13)


@given(LARGE)
@settings(max_examples=examples(100), deadline=None)
def test_whole_numbers_and_logarithms_are_one_formula(item: tuple[int, int, int]) -> None:
    n, c, k = item
    left = math.comb(n - c, k) / math.comb(n, k)
    assert any_of_k([n], [c], k)[0] == pytest.approx(1 - left, abs=1e-11)
    assert all_of_k([n], [n - c], k)[0] == pytest.approx(left, abs=1e-11)
    assert any_of_k([n], [c], 1)[0] == pytest.approx(c / n, abs=1e-11)
    assert n > EXACT or all_of_k([n], [n - c], k)[0] == left


@pytest.mark.parametrize(("n", "k"), [(5, 3), (10, 4), (8, 8), (70, 2)])
@pytest.mark.parametrize("p", [0.05, 0.4, 0.9])
def test_unbiased(n: int, k: int, p: float) -> None:
    """The mean over all numbers of right ones is the chance of k fresh repeats; the plug-in is another number."""
    c = np.arange(n + 1)
    weights = np.array([math.comb(n, one) * p**one * (1 - p) ** (n - one) for one in c.tolist()])
    assert weights @ any_of_k(np.full(n + 1, n), c, k) == pytest.approx(1 - (1 - p) ** k, abs=1e-11)
    assert weights @ all_of_k(np.full(n + 1, n), c, k) == pytest.approx(p**k, abs=1e-11)


@given(ITEMS, st.integers(1, 8))
@settings(max_examples=examples(40), deadline=None)
def test_laws(rows: list[tuple[int, int]], k: int) -> None:
    """More draws help any and hurt all; one is the opposite of the other with right and wrong exchanged."""
    trials, right = np.array(rows).T
    some, more = (any_of_k(trials, right, one) for one in (k, k + 1))
    every, fewer = (all_of_k(trials, right, one) for one in (k, k + 1))
    there = trials > k
    assert (more[there] >= some[there]).all()
    assert (fewer[there] <= every[there]).all()
    assert np.allclose(some, 1 - all_of_k(trials, trials - right, k), equal_nan=True)
    mixed = np.random.default_rng(k).permutation(len(rows))
    assert rate_of(any_of_k, trials[mixed], right[mixed], k) == rate_of(any_of_k, trials, right, k)


@BOTH
@pytest.mark.parametrize(
    ("trials", "right", "k"), [([3], [4], 1), ([3], [-1], 1), ([3], [2], 0), ([3], [2], 1001), ([3, 3], [2], 1)]
)
def test_refused(chance: Any, trials: list[int], right: list[int], k: int) -> None:
    with pytest.raises(ValueError, match=r"k is from 1 to 1,000|all of its trials right"):
        chance(trials, right, k)


def test_many_of_k() -> None:
    assert any_of_k([1000], [1], 1000).tolist() == [1.0]
    assert any_of_k([], [], 3).size == 0


def test_interval_by_hand() -> None:
    """Values 0, 1/2, 1, 1: p 5/8, h 2 (two above 0 are three, two below 1), var 11/48, se² (2 × 11/192 + 15/256)/3.

    t of 3 degrees is 3.182.
    """
    made = rate_of_k([0, 0.5, 1, 1], 2)
    assert made is not None
    error = (2 * 11 / 192 + 15 / 256) / 3
    n = 15 / 64 / error * (1.959963984540054 / 3.182446305284264) ** 2
    assert made.n_eff == pytest.approx(n)
    assert (made.low, made.high) == pytest.approx(wilson(0.625 * n, n))
    assert (made.k, made.share, made.items, made.missing) == (2, 0.625, 4, 0)


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_all_alike(end: float) -> None:
    """As many separate items: Wilson's."""
    made = rate_of_k([end] * 7 + [math.nan], 1)
    assert made is not None
    assert (made.n_eff, made.items) == (7, 7)
    assert (made.low, made.high) == wilson(7 * end, 7)


def test_one_item_or_none() -> None:
    made = rate_of_k([0.4], 2)
    assert made is not None
    assert made.n_eff == 1
    assert rate_of_k([math.nan], 2) is None
    assert rate_of_k([], 2) is None


def test_two_items_are_at_least_one() -> None:
    made = rate_of_k([0.0, 1.0], 1)
    assert made is not None
    assert made.n_eff == 1  # 1/4 / ((1/4 + 1/8) / 2) = 4/3 items, by t of one degree far below 1


@BOTH
def test_missing_items(chance: Any) -> None:
    """An item of two repeats has no value of three; one without a trial is none."""
    made = rate_of(chance, [3, 2, 0, 3, 1], [3, 2, 0, 0, 1], 3)
    assert made is not None
    assert (made.share, made.items, made.missing) == (0.5, 2, 2)
    assert rate_of(chance, [3, 2], [3, 2], 4) is None


def test_run_errors_both_ways() -> None:
    """One item, two repeats wrong and one lost: of 2 of 3 any is right in 0, or in 2 of 3 pairs; all in none."""
    assert bounds_of_k(any_of_k, [2], [0], [1], 2) == pytest.approx((0, 2 / 3))
    assert bounds_of_k(all_of_k, [2, 3], [2, 3], [1, 0], 3) == pytest.approx((0.5, 1))
    assert bounds_of_k(all_of_k, [2], [2], [0], 3) is None


def test_difference() -> None:
    """Of 5 and of 10 repeats, over the items that both have."""
    values, others = any_of_k([5, 5, 5, 2], [5, 3, 0, 1], 3), any_of_k([10, 10, 10, 10], [5, 5, 5, 5], 3)
    made = difference_of_k(values, others)
    assert made == clustered_mean((values - others)[:3])
    assert made is not None
    assert made.mean == pytest.approx(2 / 3 - 11 / 12)  # of 10 with 5 right: 1 - 10/120
    assert difference_of_k([math.nan, 1], [1, math.nan]) is None


@pytest.mark.parametrize(
    ("items", "texts", "share"),
    [
        ([0, 0, 1, 1], [7, 7, 8, 8], 1.0),
        ([0, 1, 0, 1], [7, 8, 7, 9], 0.5),
        ([0, 0, 0, 5], [7, 7, 8, 9], 0.0),
        ([0, 0, 5], [2**64 - 1, 2**64 - 1, 1], 1.0),  # a single one says nothing
        ([0, 1, 2], [7, 7, 7], None),
        ([], [], None),
    ],
)
def test_equal_texts(items: list[int], texts: list[int], share: float | None) -> None:
    assert equal_texts(np.array(items, np.int64), np.array(texts, np.uint64)) == share


@pytest.mark.parametrize("case", STORED, ids=lambda case: f"{len(case['trials'])} items, k {case['k']}")
def test_the_prototype(case: dict[str, Any]) -> None:
    for name, chance in (("any_of_k", any_of_k), ("all_of_k", all_of_k)):
        values = chance(case["trials"], case["right"], case["k"])
        assert values.tolist() == pytest.approx(case[name]["values"], abs=1e-12)
        made = rate_of_k(values, case["k"])
        assert made is not None
        assert [made.share, made.low, made.high] == pytest.approx(case[name]["interval"], abs=1e-11)


NINE = [9] * 20


@pytest.mark.parametrize(
    ("right", "some", "every"),
    [
        ([9, 4, 4, 6, 8, 9, 9, 8, 5, 9, 9, 8, 9, 9, 8, 9, 9, 1, 8, 8], (95.2, 81.3, 98.9), (67.3, 48.1, 82.0)),
        ([9, 7, 4, 8, 9, 9, 9, 9, 8, 9, 9, 9, 9, 9, 9, 7, 8, 7, 9, 9], (99.4, 88.0, 100.0), (81.5, 64.0, 91.6)),
        ([3, 1, 0, 2, 3, 0, 1, 2, 1, 5, 3, 4, 4, 4, 5, 1, 4, 0, 6, 3], (59.8, 43.3, 74.4), (3.6, 1.3, 9.4)),
    ],
    ids=["base", "think_sft", "rl_zero"],
)
def test_a_study_of_20_questions(right: list[int], some: tuple[float, ...], every: tuple[float, ...]) -> None:
    """Vivarium's factual questions, by variant, all nine trials of a question: right ones of each, of 3."""
    for chance, expected in ((any_of_k, some), (all_of_k, every)):
        made = rate_of(chance, NINE, right, 3)
        assert made is not None
        assert tuple(round(100 * one, 1) for one in (made.share, made.low, made.high)) == expected


def test_the_reducers_of_inspect() -> None:
    """inspect_ai's `pass_at` and `pass_k`, to what floats leave."""
    cases = json.loads((CASES / "data" / "inspect_reducers" / "cases.json").read_text("utf-8"))["cases"]
    assert len(cases) == 248
    for n, c, k, any_of, all_of in cases:
        assert any_of_k([n], [c], k)[0] == pytest.approx(any_of, abs=1e-12)
        assert all_of_k([n], [c], k)[0] == pytest.approx(all_of, abs=1e-12)
