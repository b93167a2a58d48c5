"""Trials in items: kinds of item, what becomes of them, and intervals that draw whole items."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from auditfw.components.metric import agreement, judgements
from auditfw.core.statistics import wilson
from auditfw.formulas.agreement import Interval, Judged, Ratings, coefficients, estimates
from auditfw.formulas.agreement.items import changed, clustered, effective, sums_of, symmetry_by_items
from auditfw.formulas.clusters import item_sums, rate

LABELS, RATERS = ("x", "y"), ("a", "b")
ITEMS = [{(0, 0): 8}, {(1, 1): 8}, {(0, 1): 6, (0, 0): 2}]  # three questions, eight times each


def ratings(items: list[dict[tuple[int, ...], int]], labels: tuple[str, ...] = LABELS) -> Ratings:
    whole: dict[tuple[int, ...], int] = {}
    for item in items:
        for pattern, n in item.items():
            whole[pattern] = whole.get(pattern, 0) + n
    raters = tuple("abcdefgh"[: len(next(iter(whole)))])
    return Ratings.of(labels, raters, whole, None, clustered(items))


def test_kinds_of_item() -> None:
    assert clustered([{(0, 0): 1}, {(1, 1): 1}]) == (), "an item of one trial is a trial"
    assert clustered([{(1, 1): 2}, {}, {(0, 0): 1}, {(1, 1): 2}]) == ((((((0, 0)), 1),), 1), (((((1, 1)), 2),), 2))
    assert changed(clustered(ITEMS), lambda pattern: None if pattern == (0, 0) else "k") == (
        ((("k", 6),), 1), ((("k", 8),), 1),
    )  # fmt: skip
    assert changed(clustered([{1: 2}]), lambda key: None) == ()
    assert effective(clustered(ITEMS)) == 3.0
    assert effective(clustered([{1: 9}, {1: 1}])) == pytest.approx(100 / 82)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 4)).map(lambda p: (p[0], min(p))), min_size=1, max_size=9))
def test_sums_are_those_of_the_rate(items: list[tuple[int, int]]) -> None:
    kinds = clustered({True: s, False: m - s} for m, s in items)
    if kinds:
        assert sums_of(kinds, lambda key: key) == item_sums([m for m, _ in items], [s for _, s in items])


def test_three_questions_repeated_eight_times_say_little() -> None:
    """24 trials, 18 of which agree; of three items nothing is known."""
    judged = Judged(ratings(ITEMS), "a", "b")
    plain = Judged(Ratings.of(LABELS, RATERS, dict(judged.ratings.items())), "a", "b")
    by_items, by_trials = agreement.PercentAgreement()(judged), agreement.PercentAgreement()(plain)
    assert by_items is not None
    assert by_trials is not None
    assert (by_items.value, by_items.counted) == (by_trials.value, by_trials.counted) == (0.75, 24)
    clustered_rate = rate([8, 8, 8], [8, 8, 2])
    assert (by_items.low, by_items.high) == pytest.approx((clustered_rate.low, clustered_rate.high))
    assert (by_trials.low, by_trials.high) == wilson(18, 24)
    for metric in (agreement.Kappa(), agreement.GwetAC1(), agreement.ScottPi(), agreement.KrippendorffAlpha()):
        wide, narrow = metric(judged), metric(plain)
        assert wide is not None
        assert narrow is not None
        assert wide.value == narrow.value
        known = [end for end in (wide.low, wide.high, narrow.low, narrow.high) if end is not None]
        assert len(known) == 2 or known[1] - known[0] > 1.5 * (known[3] - known[2])


def test_full_agreement_of_three_items_is_that_of_three_trials() -> None:
    judged = Judged(ratings([{(0, 0): 8}, {(1, 1): 8}, {(0, 0): 8}]), "a", "b")
    three = Judged(Ratings.of(LABELS, RATERS, {(0, 0): 2, (1, 1): 1}), "a", "b")
    one, other = agreement.Kappa()(judged), agreement.Kappa()(three)
    assert one is not None
    assert other is not None
    assert one.low == pytest.approx(other.low, abs=0.06), "but for the half of a count that chance is smoothed by"
    assert (one.high, other.high) == (1.0, 1.0)


def test_drawn_by_hand() -> None:
    """Two kinds of item drawn again are a binomial count: the ends of the interval are its quantiles."""
    judged = Judged(ratings([{(0, 0): 3, (1, 1): 3}] * 30 + [{(0, 1): 1, (1, 0): 1}] * 10), "a", "b")
    found = agreement.Kappa(interval=Interval(resamples=20_000))(judged)
    counts = np.random.default_rng(1).binomial(40, 0.75, 20_000)
    kappas = 1 - 2 * (2 * (40 - counts)) / (6 * counts + 2 * (40 - counts))
    assert found is not None
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(kappas, [0.025, 0.975])), abs=0.03), (
        "or the bound"
    )


def test_the_large_sample_error_by_items() -> None:
    """Every item doubled: the same error as of single items, where trials would make it smaller by the root of two."""
    table = {(0, 0): 40, (0, 1): 7, (1, 0): 9, (1, 1): 30}
    single = Judged(Ratings.of(LABELS, RATERS, table), "a", "b")
    double = Judged(ratings([{pattern: 2} for pattern, n in table.items() for _ in range(n)]), "a", "b")
    metric = agreement.Kappa(interval=Interval("analytic"))
    one, other = metric(single), metric(double)
    assert one is not None
    assert other is not None
    assert one.value == pytest.approx(other.value)
    half, wider = one.high - one.value, other.high - other.value  # type: ignore[operator]
    assert wider / half == pytest.approx(math.sqrt(86 / 85))


def test_shares_by_items() -> None:
    judged = Judged(ratings([{(0, 0): 8}, {(1, 1): 8}, {(0, 1): 8}]), "a", "b", abstain=("y",))
    found = judgements.AbstainRate()(judged)
    assert found is not None
    expected = rate([8, 8, 8], [0, 8, 0])
    assert (found.value, found.low, found.high) == pytest.approx((1 / 3, expected.low, expected.high))
    either = judgements.AbstainRate()(Judged(judged.ratings, group="either", abstain=("y",)))
    assert either is not None
    assert either.value == pytest.approx(2 / 3)


def test_all_raters_by_items() -> None:
    items = [{(0, 0, 0): 6}, {(1, 1, 1): 6}, {(0, 0, 1): 6}] * 4
    together = Judged(ratings(items), group="all")
    plain = Judged(Ratings.of(LABELS, ("a", "b", "c"), dict(together.ratings.items())), group="all")
    for metric in (agreement.FleissKappa(), agreement.KrippendorffAlpha(), agreement.GwetAC1()):
        wide, narrow = metric(together), metric(plain)
        assert wide is not None
        assert narrow is not None
        assert wide.value == narrow.value
        assert wide.high - wide.low > 2 * (narrow.high - narrow.low)  # type: ignore[operator]


def test_symmetry_by_items() -> None:
    assert symmetry_by_items(clustered([{(0, 1): 8}] * 3)) == 0.25
    assert symmetry_by_items(clustered([{(0, 0): 2}, {(1, 1): 2}])) == 1.0
    assert symmetry_by_items(clustered([{(0, 1): 1, (1, 0): 1}] * 3)) == 1.0
    single = [{(0, 1): 1}] * 9 + [{(1, 0): 1}] * 3 + [{(0, 0): 2}]
    assert symmetry_by_items(clustered(single)) == pytest.approx(binomtest(3, 12).pvalue)
    three = [*single, *[{(0, 2): 1}] * 8, *[{(2, 0): 1}] * 2]
    assert symmetry_by_items(clustered(three)) == pytest.approx(chi2.sf(36 / 12 + 36 / 10, 2)), "Bowker's"
    assert symmetry_by_items(clustered([{(0, 1): 1, (1, 0): 1, (1, 2): 1, (2, 1): 1}])) == 1.0


def test_ratings_keep_their_items() -> None:
    whole = ratings([{(0, 0, 1): 2}, {(1, 1, -1): 1, (0, 1, 0): 1}])
    assert whole.only(("b", "c")).clusters == clustered([{(0, 1): 2}, {(1, -1): 1, (1, 0): 1}])
    assert whole.within(("y",)).clusters == clustered([{(-1, -1, 0): 2}, {(0, 0, -1): 1, (-1, 0, -1): 1}])
    assert whole.pair("a", "c").clusters == (((((0, 0), 1),), 1), ((((0, 1), 2),), 1))
    assert whole.abstaining(("y",), "exclude").clusters == ()
    merged = Ratings.merged([whole, Ratings.of(LABELS, whole.raters, {(0, 0, 0): 3})])
    assert merged.clusters == clustered([{(0, 0, 1): 2}, {(1, 1, -1): 1, (0, 1, 0): 1}, *[{(0, 0, 0): 1}] * 3])
    assert estimates.of_pair(whole.pair("a", "c"), coefficients.cohen, Judged(whole).sampling(Interval())).counted == 3


def test_items_that_hardly_disagree_are_no_proof() -> None:
    """Six questions eight times each, one disagreement in 48 trials: drawing items again would give 0.87 and more."""
    items = [{(0, 0): 8}, {(1, 1): 8}] * 2 + [{(0, 0): 8}, {(1, 1): 7, (1, 0): 1}]
    judged = Judged(ratings(items), "a", "b")
    found = agreement.Kappa()(judged)
    percent = agreement.PercentAgreement()(judged)
    assert found is not None
    assert percent is not None
    assert found.low is not None
    assert percent.low is not None
    assert found.low < 2 * percent.low - 1 + 0.1, "kappa at the bound of agreement, both labels as frequent"
    assert percent.low < 0.75
