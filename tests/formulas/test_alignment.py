"""The formulas of alignment: by hand, and the columns against the plain loop, to the last bit."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

import auditfw
from auditfw.formulas.alignment import AlignmentRule, Weights, mean_of, row_means, score_alignment

EDGES = [0.0, -0.0, 5e-324, 1e-200, 0.05, 0.1, 0.2, 1.0, -1.0, 1e308, -1e308, math.inf, -math.inf, math.nan]
NUMBERS = st.one_of(st.sampled_from(EDGES), st.floats(), st.floats(-2, 2))


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def by_hand(meant: float, got: float) -> tuple[float, float, float]:
    """The seed's rules as its text has them, with nothing shared with the code under test."""
    if not (np.isfinite(meant) and np.isfinite(got)):
        return 0.0, 0.0, 0.0
    if meant == 0:
        direction = max(0.0, 1.0 - abs(got) * 5.0)
    elif got == 0:
        direction = 0.0
    else:
        direction = 1.0 if meant * got > 0 else 0.0
    magnitude = max(0.0, 1.0 - abs(got - meant) / max(abs(meant), 0.1))
    return direction, magnitude, 0.5 * direction + 0.5 * magnitude


@pytest.mark.parametrize(
    ("meant", "got", "direction", "magnitude"),
    [
        (1.0, 1.0, 1.0, 1.0),
        (1.0, 0.8, 1.0, 0.8),
        (1.0, -0.5, 0.0, 0.0),
        (1.0, 0.0, 0.0, 0.0),
        (-2.0, -3.0, 1.0, 0.5),
        (0.0, 0.0, 1.0, 1.0),
        (0.0, 0.05, 0.75, 0.5),
        (0.0, 0.19, 0.05, 0.0),
        (-0.0, -0.2, 0.0, 0.0),
        (0.01, -0.01, 0.0, 0.8),
        (0.02, 0.0, 0.0, 0.8),
        (1e308, -1e308, 0.0, 0.0),
        (1e-200, 1e-200, 0.0, 1.0),
        (math.nan, 1.0, 0.0, 0.0),
        (math.inf, math.inf, 0.0, 0.0),
    ],
)
def test_pair(meant: float, got: float, direction: float, magnitude: float) -> None:
    found = AlignmentRule().pair(meant, got)
    assert found == pytest.approx((direction, magnitude, (direction + magnitude) / 2))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=40))
@settings(max_examples=examples(80), deadline=None)
def test_columns_are_the_loop(pairs: list[tuple[float, float]]) -> None:
    meant, got = (np.array(column) for column in zip(*pairs, strict=True))
    columns = AlignmentRule().columns(meant, meant, got)
    for i, (a, b) in enumerate(pairs):
        plain = by_hand(a, b)
        assert [bits(float(column[i])) for column in columns] == [bits(x) for x in plain] == list(map(bits, plain))
        assert list(map(bits, AlignmentRule().pair(a, b))) == list(map(bits, plain))


@given(st.integers(1, 40), st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=examples(60), deadline=None)
def test_means_are_numpys(keys: int, rows: int, seed: int) -> None:
    table = np.random.default_rng(seed).random((rows, keys))
    found = row_means([table[:, j].copy() for j in range(keys)])
    for i in range(rows):
        expected = float(np.mean(table[i].tolist()))
        assert bits(float(found[i])) == bits(expected) == bits(mean_of(table[i].tolist()))


@pytest.mark.parametrize(
    ("weights", "expected"),
    [((0.5, 0.5), 0.9), ((1.0, 0.0), 1.0), ((0.0, 1.0), 0.8), ((1.0, 3.0), 0.85), ((0.3, 0.7), 0.86)],
)
def test_weights(weights: tuple[float, float], expected: float) -> None:
    found = score_alignment({"a": 1.0}, {"a": 0.8}, weights=Weights(*weights))
    assert found["overall"] == pytest.approx(expected)
    assert found["per_key"]["a"]["combined"] == pytest.approx(expected)


def test_key_weights_floor_and_slope() -> None:
    meant, got = {"a": 1.0, "b": 0.01, "z": 0.0}, {"a": 1.0, "b": 0.02, "z": 0.1}
    assert score_alignment(meant, got)["overall"] == pytest.approx((1 + 0.95 + 0.25) / 3)
    found = score_alignment(meant, got, key_weights={"a": 2, "z": 0}, floor=0.01, zero_slope=1)
    assert found["per_key"]["b"] == {"direction_match": 1.0, "magnitude_match": 0.0, "combined": 0.5}
    assert found["per_key"]["z"]["direction_match"] == pytest.approx(0.9)
    assert found["overall"] == pytest.approx((2 * 1 + 1 * 0.5) / 3)


@pytest.mark.parametrize("settings", [{"weights": {"direction": 0, "magnitude": 0}}, {"weights": {"direction": -1}},
                                      {"key_weights": {"a": -1.0}}, {"floor": 0.0}, {"zero_slope": -1.0}])  # fmt: skip
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(auditfw.AuditError) as raised:
        score_alignment({"a": 1.0}, {"a": 1.0}, **settings)
    assert raised.value.exit_code == 2


def test_bands() -> None:
    low, high = np.array([0.2, 0.2, 0.2, -np.inf, 0.0]), np.array([0.4, 0.4, 0.4, 1.0, 0.0])
    direction, magnitude, _ = AlignmentRule().columns(low, high, np.array([0.3, 0.5, -0.1, 5.0, 0.05]))
    assert direction.tolist() == [1.0, 1.0, 0.0, 1.0, 0.75]
    assert magnitude.tolist() == pytest.approx([1.0, 0.75, 0.0, 0.0, 0.5])
