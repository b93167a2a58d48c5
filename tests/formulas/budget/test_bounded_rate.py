"""Bounds of a rate with unfinished trials: against all ways in which these could have ended, and by hand."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.core.statistics import Z95
from auditfw.formulas.budget.bounded_rate import as_the_finished, bounded_rate, quantile
from auditfw.formulas.clusters import rate


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
