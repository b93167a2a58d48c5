"""Shifts by items: Bonett and Price's interval by hand, what could have been seen, and the laws."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_items import CHANGES, TRIALS

from auditfw.formulas.shifts import (
    ShiftSums,
    detectable,
    flips_needed,
    items_needed,
    shift,
    shift_of,
    shift_sums_by_cell,
)
from auditfw.formulas.sign_flips import sign_flips
from auditfw.formulas.student import t_quantile

ITEM = st.integers(1, 12).flatmap(lambda m: st.tuples(st.just(m), st.integers(-m, m)))
ITEMS = st.lists(ITEM, min_size=1, max_size=30)


def columns(items: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [m for m, _ in items], [d for _, d in items]


def test_no_flip_in_a_hundred_items() -> None:
    """b = 1, N = 102, v = 2: 1.9842 × √2 / 102."""
    made = shift([1] * 100, [0] * 100)
    assert (made.shift, made.centre, made.changed) == (0.0, 0.0, 0)
    assert made.error == pytest.approx(math.sqrt(2) / 102)
    assert [round(100 * end, 2) for end in (made.low, made.high)] == [-2.75, 2.75]
    assert made.within(made.high)
    assert not made.within(made.high - 1e-9)
    assert made.least_seen == pytest.approx((1.98422 + 0.84527) * math.sqrt(2) / 102, abs=1e-6)  # 3.92 points


def test_single_trials_are_bonett_and_price() -> None:
    """7 up and 2 down of 50: (8 - 3)/52 ± t × √((8 + 3)/52 - (5/52)²)/√52, t of 49 degrees."""
    made = shift([1] * 50, [1] * 7 + [-1] * 2 + [0] * 41)
    assert made.shift == 5 / 50
    assert made.centre == 5 / 52
    assert made.error == pytest.approx(math.sqrt((11 / 52 - (5 / 52) ** 2) / 52))
    half = t_quantile(0.975, 49) * made.error
    assert (made.low, made.high) == pytest.approx((5 / 52 - half, 5 / 52 + half))


def test_uneven_items_by_hand() -> None:
    """Trials 4, 2, 2, changes 3, 0, -1: b = (8/3 + 4)/3 = 20/9, N = 112/9, e = 2/(112/9) = 9/56."""
    made = shift([4, 2, 2], [3, 0, -1])
    e, b = 9 / 56, 20 / 9
    squares = (3 - 4 * e) ** 2 + (2 * e) ** 2 + (-1 - 2 * e) ** 2 + (b - b * e) ** 2 + (b + b * e) ** 2
    assert made.centre == pytest.approx(e)
    assert made.error == pytest.approx(math.sqrt(squares) / (112 / 9))
    assert made.degrees == pytest.approx(64 / 24 - 1)


def test_one_item() -> None:
    made = shift([3], [3])
    assert (made.shift, made.degrees, made.low, made.high) == (1.0, 1.0, -1.0, 1.0)


def test_the_shipped_sample() -> None:
    """17 changes of 1,080 in one direction: three questions, so that none may be meant."""
    made = shift(TRIALS, CHANGES["stored+v2"])
    assert made.shift == 17 / 1080
    # b = (54 + 17)/4 = 17.75, N = 1115.5, e = 17/1115.5; t of 19 degrees
    e = 17 / 1115.5
    rows = [(d - 54 * e) ** 2 for d in CHANGES["stored+v2"]]
    error = math.sqrt(sum(rows) + 2 * 17.75**2 * (1 + e * e)) / 1115.5
    assert (made.centre, made.error) == (pytest.approx(e), pytest.approx(error))
    assert [round(100 * end, 2) for end in (made.low, made.high)] == [-3.92, 6.97]
    assert not made.within(0.03)


def test_within_and_beyond_chance() -> None:
    made = shift([1] * 100, [1] * 3 + [0] * 97)
    assert made.low < 0 < made.high < 0.08
    assert made.within(0.08)
    assert not made.within(made.high / 2)
    assert made.beyond_chance() == (0.0, made.high)
    against = shift([1] * 100, [-1] * 3 + [0] * 97)
    assert against.beyond_chance() == (against.low, 0.0) == (-made.high, 0.0)
    clear = shift([1] * 100, [1] * 40 + [0] * 60)
    assert clear.beyond_chance() == (clear.low, clear.high)


@pytest.mark.parametrize(("items", "points"), [(100, 7.8), (200, 3.9), (1000, 0.79)])
def test_one_reading_could_have_been_seen(items: int, points: float) -> None:
    least = shift([1] * items, [0] * items).least_seen
    share = detectable(items, least=least)
    assert share is not None
    assert 100 * share == pytest.approx(points, abs=0.05 if points > 1 else 0.005)


@pytest.mark.parametrize(
    ("comparisons", "alpha", "flips"),
    [(1, 0.05, 6), (16, 0.05, 10), (1, 0.5, 2), (1, 1.0, 1), (2, 0.5, 3), (3, 0.5, 4)],
)
def test_flips_needed(comparisons: int, alpha: float, flips: int) -> None:
    """1 + ⌈log2(M / alpha)⌉: the first number whose smallest p, all in one direction, is at most alpha / M."""
    assert flips_needed(comparisons, alpha) == flips == 1 + math.ceil(math.log2(comparisons / alpha))
    assert sign_flips([1] * flips).p <= alpha / comparisons < sign_flips([1] * (flips - 1)).p * 1.0001


def test_detectable_is_seen_four_times_in_five() -> None:
    share = detectable(100)
    assert share is not None
    fewer = sum(math.comb(100, i) * share**i * (1 - share) ** (100 - i) for i in range(6))
    assert 1 - fewer == pytest.approx(0.8, abs=1e-9)
    assert detectable(5) is None
    assert detectable(6) == pytest.approx(0.8 ** (1 / 6))
    assert detectable(6, comparisons=2) is None
    assert detectable(100, least=0.2) == 0.2
    assert detectable(100, least=1.07) is None


@given(st.integers(6, 3000), st.integers(1, 3000), st.integers(1, 50))
def test_more_items_see_more(items: int, more: int, comparisons: int) -> None:
    few, many = detectable(items, comparisons), detectable(items + more, comparisons)
    if few is not None:
        assert many is not None
        assert many <= few
        assert few >= (detectable(items) or 0)


@given(ITEMS)
def test_bounds_and_mirror(items: list[tuple[int, int]]) -> None:
    trials, sums = columns(items)
    made, mirrored = shift(trials, sums), shift(trials, [-d for d in sums])
    assert -1 <= made.low <= made.centre <= made.high <= 1
    assert (made.low, made.high) == (-mirrored.high, -mirrored.low)
    assert made.low <= made.shift <= made.high or not sum(sums)


@given(ITEMS, st.randoms())
def test_no_order_can_be_seen(items: list[tuple[int, int]], order: Any) -> None:
    shuffled = [*items, (0, 0)]
    order.shuffle(shuffled)
    assert shift(*columns(items)) == shift(*columns(shuffled))


@given(st.lists(st.tuples(st.integers(0, 3), ITEM), max_size=40))
def test_cells_are_shifts_of_their_own(rows: list[tuple[int, tuple[int, int]]]) -> None:
    by_cell = shift_sums_by_cell([cell for cell, _ in rows], 4, *columns([item for _, item in rows]))
    for cell, sums in enumerate(by_cell):
        own = [item for where, item in rows if where == cell]
        expected = shift_sums_by_cell([0] * len(own), 1, *columns(own))[0]
        assert sums == expected
        assert own or sums == ShiftSums(0, 0, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(("trials", "sums"), [([], []), ([0], [0]), ([1], [2]), ([-1], [0]), ([1, 1], [1])])
def test_impossible_counts(trials: list[int], sums: list[int]) -> None:
    with pytest.raises(ValueError, match="trial"):
        shift(trials, sums)


@pytest.mark.parametrize(
    ("items", "down", "margin", "needed"),
    [(20, 0, 0.03, 100), (1, 0, 0.03, 92), (1000, 0, 0.03, 1000), (100, 0, 0.0001, 28_000), (40, 2, 0.03, 120)],
)
def test_items_that_would_settle_a_shift(items: int, down: int, margin: float, needed: int) -> None:
    """Without a flip about 92 items do for 3 points, as wholes of 20 of them 100; 2 flips of 40 are beyond 0 at 120."""
    sums = ShiftSums(items, items, -down, down, items, down, -down, down)
    assert items_needed(sums, margin) == needed
    times = needed // items
    enough, less = (shift_of(ShiftSums(*(n * one for one in astuple(sums)))) for n in (times, max(1, times - 1)))
    assert enough.within(margin) or enough.high < 0
    assert times == 1 or needed > 1000 or not (less.within(margin) or less.high < 0)
