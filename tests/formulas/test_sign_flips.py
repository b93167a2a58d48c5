"""The sign-flip test: every sign vector written out, McNemar's test where no item holds two flips, and its laws."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_items import CHANGES
from searching import examples

from auditfw.core.statistics import mcnemar_exact
from auditfw.formulas import sign_flips as module
from auditfw.formulas.sign_flips import SignFlips, normal_limit, sign_flips, sign_flips_by_cell, smallest_p

SUMS = st.lists(st.integers(-9, 9), max_size=40)


def enumerated(sums: list[int]) -> float:
    """The share of all sign vectors at least as far from 0, one by one."""
    sizes, total = np.abs(np.array(sums)), abs(sum(sums))
    signs = np.array(list(product((-1, 1), repeat=len(sums))))
    return float((np.abs(signs @ sizes) >= total).mean())


@pytest.mark.parametrize(
    ("sums", "p"),
    [
        ([], 1.0),
        ([0, 0], 1.0),
        ([5], 1.0),
        ([3, -1, -2], 1.0),  # adds up to 0
        ([2, 1], 2 / 4),  # of ±2 ±1 two are 3 away
        ([2, -1], 1.0),  # all are 1 away or more
        ([8, 8, 4], 2 / 8),  # the public set of 800 completions: 20 flips are 3 problems
        ([2, 2, -2, 2], 10 / 16),  # as four flips of one: 2 × (1 + 4) / 16
        ([3, 2, 1, -1], 6 / 16),  # 5 or more: the ones both plus (7), either of them (5), and their mirrors: 2 × 3
    ],
)
def test_by_hand(sums: list[int], p: float) -> None:
    made = sign_flips(sums)
    assert made == SignFlips(pytest.approx(p, abs=1e-15), True, sum(d != 0 for d in sums), sum(sums))


@pytest.mark.parametrize(
    ("reading", "p", "items"), [("stored+v2", 0.25, 3), ("answer_v2+v1", 2**-12, 13), ("answer_v2+v2", None, 13)]
)
def test_the_shipped_sample(reading: str, p: float | None, items: int) -> None:
    made = sign_flips(CHANGES[reading])
    assert made.items == items
    assert made.p == (p if p is not None else pytest.approx(enumerated([d for d in CHANGES[reading] if d]), abs=1e-12))
    assert mcnemar_exact(17, 0) < 0.00002  # what the 17 flips of stored+v2 give as single trials


@given(st.lists(st.integers(-40, 40).filter(bool), min_size=1, max_size=12))
@settings(max_examples=examples(150), deadline=None)
def test_every_sign_vector(sums: list[int]) -> None:
    assert sign_flips(sums).p == pytest.approx(enumerated(sums), abs=1e-12)


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 9), st.integers(1, 4))
@settings(max_examples=examples(60), deadline=None)
def test_no_item_with_two_flips_is_mcnemar(up: int, down: int, still: int, size: int) -> None:
    """Bit for bit; and so are items that all changed by the same number."""
    sums = np.repeat([size, -size, 0], [up, down, still])
    assert sign_flips(sums) == SignFlips(mcnemar_exact(up, down), True, up + down, size * (up - down))


@given(SUMS, st.randoms())
def test_no_order_and_no_direction_can_be_seen(sums: list[int], order: Any) -> None:
    shuffled = [*sums, 0]
    order.shuffle(shuffled)
    made = sign_flips(sums)
    assert sign_flips(shuffled) == made
    assert sign_flips([-d for d in sums]).p == made.p


@given(SUMS)
def test_bounds(sums: list[int]) -> None:
    made = sign_flips(sums)
    assert smallest_p(made.items) <= made.p <= 1.0
    if made.items and all(d >= 0 for d in sums):
        assert made.p == smallest_p(made.items)


@given(st.lists(st.integers(1, 9), min_size=2, max_size=30), st.integers(0, 28))
def test_a_flip_against_the_direction_never_lowers_p(sizes: list[int], against: int) -> None:
    """Turning one more item against a direction that still prevails."""
    at = min(against, len(sizes) - 1)
    turned = [*sizes[:at], -sizes[at], *sizes[at + 1 :]]
    if sum(turned) >= 0:
        assert sign_flips(turned).p >= sign_flips(sizes).p


@pytest.mark.parametrize("items", [1500, 3000])
def test_thousands_of_items_neither_under_nor_overflow(items: int) -> None:
    """Nine in ten of ±1, a tenth of ±2, evenly balanced but for a shift: held against whole numbers of any size."""
    sizes = [2 if i % 10 == 0 else 1 for i in range(items)]
    sums = [size if i % 2 or i < items // 20 else -size for i, size in enumerate(sizes)]
    ways = [1] + [0] * ((sum(sizes) - abs(sum(sums))) // 2)
    for size in sizes:
        ways = [one + (ways[w - size] if w >= size else 0) for w, one in enumerate(ways)]
    assert sign_flips(sums).p == pytest.approx(sum(ways) / (1 << (items - 1)), rel=1e-12)


def test_items_of_one_flip_are_the_steps_of_all() -> None:
    """To the last bit: their ways are kept, others are made step by step, with a scale that is changed every 400."""
    for ones in (1, 57, 398, 399, 400, 401, 900):
        sizes = np.array([1] * ones + [2, 3])
        last = (int(sizes.sum()) - 2) // 2
        ways = [1.0] + [0.0] * last
        for step, size in enumerate(sizes.tolist(), 1):
            ways = [one + (ways[w - size] if w >= size else 0.0) for w, one in enumerate(ways)]
            ways = [one * 2.0**-400 for one in ways] if step % 400 == 0 else ways
        scaled = (ones + 2) // 400 * 400
        assert module._exact(sizes, 2) == min(1.0, math.ldexp(math.fsum(ways), scaled + 1 - ones - 2))


def test_all_items_in_one_direction_underflow_to_nothing() -> None:
    assert sign_flips([1, 2] * 2000).p == 0.0 == smallest_p(4000)
    assert sign_flips([1, 2] * 500).p == 2.0**-999


def test_beyond_the_work_it_is_the_normal_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = [2] * 60 + [-1] * 70
    exact = sign_flips(sums)
    monkeypatch.setattr(module, "MOST_WORK", 130 * 190 - 1)
    limit = sign_flips(sums)
    assert (limit.exact, limit.items, limit.total) == (False, 130, 50)
    assert limit.p == normal_limit(50, 60 * 4 + 70) == math.erfc(50 / math.sqrt(310) / math.sqrt(2))
    assert limit.p == pytest.approx(exact.p, rel=0.15)
    monkeypatch.setattr(module, "MOST_WORK", 130 * 190)
    assert sign_flips(sums) == exact


def test_large_sums_are_the_limit() -> None:
    """20,000 items × 30,000 changes is above 10^8; 9,000 × 10,000 is not."""
    assert module.MOST_WORK == 10**8
    near = sign_flips(np.repeat([2, -2, 1, -1], [510, 490, 4000, 4000]))
    assert near.exact
    assert near.p == pytest.approx(math.erfc(39 / math.sqrt(2 * 12_000)), rel=1e-4)  # 40 less half a step of 2
    sums = np.repeat([2, -2, 1, -1], [5050, 4950, 5000, 5000])
    made = sign_flips(sums)
    assert not made.exact
    assert made.p == math.erfc(200 / math.sqrt(2 * 50_000))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-4, 4)), max_size=50))
def test_cells_are_tests_of_their_own(rows: list[tuple[int, int]]) -> None:
    made = sign_flips_by_cell([cell for cell, _ in rows], 6, [d for _, d in rows])
    assert made == [sign_flips([d for where, d in rows if where == cell]) for cell in range(6)]


@pytest.mark.parametrize(("items", "p"), [(0, 1.0), (1, 1.0), (2, 0.5), (6, 1 / 32), (5000, 0.0)])
def test_smallest_p(items: int, p: float) -> None:
    assert smallest_p(items) == p
