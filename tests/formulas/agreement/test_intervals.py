"""Intervals of agreement: what they stand on, when there is none, and how often they hold the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.core.statistics import wilson
from auditfw.formulas.agreement import Interval, RandomStream, Ratings, Sampling, coefficients, groups
from auditfw.formulas.agreement.estimates import of_group, of_pair, of_pairs, pair_kinds, percent_of, specific
from auditfw.formulas.agreement.intervals import Kinds, ends, percentiles
from auditfw.formulas.agreement.ratings import Pair

STREAM = RandomStream(0, ("consistency", "scholar", "auditor"))
BOOTSTRAP = Sampling(Interval(), STREAM)
ANALYTIC = Sampling(Interval("analytic"), STREAM)
FORMULAS = {
    "kappa": coefficients.cohen,
    "scott": coefficients.scott,
    "ac1": coefficients.gwet,
    "alpha": coefficients.krippendorff,
    "quadratic": lambda t: coefficients.cohen(t, coefficients.agreement_weights(range(3), "quadratic")),
}
TABLE = ((40, 3, 2), (4, 25, 1), (0, 5, 20))


def pair(table: tuple[tuple[int, ...], ...]) -> Pair:
    return Pair(tuple("abcde"[: len(table)]), table)


@pytest.mark.parametrize("name", FORMULAS)
def test_bootstrap_and_large_sample_agree_where_both_are_good(name: str) -> None:
    large = pair(tuple(tuple(100 * n for n in row) for row in TABLE))
    drawn, analytic = (of_pair(large, FORMULAS[name], how) for how in (BOOTSTRAP, ANALYTIC))
    assert drawn.value == analytic.value
    assert drawn.low == pytest.approx(analytic.low, abs=2e-3)
    assert drawn.high == pytest.approx(analytic.high, abs=2e-3)


def test_the_stream_is_keyed_by_seed_reading_and_cell() -> None:
    found = of_pair(pair(TABLE), coefficients.cohen, BOOTSTRAP)
    assert of_pair(pair(TABLE), coefficients.cohen, BOOTSTRAP) == found
    for stream in (RandomStream(1, STREAM.key), RandomStream(0, (*STREAM.key, "think"))):
        other = of_pair(pair(TABLE), coefficients.cohen, Sampling(Interval(), stream))
        assert other.value == found.value
        assert (other.low, other.high) != (found.low, found.high)


def test_wide_tables_draw_the_same_as_narrow_ones() -> None:
    """Sets too large to keep are drawn in parts; the parts together are one stream."""
    counts = tuple(range(1, 1201))
    values = np.linspace(0, 1, len(counts))

    def mean(weights: coefficients.Array) -> coefficients.Array:
        return np.asarray(weights @ values / weights.sum(-1))

    whole = np.random.Generator(np.random.PCG64(0)).multinomial(50, [0.5, 0.5], size=7)
    stream = np.random.Generator(np.random.PCG64(0))
    parts = [stream.multinomial(50, [0.5, 0.5], size=n) for n in (3, 4)]
    assert (np.concatenate(parts) == whole).all()
    low, high = ends(mean, Kinds(counts), BOOTSTRAP)
    assert low is not None
    assert high is not None
    assert low < float(mean(np.asarray(counts))) < high


@pytest.mark.parametrize("n", [1, 2, 10, 100])
def test_full_agreement_is_not_certainty(n: int) -> None:
    """The lower end is where the Wilson bound of agreement puts the coefficient, disagreements spread by chance."""
    table = pair(((n, 0), (0, n)))
    least = wilson(2 * n, 2 * n)[0]
    for sampling in (BOOTSTRAP, ANALYTIC):
        found = of_pair(table, coefficients.cohen, sampling)
        assert (found.value, found.high) == (1.0, 1.0)
        assert found.low == pytest.approx((least - 0.5) / 0.5)
    assert of_pair(table, coefficients.gwet, BOOTSTRAP).low == pytest.approx((least - 0.5) / 0.5)


def test_one_label_throughout() -> None:
    table = pair(((30, 0), (0, 0)))
    kappa, ac1 = of_pair(table, coefficients.cohen, BOOTSTRAP), of_pair(table, coefficients.gwet, BOOTSTRAP)
    assert (kappa.value, kappa.low, kappa.high) == (None, None, None)
    assert kappa.undefined == "both gave every item the same label: a"
    assert (ac1.value, ac1.high) == (1.0, 1.0)
    assert ac1.low is not None
    assert 0.5 < ac1.low < wilson(30, 30)[0]


def test_one_label_of_three_raters() -> None:
    ratings = Ratings.of(("x", "y"), ("a", "b", "c"), {(1, 1, 1): 4})
    assert of_group(ratings, groups.fleiss, BOOTSTRAP).undefined == "all gave every item the same label: y"


def test_nothing_judged() -> None:
    found = of_pair(pair(((0, 0), (0, 0))), coefficients.cohen, BOOTSTRAP)
    assert (found.value, found.counted, found.undefined) == (None, 0, "no item that both labelled")
    assert percent_of(pair(((0, 0), (0, 0))), Interval()).undefined == "no item that both labelled"


def test_resamples_that_are_undefined_too_often_give_no_interval() -> None:
    """With one disagreement among 40, 36 % of the resamples hold one label only and have no kappa."""
    found = of_pair(pair(((39, 1), (0, 0))), coefficients.cohen, BOOTSTRAP)
    assert (found.value, found.low, found.high) == (pytest.approx(0.0), None, None)
    assert percentiles(np.asarray([math.nan] * 6 + [1.0] * 94), 0.95) == (None, None)
    assert percentiles(np.asarray([math.nan] * 5 + [1.0] * 45 + [2.0] * 50), 0.95) == (1.0, 2.0)


@given(st.lists(st.sampled_from([0.1, 1 / 3, 0.7, 0.9]) | st.floats(-1, 1), min_size=1), st.floats(0.01, 0.99))
def test_percentiles_are_the_quantiles_to_the_last_digit(values: list[float], confidence: float) -> None:
    outside = (1 - confidence) / 2
    low, high = np.quantile(values, [outside, 1 - outside]).tolist()
    assert percentiles(np.asarray(values), confidence) == ((low, high) if high - low > 1e-9 else (None, None))


@pytest.mark.parametrize("sampling", [BOOTSTRAP, ANALYTIC])
@pytest.mark.parametrize(
    ("table", "value"),
    [
        (((20, 20), (0, 0)), 0.0),  # one rater is constant: every resample gives 0
        (((0, 1), (1, 0)), -1.0),  # two items
        (((2, 1), (0, 2)), 0.615),  # five items
    ],
)
def test_where_there_is_nothing_to_resample_there_is_no_interval(
    table: tuple[tuple[int, ...], ...], value: float, sampling: Sampling
) -> None:
    found = of_pair(pair(table), coefficients.cohen, sampling)
    assert (found.value, found.low, found.high) == (pytest.approx(value, abs=1e-3), None, None)
    assert of_pairs([pair(table)], coefficients.cohen, Interval(), [None]) == [
        of_pair(pair(table), coefficients.cohen, ANALYTIC)
    ]


@pytest.mark.parametrize("sampling", [BOOTSTRAP, ANALYTIC])
def test_six_items_have_an_interval_and_many_trials_of_five_have_none(sampling: Sampling) -> None:
    six = of_pair(pair(((2, 1), (1, 2))), coefficients.gwet, sampling)
    assert six.low is not None
    held = (((((0, 0), 2),), 2), ((((0, 1), 2),), 1), ((((1, 1), 2),), 2))
    five = of_pair(Pair(("a", "b"), ((4, 2), (0, 4)), clusters=held), coefficients.gwet, sampling)
    assert (five.counted, five.low, five.high) == (10, None, None)


def test_agreement_that_was_not_seen_is_possible() -> None:
    """Of 12 items none has 1 twice; up to 1 - 0.025^(1/12) = 26.5 % of all items may."""
    table, share = ((9, 2), (1, 0)), 1 - 0.025 ** (1 / 12)
    most = tuple(
        tuple((1 - share) * n + 12 * share * (i == j == 1) for j, n in enumerate(r)) for i, r in enumerate(table)
    )
    held = (((((0, 0), 2),), 9), ((((0, 1), 2),), 2), ((((1, 0), 2),), 1))
    for sampling in (BOOTSTRAP, ANALYTIC):
        found = of_pair(pair(table), coefficients.cohen, sampling)
        assert found.high == pytest.approx(float(coefficients.cohen(most)))
        twice = of_pair(Pair(("a", "b"), ((18, 4), (2, 0)), clusters=held), coefficients.cohen, sampling)
        assert twice.high == pytest.approx(found.high), "two trials of an item say as much as one"
    assert of_pairs([pair(table)], coefficients.cohen, Interval(), [None]) == [
        of_pair(pair(table), coefficients.cohen, ANALYTIC)
    ]


@settings(max_examples=examples(40), deadline=None)
@given(cells=st.lists(st.integers(0, 20), min_size=9, max_size=9), name=st.sampled_from(sorted(FORMULAS)))
def test_an_interval_holds_its_value(cells: list[int], name: str) -> None:
    table = pair(tuple(tuple(cells[3 * i : 3 * i + 3]) for i in range(3)))
    few = Sampling(Interval(resamples=200), STREAM)
    found = of_pair(table, FORMULAS[name], few)
    assert (found.value is None) == (found.undefined is not None)
    if found.low is not None and found.value is not None and found.high is not None:
        assert found.low <= found.value <= found.high
    assert (found.low is None) == (found.high is None)
    assert found.counted == table.n


def test_a_label_that_one_gave_once_has_no_agreement_on_it() -> None:
    assert specific(pair(((5, 1), (0, 0))), "b", Sampling(Interval("none"), STREAM)).value == 0.0


def test_none_is_none() -> None:
    found = of_pair(pair(TABLE), coefficients.cohen, Sampling(Interval("none"), STREAM))
    assert (found.low, found.high) == (None, None)
    assert percent_of(pair(TABLE), Interval("none")).low is None


def test_disagreements_by_chance() -> None:
    """Each rater's labels are half an item more: (3.5 × 1.5) and (0.5 × 2.5) of both; none where they agree."""
    assert pair_kinds(pair(((2, 1), (0, 0)))).astray == pytest.approx((0.0, 5.25 / 6.5, 1.25 / 6.5, 0.0))
    kinds = pair_kinds(pair(TABLE))
    assert sum(kinds.astray) == pytest.approx(1.0)
    assert kinds.astray[0] == kinds.astray[4] == kinds.astray[8] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "least"), [("kappa", 0.92), ("scott", 0.92), ("ac1", 0.91), ("alpha", 0.92)])
@pytest.mark.parametrize("n", [100, 400])
def test_intervals_hold_the_truth_as_often_as_they_say(name: str, least: float, n: int) -> None:
    shares = np.asarray(TABLE, dtype=float) / 100
    truth = float(FORMULAS[name](shares * 1e9))
    stream = np.random.Generator(np.random.PCG64(1))
    held = 0
    for trial in range(600):
        table = stream.multinomial(n, shares.ravel()).reshape(3, 3)
        how = Sampling(Interval(), RandomStream(trial, STREAM.key))
        found = of_pair(pair(tuple(tuple(map(int, row)) for row in table)), FORMULAS[name], how)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert least <= held / 600 <= 0.985
