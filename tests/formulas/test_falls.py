"""Falls on the tests: counted by hand, against the binomial, and loops of one problem as one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.loops import Falls, falls_of


def flags(text: str) -> np.ndarray:
    return np.array([mark == "+" for mark in text], dtype=bool)


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        ("", "", Falls(0, 0, 0, 0, 1.0)),
        ("++--", "++--", Falls(4, 2, 0, 0, 1.0)),
        ("+", "-", Falls(1, 1, 1, 0, 0.5)),
        ("+-", "-+", Falls(2, 1, 1, 1, 1.0)),
        ("--+", "++-", Falls(3, 1, 1, 2, 1.0)),  # more rises than falls
        ("+++++++++", "------+++", Falls(9, 9, 6, 0, 1 / 64)),
        ("++++++++-", "--------+", Falls(9, 8, 8, 1, 10 / 512)),  # (1 + 9) of 2^9
    ],
)
def test_falls_and_rises(first: str, last: str, found: Falls) -> None:
    assert falls_of(flags(first), flags(last)) == found


@given(st.integers(0, 30), st.integers(0, 30))
def test_p_is_the_tail_of_a_fair_coin(falls: int, rises: int) -> None:
    found = falls_of(flags("+" * falls + "-" * rises), flags("-" * falls + "+" * rises))
    n = falls + rises
    tail = sum(math.comb(n, k) for k in range(falls, n + 1)) / 2**n
    assert found.p == pytest.approx(tail if falls > rises else 1.0)


def test_loops_of_one_problem_are_no_further_evidence() -> None:
    """Five runs of each of two problems: ten falls are two flips."""
    first, last, items = flags("+" * 10), flags("-" * 10), np.repeat([0, 1], 5)
    assert falls_of(first, last).p == 1 / 1024
    assert falls_of(first, last, items).p == 1 / 4
    own = np.arange(10)
    assert falls_of(first, last, own) == falls_of(first, last)
