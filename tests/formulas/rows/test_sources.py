"""Answers that stand nowhere, letters beside other options, cells without skill: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.rows.sources import (
    Answered,
    Answers,
    permuted,
    rate_by_item,
    skills,
    unsourced,
    without_skill,
)

N = 200
ALL, ITEMS = np.ones(N, bool), np.arange(N)


@pytest.mark.parametrize(
    ("bad", "right_there", "fragile"),
    [(0, 0, None), (3, 0, None), (8, 5, False), (8, 0, True), (30, 20, True), (120, 80, None)],
)
def test_unsourced(bad: int, right_there: int, fragile: bool | None) -> None:
    """Of the others two of three are right."""
    right = np.where(bad > ITEMS, right_there > ITEMS, ITEMS % 3 > 0)
    known = unsourced(np.zeros(N, int), Answered(ALL, bad <= ITEMS, ALL, right, ITEMS))
    assert [one.fragile for one in known] == ([] if fragile is None else [fragile])
    assert all((len(one.rows), one.right) == (bad, right_there) for one in known)


def test_permuted() -> None:
    letters, texts = ITEMS % 4, np.where(ITEMS < 100, ITEMS % 4, (ITEMS + 1) % 4)
    half = permuted(letters, texts, ITEMS, [ITEMS // 100])
    assert half is not None
    assert half.group.whole
    assert (half.named, len(half.rows)) == (200, 100)
    texts = np.where(ITEMS < 170, ITEMS % 4, (ITEMS + 1) % 4)
    one = permuted(letters, texts, ITEMS, [(ITEMS >= 150).astype(int)])
    assert one is not None
    assert (one.group.column, one.group.value, one.named) == (0, 1, 50)
    assert permuted(letters, letters, ITEMS, []) is None
    assert permuted(np.where(ITEMS < 19, letters, -1), texts, ITEMS, []) is None, "named in few answers"


def test_a_value_without_skill() -> None:
    truths = np.tile(np.arange(50), 4)
    values = np.repeat(np.arange(4), 50)
    answers = np.where(values == 3, np.roll(truths, 7), truths)
    known = skills(values, Answers(np.tile(np.arange(50), 4), answers, truths, answers == truths), ALL)
    assert [one.rows for one in known] == [50] * 4
    assert [round(one.share) for one in known] == [1, 1, 1, 0]
    lowest = without_skill(known, 0.005)
    assert lowest is not None
    assert lowest.value == 3
    assert without_skill(known, lowest.low) is lowest, "at the margin"
    assert without_skill(known[:3], 0.005) is None
    assert without_skill(known[3:], 0.005) is None


def test_rate_by_item() -> None:
    flags = np.repeat([True, False], 50)
    assert rate_by_item(flags, np.full(100, -1)).low == pytest.approx(0.4038, abs=1e-4)
    assert rate_by_item(flags, np.repeat(np.arange(10), 10)).low < 0.3, "ten items, each all or nothing"
    assert rate_by_item(flags, np.zeros(100, int)).n_eff == 1, "one item"
