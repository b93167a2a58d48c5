"""Scales: numbers to pixels, round numbers as labels, and ends that a computer can count with."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.report.charts.scales import Scale, ends_of

TICKS = [
    ((0.0, 1.0), 6, "0.0 0.2 0.4 0.6 0.8 1.0"),
    ((0.0, 37.9), 7, "0 5 10 15 20 25 30 35"),
    ((-0.5, 0.5), 4, "−0.4 −0.2 0.0 0.2 0.4"),
    ((0.0, 3e6), 4, "0 1,000,000 2,000,000 3,000,000"),
    ((0.0, 2e8), 4, "0 5e+07 1e+08 1.5e+08 2e+08"),
    ((1e9, 1e9 + 2), 2, "1000000000 1000000001 1000000002"),
    ((0.001, 0.0014), 4, "0.0010 0.0011 0.0012 0.0013 0.0014"),
    ((0.0, 2e-9), 2, "0 1e−09 2e−09"),
]


@pytest.mark.parametrize(("ends", "count", "wanted"), TICKS)
def test_labels_are_round_numbers(ends: tuple[float, float], count: int, wanted: str) -> None:
    assert [text for _, text in Scale(*ends, 0, 1, count).ticks()] == wanted.split()


def test_whole_numbers_have_whole_labels() -> None:
    assert [text for _, text in Scale(1.0, 3.0, 0, 1, 7, whole=True).ticks()] == ["1", "2", "3"]
    assert [text for _, text in Scale(1.0, 3.0, 0, 1, 4).ticks()] == ["1.0", "1.5", "2.0", "2.5", "3.0"]


def test_numbers_have_pixels_and_those_beyond_are_at_the_end() -> None:
    scale = Scale(10.0, 20.0, 100.0, 0.0, 5)
    assert [scale(value) for value in (10, 12.5, 20, 99, -99)] == [100, 75, 0, 0, 100]


def test_rounded_ends_are_labelled() -> None:
    scale = Scale(0.13, 37.9, 0, 1, 7).rounded()
    assert (scale.low, scale.high) == (0.0, 40.0)
    assert Scale(0.0, 40.0, 0, 1, 7).rounded() == scale
    before = Scale(20.0, 30.8, 0, 1, 5).rounded()
    assert (before.low, before.high) == (18.0, 32.0)
    assert Scale(-20.0, 80.0, 0, 1, 5).rounded().low == -40.0


@pytest.mark.parametrize(
    ("values", "zero", "spare", "ends"),
    [
        ([1.0, 3.0], False, 0.0, (1.0, 3.0)),
        ([1.0, 3.0], False, 0.5, (0.0, 4.0)),
        ([1.0, 3.0], True, 0.0, (0.0, 3.0)),
        ([-2.0], True, 0.0, (-2.0, 0.0)),
        ([2.0, 2.0], False, 0.1, (1.8, 2.2)),
        ([0.0], False, 0.0, (-1.0, 1.0)),
        ([0.0], True, 0.0, (0.0, 1.0)),
        ([], False, 0.0, (-1.0, 1.0)),
        ([1e308, -1e308], False, 0.0, (-1e300, 1e300)),
    ],
)
def test_ends(values: list[float], zero: bool, spare: float, ends: tuple[float, float]) -> None:
    assert ends_of(values, zero, spare) == pytest.approx(ends)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=4), st.booleans(), st.integers(2, 9))
def test_any_numbers_have_a_scale(values: list[float], zero: bool, count: int) -> None:
    scale = Scale(*ends_of(values, zero, 0.03), 0.0, 100.0, count).rounded()
    assert scale.low < scale.high
    assert all(0 <= scale(value) <= 100 for value in values)
    ticks = scale.ticks()
    assert 2 <= len(ticks) <= 2 * count + 3
    assert all(one < other for (one, _), (other, _) in pairwise(ticks))
    assert len({text for _, text in ticks}) == len(ticks)
