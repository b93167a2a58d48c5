"""Renamings, by hand and by simulation."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.judges.scales import arrows, renaming


@pytest.mark.parametrize(
    ("table", "moved"),
    [
        ([[0, 9, 0], [0, 0, 9], [9, 0, 0]], {0: 1, 1: 2, 2: 0}),  # a ring
        ([[0, 9, 0], [9, 0, 0], [0, 0, 9]], {0: 1, 1: 0}),
        ([[0, 9, 0], [0, 0, 9], [0, 0, 9]], {}),  # a chain
        ([[9, 0, 0], [9, 0, 0], [0, 0, 9]], {}),  # two labels merged
        ([[0, 0, 9, 0], [0, 0, 0, 9], [0, 0, 0, 0], [0, 0, 0, 0]], {0: 2, 1: 3}),  # words of its own
        ([[0, 2, 0], [2, 0, 0], [0, 0, 9]], {}),  # given twice only
        ([[0, 9, 0], [9, 0, 0], [0, 20, 0]], {}),  # most of the second come from elsewhere
        ([[5, 5, 0], [5, 5, 0], [0, 0, 9]], {}),  # no more than half
    ],
)
def test_arrows_by_hand(table: list[list[int]], moved: dict[int, int]) -> None:
    assert arrows(np.array(table)) == moved


def test_abstentions_stay() -> None:
    assert arrows(np.array([[0, 9, 0], [9, 0, 0], [0, 0, 9]]), kept=[1]) == {}


def test_the_numbers_of_a_ring() -> None:
    """Thirty items, all exchanged but one that agrees: 29 up, one down, 3! maps."""
    own, other = np.repeat([0, 1, 2], 10), np.array([1] * 10 + [2] * 10 + [0] * 9 + [2])
    found = renaming(own, other, 3)
    assert found is not None
    assert (dict(found.moved), found.n, found.before, found.after) == ({0: 1, 1: 2, 2: 0}, 30, 1, 29)
    assert found.p == pytest.approx(6 * (30 + 1) / 2**30)


def test_trials_of_one_item_count_once() -> None:
    own, other = np.repeat([0, 1, 2], 10), np.repeat([1, 2, 0], 10)
    alone, together = renaming(own, other, 3), renaming(own, other, 3, groups=np.repeat(np.arange(6), 5))
    assert alone is not None
    assert together is not None
    assert (alone.p, together.p) == (pytest.approx(6 / 2**30), pytest.approx(6 / 2**6))


def judge(rng: np.random.Generator, kind: str, k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A judge of k labels against a reference: good, guessing, wrong (another label mostly), merging, or renamed."""
    shares = (rng.dirichlet(np.full(k, 3.0)) + 0.1) / (1 + 0.1 * k)
    other = rng.choice(k, n, p=shares)
    kappa = {"good": 0.85, "guessing": 0.0, "wrong": 0.0, "merging": 0.85, "renamed": 0.85}[kind]
    own = np.where(rng.random(n) < kappa, other, rng.choice(k, n, p=shares))
    if kind == "wrong":
        own = np.where(rng.random(n) < 0.8, (own + rng.integers(1, k, n)) % k, own)
    if kind == "merging":
        own = np.where(own == k - 1, 0, own)
    if kind == "renamed":
        own = np.roll(np.arange(k), 1)[own]
    return own, other


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["good", "guessing", "wrong", "merging"])
def test_no_other_judge_is_renamed(kind: str) -> None:
    rng = np.random.default_rng(1)
    sizes = [(k, n) for k in (3, 5, 8, 12) for n in (60, 250, 1000)]
    found = [renaming(*judge(rng, kind, k, n), k) for k, n in sizes for _ in range(100)]
    assert sum(one is not None and one.p <= 0.001 for one in found) <= 2


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n", "share"), [(3, 120, 0.95), (3, 250, 0.97), (8, 250, 0.85), (12, 1000, 0.95)])
def test_renamed_judges_show(k: int, n: int, share: float) -> None:
    rng = np.random.default_rng(2)
    found = [renaming(*judge(rng, "renamed", k, n), k) for _ in range(100)]
    assert np.mean([one is not None and one.p <= 0.001 for one in found]) >= share
