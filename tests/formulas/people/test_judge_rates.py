"""A judge's rate beside people's labels of a part: cases by hand, laws, and figures of another package."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples
from statsmodels.stats.proportion import proportion_confint

from auditfw.formulas.clusters import rate
from auditfw.formulas.people.corrections import corrected_share, prediction_powered
from auditfw.formulas.people.judge_rates import UNDECIDED, UNLABELLED, JudgedItems, Sampling, corrected_rates
from auditfw.formulas.people.shares import GroupCounts, domain_share, further_labels, weighted_share

MEANS = Path(__file__).parents[2] / "cases" / "data" / "ppi_python" / "means.csv"
# 60 items called yes, of 20 with a label people say yes to 15; 40 called no, 3 of 12
COUNTS = [(0, 1, 15), (0, 0, 5), (0, UNLABELLED, 40), (1, 1, 3), (1, 0, 9), (1, UNLABELLED, 28)]


def judged(
    counts: Sequence[tuple[int, int, int]] = COUNTS,
    positive: Sequence[bool] = (True, False),
    groups: Sequence[int] | None = None,
    chances: Sequence[float] | None = None,
) -> JudgedItems:
    """So many items of each label of the judge and of people; the first of the judge's labels is the positive one."""
    labels, people = (np.repeat([row[at] for row in counts], [row[2] for row in counts]) for at in (0, 1))
    numbers = None if groups is None else np.array(groups)
    return JudgedItems(
        labels, np.array(positive), people, numbers, None if chances is None else np.array(chances, float)
    )


def rates(items: JudgedItems, sampling: Sampling = "random") -> Any:
    made = corrected_rates(items, sampling)
    assert made is not None
    return made


def test_the_rates_by_hand() -> None:
    """Own 60 of 100; people 18 of 32; corrected .6 × 15/20 + .4 × 3/12 = .55; off by 5 points."""
    made = rates(judged())
    assert (made.items, made.labels, made.undecided, made.whole) == (100, 32, 0, False)
    assert (made.own.share, made.people) == (0.6, 18 / 32)
    groups = [GroupCounts(60, 20, 15), GroupCounts(40, 12, 3)]
    assert made.corrected == corrected_share(groups, 100.0)
    ours = domain_share(groups)
    assert ours is not None
    assert made.corrected.value == pytest.approx(0.55)
    assert (made.off.value, made.off.low, made.off.high) == pytest.approx((0.05, 0.6 - ours.high, 0.6 - ours.low))
    assert made.worth == pytest.approx(0.55 * 0.45 / (0.6 * 0.1875 + 0.4 * 0.1875))
    assert made.rogan_gladen.value == pytest.approx((0.6 + 9 / 14 - 1) / (15 / 18 + 9 / 14 - 1))
    assert made.more == further_labels(groups, max(ours.value - ours.low, ours.high - ours.value) / 2)
    assert made.more > 0


