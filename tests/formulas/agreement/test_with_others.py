"""Each rater against all others: kappas against those of pairs, errors against those of two raters, shifts by hand."""

from __future__ import annotations

from math import isnan, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.formulas.agreement import Interval, Ratings, estimates, scorer
from auditfw.formulas.agreement.coefficients import Weights, agreement_weights, cohen
from auditfw.formulas.agreement.settings import RandomStream, Sampling
from auditfw.formulas.agreement.with_others import WithOthers, shift
from auditfw.formulas.student import t_p_value

LABELS = ("1", "2", "3")
SAMPLING = Sampling(Interval("analytic"), RandomStream(0, ()))
THREE = {(0, 0, 0): 5, (0, 0, 1): 2, (1, 1, 1): 4, (2, 1, -1): 1, (2, 2, 1): 2, (1, 0, 0): 1, (-1, 2, 2): 3}


def made(counted: dict[tuple[int, ...], int], twice: bool = False) -> Ratings:
    """Ratings by a, b, … in three labels; `twice`: two trials an item, both alike."""
    raters = "abcd"[: len(next(iter(counted)))]
    if not twice:
        return Ratings.of(LABELS, raters, counted)
    clusters = tuple((((pattern, 2),), n) for pattern, n in sorted(counted.items()))
    return Ratings.of(LABELS, raters, {pattern: 2 * n for pattern, n in counted.items()}, None, clusters)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_the_mean_is_that_of_the_pairs(weights: Weights) -> None:
    ratings, matrix = made(THREE), agreement_weights(range(3), weights)
    known = WithOthers(ratings, matrix)
    by_pair = {(x, y): float(cohen(ratings.table(x, y), matrix)) for x in "abc" for y in "abc" if x != y}
    for at, rater in enumerate("abc"):
        own = [kappa for (x, _), kappa in by_pair.items() if x == rater]
        assert known.means[at] == pytest.approx(sum(own) / 2, abs=1e-12)
    if weights == "none":
        assert by_pair["a", "b"] == pytest.approx(scorer.kappa(ratings.table("a", "b")))


cells = st.lists(st.integers(0, 9), min_size=9, max_size=9)


@given(cells, st.sampled_from(["none", "linear", "quadratic"]))
def test_of_two_raters_the_error_is_that_of_their_kappa(counts: list[int], weights: Weights) -> None:
    """It is that of the delta method, but for n/(n - 1)."""
    ratings = made({(i, j): counts[3 * i + j] for i in range(3) for j in range(3)} | {(0, -1): 3, (-1, 2): 2})
    matrix, pair = agreement_weights(range(3), weights), ratings.pair("a", "b")
    estimate = estimates.of_pair(pair, lambda t: cohen(t, matrix), SAMPLING)
    known = WithOthers(ratings, matrix)
    if estimate.value is None:
        assert isnan(known.means[0])
        return
    assert known.means[0] == pytest.approx(estimate.value, abs=1e-9)
    low, high = known.interval(0)
    assert (
        (low, high) == pytest.approx(known.interval(1), abs=1e-9)
        if low is not None
        else known.interval(1) == (None, None)
    )
    if estimate.low is None or low is None or high is None or pair.agreed == pair.n or low == -1 or high == 1:
        return
    half = (estimate.value - low) * sqrt((pair.n - 1) / pair.n)
    assert half == pytest.approx(1.959963984540054 * analytic_error(pair, matrix), rel=1e-4, abs=1e-6)


def test_the_mean_among_some_is_that_of_their_pairs() -> None:
    """Of a without c it is kappa with b, and of c, which is not among them, with both; errors are those of pairs."""
    ratings, matrix = made(THREE), agreement_weights(range(3), "linear")
    every, some = WithOthers(ratings, matrix), WithOthers(ratings, matrix, (0, 1))
    assert some.means.tolist() == pytest.approx([every.kappa[0, 1], every.kappa[0, 1], every.means[2]])
    two = WithOthers(ratings.only("ab"), matrix)
    assert some.interval(0)[1] == pytest.approx(two.interval(0)[1])
    assert some.interval(2) == pytest.approx(every.interval(2))


