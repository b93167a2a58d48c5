"""How many items: by hand, the prototypes, the smallest number that does, and what it then gives."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import CASES
from scipy import stats
from searching import examples

from auditfw.core.statistics import wilson
from auditfw.formulas.repeats.planning import (
    items_for_difference,
    items_for_gate,
    items_for_width,
    least_difference,
    mean_square,
    power_of,
    square_of_repeats,
)

STORED = json.loads((CASES / "data" / "repeats_prototypes" / "cases.json").read_text("utf-8"))
SHARES, POWERS = st.floats(0.01, 0.99), st.floats(0.5, 0.99)


@pytest.mark.parametrize("case", STORED["width"], ids=str)
def test_width_of_the_prototype(case: dict[str, Any]) -> None:
    assert items_for_width(case["share"], case["half"], case["design"]) == case["items"]


@pytest.mark.parametrize("case", STORED["difference"], ids=str)
def test_difference_of_the_prototype(case: dict[str, Any]) -> None:
    assert items_for_difference(case["square"], case["difference"], case["power"]) == case["items"]


@pytest.mark.parametrize("case", STORED["gate"], ids=str)
def test_gate_of_the_prototype(case: dict[str, Any]) -> None:
    assert items_for_gate(case["share"], case["bound"], case["design"], case["power"]) == case["items"]


def test_two_models_of_1319_items() -> None:
    """gsm8k_model_solutions, 175b_verification and 175b_finetuning: 360 won, 76 lost; 742 right."""
    square, share = 436 / 1319, 742 / 1319
    assert items_for_difference(square, 0.02) == 6489
    assert items_for_difference(square, 0.05) == 1040
    assert least_difference(square, 1319) == pytest.approx(0.0444, abs=5e-5)
    assert items_for_width(share, 0.02) == 2360
    assert items_for_gate(share, 0.5) == 500


def test_a_suite_of_1319_items() -> None:
    assert least_difference(0.1, 1319) == pytest.approx(0.0244, abs=5e-5)
    assert 7800 < items_for_difference(0.1, 0.01) <= 7900


@given(st.floats(0, 1), st.floats(0.002, 0.4), st.floats(1, 20))
@settings(max_examples=examples(100), deadline=None)
def test_the_fewest_for_a_width(share: float, half: float, design: float) -> None:
    def reach(items: float) -> float:
        d, n = 1.959963984540054, items / design
        return d * math.sqrt(share * (1 - share) / n + d * d / 4 / n / n) / (1 + d * d / n)

    items = items_for_width(share, half, design)
    assert reach(items) <= half * (1 + 1e-9)
    assert items == 1 or reach(items - 1) > half * (1 - 1e-9)


def test_the_reach_is_wilsons() -> None:
    halves = [(high - low) / 2 for low, high in (wilson(0.9 * n, n) for n in (387, 388))]
    assert items_for_width(0.9, 0.03) == 388
    assert halves[1] <= 0.03 < halves[0]


@given(st.floats(0.001, 1), st.floats(0.01, 0.5), POWERS)
@settings(max_examples=examples(100), deadline=None)
def test_the_fewest_for_a_difference(square: float, difference: float, power: float) -> None:
    items = items_for_difference(square, difference, power)
    seen = least_difference(square, items, power)
    assert seen is not None
    assert seen <= difference * (1 + 1e-12)
    if items > 2:
        fewer = least_difference(square, items - 1, power)
        assert fewer is not None
        assert fewer > difference
    assert power_of(square, items, seen) == pytest.approx(power, abs=1e-9)
    assert power_of(square, items, -difference) >= power - 1e-9


@pytest.mark.parametrize(("items", "difference"), [(50, 0.0), (50, 0.1), (200, 0.1), (2, 0.3)])
def test_power_by_scipy(items: int, difference: float) -> None:
    reached = difference / math.sqrt(0.2 / items) - stats.t.ppf(0.975, items - 1)
    assert power_of(0.2, items, difference) == pytest.approx(stats.t.cdf(reached, items - 1), abs=1e-10)


def test_without_a_spread() -> None:
    assert items_for_difference(0.0, 0.02) == 2
    assert (power_of(0.0, 5, 0.1), power_of(0.0, 5, 0.0)) == (1.0, 0.05)
    assert least_difference(0.0, 5) == 0
    assert least_difference(0.1, 1) is None
    assert least_difference(0.1, 2) is not None


@given(SHARES, SHARES, st.floats(1, 9), POWERS)
@settings(max_examples=examples(60), deadline=None)
def test_gates(share: float, bound: float, design: float, power: float) -> None:
    items = items_for_gate(share, bound, design, power)
    if share <= bound:
        assert items is None
        return
    z = stats.norm.ppf(power)
    expected = (1.959963984540054 * math.sqrt(bound * (1 - bound)) + z * math.sqrt(share * (1 - share))) / (
        share - bound
    )
    assert items == pytest.approx(design * expected**2, abs=1 + 1e-6 * design * expected**2)
    assert items is not None
    assert items >= design * expected**2 * (1 - 1e-9)


@pytest.mark.parametrize("power", [0.49, 0.995, math.nan])
def test_powers_refused(power: float) -> None:
    for ask in (
        lambda: items_for_difference(0.1, 0.02, power),
        lambda: least_difference(0.1, 9, power),
        lambda: items_for_gate(0.9, 0.8, 1.0, power),
    ):
        with pytest.raises(ValueError, match=r"a power from 0\.5 to 0\.99 is needed"):
            ask()


def test_the_ends_of_power() -> None:
    assert items_for_difference(0.1, 0.02, 0.5) < items_for_difference(0.1, 0.02, 0.99)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: items_for_difference(0.1, 0.0),
        lambda: items_for_difference(-0.1, 0.02),
        lambda: items_for_width(0.5, 0.0),
        lambda: items_for_width(1.1, 0.02),
        lambda: items_for_width(-0.1, 0.02),
        lambda: items_for_gate(1.2, 0.5),
        lambda: items_for_gate(0.5, -0.1),
        lambda: items_for_gate(-0.1, 0.5),
        lambda: items_for_gate(0.5, 1.2),
        lambda: power_of(0.1, 1, 0.02),
    ],
)
def test_refused(ask: Any) -> None:
    with pytest.raises(ValueError, match=r"needed|needs"):
        ask()


@pytest.mark.parametrize(("share", "bound"), [(0.9, 0.9), (0.8, 0.9), (0.0, 0.0), (0.9, 1.0), (1.0, 1.0)])
def test_no_number_passes(share: float, bound: float) -> None:
    assert items_for_gate(share, bound) is None


def test_one_item_is_the_least() -> None:
    assert items_for_width(0.5, 0.6) == 1
    assert items_for_gate(1.0, 0.0) == 1


def test_the_mean_square() -> None:
    """Differences 1, -1/2, none, 0: 5/4 over three; not about their mean."""
    assert mean_square([1, 0, np.nan, 1], [0, 0.5, 1, 1]) == pytest.approx(5 / 12)
    assert mean_square([np.nan], [1]) is None


def test_more_repeats() -> None:
    """A single repeat's variance of 0.2 is 0.2 of 0.3 with one, 0.05 with four."""
    assert square_of_repeats(0.3, 0.2, 1, 4) == pytest.approx(0.15)
    assert square_of_repeats(0.3, 0.2, 4, 4) == 0.3
    assert square_of_repeats(0.15, 0.2, 4, 1) == pytest.approx(0.3)
    assert square_of_repeats(0.1, 0.2, 1, 4) == 0
