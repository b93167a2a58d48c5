"""Shares from labels by class: published figures, statsmodels' Wilson intervals, and the laws."""

from __future__ import annotations

import math
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.core.statistics import wilson
from auditfw.formulas.people.shares import (
    GroupCounts,
    LabelledGroup,
    Share,
    difference,
    domain_share,
    further_labels,
    joined_classes,
    labels_worth,
    not_at_random,
    stratified_share,
    weighted_share,
)

# trials, labels, wrong by class (all right, all wrong, differ and the reference right, or wrong)
NQ = [(1779, 18, 0), (6270, 62, 36), (6953, 68, 1), (96, 2, 1)]
TQ = [(2013, 31, 0), (2257, 35, 16), (5387, 82, 0), (33, 2, 0)]
GSM8K = [(1992, 42, 0), (2799, 58, 58), (476, 48, 48), (9, 2, 0)]
SAMPLE = [GroupCounts(790, 49, 2, 1), GroupCounts(250, 14, 9, 2), GroupCounts(23, 20, 2), GroupCounts(17, 14, 0)]
GROUP = st.integers(1, 400).flatmap(
    lambda n: st.integers(0, min(n, 60)).flatmap(lambda m: st.tuples(st.just(n), st.just(m), st.integers(0, m)))
)


def groups(rows: list[tuple[int, int, int]], among: str = "0123", right: str = "") -> list[GroupCounts]:
    """The classes of a domain; "yes" is wrong, but right in the classes that `right` names."""
    chosen = [(place, *row) for place, row in enumerate(rows) if str(place) in among]
    return [GroupCounts(n, m, m - k if str(place) in right else k) for place, n, m, k in chosen]


def percents(share: Share | None) -> list[float]:
    assert share is not None
    return [round(100 * end, 4) for end in (share.value, share.low, share.high)]


@pytest.mark.parametrize(
    ("domain", "figures", "half_as_wide"),
    [
        pytest.param(groups(NQ), [25.1086, 19.9430, 31.0505], 356, id="nq"),
        pytest.param(groups(NQ, right="0123"), [74.8914, 68.9495, 80.0570], 356, id="nq right"),
        pytest.param(groups(NQ, right="02"), [81.5896, 75.3345, 86.3691], None, id="nq agrees"),
        pytest.param(groups(NQ, "02"), [1.1710, 0.1947, 7.3637], None, id="nq false right"),
        pytest.param(groups(NQ, "13", "13"), [42.0571, 30.6315, 54.3984], None, id="nq false wrong"),
        pytest.param(groups(TQ), [10.6478, 7.1104, 15.6553], 284, id="tq"),
        pytest.param(groups(TQ, right="02"), [87.0152, 82.1569, 90.7534], None, id="tq agrees"),
        pytest.param(groups(TQ, "02"), [0, 0, 4.3784], None, id="tq false right"),
        pytest.param(groups(TQ, "13", "13"), [54.9445, 38.8646, 70.0873], None, id="tq false wrong"),
        pytest.param(groups(GSM8K), [62.0735, 58.7756, 65.1820], 152, id="gsm8k"),
        pytest.param(groups(GSM8K, right="02"), [90.8074, 86.3154, 92.1911], None, id="gsm8k agrees"),
        pytest.param(groups(GSM8K, "02"), [19.2869, 16.6532, 25.9319], None, id="gsm8k false right"),
        pytest.param(SAMPLE, [18.0796, 10.3704, 28.7037], 70, id="sample, three undecided"),
    ],
)
def test_published(domain: list[GroupCounts], figures: list[float], half_as_wide: int | None) -> None:
    """The published figures come out of the labels by class that stand beside them, and so do the further labels."""
    share = domain_share(domain)
    assert percents(share) == figures
    if half_as_wide is not None:
        assert share is not None
        assert further_labels(domain, max(share.value - share.low, share.high - share.value) / 2) == half_as_wide
        assert further_labels(domain, 1.0) == 0