def analytic_error(pair, matrix) -> float:  # type: ignore[no-untyped-def]
    from auditfw.formulas.agreement.intervals import standard_error

    kinds = estimates.pair_kinds(pair)
    return standard_error(lambda w: cohen(w.reshape(*w.shape[:-1], 3, 3), matrix), kinds)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_the_error_of_three_is_that_of_small_changes(weights: Weights) -> None:
    """The delta method with slopes by differences, over the items on which the rater stands beside another."""
    matrix = agreement_weights(range(3), weights)
    for at in range(3):
        square = 0.0
        for pattern, n in THREE.items():
            ends = []
            for step in (1e-4, -1e-4):
                moved = {**THREE, pattern: n + step}
                ends.append(WithOthers(Ratings.of(LABELS, "abc", moved), matrix).means[at])  # type: ignore[arg-type]
            square += n * ((ends[0] - ends[1]) / 2e-4) ** 2
        n = sum(n for pattern, n in THREE.items() if pattern[at] >= 0)
        known = WithOthers(made(THREE), matrix)
        low, _ = known.interval(at)
        assert low is not None
        assert (known.means[at] - low) / 1.959963984540054 == pytest.approx(sqrt(square * n / (n - 1)), rel=1e-5)


def test_two_trials_alike_of_an_item_are_one() -> None:
    once, twice = made(THREE), made(THREE, twice=True)
    matrix = agreement_weights(range(3), "linear")
    for at in range(3):
        assert WithOthers(once, matrix).interval(at) == pytest.approx(WithOthers(twice, matrix).interval(at))
        assert shift(once, (1, 2, 3), at) == pytest.approx(shift(twice, (1, 2, 3), at))


def test_a_shift_by_hand() -> None:
    """a is 1 above the mean of b and c (1.5) on half of eight items, and 2 above on the others: 1.5 ± t · sd / √8."""
    ratings = made({(1, 0, 0): 4, (2, 0, 0): 4, (-1, 0, 1): 3})
    own = shift(ratings, (1, 2, 3), 0)
    assert (own.mean, own.more) == (2.5, 1.5)
    assert own.half == pytest.approx(2.364624 * sqrt(8 * 0.25 / 7) / sqrt(8), rel=1e-5)
    assert own.p == pytest.approx(t_p_value(sqrt(8 * 7) * 1.5 / sqrt(8 * 0.25), 7))
    assert shift(ratings, (1, 2, 3), 0, [1]) == shift(made({(1, 0): 4, (2, 0): 4, (-1, 0): 3}), (1, 2, 3), 0)
    assert shift(ratings, (1, 2, 3), 0, [0, 1]) == shift(ratings, (1, 2, 3), 0, [1])
    others = shift(ratings, (1, 2, 3), 1)
    assert others.mean == 1.0
    assert others.more == pytest.approx((4 * -0.5 + 4 * -1 + 3 * -1) / 11)


@pytest.mark.parametrize(
    ("counted", "kappa"),
    [
        ({(0, 0): 9}, None),
        ({(0, -1): 9}, None),
        ({(0, 0): 9, (1, 1): 2}, 1.0),
        ({(0, 0): 2, (1, 1): 2, (1, 0): 1}, 8 / 13),  # five items
    ],
)
def test_nothing_to_tell(counted: dict[tuple[int, ...], int], kappa: float | None) -> None:
    known = WithOthers(made(counted), agreement_weights(range(3), "none"))
    assert known.interval(0) == (None, None)
    assert isnan(known.means[0]) if kappa is None else known.means[0] == pytest.approx(kappa)


def test_a_rater_without_a_label() -> None:
    assert shift(made({(-1, 0): 9}), (1, 2, 3), 0) == (0.0, None, None, None)
    assert shift(made({(0, 1): 5}), (1, 2, 3), 0) == (1.0, -1.0, None, None)
    assert shift(made({(0, 1): 9}), (1, 2, 3), 0) == (1.0, -1.0, 0.0, 0.0)
