"""What the best of several candidates is worth: cases by hand, and what luck alone gives."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.best_of import best_of

ONE = np.ones(4, dtype=np.int64)


def test_too_few_candidates_or_items() -> None:
    assert best_of(np.array([[1, 0]] * 4), ONE) is None
    assert best_of(np.array([[1, 0, 0]] * 4), ONE) is None  # two of them are one
    assert best_of(np.array([[1, 0, 0]]), ONE[:1]) is None


def test_the_best_by_far() -> None:
    right = np.array([[1, 0, 1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [1, 0, 0, 0]])
    best = best_of(right, ONE)
    assert best is not None
    assert (best.best, best.candidates, best.items, best.rate) == (0, 4, 4, 1.0)
    assert 0.0 < best.p <= 1.0
    assert 0.5 < best.chosen <= 1.0  # where it ties on a half with another, they share
    assert best == best_of(right, ONE)
    assert best.rate - best.gain < 1.0


def test_without_a_difference_in_any_item_nothing_is_gained() -> None:
    right = np.array([[2, 2, 2], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    best = best_of(right, np.full(5, 2))
    assert best is not None
    assert (best.rate, best.p) == (0.3, 1.0)  # each has 3 of 10: no draw lies below
    assert 0 < best.gain < 0.2


@pytest.mark.parametrize(("candidates", "gain"), [(5, 0.047), (30, 0.081)])
def test_what_luck_gives(candidates: int, gain: float) -> None:
    """100 items, right with 0.7 under each candidate: what the best lies above the mean by luck is the floor."""
    rng = np.random.default_rng(1)
    ones = np.ones(100, dtype=np.int64)
    found = []
    for seed in range(8):
        right = (rng.random((100, candidates)) < 0.7).astype(np.int64)
        best = best_of(right, ones, seed)
        assert best is not None
        found.append((best.gain, best.rate - right.mean(), best.chosen - 0.7))
    gains, lies, off = np.mean(found, axis=0)
    assert abs(gains - gain) < 0.012
    assert abs(gains - lies) < 0.03
    assert abs(off) < 0.04