@pytest.mark.parametrize(
    ("domain", "n_eff", "figures"),
    [
        (groups(NQ), 4987.4983, [25.1086, 19.8134, 31.1736]),
        (groups(TQ), 2886.9629, [10.6478, 6.9601, 15.7875]),
        (groups(GSM8K), 2369.9538, [62.0735, 58.2390, 65.7316]),
        (SAMPLE, 76.7870, [18.0796, 7.4296, 33.6692]),
    ],
)
def test_of_new_questions(domain: list[GroupCounts], n_eff: float, figures: list[float]) -> None:
    assert percents(domain_share(domain, n_eff)) == figures


def test_of_new_questions_all_labelled() -> None:
    """Only the questions are left to chance: Wilson's interval with n_eff."""
    low, high = wilson(10, 50)
    share = domain_share([GroupCounts(100, 100, 20)], 50)
    assert share is not None
    assert (share.value, share.low, share.high) == pytest.approx((0.2, low, high))


@pytest.mark.parametrize(
    ("domain", "figures"),
    [
        ([], None),
        ([GroupCounts(0, 0, 0)], None),
        ([GroupCounts(130, 7, 3)], None),  # fewer than ten labels
        ([GroupCounts(7, 7, 3)], [42.8571, 42.8571, 42.8571]),  # but all
        ([GroupCounts(50, 10, 0), GroupCounts(51, 0, 0)], None),  # more than half without a label
        ([GroupCounts(50, 50, 10), GroupCounts(50, 0, 0)], [20, 10, 60]),  # all "no", all "yes"
        ([GroupCounts(50, 50, 10), GroupCounts(0, 0, 0)], [20, 20, 20]),
        ([GroupCounts(20, 18, 9, 2)], [50, 45, 55]),  # two undecided of 20
        ([GroupCounts(20, 20, 20)], [100, 100, 100]),
    ],
)
def test_what_is_not_known(domain: list[GroupCounts], figures: list[float] | None) -> None:
    share = domain_share(domain)
    assert (None if share is None else percents(share)) == figures


def test_one_class_is_the_wider_of_two_forms() -> None:
    """40 labels of 1,000 trials, 10 yes: q = 10.262/41, n_lab = .25 × .75 / v with v = .96 q (1 - q) / 39."""
    q = (10 + 11 / 42) / 41
    worth = 0.25 * 0.75 / (0.96 * q * (1 - q) / 39)
    assert labels_worth([LabelledGroup(1000, 40, 10)], 0.25) == pytest.approx(worth)
    alone, other = wilson(0.25 * worth, worth), wilson(0.25 * 40 * 999 / 960, 40 * 999 / 960)
    share = stratified_share([LabelledGroup(1000, 40, 10)])
    low, high = min(alone[0], other[0]), max(alone[1], other[1])
    assert (share.low, share.high) == (math.floor(low * 1000) / 1000, math.ceil(high * 1000) / 1000)


def test_a_difference_by_hand() -> None:
    """Method 10: 0.6 [0.5, 0.72] less 0.2 [0.16, 0.29]: 0.4 - √(0.1² + 0.09²), 0.4 + √(0.12² + 0.04²)."""
    made = difference(Share(0.6, 0.5, 0.72), Share(0.2, 0.16, 0.29))
    assert made.value == pytest.approx(0.4)
    assert (made.low, made.high) == (pytest.approx(0.4 - math.sqrt(0.0181)), pytest.approx(0.4 + math.sqrt(0.016)))


@pytest.mark.parametrize(
    ("labels", "counts_as"),
    [
        ([9, 9, 9, 9], [0, 1, 2, 3]),
        ([9, 9, 4, 9], [0, 1, 0, 3]),
        ([4, 9, 9, 9], [0, 1, 0, 3]),
        ([9, 9, 9, 0], [0, 1, 2, 1]),
        ([5, 5, 5, 5], [0, 1, 2, 3]),
        ([2, 9, 2, 9], [0, 0, 0, 0]),
        ([0, 9, 0, 9], [0, 0, 0, 0]),
    ],
)
def test_classes_with_few_labels_are_joined(labels: list[int], counts_as: list[int]) -> None:
    assert joined_classes(labels) == counts_as


