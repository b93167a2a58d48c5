"""Claims and ranks: the table of verdicts, labels counted by hand, and what pairs leave open."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.claims import (
    ClaimVerdict,
    claim_verdict,
    labels_to_reverse,
    labels_to_unsettle,
    rank_intervals,
    resolved_pairs,
    turned,
    turned_pairs,
)


@pytest.mark.parametrize(
    ("d", "ends", "by", "items", "verdict"),
    [
        (0.2, (0.1, 0.3), 0.0, 20, "holds"),
        (0.2, (0.0, 0.4), 0.0, 20, "leans"),  # an end at `by` is not beyond it
        (0.2, (-0.1, 0.5), 0.0, 20, "leans"),
        (0.2, (0.1, 0.3), 0.15, 20, "leans"),
        (0.2, (0.1, 0.35), 0.25, 20, "leans against"),
        (0.2, (0.1, 0.3), 0.3, 20, "leans against"),
        (0.2, (0.1, 0.3), 0.31, 20, "fails"),
        (-0.2, (-0.3, -0.1), 0.0, 20, "fails"),
        (-0.2, (-0.3, 0.1), 0.0, 20, "leans against"),
        (0.0, (-0.1, 0.1), 0.0, 20, "cannot tell"),
        (0.2, (0.1, 0.3), 0.0, 2, "holds"),
        (0.2, (0.1, 0.3), 0.0, 1, "cannot tell"),
        (0.2, (None, None), 0.0, 20, "cannot tell"),
    ],
)
def test_verdict(d: float, ends: tuple[float | None, float | None], by: float, items: int, verdict: str) -> None:
    assert claim_verdict(d, *ends, by, items) == verdict
    assert items != 20 or claim_verdict(d, *ends, by) == verdict


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(-1, 1))
def test_the_claim_turned_round_has_the_mirrored_verdict(d: float, half: float, by: float) -> None:
    mirror = {"holds": "fails", "leans": "leans against", "cannot tell": "cannot tell"}
    mirror |= {value: key for key, value in mirror.items()}
    assert claim_verdict(-d, -d - half, -d + half, -by) == mirror[claim_verdict(d, d - half, d + half, by)]


VERDICTS: tuple[ClaimVerdict, ...] = ("holds", "leans", "leans against", "fails", "cannot tell")


@pytest.mark.parametrize("one", VERDICTS)
@pytest.mark.parametrize("other", VERDICTS)
def test_turned(one: ClaimVerdict, other: ClaimVerdict) -> None:
    assert turned(one, other) == ({one, other} in ({"holds", "fails"}, {"holds", "leans against"}))


@pytest.mark.parametrize(
    ("d", "by", "trials", "labels"),
    [
        (0.29, 0.0, 100, 30),  # 29 make them equal (0.29 × 100 is 28.999999999999996)
        (0.295, 0.0, 100, 30),
        (0.3, 0.1, 10, 3),  # 0.3 - 0.1 is 0.19999999999999998
        (-0.3, 0.0, 10, 4),
        (0.0, 0.0, 10, 1),
        (0.08, 0.0, 100, 9),
    ],
)
def test_labels_to_reverse(d: float, by: float, trials: int, labels: int) -> None:
    assert labels_to_reverse(d, trials, by) == labels


@pytest.mark.parametrize(
    ("d", "end", "by", "trials", "labels"),
    [
        (
            0.08,
            0.02,
            0.0,
            100,
            3,
        ),  # "9 changed labels would reverse it, 3 would leave it undecided": ⌊(0.08 - 0.06) × 100⌋ + 1
        (0.08, -0.01, 0.0, 100, 0),
        (0.08, 0.0, 0.0, 100, 0),
        (-0.08, -0.02, 0.0, 100, 3),
        (0.28, 0.22, 0.2, 100, 3),
        (0.5, 0.495, 0.0, 10, 5),
    ],
)
def test_labels_to_unsettle(d: float, end: float, by: float, trials: int, labels: int) -> None:
    assert labels_to_unsettle(d, end, trials, by) == labels


@given(st.integers(1, 400), st.integers(0, 400), st.integers(0, 400))
def test_so_many_labels_reverse_it_and_one_fewer_does_not(trials: int, one: int, other: int) -> None:
    right, wrong = max(one, other) % (trials + 1), min(one, other) % (trials + 1)
    labels = labels_to_reverse((right - wrong) / trials, trials)
    assert labels == abs(right - wrong) + 1
    assert labels_to_unsettle((right - wrong) / trials, math.nextafter(0, right - wrong), trials) <= labels


NO, YES = False, True


def test_ranks_by_hand() -> None:
    """a is better than c and d, b than d; the rest is open."""
    better = [[NO, NO, YES, YES], [NO, NO, NO, YES], [NO, NO, NO, NO], [NO, NO, NO, NO]]
    assert rank_intervals(better) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert rank_intervals([[NO] * 3] * 3) == [(1, 3)] * 3
    assert rank_intervals([]) == []


@given(st.permutations(range(8)))
def test_all_resolved_is_one_order(order: list[int]) -> None:
    better = [[a < b for b in order] for a in order]
    assert rank_intervals(better) == [(place + 1, place + 1) for place in order]


def test_resolved_and_turned_pairs() -> None:
    apart = [[0.0, 0.2, 0.3], [-0.2, 0.0, 0.1], [-0.3, -0.1, 0.0]]
    p = [[None, 0.01, 0.05], [0.01, None, 0.2], [0.05, 0.2, None]]
    better = resolved_pairs(apart, p)
    assert better == [[NO, YES, YES], [NO, NO, NO], [NO, NO, NO]]
    assert resolved_pairs(apart, p, 0.04) == [[NO, YES, NO], [NO, NO, NO], [NO, NO, NO]]
    reading = [[0.0, 0.1, -0.01], [-0.1, 0.0, -0.5], [0.01, 0.5, 0.0]]
    assert turned_pairs(better, reading) == [(0, 2)]  # that of b and c was not resolved
    assert turned_pairs(better, [[0.0] * 3] * 3) == []
    assert resolved_pairs([[0.0]], [[0.0]]) == [[NO]]
