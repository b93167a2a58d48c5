"""The search for parameters: hills, plateaus, points and ranges."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.formulas.parameter_search import folded, search, side, spread


def best_of(score: Any, start: tuple[float, ...], steps: int, explore: int = 0) -> float:
    walk, top = search(start, 7, explore, 0.3), -math.inf
    point = next(walk)
    for _ in range(steps):
        assert all(0 <= at <= 1 for at in point)
        top = max(top, score(point))
        point = walk.send(score(point))
    return top


@settings(deadline=None, max_examples=examples(30))
@given(st.lists(st.floats(0, 1), min_size=1, max_size=3))
def test_search_finds_the_top_of_a_smooth_hill(top: list[float]) -> None:
    found = best_of(lambda p: -sum((a - b) ** 2 for a, b in zip(p, top, strict=True)), (0.5,) * len(top), 200)
    assert found > -1e-3


def test_search_leaves_a_hill_that_is_not_the_highest() -> None:
    def two(point: tuple[float, ...]) -> float:
        return max(0.5 - abs(point[0] - 0.5), 1 - 5 * abs(point[0] - 0.1))

    assert best_of(two, (0.5,), 300) > 0.99


def test_search_leaves_a_plateau_at_once() -> None:
    """A simplex that is flat ends its climb: three points, two of half the step, and then one elsewhere."""
    walk = search((0.5, 0.5), 7, 0, 0.3)
    points = [next(walk), *(walk.send(0.5) for _ in range(5))]
    assert points[1:5] == [(0.8, 0.5), (0.5, 0.8), (0.35, 0.5), (0.5, 0.35)]
    assert points[5] == spread(1, 2, 7)


def test_points_and_ranges() -> None:
    assert folded((-0.25, 1.25, 0.5)) == (0.25, 0.75, 0.5)
    points = [spread(n, 2, 1) for n in range(64)]
    quarters = [sum((x < 0.5) == left and (y < 0.5) == low for x, y in points) for left in (0, 1) for low in (0, 1)]
    assert all(13 <= n <= 19 for n in quarters)
    wide, narrow = side(0.001, 1.0), side(1.0, 3.0)
    assert (wide.value(1 / 3, 6), narrow.value(0.5, 6)) == (0.01, 2.0)
    assert (wide.share(0.01), narrow.share(9.0)) == (pytest.approx(1 / 3), 1.0)
    assert side(0.001, 1.0, "linear").value(0.5, 6) == 0.5005
    assert side(1 / 3, 1.0).value(0.0, 2) == 1 / 3
