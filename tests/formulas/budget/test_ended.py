"""Classes of trials, the spike of lengths, habits, and about how many were cut: tables by hand, and laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.budget.ended import (
    Sign,
    Spike,
    TrialClass,
    Trials,
    about_cut,
    at_spike,
    breaks_off,
    classes,
    habits,
    recorded_limit,
    spike,
)

RIGHT, ERROR, CUT, LOOP, EMPTY, REFUSAL, OTHER, UNPARSED, WRONG, UNLABELLED = TrialClass


def trials(code: int = 0, ended: int = 0, sign: int = 0, **flags: bool) -> Any:
    numbers = [np.array([number], np.uint8) for number in (code, ended, sign)]
    return Trials(*numbers, *(np.array([flags.get(name, False)]) for name in ("cut", "failed", "other")))


@pytest.mark.parametrize(
    ("row", "kind", "marked"),  # the class under a parser that is not marked, and under one that is
    [
        ({"code": 1, "sign": Sign.LOOP, "cut": True}, RIGHT, RIGHT),
        ({}, WRONG, WRONG),
        ({"code": 2}, UNPARSED, UNPARSED),
        ({"code": 4}, WRONG, WRONG),
        ({"code": 3, "cut": True}, UNLABELLED, UNLABELLED),
        ({"code": 255, "failed": True}, ERROR, ERROR),
        ({"ended": 5}, ERROR, ERROR),
        ({"sign": Sign.LOOP, "cut": True}, LOOP, WRONG),
        ({"code": 2, "sign": Sign.LOOP, "cut": True}, LOOP, LOOP),
        ({"cut": True, "sign": Sign.EMPTY}, CUT, WRONG),
        ({"code": 2, "sign": Sign.EMPTY}, EMPTY, EMPTY),
        ({"ended": 2}, REFUSAL, WRONG),
        ({"code": 2, "sign": Sign.REFUSAL, "other": True}, REFUSAL, REFUSAL),
        ({"code": 2, "other": True}, OTHER, OTHER),
        ({"other": True}, OTHER, WRONG),
    ],
)
def test_the_first_class_that_applies(row: dict[str, Any], kind: TrialClass, marked: TrialClass) -> None:
    assert [TrialClass(classes(trials(**row), of)[0]) for of in (False, True)] == [kind, marked]


@given(st.data())
def test_classes_are_a_partition_and_right_is_what_was_called_right(data: Any) -> None:
    n = data.draw(st.integers(1, 30))

    def column(most: int) -> Any:
        return np.array(data.draw(st.lists(st.integers(0, most), min_size=n, max_size=n)), np.uint8)

    codes = column(4)
    kinds = classes(Trials(codes, column(6), column(255), *(column(1) > 0 for _ in range(3))), data.draw(st.booleans()))
    assert set(kinds.tolist()) <= set(TrialClass)
    assert ((kinds == RIGHT) == (codes == 1)).all()
    assert sum(int((kinds == kind).sum()) for kind in TrialClass) == n


@pytest.mark.parametrize(
    ("ended", "tokens", "limit", "cut"),
    [(1, 0, 0, True), (4, 0, 0, True), (0, 0, 0, False), (0, 9, 10, False), (255, 10, 10, True), (255, 11, 10, True),
     (255, 5, 0, False), (6, 0, 0, False), (3, 0, 0, False)],
)  # fmt: skip
def test_ends_that_are_recorded(ended: int, tokens: int, limit: int, cut: bool) -> None:
    columns = (np.array([ended], np.uint8), np.array([tokens], np.uint32), np.array([limit], np.uint32))
    assert recorded_limit(*columns).tolist() == [cut]


def test_signs_count_where_nothing_is_recorded() -> None:
    ended, signs = np.array([255, 255, 255, 0], np.uint8), np.array([Sign.JOINED, Sign.LOOP, 0, Sign.JSON], np.uint8)
    assert breaks_off(ended, signs).tolist() == [True, False, False, False]


def test_a_habit_is_a_sign_of_more_than_half_of_the_texts() -> None:
    fence = [Sign.FENCE] * 5
    assert habits(np.array([*fence, *[0] * 5], np.uint8)) == Sign(0)
    assert habits(np.array([*fence, Sign.FENCE | Sign.JSON, *[0] * 4], np.uint8)) == Sign.FENCE
    assert habits(np.array([Sign.JOINED] * 3, np.uint8)) == Sign(0)


def test_a_spike_by_hand() -> None:
    """20 of 40 lengths in a window of 24 are 100: P(B(39, 1/8) ≥ 19) is small; 39 all different are no spike."""
    tied = spike(np.array([*[100] * 20, *range(77, 97)]))
    assert tied is not None
    assert (tied.longest, tied.count, tied.below, tied.window, tied.stands_out) == (100, 20, 40, 24, True)
    apart = spike(np.arange(60, 100))
    assert apart is not None
    assert not apart.stands_out
    assert spike(np.array([49] * 30)) is None


@pytest.mark.parametrize(
    ("same", "sign", "expected"),
    [(False, Sign.JOINED, 20), (False, 0, 0), (False, Sign.LOOP, 20), (True, Sign.JOINED, 0)],
)
def test_rows_at_a_spike_are_distinct_texts_and_one_has_a_sign(same: bool, sign: int, expected: int) -> None:
    lengths, texts = np.array([*[100] * 20, *range(70, 90), 0]), np.arange(41)
    texts[:20] = 0 if same else texts[:20]
    signs = np.zeros(41, np.uint8)
    signs[3] = sign
    assert int(at_spike(lengths, texts, signs).sum()) == expected


def test_about_how_many_were_cut() -> None:
    """30 of 400 break, all of them among the 40 longest, of which they are 3 in 4."""
    lengths = np.arange(400)
    about = about_cut(lengths >= 370, lengths)
    assert about is not None
    assert round(about.value) == 40
    assert about.low < 40 < about.high
    assert about_cut(lengths >= 391, lengths) is None  # nine
    assert about_cut(lengths < 30, lengths) is None  # the shortest


@pytest.mark.parametrize(("count", "p", "out"), [(5, 0.001, True), (4, 0.001, False), (5, 0.0011, False)])
def test_a_spike_is_of_five_and_no_luck(count: int, p: float, out: bool) -> None:
    assert Spike(100, count, 40, 24, p).stands_out is out
