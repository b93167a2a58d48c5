"""Numbers as they are printed."""

from __future__ import annotations

import math

import pytest

from auditfw.components.report import wording
from auditfw.core.digits import (
    chance,
    change,
    difference_digits,
    end_text,
    fixed,
    interval_digits,
    short,
    short_apart,
)
from auditfw.core.document import shown


@pytest.mark.parametrize(
    ("value", "metric", "wanted"),
    [
        (61.2, "error_rate", "61.20"),
        (-3.1, "delta_pp", "-3.10"),
        (3.1, "delta_pp", "+3.10"),
        (-0.0, "delta_pp", "0.00"),
        (-0.001, "delta_pp", "0.00"),
        (1061.0, "flips", "1,061"),
        (0.75123, "kappa", "0.7512"),
        (1.0, "kappa", "1"),
        (1e-9, "mcnemar_p", "<0.0001"),
        (0.0, "mcnemar_p", "<0.0001"),
        (0.000099, "mcnemar_q", "<0.0001"),
        (0.0001, "bowker_p", "0.0001"),
        (1.0, "bowker_p", "1.00"),
        (0.0996, "bowker_p", "0.10"),
        (-2.22e-16, "kappa", "0.0000"),
        (9.252e-17, "scott_pi", "0.0000"),
        (-0.0, "kappa", "0"),
        (5e-05, "kappa", "0.0001"),
        (-3.2e-05, "kappa", "-3.2e-05"),
        (3e-17, "absolute_error", "3e-17"),
        (1e-9, "x", "1e-09"),
        (1e300, "x", "1e+300"),
        (math.nan, "x", "–"),
        (None, "x", "–"),
    ],
)
def test_numbers(value: float | None, metric: str, wanted: str) -> None:
    assert wording.number(value, metric) == wanted


@pytest.mark.parametrize(
    ("p", "text"),
    [(1.0, "p = 1.00"), (0.996, "p = 1.00"), (0.2969, "p = 0.30"), (0.0996, "p = 0.10"), (0.05, "p = 0.050"),
     (0.0312, "p = 0.031"), (0.00996, "p = 0.010"), (0.00123, "p = 0.0012"), (0.000732, "p = 0.0007"),
     (0.0001, "p = 0.0001"), (0.00009, "p < 0.0001"), (0.0, "p < 0.0001")],
)  # fmt: skip
def test_p_values(p: float, text: str) -> None:
    assert chance(p) == text


@pytest.mark.parametrize(
    ("value", "digits", "signed", "wanted"),
    [
        (-0.0004, 2, True, "+0.00"),
        (-0.0, 3, False, "0.000"),
        (-2.2e-16, 4, False, "0.0000"),
        (-0.006, 2, True, "-0.01"),
        (0.006, 2, True, "+0.01"),
        (-1234.5, 1, False, "-1,234.5"),
    ],
)
def test_nothing_is_a_negative_zero(value: float, digits: int, signed: bool, wanted: str) -> None:
    assert fixed(value, digits, signed) == wanted
    assert "-0" not in shown(-0.0)


@pytest.mark.parametrize(
    ("value", "digits", "wanted"),
    [
        (100 * 153 / 400, 1, "38.3"),  # 38.25, which Python writes as 38.2
        ((1 - 247 / 400) * 100, 1, "38.3"),  # the same from the other side: 38.24999999999999
        (38.35, 1, "38.4"),  # the float is 38.35000000000000142
        (2.675, 2, "2.68"),  # and this 2.67499999999999982
        (100 * 0.285, 0, "29"),  # 57 of 200: 28.499999999999996
        ((1 - 0.9995) * 100, 1, "0.1"),  # one of 2,000: 0.04999999999999449
        (1 - 14412 / 16000, 4, "0.0993"),  # 0.09924999999999995
        (-0.125, 2, "-0.13"),  # away from zero
        (0.5, 0, "1"),
        (28.4999, 0, "28"),  # near to a half, and none
        (999.995, 2, "1,000.00"),
        (1e22, 1, "10,000,000,000,000,000,000,000.0"),
        (math.inf, 1, "inf"),
    ],
)
def test_a_half_is_rounded_away_from_zero(value: float, digits: int, wanted: str) -> None:
    assert fixed(value, digits) == wanted


@pytest.mark.parametrize(
    ("value", "digits", "wanted"),
    [
        (1.2345, 4, "1.235"),
        (-38.245, 4, "-38.25"),
        (5.465, 3, "5.47"),
        (9.9995, 4, "10"),
        (0.00029657499950807095, 5, "0.00029657"),
        (1.7976931348623157e308, 4, "1.798e+308"),
        (-5e-324, 4, "-4.941e-324"),
        (-0.0, 4, "0"),
        (math.nan, 4, "nan"),
    ],
)
def test_short_numbers_round_alike(value: float, digits: int, wanted: str) -> None:
    assert short(value, digits) == wanted


@pytest.mark.parametrize(("value", "wanted"), [(0.005, "+0.01"), (0.0049, "0.00"), (-0.0, "0.00"), (-0.005, "-0.01")])
def test_a_change_has_a_sign_where_it_is_seen(value: float, wanted: str) -> None:
    assert change(value, 2) == wanted


@pytest.mark.parametrize(
    ("low", "high", "share", "wanted"),
    [
        (44.0, 48.0, False, 0),
        (44.0, 47.98, False, 1),
        (0.1, 0.5, False, 1),  # a half-width of 0.2, which floats make 0.19999999999999998
        (0.1, 0.4, False, 2),
        (0.1, 0.5, True, 1),
        (0.1, 0.4, True, 2),
        (-9.0, 9.0, True, 1),
        (None, 1.0, False, 1),
        (None, None, True, 2),
        (-math.inf, 1.0, False, 1),
    ],
)
def test_as_many_places_as_the_interval_bears(low: float | None, high: float | None, share: bool, wanted: int) -> None:
    assert interval_digits(low, high, share) == wanted


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ((2.0, 3.0, 4.0), ["2", "3", "4"]),
        ((1.00004, 1.0), ["1.00004", "1"]),
        ((2.99996, 1.0, 3.0), ["2.99996", "1", "3"]),
        ((0.1 + 0.2, 0.3), ["0.30000000000000004", "0.29999999999999999"]),  # neighbours: seventeen digits
        ((1.23456, 1.23456), ["1.235", "1.235"]),
        ((math.nan, 1.0), ["nan", "1"]),
    ],
)
def test_numbers_that_differ_are_seen_to(values: tuple[float, ...], wanted: list[str]) -> None:
    assert short_apart(*values) == wanted


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [(5.66, 24.18, 1), (-2.0, 2.0, 1), (-1.9, 1.9, 2), (0.1, 0.3, 2), (None, None, 2)],
)
def test_a_difference_has_a_place_more_than_a_level_and_two_at_most(
    low: float | None, high: float | None, digits: int
) -> None:
    assert difference_digits(low, high) == digits
    assert difference_digits(low, high, 1) == 1


@pytest.mark.parametrize(
    ("end", "text"),
    [(0.0, "+0.0"), (0.04, "+0.04"), (-0.0012, "-0.001"), (5.66, "+5.7"), (1e-12, "+0.000000"), (float("nan"), "+nan")],
)
def test_an_end_that_is_not_0_is_not_shown_as_0(end: float, text: str) -> None:
    assert end_text(end, 1, signed=True) == text
