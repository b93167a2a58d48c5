"""Labels that stand some rows too late or too early: of all items and of a stretch, and what is none."""

from __future__ import annotations

import numpy as np
import pytest

from auditfw.formulas.judges.lags import shifted_raters
from auditfw.formulas.judges.placeholders import RatedItems

N = 200
WORDS, FIVE = ["bad", "fair", "good"], ["1", "2", "3", "4", "5"]


def pair(names: list[str], seed: int = 0, n: int = N) -> np.ndarray:
    """Two raters that agree but for one item in ten."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(0, len(names), n)
    other = np.where(draw.random(n) < 0.1, draw.integers(0, len(names), n), truth)
    return np.array([truth, other], np.int16)


def late(codes: np.ndarray, lag: int, first: int = 0, end: int = N) -> np.ndarray:
    """The labels of rater 1 from one item to another stand `lag` rows later, those that fall out are none."""
    moved, part = codes.copy(), codes[1, first:end]
    moved[1, first:end] = -1
    size = end - first - abs(lag)
    start = first + max(0, lag)
    moved[1, start : start + size] = part[max(0, -lag) : max(0, -lag) + size]
    return moved


@pytest.mark.parametrize("lag", [1, -1, 2, -3])
@pytest.mark.parametrize("names", [WORDS, FIVE])
def test_all_of_them(names: list[str], lag: int) -> None:
    codes = pair(names)
    (one,) = shifted_raters(RatedItems(names, late(codes, lag), 0))
    assert (one.rater, one.lag, one.whole) == (1, lag, True)
    assert one.rows == N - 2 * abs(lag), "an item needs a label here and one so many rows on"
    assert (one.first, one.last) == (abs(lag), N - 1 - abs(lag))
    assert one.before < 0.2
    assert one.after > 0.8
    here, there = (slice(abs(lag), N - abs(lag)) for _ in range(2))
    own = late(codes, lag)[1, here]
    assert one.gained == np.count_nonzero(codes[0, there] == codes[1, there]) - np.count_nonzero(codes[0, here] == own)
    assert one.p < 1e-10


@pytest.mark.parametrize("names", [WORDS, FIVE])
def test_a_stretch(names: list[str]) -> None:
    (one,) = shifted_raters(RatedItems(names, late(pair(names), 1, 70, 150), 0))
    assert not one.whole
    assert abs(one.first - 70) <= 3
    assert abs(one.last - 148) <= 3
    assert one.lag == 1
    assert one.before < 0.3
    assert one.after > 0.7


def test_gaps_keep_their_rows() -> None:
    """Items without a label count as rows: the shift is by rows of the source."""
    codes = late(pair(FIVE), 2)
    codes[1, ::7] = -1
    (one,) = shifted_raters(RatedItems(FIVE, codes, 0))
    assert (one.lag, one.whole) == (2, True)


def test_of_three_without_a_reference_the_one() -> None:
    codes = pair(WORDS)
    third = np.where(np.arange(N) % 11 == 0, 0, codes[0]).astype(np.int16)
    found = shifted_raters(RatedItems(WORDS, np.vstack([late(codes, 1), third])))
    assert [(one.rater, one.lag) for one in found] == [(1, 1)]


def test_not_shifted() -> None:
    draw = np.random.default_rng(3)
    guessing = np.array([pair(WORDS)[0], draw.integers(0, 3, N)], np.int16)
    ordered = np.sort(pair(FIVE), 1)
    wrong = np.array([pair(WORDS)[0], (pair(WORDS)[0] + 1) % 3], np.int16)
    alternating = np.array([np.arange(N) % 2, 1 - np.arange(N) % 2], np.int16)  # a lag is as good as an exchange
    for names, codes in ((WORDS, pair(WORDS)), (WORDS, guessing), (FIVE, ordered), (WORDS, wrong)):
        assert shifted_raters(RatedItems(names, codes, 0)) == []
    assert shifted_raters(RatedItems(["a", "b"], alternating, 0)) != [], "nobody can tell"


@pytest.mark.parametrize("n", [0, 1, 3, 5, 8, 12])
def test_few(n: int) -> None:
    assert shifted_raters(RatedItems(WORDS, pair(WORDS, n=n), 0)) == []


def test_trials_of_one_item_tell_less() -> None:
    """Ten items of four trials, 40 rows: what would be sure of 40 items is not of ten."""
    names = WORDS
    codes = np.repeat(pair(names, 5, 10), 4, 1)
    moved = late(codes, 2, 0, 40)
    groups = np.repeat(np.arange(10), 4)
    assert shifted_raters(RatedItems(names, moved, 0, groups)) == []


@pytest.mark.parametrize(("changes", "found"), [(9, []), (10, [(10, 37, 28)])])
def test_a_stretch_of_few_changes(changes: int, found: list[tuple[int, int, int]]) -> None:
    """Labels change every third row there, and are one row late: ten wins of ten are 1 of 1,024, nine 1 of 512."""
    before, there, after = np.arange(7) % 2, np.arange(3 * (changes + 1)) // 3 % 2, np.arange(160) % 2
    truth = np.concatenate([before, there, after]).astype(np.int16)
    own = truth.copy()
    own[7 : 7 + len(there)] = truth[6 : 6 + len(there)]
    made = shifted_raters(RatedItems(["a", "b"], np.array([truth, own]), 0))
    assert [(one.first, one.last, one.rows) for one in made] == found
