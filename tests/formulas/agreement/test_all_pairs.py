"""Every two raters at once gives what one pair after the other does, to the last digit."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.agreement import Ratings, diagnosis, scorer
from auditfw.formulas.agreement.coefficients import agreement_weights, cohen
from auditfw.formulas.agreement.with_others import pair_counts, quadratic_kappas

RATERS = ("a", "b", "c", "d")
PATTERNS = st.dictionaries(st.tuples(*[st.integers(-1, 2)] * 4), st.integers(1, 9), min_size=1, max_size=12)


@given(PATTERNS)
def test_as_one_after_the_other(counted: dict[tuple[int, ...], int]) -> None:
    ratings = Ratings.of(("x", "y", "z"), RATERS, counted)
    counts = pair_counts(ratings)
    for found, (one, other) in zip(diagnosis.pairwise(ratings), combinations(RATERS, 2), strict=True):
        table = ratings.table(one, other)
        assert (found.one, found.other, found.n) == (one, other, sum(map(sum, table)))
        assert (found.percent, found.kappa) == (scorer.percent_agreement(table), scorer.kappa(table))
        i, j = RATERS.index(one), RATERS.index(other)
        assert counts.gave[:, i, j].tolist() == [sum(row) for row in table]
        assert counts.gave[:, j, i].tolist() == [sum(row[b] for row in table) for b in range(3)]


def test_raters_with_labels_of_their_own() -> None:
    """a and b never give a label that the other gives; c shares one with each."""
    ratings = Ratings.of(("0", "1", "2"), ("a", "b", "c"), {(0, 1, 0): 5, (0, 2, 1): 5})
    counts = pair_counts(ratings)
    assert counts.apart(0.05) == [(0, 1), (1, 2)]
    assert counts.apart(0.5) == counts.apart(0.05, 10) == [(0, 1), (1, 2)], "b and c: 5 of 10, each"
    assert counts.apart(0.6) == [(0, 1)]
    assert counts.apart(0.05, 11) == []
    assert counts.chosen(None) == [(0, 1), (0, 2), (1, 2)]
    assert pair_counts(ratings) is counts, "counted once"
    assert len(diagnosis.strangers(ratings)) == 2


@pytest.mark.parametrize(("size", "items"), [(1, 3), (2, 1), (40, 7)])
def test_sizes(size: int, items: int) -> None:
    drawn = np.random.default_rng(1).integers(0, 2, (items, size))
    ratings = Ratings.of(("x", "y"), [f"r{i}" for i in range(size)], {tuple(map(int, row)): 2 for row in drawn})
    assert len(diagnosis.pairwise(ratings)) == size * (size - 1) // 2


@pytest.mark.parametrize(
    ("table", "kappa"),
    [
        (((0, 0, 1), (0, 0, 2), (1, 3, 0)), -0.6333333333333333),
        (((0, 0, 1), (0, 0, 1), (2, 3, 4)), -0.24193548387096783),
    ],
)
def test_kappa_has_the_same_digits_on_every_python(table: tuple[tuple[int, ...], ...], kappa: float) -> None:
    """Where the `sum` of Python 3.12 gives another chance than adding from left to right."""
    ratings = Ratings.of(
        ("x", "y", "z"), ("a", "b"), {(i, j): n for i, row in enumerate(table) for j, n in enumerate(row) if n}
    )
    n, rows, columns = sum(map(sum, table)), list(map(sum, table)), list(map(sum, zip(*table, strict=True)))
    chance = math.fsum(r / n * (c / n) for r, c in zip(rows, columns, strict=True))
    agreed = sum(table[i][i] for i in range(3)) / n
    assert (agreed - chance) / (1 - chance) != kappa
    assert (scorer.kappa(table), diagnosis.pairwise(ratings)[0].kappa) == (kappa, kappa)


@pytest.mark.parametrize("places", [(0.0, 1.0, 2.0), (1.0, 2.0, 10.0)])
def test_quadratic_kappa_of_pairs_is_that_of_their_tables(places: tuple[float, ...]) -> None:
    """Held against Cohen's kappa with quadratic weights, pair by pair; a rater that shares nothing has none."""
    patterns = {
        (0, 0, 1, -1): 5,
        (1, 2, 1, -1): 3,
        (2, 2, -1, -1): 4,
        (0, 1, 2, -1): 2,
        (-1, 1, 0, -1): 1,
        (-1, -1, -1, 2): 2,
    }
    ratings = Ratings.of(("a", "b", "c"), ("p", "q", "r", "s"), patterns)
    kappas, weights = quadratic_kappas(ratings, places), agreement_weights(places, "quadratic")
    for i, one in enumerate(ratings.raters[:3]):
        for j, other in enumerate(ratings.raters[:3]):
            if i != j:
                assert kappas[i, j] == pytest.approx(cohen(ratings.table(one, other), weights))
    assert np.isnan(kappas[0, 3])
