"""Two rates over items: cases by hand, statsmodels' clustered least squares, and the laws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sample_items import CHANGES, TRIALS, WRONG
from searching import examples

from auditfw.formulas import two_rates as module
from auditfw.formulas.shifts import shift
from auditfw.formulas.student import t_p_value, t_quantile
from auditfw.formulas.two_rates import pair_sums, separate_sums, two_rates

SIDE = st.integers(0, 6).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m)))
ROW = st.tuples(SIDE, SIDE)
ROWS = st.lists(ROW, min_size=2, max_size=25)


def columns(rows: list[Any]) -> tuple[list[int], list[int], list[int], list[int]]:
    return [a for (a, _), _ in rows], [a for (_, a), _ in rows], [b for _, (b, _) in rows], [b for _, (_, b) in rows]


def both_sides(rows: list[Any]) -> bool:
    return any(a for (a, _), _ in rows) and any(b for _, (b, _) in rows)


def test_paired_by_hand() -> None:
    """Four items in both, 2 trials each: a 2, 2, 1, 1 right (6/8), b 0, 1, 1, 0 (2/8).

    Residuals of a are ±1/2 (2 - 1.5), of b -1/2, 1/2, 1/2, -1/2. q = (r_a - r_b)/8 = 1/8, 0, -1/8, 0.
    """
    made = two_rates([2] * 4, [2, 2, 1, 1], [2] * 4, [0, 1, 1, 0])
    assert made.difference == 0.5
    assert made.error == pytest.approx(math.sqrt(4 / 3 * 2 / 64))
    assert made.t == pytest.approx(0.5 / math.sqrt(1 / 24))
    assert (made.degrees, made.items, made.shared, made.trials) == (3, 4, 4, 8)
    assert made.p == pytest.approx(t_p_value(math.sqrt(6), 3))


def test_interval_by_hand() -> None:
    """The same: pseudo-items of (2 + 2)/(2 + 1) = 4/3 trials, N = 32/3, shares 11/16 and 5/16.

    N × q = 10/8, 2/8, -6/8, 2/8, squares 9/4, times 4/3; N times the pseudo-items' 4/3 × 10/16 and 4/3 × 22/16.
    """
    made = two_rates([2] * 4, [2, 2, 1, 1], [2] * 4, [0, 1, 1, 0])
    half = t_quantile(0.975, 3) * math.sqrt(3 + (5 / 6) ** 2 + (11 / 6) ** 2) / (32 / 3)
    assert (made.low, made.high) == (pytest.approx(6 / 16 - half), 1.0)


def test_apart_by_hand() -> None:
    """Items of a 4, 2 trials with 3, 1 right (r = ±1/3 as 3 - 4 × 2/3), of b 2, 2, 2 with 1, 0, 2 (r = 0, -1, 1).

    Σq² = 2/9/36 + 2/36, five items in all, 2 of the side with fewer.
    """
    made = two_rates([4, 2, 0, 0, 0], [3, 1, 0, 0, 0], [0, 0, 2, 2, 2], [0, 0, 1, 0, 2])
    assert made.difference == pytest.approx(4 / 6 - 3 / 6)
    assert made.error == pytest.approx(math.sqrt(5 / 4 * (2 / 9 + 2) / 36))
    assert (made.degrees, made.items, made.shared, made.trials) == (1, 2, 0, 6)


@pytest.mark.parametrize(("items", "p"), [(2, 0.5), (5, 1 / 16), (6, 1 / 32)])
def test_no_error_but_a_difference(items: int, p: float) -> None:
    """All right against all wrong: as surprising as so many flips of a coin; the interval agrees."""
    made = two_rates([1] * items, [1] * items, [1] * items, [0] * items)
    assert (made.difference, made.error, made.t, made.p) == (1.0, 0.0, None, p)
    assert made.low is not None
    assert (made.low > 0) == (p <= 0.05)


def test_no_error_and_no_difference() -> None:
    made = two_rates([3] * 4, [1, 0, 3, 2], [3] * 4, [1, 0, 3, 2])
    assert (made.difference, made.error, made.t, made.p) == (0.0, 0.0, None, 1.0)
    assert made.low is not None
    assert made.low == -made.high < 0


def test_one_item_on_a_side_tells_nothing() -> None:
    made = two_rates([4, 0, 0], [4, 0, 0], [0, 3, 3], [0, 1, 0])
    assert (made.p, made.low, made.high, made.error, made.t, made.degrees) == (*(None,) * 5, 0)
    assert (made.difference, made.items, made.shared) == (1 - 1 / 6, 1, 0)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=60))
def test_paired_single_trials_are_the_paired_t_test(labels: list[tuple[int, int]]) -> None:
    """Its interval is Bonett and Price's, with the factor G/(G-1) on the squares of the items."""
    one, other = [a for a, _ in labels], [b for _, b in labels]
    n, apart = len(labels), np.subtract(one, other)
    made = two_rates([1] * n, one, [1] * n, other)
    assert made.error == pytest.approx(float(apart.std(ddof=1)) / math.sqrt(n), abs=1e-12)
    plain = shift([1] * n, apart)
    assert made.low is not None
    assert made.high is not None
    assert made.low <= plain.low + 1e-9
    assert plain.high - 1e-9 <= made.high
    if abs(plain.low) < 1 and abs(plain.high) < 1 and abs(made.low) < 1 and abs(made.high) < 1:
        e, b = plain.centre, 1.0
        squares = n / (n - 1) * float(((apart - e) ** 2).sum()) + 2 * b * b * (1 + e * e)
        half = t_quantile(0.975, n - 1) * math.sqrt(squares) / (n + 2)
        assert (made.low, made.high) == pytest.approx((e - half, e + half), abs=1e-9)