def test_own_rates_are_of_items() -> None:
    """Items of two trials: the interval is that of clusters, and people's errors are summed by item, too."""
    groups = [i // 2 for i in range(100)]
    made, alone = rates(judged(groups=groups)), rates(judged())
    assert made.own == rate([2] * 50, [2] * 30 + [0] * 20)
    assert made.own.n_eff < alone.own.n_eff
    assert made.ppi.value == alone.ppi.value
    assert made.ppi.high - made.ppi.low != alone.ppi.high - alone.ppi.low
    assert made.corrected.high - made.corrected.low > alone.corrected.high - alone.corrected.low
    assert (made.off, made.more) == (alone.off, alone.more)


def test_own_interval_is_wilsons() -> None:
    made = rates(judged())
    assert (made.own.low, made.own.high) == pytest.approx(proportion_confint(60, 100, method="wilson"), abs=1e-15)


def test_the_numbers_of_items_may_have_gaps() -> None:
    groups = np.array([i // 2 for i in range(100)])
    assert corrected_rates(judged(groups=(groups * 7 + 3).tolist()), "random") == rates(judged(groups=groups.tolist()))


@pytest.mark.parametrize(("labels", "there"), [(9, False), (10, True)])
def test_ten_labels(labels: int, there: bool) -> None:
    made = rates(judged([(0, 1, labels - 3), (0, UNLABELLED, 50), (1, 0, 3), (1, UNLABELLED, 20)]))
    assert (made.corrected is not None, made.ppi is not None, made.off is not None) == (there, there, there)
    assert there or made.why == f"only {labels} of these 79 items have a label of people"


def test_fewer_items_than_ten_that_all_have_a_label() -> None:
    made = rates(judged([(0, 1, 3), (1, 0, 2), (1, 1, 1)]), "all")
    assert (made.corrected.value, made.whole, made.more) == (4 / 6, True, None)
    assert made.ppi.weight == 0.0


def test_nothing_labelled() -> None:
    assert corrected_rates(judged([]), "random") is None
    made = rates(judged([(0, UNLABELLED, 20), (1, UNLABELLED, 20)]))
    assert (made.labels, made.people, made.corrected) == (0, None, None)


def test_the_undecided_count_both_ways() -> None:
    decided, undecided = (
        rates(judged()),
        rates(judged([*COUNTS[:2], (0, UNDECIDED, 4), (0, UNLABELLED, 36), *COUNTS[3:]])),
    )
    assert (undecided.labels, undecided.undecided, undecided.whole) == (32, 4, False)
    assert undecided.corrected.value == decided.corrected.value
    assert undecided.corrected.low < decided.corrected.low
    assert undecided.corrected.high > decided.corrected.high
    assert undecided.ppi == decided.ppi  # to it they are not labelled


def test_whole_items() -> None:
    """People's rate alone, by item: 20 items of two trials of 50."""
    people = [1, 1] * 8 + [1, 0] * 4 + [0, 0] * 8
    items = judged([(0, UNLABELLED, 60), (1, UNLABELLED, 40)], groups=[i // 2 for i in range(100)])
    some = np.where(np.arange(100) < 40, [*people, *[0] * 60], UNLABELLED)
    made = rates(replace(items, people=some), "items")
    own = rate([2] * 20, [2] * 8 + [1] * 4 + [0] * 8)
    assert (made.corrected.value, made.corrected.low, made.corrected.high) == (own.share, own.low, own.high)
    assert made.off.low == pytest.approx(0.6 - own.high)
    assert made.more is None
    ten = rates(replace(items, people=np.where(np.arange(100) < 20, some, UNLABELLED)), "items")
    assert ten.corrected is not None
    few = rates(replace(items, people=np.where(np.arange(100) < 18, some, UNLABELLED)), "items")
    assert (few.corrected, few.why) == (None, "people labelled fewer than 10 items")


def test_undecided_within_items() -> None:
    """The ends are those with the undecided as "no" and as "yes"."""
    items = judged([(0, UNLABELLED, 60), (1, UNLABELLED, 40)], groups=[i // 2 for i in range(100)])
    people = np.where(np.arange(100) < 40, np.arange(100) % 4 // 2, UNLABELLED)
    first = np.arange(100) == 0
    made, no, yes = (
        rates(replace(items, people=np.where(first, state, people)), "items").corrected for state in (UNDECIDED, 0, 1)
    )
    assert (made.value, made.low, made.high) == (20 / 39, no.low, yes.high)


def test_probabilities() -> None:
    chances = [0.5 if i < 60 else 0.25 for i in range(100)]
    made = rates(judged(chances=chances), "probability")
    share = weighted_share([True] * 15 + [False] * 5 + [True] * 3 + [False] * 9, [0.5] * 20 + [0.25] * 12)
    assert made.corrected == share
    assert (made.ppi, made.rogan_gladen, made.worth, made.more) == (None, None, None, None)
    assert made.why == made.why_no_worth == made.why_no_rogan_gladen
    assert made.why == "not defined where items were chosen by probability"


def test_a_judge_that_does_not_tell() -> None:
    made = rates(judged([(0, 1, 10), (0, 0, 10), (0, UNLABELLED, 50)], [True]))
    assert (made.rogan_gladen, made.why_no_rogan_gladen) == (None, "the judge does not tell")
    assert made.worth == pytest.approx(1.0)


def test_a_judge_that_explains_everything() -> None:
    made = rates(judged([(0, 1, 10), (0, UNLABELLED, 50), (1, 0, 10), (1, UNLABELLED, 30)]))
    assert (made.worth, made.why_no_worth) == (None, "the judge's labels explain all of people's")


def test_trials_of_one_item() -> None:
    made = rates(judged(groups=[0] * 100))
    assert (made.ppi, made.corrected is None, made.why) == (None, False, "all are trials of one item")


def test_ppi_python() -> None:
    """Its estimate and its interval, to rounding."""
    with MEANS.open(encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file))
    assert len(cases) == 40
    for case in cases:
        counts = [int(case[name]) for name in ("both", "people", "judge", "neither")]
        yes, n = int(case["judge_others"]), int(case["others"])
        people, judge = np.repeat([1.0, 1.0, 0.0, 0.0], counts), np.repeat([1.0, 0.0, 1.0, 0.0], counts)
        made = prediction_powered(people, judge, np.repeat([1.0, 0.0], [yes, n - yes]))
        theirs = [float(case[name]) for name in ("value", "low", "high")]
        assert [made.value, made.low, made.high] == pytest.approx(theirs, abs=1e-14)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_items_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    labels, people = rng.integers(0, 3, n), rng.integers(-2, 2, n)
    items = JudgedItems(labels, np.array([True, False, False]), people, rng.integers(0, n, n))
    made, turned = (corrected_rates(items.at(order), "random") for order in (np.arange(n), rng.permutation(n)))
    assert made is not None
    assert turned is not None
    assert (made.own, made.corrected, made.off, made.rogan_gladen, made.worth, made.more) == (
        turned.own, turned.corrected, turned.off, turned.rogan_gladen, turned.worth, turned.more
    )  # fmt: skip
    if made.ppi is not None and turned.ppi is not None:
        assert (made.ppi.value, made.ppi.low, made.ppi.high) == pytest.approx(
            (turned.ppi.value, turned.ppi.low, turned.ppi.high), abs=1e-12
        )
