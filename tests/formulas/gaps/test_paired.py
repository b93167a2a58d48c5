"""Two logs on their common items: cases by hand, and laws."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from auditfw.formulas.gaps.paired import PairedLogs, paired_logs
from auditfw.formulas.repeats.planning import least_difference
from auditfw.formulas.sign_flips import sign_flips
from auditfw.formulas.two_rates import two_rates

Item = tuple[int, int, int, int]  # trials and right ones of A, of B


def paired(*items: Item) -> PairedLogs:
    n, s, m, r = (list(column) for column in zip(*items, strict=True))
    return paired_logs(n, s, m, r)


def test_single_trials_by_hand() -> None:
    """Five items won, one lost, four tied: McNemar's exact p of 5 and 1 is 2 × 7/64, the mean square 6/10."""
    made = paired(*[(1, 1, 1, 0)] * 5, (1, 0, 1, 1), *[(1, 1, 1, 1)] * 3, (1, 0, 1, 0))
    assert (made.won, made.lost, made.tied) == (5, 1, 4)
    assert made.rates == two_rates([1] * 10, [1] * 5 + [0] + [1] * 3 + [0], [1] * 10, [0] * 5 + [1] * 4 + [0])
    assert made.rates.difference == pytest.approx(0.4)
    assert (made.sign_flips_p, made.exact) == (pytest.approx(14 / 64), True)
    assert made.square == pytest.approx(0.6)
    seen = (stats.t.ppf(0.975, 9) + stats.t.ppf(0.8, 9)) * math.sqrt(0.6 / 10)
    assert made.smallest == pytest.approx(seen)


def test_items_of_one_side_are_left_out() -> None:
    both = [(1, 1, 1, 0), (1, 1, 1, 1), (2, 1, 1, 0)]
    assert paired(*both, (3, 2, 0, 0), (0, 0, 1, 1)) == paired(*both)


def test_repeats_by_hand() -> None:
    """Means 1/2 - 1/3, 1 - 1/3 and 1/2 - 2/3 times 6: sums 1, 4 and -1, of which |Σ| is at least 4 in 6 of 8 ways."""
    made = paired((2, 1, 3, 1), (2, 2, 3, 1), (2, 1, 3, 2))
    assert (made.won, made.lost, made.tied) == (2, 1, 0)
    assert made.square == pytest.approx((1 / 36 + 16 / 36 + 1 / 36) / 3)
    ways = [abs(a + 4 * b - c) >= 4 for a, b, c in product((1, -1), repeat=3)]
    assert (made.sign_flips_p, made.exact) == (sum(ways) / 8, True)


@given(
    st.lists(
        st.tuples(st.integers(1, 4), st.integers(0, 4), st.integers(1, 4), st.integers(0, 4)), min_size=1, max_size=9
    )
)
def test_laws(rows: list[Item]) -> None:
    items = [(n, min(s, n), m, min(r, m)) for n, s, m, r in rows]
    made, turned = paired(*items), paired(*[(m, r, n, s) for n, s, m, r in items])
    assert made == paired(*reversed(items))
    assert (made.won, made.lost, made.tied) == (turned.lost, turned.won, turned.tied)
    assert made.won + made.lost + made.tied == len(items)
    assert (made.sign_flips_p, made.square) == (turned.sign_flips_p, turned.square)
    assert made.rates.difference == -turned.rates.difference
    apart = [Fraction(s, n) - Fraction(r, m) for n, s, m, r in items]
    assert made.square == pytest.approx(float(sum(one * one for one in apart) / len(apart)))
    assert made.sign_flips_p == sign_flips([int(one * 12) for one in apart]).p
    assume(made.smallest is not None)
    assert made.smallest == least_difference(made.square, len(items))


PRIMES = (101, 103, 107, 109, 113, 127, 131)  # their product squared is no whole number of 64 bits


def test_repeats_without_a_common_multiple() -> None:
    """The normal limit of the differences themselves."""
    items = [(n, n // 2, n, n // 3) for n in PRIMES]
    made = paired(*items)
    apart = [s / n - r / m for n, s, m, r in items]
    z = abs(sum(apart)) / math.sqrt(sum(one * one for one in apart))
    assert (made.sign_flips_p, made.exact) == (pytest.approx(2 * stats.norm.sf(z)), False)
    assert paired(*[(n, 1, n, 1) for n in PRIMES]).sign_flips_p == 1.0


def test_tests_that_are_far_apart() -> None:
    """Three items won and none lost: every resampled difference is 1, p = 2^-2 by both; with one tied they part."""
    alike = paired(*[(1, 1, 1, 0)] * 3)
    assert (alike.rates.p, alike.sign_flips_p, alike.tests_apart) == (0.25, 0.25, False)
    apart = paired(*[(1, 1, 1, 0)] * 9, (1, 1, 1, 1))
    assert apart.rates.p is not None
    assert 3 * apart.rates.p < apart.sign_flips_p
    assert apart.tests_apart
    assert not paired((1, 1, 1, 0)).tests_apart
    for p, far in ((0.75, False), (0.76, True), (1 / 12, False), (0.083, True)):
        assert replace(alike, sign_flips_p=p).tests_apart == far


def test_one_item_and_none() -> None:
    one = paired((2, 1, 2, 2))
    assert (one.rates.p, one.smallest, one.sign_flips_p) == (None, None, 1.0)
    assert least_difference(0.5, 2) == pytest.approx((stats.t.ppf(0.975, 1) + stats.t.ppf(0.8, 1)) / 2)
    with pytest.raises(ValueError, match="common item"):
        paired((1, 1, 0, 0), (0, 0, 1, 1))
    with pytest.raises(ValueError, match="successes"):
        paired((1, 2, 1, 1))