@settings(max_examples=examples(40), deadline=None)
@given(ROWS)
def test_error_is_that_of_clustered_least_squares(rows: list[Any]) -> None:
    """statsmodels corrects by G/(G-1) × (N-1)/(N-2) for the two means of a difference."""
    import statsmodels.api as sm

    assume(both_sides(rows))
    labels, sides, groups = [], [], []
    for at, row in enumerate(rows):
        for side, (m, s) in enumerate(row):
            labels += [1] * s + [0] * (m - s)
            sides += [1 - side] * m
            groups += [at] * m
    n = len(labels)
    made = two_rates(*columns(rows))
    assume(n > 2 and made.error is not None)
    design = np.column_stack([np.ones(n), sides])
    fit = sm.OLS(np.array(labels), design).fit(cov_type="cluster", cov_kwds={"groups": np.array(groups)})
    assert made.difference == pytest.approx(fit.params[1], abs=1e-9)
    assert made.error is not None
    assert made.error**2 == pytest.approx(fit.cov_params()[1, 1] / ((n - 1) / (n - 2)), rel=1e-8, abs=1e-12)


@given(ROWS, st.randoms())
def test_no_order_can_be_seen_and_sides_mirror(rows: list[Any], order: Any) -> None:
    assume(both_sides(rows))
    shuffled = [*rows, ((0, 0), (0, 0))]
    order.shuffle(shuffled)
    made = two_rates(*columns(rows))
    assert two_rates(*columns(shuffled)) == made
    mirrored = two_rates(*columns([(b, a) for a, b in rows]))
    assert (mirrored.difference, mirrored.error, mirrored.p) == (-made.difference, made.error, made.p)
    if made.low is not None and made.high is not None:
        assert -1 <= made.low <= made.high <= 1
        assert (mirrored.low, mirrored.high) == pytest.approx((-made.high, -made.low), abs=1e-12)


def test_disjoint_halves_of_the_sample() -> None:
    """Questions 1 to 10 against 11 to 20: 158 against 109 wrong of 540 each."""
    none = [0] * 10
    made = two_rates(TRIALS[:10] + none, WRONG[:10] + none, none + TRIALS[10:], none + WRONG[10:])
    assert made.difference == pytest.approx((158 - 109) / 540)
    r = [w - 15.8 for w in WRONG[:10]], [w - 10.9 for w in WRONG[10:]]
    assert made.error == pytest.approx(math.sqrt(20 / 19 * sum(x * x for side in r for x in side)) / 540)
    assert made.p is not None
    assert made.p > 0.05


