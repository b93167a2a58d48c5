"""Adjusted p-values: small families by hand, statsmodels, and members with too few flips."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditfw.core.statistics import benjamini_hochberg
from auditfw.formulas.multiple import adjusted, enough_flips, holm

PS = st.lists(st.floats(0, 1), min_size=1, max_size=30)
FAMILY = st.lists(st.tuples(st.one_of(st.none(), st.floats(0, 1)), st.integers(0, 40)), max_size=30)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),  # 4 × .005, 3 × .01, 2 × .03, then at least that
        ([0.5, 0.5], [1.0, 1.0]),
        ([0.4, 0.3], [0.6, 0.6]),
    ],
)
def test_holm(p: list[float], expected: list[float]) -> None:
    assert holm(p) == pytest.approx(expected)


@pytest.mark.slow
@settings(deadline=None)  # the first example imports statsmodels
@given(PS)
def test_as_statsmodels(p: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


@given(PS)
def test_holm_keeps_the_order_and_is_no_smaller(p: list[float]) -> None:
    values = holm(p)
    assert all(a <= b <= 1.0 for a, b in zip(p, values, strict=True))
    assert [values[i] for i in sorted(range(len(p)), key=lambda i: p[i])] == sorted(values)
    assert all(a <= b for a, b in zip(benjamini_hochberg(p), values, strict=True))


@pytest.mark.parametrize(
    ("flipped", "enough"),
    [
        ([], []),
        ([0], [False]),
        ([5], [False]),  # 1/16 is above 0.05
        ([6], [True]),  # 1/32 is not
        ([6, 6], [False, False]),  # K = 1: both at most .05, more than 1; K = 2: none at most .025
        ([7, 7], [True, True]),  # 1/64 is at most .025
        ([6, 7, 0, 1], [False, True, False, False]),  # K = 2: only the second is at most .025
        ([6, 2, 2, 2, 2], [True, False, False, False, False]),  # K = 1: the others cost nothing
        ([7, 7, 7], [True, True, True]),  # K = 3: 1/64 = .0156 is at most .0167
        ([7, 7, 7, 7], [False] * 4),  # K = 4: .0125
        ([2000] * 3, [True] * 3),
    ],
)
def test_enough_flips(flipped: list[int], enough: list[bool]) -> None:
    assert enough_flips(flipped) == enough


def test_members_with_too_few_flips_cost_nothing() -> None:
    """Fifty cells without a flip beside one with 8 of 8: its p stays as it is."""
    assert adjusted([2**-7] + [1.0] * 50, [8] + [0] * 50) == [2**-7, *[None] * 50]
    assert adjusted([2**-7] + [1.0] * 50, [8] * 51)[0] is None  # K = 51 asks for 2^-10: 11 flips
    assert adjusted([2**-7, None, 0.5], [8, 30, 9]) == [2**-6, None, 0.5]
    assert adjusted([0.01, 0.02], [8, 8], benjamini_hochberg) == [0.02, 0.02]


@given(FAMILY, st.randoms())
def test_no_order_can_be_seen(family: list[tuple[float | None, int]], order: Any) -> None:
    at = list(range(len(family)))
    order.shuffle(at)
    shuffled = [family[i] for i in at]
    for adjustment in (holm, benjamini_hochberg):
        values = adjusted([p for p, _ in family], [k for _, k in family], adjustment)
        assert adjusted([p for p, _ in shuffled], [k for _, k in shuffled], adjustment) == [values[i] for i in at]


@given(FAMILY)
def test_every_member_can_be_small(family: list[tuple[float | None, int]]) -> None:
    """Each adjusted member's smallest p is at most alpha over their number, and no member of more flips is left out."""
    values = adjusted([p for p, _ in family], [k for _, k in family])
    members = [k for (_, k), value in zip(family, values, strict=True) if value is not None]
    left_out = [k for (p, k), value in zip(family, values, strict=True) if value is None and p is not None]
    assert all(2.0 ** (1 - k) <= 0.05 / len(members) for k in members)
    assert not members or not left_out or max(left_out) < min(members)
