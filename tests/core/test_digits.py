"""Numbers as they are printed."""

from __future__ import annotations

import math

import pytest

from auditfw.components.report import wording
from auditfw.core.digits import fixed
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
        (1.0, "bowker_p", "1.0000"),
        (-2.22e-16, "kappa", "0.0000"),
        (9.252e-17, "scott_pi", "0.0000"),
        (-0.0, "kappa", "0"),
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