@pytest.mark.parametrize(
    ("rows", "p"),
    [
        ([(500, 50), (500, 50)], 1.0),
        ([(500, 60), (500, 40)], 0.0350),  # χ² = (100/50 + 100/50) / 0.9, one degree
        ([(500, 80), (500, 20)], 0.0000),
        ([(9, 0), (491, 40), (500, 60)], 0.0350),  # 0.9 expected: joined with the next
        ([(1000, 100)], 1.0),
        ([(50, 50), (50, 50)], 1.0),  # all labelled
        ([(0, 0), (1000, 100)], 1.0),
        ([], 1.0),
    ],
)
def test_labels_that_somebody_picked(rows: list[tuple[int, int]], p: float) -> None:
    assert round(not_at_random(rows), 4) == p


def test_labels_with_probabilities_by_hand() -> None:
    """Weights 2, 2, 4, 4, two of them yes: 6/12; by the weights 144/40 labels, by the variance fewer: 4/3 × 10/144."""
    share = weighted_share([True, False, True, False], [0.5, 0.5, 0.25, 0.25])
    worth = min(144 / 40, 0.25 / (4 / 3 * 10 / 144))
    assert share == Share(0.5, *wilson(0.5 * worth, worth))
    alike = weighted_share([True, True], [0.5, 0.5])
    assert alike == Share(1.0, *wilson(2.0, 2.0))


@settings(max_examples=examples(300))
@given(st.lists(GROUP, min_size=1, max_size=6), st.sampled_from([math.inf, 90.0]))
def test_laws(rows: list[tuple[int, int, int]], n_eff: float) -> None:
    share = domain_share([GroupCounts(*row) for row in rows], n_eff)
    other = domain_share([GroupCounts(n, m, m - k) for n, m, k in rows], n_eff)
    assert (share is None) == (other is None)
    assert domain_share([GroupCounts(*row) for row in reversed(rows)], n_eff) == share
    if share is not None and other is not None:
        assert 0 <= share.low <= share.value + 1e-12 <= share.high + 2e-12 <= 1 + 3e-12
        assert (1 - other.value, 1 - other.high, 1 - other.low) == pytest.approx((share.value, share.low, share.high))
        wider = domain_share([GroupCounts(n, m - 1, k, 1) if 1 < m > k else GroupCounts(n, m, k) for n, m, k in rows])
        assert wider is None or wider.low <= wider.value + 1e-12


@settings(max_examples=examples(200))
@given(st.integers(10, 300), st.data())
def test_one_more_yes_never_lowers_an_end(labels: int, data: st.DataObject) -> None:
    trials, yes = data.draw(st.integers(labels, 900)), data.draw(st.integers(0, labels - 1))
    before, after = (domain_share([GroupCounts(trials, labels, k)]) for k in (yes, yes + 1))
    assert before is not None
    assert after is not None
    assert before.low <= after.low
    assert before.high <= after.high


def test_wilson_is_that_of_statsmodels() -> None:
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    for n, k in product((1, 7, 150, 3000), (0, 0.25, 0.5, 1)):
        assert wilson(k * n, n) == pytest.approx(proportion.proportion_confint(k * n, n, method="wilson"), abs=1e-12)


def test_labels_that_are_all_no_are_worth_what_is_expected() -> None:
    """Of 100 trials 10 labels, of 300 20, none yes: the pool is 1/32, q 1/32 over 11 and 21, and so the rate."""
    few, many = 1 / 32 / 11, 1 / 32 / 21
    expected = few / 4 + 3 * many / 4
    variance = 0.9 * few * (1 - few) / 9 / 16 + (1 - 20 / 300) * many * (1 - many) / 19 * 9 / 16
    groups = [LabelledGroup(100, 10, 0), LabelledGroup(300, 20, 0)]
    assert labels_worth(groups, 0.0) == pytest.approx(expected * (1 - expected) / variance)
