"""Bounds of a rate with unfinished trials: against all ways in which these could have ended, and by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.core.statistics import Z95
from auditfw.formulas.budget.cells import BoundedRate, CellTrials, as_the_finished, bounded, quantile
from auditfw.formulas.budget.ended import TrialClass
from auditfw.formulas.clusters import item_sums, rate


def bounded_rate(trials: list[int], right: list[int], unfinished: list[int]) -> BoundedRate:
    together = [a + b for a, b in zip(right, unfinished, strict=True)]
    return bounded(item_sums(trials, right), item_sums(trials, together))


@given(st.lists(st.sampled_from("rwu"), min_size=1, max_size=12))
def test_bounds_are_those_of_all_completions(trials: list[str]) -> None:
    n, known = len(trials), trials.count("r")
    rates = [(known + sum(ends)) / n for ends in product((0, 1), repeat=trials.count("u"))]
    right, open_ended = [int(one == "r") for one in trials], [int(one == "u") for one in trials]
    bounds = bounded_rate([1] * n, right, open_ended)
    assert (bounds.low, bounds.high) == pytest.approx((min(rates), max(rates)))
    assert bounds.least <= min(rates) <= max(rates) <= bounds.most


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)).filter(sum), min_size=2, max_size=9))
def test_without_unfinished_trials_it_is_the_rate_by_item(items: list[tuple[int, int, int]]) -> None:
    sizes, right = [r + w for r, w, _ in items], [r for r, _, _ in items]
    if not sum(sizes):
        return
    bounds, plain = bounded_rate(sizes, right, [0] * len(items)), rate(sizes, right)
    assert (bounds.low, bounds.high, bounds.quantile) == pytest.approx((plain.share, plain.share, Z95))
    assert (bounds.least, bounds.most) == pytest.approx((plain.low, plain.high))


@pytest.mark.parametrize(
    ("width", "error", "c"),
    [(0.0, 0.01, 1.959964), (1.0, 0.01, 1.644854), (0.01, 0.01, 1.682307), (0.5, 0.0, 1.959964)],
)
def test_the_quantile(width: float, error: float, c: float) -> None:
    assert quantile(width, error) == pytest.approx(c, abs=2e-3)


def columns(*rows: tuple[int, int, str]) -> list[Any]:
    """Items, cells, and flags of those right, finished and unfinished."""
    items, cells, ends = (np.array(column) for column in zip(*rows, strict=True))
    return [items, cells, ends == "r", ends != "u", ends == "u"]


def test_the_unfinished_as_the_finished_of_equally_hard_items() -> None:
    """Easy items are right in the three other cells, hard ones wrong: 1 of 2 unfinished would be right."""
    easy = [(0, cell, "r") for cell in (1, 2, 3)] + [(2, cell, "r") for cell in (0, 1, 2, 3)]
    hard = [(1, cell, "w") for cell in (1, 2, 3)] + [(3, cell, "w") for cell in (0, 1, 2, 3)]
    cut = [(0, 0, "u"), (1, 0, "u")]
    assert as_the_finished(*columns(*easy, *hard, *cut)) == pytest.approx((7 + 1) / 16)
    assert as_the_finished(*columns(*cut, (0, 1, "r"), (1, 1, "w"))) is None  # known of one other trial
    assert as_the_finished(*columns(*easy)) is None  # all finished


def test_a_group_with_one_finished_trial() -> None:
    """Of others of item 0 none is right, as of those of the one right trial of item 1: it would be right."""
    wrong = [(0, cell, "w") for cell in (1, 2, 3)]
    assert as_the_finished(*columns(*wrong, (0, 0, "u"), (1, 0, "r"), *[(1, cell, "w") for cell in (1, 2, 3)])) == 2 / 8


def test_the_bounds_as_shares() -> None:
    """Two right, one wrong and one cut off: from 50 to 75 %, each with the interval's end on its own side."""
    kinds = np.array([TrialClass.RIGHT, TrialClass.RIGHT, TrialClass.WRONG, TrialClass.CUT_OFF])
    cut = kinds == TrialClass.CUT_OFF
    trials = CellTrials(np.arange(4), kinds, cut, cut)
    least, most = trials.budget.bounds.least, trials.budget.bounds.most
    assert trials.share("right_at_least") == (50, 100 * least, 50)
    assert trials.share("right_at_most") == (75, 75, 100 * most)
    assert trials.share("unfinished") == trials.share("cut_off")
