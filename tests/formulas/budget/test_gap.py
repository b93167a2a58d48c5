"""The gap of two rates by class: the parts add up, and different ends make what they make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.two_rates import gap_by_class, kitagawa, two_rates


@given(st.lists(st.lists(st.integers(0, 3), min_size=6, max_size=6), min_size=2, max_size=12))
def test_the_parts_of_a_gap_add_up(rows: list[list[int]]) -> None:
    table = np.array(rows)
    (right_a, *lost_a), (right_b, *lost_b) = table[:, :3].T, table[:, 3:].T
    n_a, n_b = table[:, :3].sum(1), table[:, 3:].sum(1)
    if not (n_a.any() and n_b.any()):
        return
    parts = gap_by_class(n_a, np.stack(lost_a, 1), n_b, np.stack(lost_b, 1))
    gap = two_rates(n_a, right_a, n_b, right_b).difference
    assert [part.difference for part in parts] == pytest.approx(
        [b.sum() / n_b.sum() - a.sum() / n_a.sum() for a, b in zip(lost_a, lost_b, strict=True)]
    )
    assert sum(part.difference for part in parts) == pytest.approx(gap)


def ends(*sides: list[list[int]]) -> Any:
    return np.array(sides, float)


def test_different_ends() -> None:
    """Ten trials of one item a side, the finished alike, half of B's cut off and wrong: the gap is of their ends."""
    trials, right = ends([[10, 0, 0]], [[5, 5, 0]]), ends([[8, 0, 0]], [[4, 0, 0]])
    account = kitagawa(trials, right)
    assert account is not None
    assert (account.gap, account.ended, account.rest, account.items) == pytest.approx((0.4, 0.4, 0.0, 1))


def test_the_same_ends() -> None:
    trials, right = ends([[5, 5, 0]], [[5, 5, 0]]), ends([[5, 0, 0]], [[2, 0, 0]])
    account = kitagawa(trials, right)
    assert account is not None
    assert (account.gap, account.ended) == pytest.approx((0.3, 0.0))
    assert kitagawa(ends([[1, 0, 0], [0, 0, 0]], [[0, 0, 0], [1, 0, 0]]), ends([[0] * 3] * 2, [[0] * 3] * 2)) is None
