"""Columns of outcomes by hand: what is nearest to the actual value, in bands and as single numbers."""

from __future__ import annotations

import numpy as np

from auditfw.formulas.outcome_columns import OutcomeColumn

NAN = float("nan")
ACTUAL = np.array([0.1, 0.3, 0.5, NAN])


def test_the_target_is_the_nearest_number_of_the_band() -> None:
    band = OutcomeColumn(np.full(4, 0.2), np.full(4, 0.4), ACTUAL)
    np.testing.assert_array_equal(band.target, [0.2, 0.3, 0.4, NAN])
    np.testing.assert_array_equal(band.taken(np.array([2, 0])).target, [0.4, 0.2])


def test_a_single_number_is_meant_whatever_comes() -> None:
    number = np.full(4, 0.2)
    np.testing.assert_array_equal(OutcomeColumn(number, number, ACTUAL).target, number)
