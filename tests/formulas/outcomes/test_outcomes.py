"""Faults of outcomes: small tables by hand. What is intended is 1, 2, 3 … where a table does not say otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from auditfw.formulas.outcomes.factors import (
    OutcomePairs,
    median_interval,
    outcome_constant,
    outcome_factor,
    outcome_sign,
    outcomes_exchanged,
    series_lag,
    units_of,
    varies,
)

X = np.arange(1.0, 11.0)
NAN = float("nan")


def pairs(actual: Any, intended: Any = X, room: float = 0.05) -> OutcomePairs:
    intended, actual = np.broadcast_arrays(np.array(intended, float), np.array(actual, float))
    return OutcomePairs(intended, actual, np.full(len(intended), room))


@pytest.mark.parametrize(
    ("actual", "factor", "n", "units"),
    [
        (1000 * X, 1000.0, 10, ("W", "kW")),
        (X / 1000, 0.001, 10, ("kW", "W")),
        (X * np.pi / 180, np.pi / 180, 10, ("radians", "degrees")),
        (-1000 * X, None, 0, None),  # another sign
        (1.4 * X, None, 0, None),
        (1.6 * X, 1.6, 10, None),
        (np.where(X > 9, X, 1000 * X), 1000.0, 9, ("W", "kW")),
        (np.where(X > 8, X, 1000 * X), None, 0, None),  # the interval of the median holds 1
        (7 * X * np.tile([0.6, 1.7], 5), None, 0, None),  # sizes differ by more than a factor 1.5 from their median
        (70 * X * np.tile([0.6, 1.5], 5), 66.4, 10, None),  # the median of logs
        (np.where(X > 5, 0.0, 1000 * X), None, 0, None),  # five without a zero
        (np.where(X > 6, 0.0, 1000 * X), 1000.0, 6, ("W", "kW")),
        (np.where(X > 5, NAN, 1000 * X), None, 0, None),
    ],
)
def test_factor(actual: Any, factor: float | None, n: int, units: Any) -> None:
    found = outcome_factor(pairs(actual))
    if factor is None:
        assert found is None
    else:
        assert found is not None
        assert found.factor == pytest.approx(factor, rel=0.02)
        assert (found.n, found.share, found.offset, found.units) == (n, n / 10, 0.0, units)


@pytest.mark.parametrize(
    ("actual", "units"),
    [
        (1.8 * X + 32, ("°F", "°C")),
        ((X - 32) / 1.8, ("°C", "°F")),
        (X + 273.15, ("K", "°C")),
        (X - 273.15, ("°C", "K")),
        (X + 200, None),
        (X + 273.15 + 1.2, ("K", "°C")),  # within 1 and 30 % of what is intended, in all
        (X + 273.15 + 2, None),  # in 7 of 10
        (np.where(X == 1, X, X + 273.15), ("K", "°C")),
        (np.where(X <= 2, X, X + 273.15), None),  # in 8 of 10
    ],
)
def test_temperatures(actual: Any, units: Any) -> None:
    found = outcome_factor(pairs(actual))
    assert (None if found is None else found.units) == units


def test_an_intended_constant_has_no_scale_of_temperature() -> None:
    assert outcome_factor(pairs(X * 0 + 293.15, X * 0 + 20)).factor == pytest.approx(14.7, rel=0.01)
    assert outcome_factor(pairs(X * 0 + 3.5, X * 0 + 3.0)) is None


def test_interval_of_the_median() -> None:
    """Of 6 numbers all, with 1 − 2/64; of 9 the second to the eighth: 1 − 2 × 10/512."""
    assert median_interval(np.arange(6.0)) == (0.0, 5.0)
    assert median_interval(np.arange(9.0)) == (1.0, 7.0)


@pytest.mark.parametrize(("factor", "unit"), [(1000, "W"), (1 / 24, "days"), (61, "minutes"), (70, None), (1.0, None)])
def test_units(factor: float, unit: str | None) -> None:
    units = units_of(factor)
    assert (None if units is None else units[0]) == unit


@pytest.mark.parametrize(
    ("actual", "n", "size"),
    [
        (-X, 10, 1.0),
        (-3 * X, 10, 3.0),
        (np.where(X == 1, X, -X), 9, 1.0),
        (np.where(X <= 2, X, -X), None, 0),
        (X, None, 0),
        (-X * np.tile([0.3, 3.0], 5), None, 0),  # sizes of no one factor
        (np.where(X > 5, 0.0, -X), None, 0),
        (np.where(X > 6, 0.0, -X), 6, 1.0),
    ],
)
def test_sign(actual: Any, n: int | None, size: float) -> None:
    found = outcome_sign(pairs(actual))
    if n is None:
        assert found is None
    else:
        assert found is not None
        assert (found.n, found.of, found.share, round(found.size, 9)) == (n, 10, n / 10, size)


@pytest.mark.parametrize(
    ("actual", "intended", "room", "n"),
    [
        (X * 0, X, 0.05, 10),
        (X * 0 + 5, X, 0.05, 10),
        (np.where(X == 3, 9.0, 5.0), X, 0.05, 9),
        (np.where(X <= 2, 9.0, 5.0), X, 0.05, None),  # in 8 of 10
        (X * 0 + 5, X * 0 + 4, 0.05, None),  # what is intended does not differ
        (X * 0 + 5, np.where(X == 1, 9.0, 5.0), 0.05, None),  # one miss
        (X * 0 + 5, np.where(X <= 3, 9.0, 5.0), 0.05, 10),
        (X * 0 + 5, X, 5.0, None),  # all within the room
        (X * 0 + 100, 100 + X / 2, 0.05, None),  # ranges over less than a tenth
        (np.where(X > 5, NAN, 5.0), X, 0.05, None),
    ],
)
def test_constant(actual: Any, intended: Any, room: float, n: int | None) -> None:
    found = outcome_constant(pairs(actual, intended, room))
    assert (None if found is None else found.n) == n


@pytest.mark.parametrize(
    ("first", "second", "intended", "n"),
    [
        (4 * X, X, 4 * X, 10),
        (X, 4 * X, 4 * X, None),  # as intended
        (4 * X, 4 * X, 4 * X, None),  # one is right
        (1.1 * X, X, 1.1 * X, None),  # too near to each other
        (0.75 * X, X, 0.75 * X, None),  # apart by a quarter, not by more
        (4 * X, X, np.where(X > 5, X, 4 * X), None),  # apart in five
        (np.where(X == 1, 1.0, 4 * X), np.where(X == 1, 4.0, X), 4 * X, 9),
        (np.where(X <= 2, X, 4 * X), np.where(X <= 2, 4 * X, X), 4 * X, None),  # in 8 of 10
        (5.7 * X, 0.5 * X, 4 * X, 10),  # to within 50 %
        (5.7 * X, 0.45 * X, 4 * X, None),
        (5.9 * X, 0.5 * X, 4 * X, None),  # an error of 1.9 is more than half of 3.5
    ],
)
def test_exchanged(first: Any, second: Any, intended: Any, n: int | None) -> None:
    """X is intended of the first, `intended` of the second."""
    a, b = pairs(first, X, 0.0), pairs(second, intended, 0.0)
    found = outcomes_exchanged(a, b)
    assert (None if found is None else found.n) == n
    assert outcomes_exchanged(b, a) == found


WAVES = np.sin(np.arange(12.0) ** 2 + np.arange(8.0)[:, None])


@pytest.mark.parametrize("steps", [1, 2, 3, -1, -2, -3])
def test_late(steps: int) -> None:
    actual = np.roll(WAVES, steps, axis=1)
    found = series_lag(WAVES, actual)
    assert found is not None
    assert (found.steps, found.n, found.of) == (steps, 8, 8)


@pytest.mark.parametrize(
    ("intended", "actual"),
    [
        (WAVES, WAVES),
        (WAVES, np.roll(WAVES, 4, axis=1)),
        (WAVES[:5], np.roll(WAVES[:5], 1, axis=1)),  # five scenarios
        (WAVES[:, :7], np.roll(WAVES, 1, axis=1)[:, :7]),  # seven steps
        (WAVES, np.where(np.arange(8)[:, None] < 1, WAVES, np.roll(WAVES, 1, axis=1))),  # in 7 of 8
        (WAVES, np.where(np.arange(8)[:, None] < 3, NAN, np.roll(WAVES, 1, axis=1))),
    ],
)
def test_not_late(intended: Any, actual: Any) -> None:
    assert series_lag(intended, actual) is None


@pytest.mark.parametrize(
    ("intended", "room", "yes"),
    [
        (X, 0.0, True),
        (X, 9.0, False),
        ([1.0] * 6, 0.0, False),
        ([10, 10.5, 11, 11.5], 0.0, False),  # within a fifth
        ([0, 0, 0, 5], 0.0, False),  # the median serves three
        ([0, 0, 5, 5], 0.0, True),
        ([1, NAN, 9, NAN], NAN, True),
        ([1, NAN], NAN, False),
    ],
)
def test_varies(intended: Any, room: float, yes: bool) -> None:
    numbers = np.array(intended, float)
    assert varies(numbers, np.full(len(numbers), room)) is yes


def test_of_several_lags_the_one_that_leaves_least() -> None:
    """A ramp that is two steps late: one step leaves 1, half of what is there, two leave nothing."""
    ramps = np.arange(12.0) + np.arange(8.0)[:, None]
    for late in (2, -2):
        found = series_lag(ramps, ramps - late)
        assert found is not None
        assert found.steps == late
