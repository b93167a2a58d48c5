"""Mismatches at one value, in one span, and spread."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.rows.label_lags import Grouping, gathered

N = 400
VALUES = np.arange(N) // 100


def misses(*places: tuple[int, int, int]) -> np.ndarray:
    """Every so many rows from one to before another."""
    flags = np.zeros(N, bool)
    for first, end, step in places:
        flags[first:end:step] = True
    return flags


def test_at_a_value() -> None:
    one = gathered(misses((100, 200, 4), (300, 400, 50)), Grouping(np.ones(N, bool), [VALUES]))
    assert one is not None
    assert (one.group.column, one.group.value) == (0, 1)
    assert (one.rows, one.mismatches, one.others, one.elsewhere) == (100, 25, 300, 2)
    assert one.p < 1e-9


def test_in_a_span() -> None:
    one = gathered(misses((150, 250, 4)), Grouping(np.ones(N, bool)))
    assert one is not None
    assert one.group.whole
    assert (one.first, one.last, one.mismatches, one.elsewhere) == (150, 246, 25, 0)


@pytest.mark.parametrize(
    "flags",
    [
        misses(),
        misses((100, 200, 15)),  # seven
        misses((0, 400, 10)),  # everywhere
        misses((0, 400, 1)),  # all
        misses((0, 400, 3), (1, 400, 3)),  # 267: the mean times 1.5 is above 1
        misses((0, 300, 5)),  # in three quarters of the rows
        misses((100, 200, 8), (200, 400, 13)),  # less than four times
    ],
)
def test_not_gathered(flags: np.ndarray) -> None:
    assert gathered(flags, Grouping(np.ones(N, bool), [VALUES])) is None


@pytest.mark.parametrize(("rows", "found"), [(264, True), (268, False)])
def test_a_value_of_more_than_two_thirds_of_the_rows_is_no_other_grader(rows: int, found: bool) -> None:
    one = gathered(misses((0, rows, 4)), Grouping(np.ones(N, bool), [(np.arange(N) >= rows).astype(int)]))
    assert (one is not None) is found
