"""Numbers on another scale than the others': factors, steps, reversals, and what is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from auditfw.formulas.judges.placeholders import RatedItems
from auditfw.formulas.judges.scales import rater_scales

N = 120


def scores(low: int, high: int, seed: int = 0, raters: int = 2) -> np.ndarray:
    """Raters of one scale who give the same number, or a neighbour one time in five."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(low, high + 1, N)
    noise = draw.integers(-1, 2, (raters, N)) * (draw.random((raters, N)) < 0.3)
    return np.clip(truth + noise, low, high).astype(float)


def rated(numbers: np.ndarray, reference: int | None = 0, groups: np.ndarray | None = None) -> RatedItems:
    names = sorted({f"{x:g}" for x in numbers.ravel() if np.isfinite(x)}, key=float)
    codes = [[names.index(f"{x:g}") if np.isfinite(x) else -1 for x in row] for row in numbers]
    return RatedItems(names, np.array(codes, np.int16), reference, groups)


@pytest.mark.parametrize(
    ("low", "high", "change", "found"),
    [
        (1, 10, lambda x: x / 10, ("factor", 10)),
        (1, 10, lambda x: x * 10, ("factor", 0.1)),
        (0, 100, lambda x: x / 100, ("factor", 100)),
        (1, 5, lambda x: x * 2, ("factor", 0.5)),
        (0, 4, lambda x: x + 1, ("step", -1)),
        (1, 5, lambda x: x - 1, ("step", 1)),
        (0, 100, lambda x: 100 - x, ("reversed", 100)),
        (1, 5, lambda x: 6 - x, ("reversed", 6)),
        (-2, 2, lambda x: -x, ("reversed", 0)),
    ],
)
@pytest.mark.parametrize("reference", [0, None])
def test_other_scales(
    low: int, high: int, change: Callable[[np.ndarray], np.ndarray], found: tuple[str, float], reference: int | None
) -> None:
    numbers = scores(low, high, raters=3)
    numbers[1] = change(numbers[1])
    (one,) = rater_scales(rated(numbers, reference))
    assert (one.rater, one.change, one.by) == (1, found[0], pytest.approx(found[1]))
    assert one.rows == N
    assert one.after > 0.8
    assert one.p < 1e-6


def test_labels_that_agree_then() -> None:
    numbers = scores(1, 10)
    equal = np.count_nonzero(numbers[0] == numbers[1])
    numbers[1] /= 10
    numbers[1, :5] = np.nan
    (one,) = rater_scales(rated(numbers))
    before = np.count_nonzero(numbers[0] == numbers[1])
    assert one.rows == N - 5
    assert one.gained == np.count_nonzero(numbers[0] == np.round(10 * numbers[1], 6)) - before
    assert one.gained <= equal


def test_the_same_scale() -> None:
    healthy = scores(1, 5)
    strict = np.clip(healthy - [[0], [1]], 1, 5)  # gives less, but nothing that others never do
    guessing = np.array([healthy[0], np.random.default_rng(1).permutation(healthy[1])])
    wrong = np.array([healthy[0], np.random.default_rng(2).permutation(healthy[1] * 10)])
    for numbers in (healthy, strict, guessing, wrong, np.ones((2, N))):
        assert rater_scales(rated(numbers)) == []
    words = RatedItems(["good", "bad"], np.zeros((2, N), int), 0)
    assert rater_scales(words) == []


def test_trials_of_one_item_tell_less() -> None:
    """Nine items of fifteen trials, two of them as they should be: that the others are reversed may be luck."""
    other = np.array([1, 1, 5, 5, 2, 4, 2, 1, 5])
    numbers = np.repeat([other, np.where(np.arange(9) < 7, 6 - other, other)], 15, 1).astype(float)
    assert [one.change for one in rater_scales(rated(numbers))] == ["reversed"]
    assert rater_scales(rated(numbers, groups=np.repeat(np.arange(9), 15))) == []


@pytest.mark.parametrize(("strange", "steps"), [(3, [-1.0]), (4, [])])
def test_a_step_brings_97_of_100_numbers_to_the_scale(strange: int, steps: list[float]) -> None:
    other = np.tile(np.arange(5.0), 20)
    own = np.where(np.arange(100) < strange, 7, other + 1)
    assert [one.by for one in rater_scales(rated(np.array([other, own]))) if one.change == "step"] == steps


def test_labels_agree_in_six_digits() -> None:
    """Thirds that one rater writes with six digits, the other ten times as large with eight."""
    names = [*(f"{k / 3:.6f}" for k in range(1, 6)), *(f"{10 * k / 3:.8f}" for k in range(1, 6))]
    codes = np.array([np.arange(100) % 5, np.arange(100) % 5 + 5], np.int16)
    (one,) = rater_scales(RatedItems(names, codes, 0))
    assert (one.change, one.by, one.gained) == ("factor", 0.1, 100)