def test_readings_of_the_sample_share_all_questions() -> None:
    changed = [w - d for w, d in zip(WRONG, CHANGES["answer_v2+v1"], strict=True)]
    made = two_rates(TRIALS, changed, TRIALS, WRONG)
    assert (made.difference, made.shared) == (23 / 1080, 20)
    assert made.error == pytest.approx(np.std(CHANGES["answer_v2+v1"], ddof=1) * math.sqrt(20) / 1080)


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(st.lists(SIDE, min_size=4, max_size=4), min_size=1, max_size=20), st.integers(1, 40), st.randoms())
def test_all_pairs_are_the_pairs_one_by_one(table: list[list[Any]], block: int, order: Any) -> None:
    """Rows in any order, blocks of any size, floats or whole numbers within: the same sums."""
    rows = [(cell, item, m, s) for item, row in enumerate(table) for cell, (m, s) in enumerate(row)]
    order.shuffle(rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "BLOCK", block)
        patched.setattr(module, "EXACT_FLOATS", order.choice([0, 2**53]))
        patched.setattr(module, "LEAST_WIDTH", 1)
        patched.setattr(module, "PRODUCTS", order.choice([1, 10**9]))
        sums = pair_sums([r[0] for r in rows], 4, [r[1] for r in rows], [r[2] for r in rows], [r[3] for r in rows])
    for a in range(4):
        for b in range(4):
            pair = [(row[a], row[b]) for row in table]
            if both_sides(pair):
                assert sums.difference(a, b) == two_rates(*columns(pair))


def test_products_beyond_floats_are_exact() -> None:
    """(10^8 + 1)² is odd and above 2^53: no float holds it."""
    many = 10**8 + 1
    sums = pair_sums([0, 1, 2], 3, [0, 0, 0], [many, many, 1], [many, 1, 0])
    assert sums.both_trials[0, 1] == sums.mixed[0, 1] == many**2 != int(float(many**2))


@pytest.mark.parametrize(
    "rows",
    [
        ([], [], [], []),
        ([1], [0], [0], [0]),
        ([0], [0], [1], [1]),
        ([1], [2], [1], [1]),
        ([1], [1], [1], [-1]),
        ([1, 1], [1, 1], [1], [1]),
        ([1, 1], [1], [1, 1], [1]),
    ],
)
def test_impossible_counts(rows: tuple[list[int], ...]) -> None:
    with pytest.raises(ValueError, match=r"trial|item"):
        two_rates(*rows)


@given(st.lists(SIDE, min_size=1, max_size=5))
def test_totals_are_enough_where_each_trial_is_its_own_item(cells: list[tuple[int, int]]) -> None:
    """The same sums as those of as many items of one trial each."""
    codes = [c for c, (n, _) in enumerate(cells) for _ in range(n)]
    labels = [int(i < s) for n, s in cells for i in range(n)]
    every = pair_sums(codes, len(cells), list(range(len(codes))), [1] * len(codes), labels)
    totals = separate_sums([n for n, _ in cells], [s for _, s in cells])
    assert totals.cells == every.cells
    places = [(a, b) for a in range(len(cells)) for b in range(len(cells))]
    for name in ("both_successes", "mixed", "both_trials", "shared"):
        one, other = getattr(totals, name), getattr(every, name)
        assert [one[place] for place in places] == [other[place] for place in places]
        rows, columns = np.array(places).T
        assert one[rows, columns].tolist() == other[rows, columns].tolist()
    for a, b in places:
        if cells[a][0] and cells[b][0] and a != b:
            assert totals.difference(a, b) == every.difference(a, b)


@pytest.mark.parametrize(("trials", "successes"), [([2], [3]), ([2], [-1])])
def test_totals_that_are_none(trials: list[int], successes: list[int]) -> None:
    with pytest.raises(ValueError, match="successes"):
        separate_sums(trials, successes)


@given(ROWS)
def test_the_p_value_alone(rows: list[Any]) -> None:
    assume(both_sides(rows))
    a, s, b, r = columns(rows)
    items = list(range(len(rows)))
    sums = pair_sums([0] * len(rows) + [1] * len(rows), 2, items * 2, a + b, s + r)
    assert sums.p_value(0, 1) == sums.difference(0, 1).p == two_rates(a, s, b, r).p
