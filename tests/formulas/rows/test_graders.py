"""Mismatches at one value, in one span, and spread."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.rows.graders import gathered
from auditfw.formulas.rows.groups import Grouping

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
        misses((0, 300, 5)),  # in three quarters of the rows
        misses((100, 200, 8), (200, 400, 13)),  # less than four times
    ],
)
def test_not_gathered(flags: np.ndarray) -> None:
    assert gathered(flags, Grouping(np.ones(N, bool), [VALUES])) is None
