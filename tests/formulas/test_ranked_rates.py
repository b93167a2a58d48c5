"""Who is better than whom: by hand, against all p-values adjusted, and without a trial or an item."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.formulas import claims as module
from auditfw.formulas.claims import RankedRates, holm_of_many, holm_of_pairs, turned_pairs
from auditfw.formulas.multiple import holm
from auditfw.formulas.two_rates import PairSums, pair_sums, separate_sums

ROW = st.integers(0, 4).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m)))
GROUPS = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(ROW, min_size=k, max_size=k), min_size=1, max_size=12).map(lambda rows: (k, rows))
)


def sums_of(number: int, rows: list[list[tuple[int, int]]]) -> PairSums:
    """Groups from rows of items: trials and successes in each group."""
    cells = [group for _ in rows for group in range(number)]
    items = [item for item in range(len(rows)) for _ in range(number)]
    trials, successes = zip(*[pair for row in rows for pair in row], strict=True)
    return pair_sums(cells, number, items, trials, successes)


def test_three_groups_by_hand() -> None:
    """0 of 100, 5 of 100 and 40 of 100 wrong: the third is worse than both; the first two are not apart (p 0.023 × 1).

    Of two means of 0 and 0.05 with 100 trials each the error is √(200/199 × 0.0475/100), t 2.29 with 99 degrees.
    """
    ranked = RankedRates(separate_sums([100, 100, 100], [0, 5, 40]), higher=False)
    assert ranked.pairs == [(0, 1), (0, 2), (1, 2)]
    assert ranked.leads == [[0.0, 0.05, 0.4], [-0.05, 0.0, pytest.approx(0.35)], [-0.4, pytest.approx(-0.35), 0.0]]
    t = 0.05 / (200 / 199 * 0.0475 / 100) ** 0.5
    [first, *_] = [ranked.sums.difference(*pair).t for pair in ranked.pairs]
    assert first == pytest.approx(-t)
    assert ranked.chances[0, 1] == pytest.approx(ranked.sums.difference(0, 1).p)
    assert ranked.better == [[False, True, True], [False, False, True], [False] * 3]
    assert (ranked.count(), ranked.ranks) == (3, [(1, 1), (2, 2), (3, 3)])
    strict = RankedRates(ranked.sums, higher=False, alpha=0.01)
    assert (strict.count(), strict.ranks) == (2, [(1, 2), (1, 2), (3, 3)])


def test_the_side_that_is_better() -> None:
    higher = RankedRates(separate_sums([100, 100], [90, 10]), higher=True)
    lower = RankedRates(separate_sums([100, 100], [90, 10]), higher=False)
    assert (higher.ranks, lower.ranks) == ([(1, 1), (2, 2)], [(2, 2), (1, 1)])
    assert higher.compared(0, 1).difference == 0.8 == lower.compared(1, 0).difference
    assert higher.better == [[False, True], [False, False]]


def test_groups_without_a_trial_and_with_one_item() -> None:
    ranked = RankedRates(separate_sums([50, 0, 50, 1], [50, 0, 0, 0]), higher=True)
    assert ranked.pairs == [(0, 2), (0, 3), (2, 3)]
    assert ranked.leads[0] == [0.0, 0.0, 1.0, 1.0]
    assert ranked.chances[0, 3] is None
    assert ranked.ranks == [(1, 2), None, (2, 3), (1, 3)]
    assert RankedRates(separate_sums([5, 0], [1, 0]), higher=True).ranks == [(1, 1), None]


def test_adjusted_by_holm_over_the_pairs_that_have_a_p_value() -> None:
    sums = separate_sums([60, 60, 60, 1], [20, 30, 45, 1])
    pairs = RankedRates(sums, higher=True).pairs
    plain = [sums.difference(*pair).p for pair in pairs]
    assert [p for p in holm_of_pairs(sums, pairs) if p is not None] == holm([p for p in plain if p is not None])
    assert [p is None for p in holm_of_pairs(sums, pairs)] == [3 in pair for pair in pairs]


@settings(max_examples=examples(60), deadline=None)
@given(GROUPS, st.sampled_from([0.001, 0.05, 0.3]))
def test_many_at_once_are_decided_as_one_by_one(groups: tuple[int, list[list[tuple[int, int]]]], alpha: float) -> None:
    sums = sums_of(*groups)
    pairs = RankedRates(sums, higher=True).pairs
    exact = holm_of_pairs(sums, pairs)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "FEW", 0)
        quick = holm_of_many(sums, pairs, alpha) if pairs else []
    assert [p is None for p in quick] == [p is None for p in exact]
    assert [p is not None and p <= alpha for p in quick] == [p is not None and p <= alpha for p in exact]


@pytest.mark.parametrize(("items", "least"), [(30, 120), (1, 120), (1, 60)])
def test_many_groups_are_decided_as_all_p_values_do(items: int, least: int) -> None:
    """Forty groups, whose rates are from 0.3 to 0.7: of 30 shared items, or of trials that are each its own.

    In the last case of 60 to 120 trials: as many degrees of freedom in hardly any two.
    """
    draw = np.random.default_rng(3)
    trials = np.repeat(draw.integers(least, 121, 40) // items, items)
    successes = draw.binomial(trials, np.repeat(np.linspace(0.3, 0.7, 40), items))
    sums = pair_sums(np.repeat(np.arange(40), items), 40, np.tile(np.arange(items), 40), trials, successes)
    if items == 1:
        sums = separate_sums(trials.tolist(), successes.tolist())
    ranked = RankedRates(sums, higher=True)
    resolved = {pair for pair, p in ranked.chances.items() if p is not None and p <= 0.05}
    assert resolved == {
        (min(i, j), max(i, j)) for i, row in enumerate(ranked.better) for j, one in enumerate(row) if one
    }
    assert 0 < ranked.count() < 780


@pytest.mark.slow
@pytest.mark.parametrize("trials", [100, 1_000])
@pytest.mark.parametrize("share", [0.003, 0.009])
def test_healthy_readings_hardly_ever_turn_a_pair(trials: int, share: float) -> None:
    """Forty groups, four readings that differ in so many labels, as often in either direction: in < 2 % of runs."""
    draw, runs, alarms = np.random.default_rng(7), 150, 0
    for _ in range(runs):
        wrong = draw.binomial(trials, draw.uniform(0.2, 0.5, 40))
        better = RankedRates(separate_sums([trials] * 40, wrong.tolist()), higher=False).better
        for _ in range(4):
            up, down = (draw.binomial(trials, share / 2, 40) for _ in range(2))
            other = np.clip(wrong + up - down, 0, trials)
            leads = RankedRates(separate_sums([trials] * 40, other.tolist()), higher=False).leads
            alarms += bool(turned_pairs(better, leads))
    assert alarms / runs < 0.02
