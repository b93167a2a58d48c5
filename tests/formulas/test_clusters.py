"""Rates over items: cases worked out by hand, the present interval where no item has two trials, and the laws."""

from __future__ import annotations

import csv
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from places import ROOT
from sample_items import TRIALS, WRONG

from auditfw.core.statistics import Moments, wilson
from auditfw.formulas import clusters as module
from auditfw.formulas.clusters import (
    ItemSums,
    clustered_mean,
    item_sums,
    item_sums_by_cell,
    rate,
    rate_of,
    whole_numbers,
)
from auditfw.formulas.student import t_quantile

ITEM = st.integers(1, 12).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m)))
ITEMS = st.lists(ITEM, min_size=1, max_size=30)


def columns(items: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [m for m, _ in items], [s for _, s in items]


def test_two_items_by_hand() -> None:
    """3 of 4 and 1 of 2: p = 4/6 and r = 3 - 4 × 2/3 = 1/3, 1 - 2 × 2/3 = -1/3."""
    made = rate([4, 2], [3, 1])
    assert made.share == 4 / 6
    assert made.error == pytest.approx(math.sqrt(2 / 1 * (1 / 9 + 1 / 9) / 36))  # G/(G-1) × Σr² / n² = 1/81
    assert made.effective_items == 36 / 20
    # 1/81 over (2/3 × 1/3 / 5 = 2/45) is 45/162 = 0.28: at least 1. Both items hold the rarer label: k = 2.
    assert made.design_effect == 1.0
    cautious = (2 * 1 + 6 / 1.8) / 3
    ratio = t_quantile(0.975, 5) / t_quantile(0.975, 1)  # G' - 1 = 0.8 counts as 1 degree
    assert made.n_eff == max(1.0, 6 / cautious * ratio**2) == 1.0
    assert (made.low, made.high) == wilson(4 / 6 * 1.0, 1.0)


def test_items_that_are_all_or_nothing() -> None:
    """Ten items of 4, five wholly right: r = ±2, se² = 10/9 × 40/1600 = 1/36; p(1-p)/39 = 1/156; D = 156/36."""
    made = rate([4] * 10, [4, 0] * 5)
    assert made.error == pytest.approx(1 / 6)
    assert made.design_effect == pytest.approx(156 / 36)
    cautious = (5 * 156 / 36 + 4) / 6  # k = 5 of either label
    expected = 40 / cautious * (t_quantile(0.975, 39) / t_quantile(0.975, 9)) ** 2
    assert made.n_eff == pytest.approx(expected)
    assert (made.low, made.high) == pytest.approx(wilson(expected / 2, expected))


@pytest.mark.parametrize(
    ("trials", "successes", "n_eff", "effect"),
    [
        ([3] * 5, [0] * 5, 5.0, None),  # k = 0: G' = 225/45
        ([3] * 5, [3] * 5, 5.0, None),
        ([1, 3], [0, 0], 16 / 10, None),
        ([7], [2], 1.0, None),  # one item
        ([0, 7, 0], [0, 2, 0], 1.0, None),  # an item without a trial is none
        ([1], [1], 1.0, None),
        ([1, 1, 1], [0, 0, 0], 3.0, None),
        ([1, 1, 1], [0, 1, 0], 3.0, 1.0),
    ],
)
def test_edges(trials: list[int], successes: list[int], n_eff: float, effect: float | None) -> None:
    made = rate(trials, successes)
    assert (made.n_eff, made.design_effect) == (pytest.approx(n_eff), effect)


def test_the_rarer_label_counts_its_items() -> None:
    """Four items hold the 10 right of 24, two of them nothing else; both labels 2 of 4: the fewer items."""
    assert item_sums([6] * 4, [4, 3, 2, 1]).rarer == 4
    assert item_sums([6] * 4, [6, 6, 0, 6]).rarer == 1
    assert item_sums([6, 2, 2, 2], [6, 0, 0, 0]).rarer == 1


def test_few_items_with_the_rarer_label_are_not_believed() -> None:
    """One wrong of 500 trials of 20 items has no interval far shorter than none wrong."""
    none, one = rate([25] * 20, [0] * 20), rate([25] * 20, [1] + [0] * 19)
    assert one.design_effect == 1.0
    ratio = t_quantile(0.975, 499) / t_quantile(0.975, 19)
    assert one.n_eff == pytest.approx(500 / ((1 * 1 + 25) / 2) * ratio**2)
    assert one.high > 0.6 * none.high  # 10.5 of 16.1 points; without D* it would be 1.1
    assert wilson(1, 500)[1] < 0.1 * none.high


def test_the_table_of_the_sample_is_that_of_its_files() -> None:
    """Trials and wrong stored labels by question, counted from the CSV files themselves."""
    trials: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for file in sorted((ROOT / "auditfw" / "samples" / "vivarium_behavioral").glob("behavioral_t*.csv")):
        with file.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                if row["ground_truth_text"] != "None":
                    trials[row["question"]] += 1
                    wrong[row["question"]] += row["is_correct"] == "0"
    questions = sorted(trials)
    assert [trials[q] for q in questions] == TRIALS
    assert [wrong[q] for q in questions] == WRONG


def test_the_shipped_sample() -> None:
    made = rate(TRIALS, WRONG)
    assert [round(100 * x, 2) for x in (made.share, made.low, made.high)] == [24.72, 16.43, 35.42]
    assert [round(100 * x, 2) for x in wilson(267, 1080)] == [22.24, 27.38]


@given(st.lists(st.integers(0, 1), min_size=1, max_size=300), st.integers(0, 5))
def test_single_trials_have_the_present_interval(labels: list[int], empty: int) -> None:
    made = rate([1] * len(labels) + [0] * empty, labels + [0] * empty)
    assert (made.low, made.high) == wilson(sum(labels), len(labels))
    assert made.n_eff == made.effective_items == made.items == len(labels)
    if 0 < sum(labels) < len(labels):
        assert made.design_effect == 1.0
        share, n = made.share, len(labels)
        assert made.error == pytest.approx(math.sqrt(share * (1 - share) / (n - 1)))


@given(ITEMS)
def test_bounds(items: list[tuple[int, int]]) -> None:
    made = rate(*columns(items))
    assert 0 <= made.low <= made.share + 1e-12
    assert made.share - 1e-12 <= made.high <= 1
    assert 1 <= made.n_eff <= made.trials
    assert 1 <= made.effective_items <= made.items + 1e-9
    assert made.design_effect is None or made.design_effect >= 1
    plain = wilson(sum(s for _, s in items), made.trials)
    assert made.high - made.low >= plain[1] - plain[0] - 1e-12


@given(ITEMS, st.randoms())
def test_no_order_can_be_seen(items: list[tuple[int, int]], order: Any) -> None:
    shuffled = [*items, (0, 0)]
    order.shuffle(shuffled)
    assert rate(*columns(items)) == rate(*columns(shuffled))


@given(ITEMS)
def test_the_other_label_mirrors(items: list[tuple[int, int]]) -> None:
    trials, successes = columns(items)
    made, mirrored = rate(trials, successes), rate(trials, [m - s for m, s in items])
    assert (made.n_eff, made.design_effect, made.error) == (mirrored.n_eff, mirrored.design_effect, mirrored.error)
    assert (made.low, made.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low))


@given(st.lists(ITEM, min_size=2, max_size=12))
def test_error_is_that_of_clustered_least_squares(items: list[tuple[int, int]]) -> None:
    """statsmodels' cluster-robust error of a mean, with its correction G/(G-1)."""
    import statsmodels.api as sm

    trials, successes = columns(items)
    labels = np.concatenate([np.arange(m) < s for m, s in items]).astype(float)
    assume(labels.size > 2)
    groups = np.repeat(np.arange(len(items)), trials)
    fit = sm.OLS(labels, np.ones((labels.size, 1))).fit(cov_type="cluster", cov_kwds={"groups": groups})
    error = rate(trials, successes).error
    assert error is not None
    assert error**2 == pytest.approx(fit.cov_params()[0, 0], rel=1e-9, abs=1e-12)


VALUES = st.lists(st.tuples(st.integers(0, 5), st.floats(-1, 1)), min_size=2, max_size=40)


def test_a_mean_over_items_by_hand() -> None:
    """Items of 1, 2 and 3, 3: mean 9/4, residuals -5/4 and 5/4... of sums 3 and 6."""
    one = clustered_mean([1.0, 2.0, 3.0, 3.0], "aabb")
    half = t_quantile(0.975, 1) * math.sqrt(2 * (1.5**2 + 1.5**2)) / 4
    assert (one.mean, one.n, one.items) == (2.25, 4, 2)
    assert (one.low, one.high) == (pytest.approx(2.25 - half), pytest.approx(2.25 + half))
    alone = clustered_mean([1.0, 2.0], "aa")
    assert (alone.mean, alone.low, alone.high, alone.items) == (1.5, None, None, 1)
    with pytest.raises(ValueError, match="needs a number"):
        clustered_mean([])


@given(VALUES)
def test_a_mean_of_single_items_has_the_t_interval(rows: list[tuple[int, float]]) -> None:
    values = np.array([value for _, value in rows])
    ends = Moments.of(values).interval()
    for one in (clustered_mean(values), clustered_mean(values, range(len(values)))):
        assert ends is not None
        assert one.low == pytest.approx(ends[0], abs=1e-9)
        assert one.high == pytest.approx(ends[1], abs=1e-9)


@given(VALUES)
def test_a_mean_has_the_error_of_clustered_least_squares(rows: list[tuple[int, float]]) -> None:
    import statsmodels.api as sm

    items, values = [item for item, _ in rows], np.array([value for _, value in rows])
    assume(len(set(items)) > 1)
    fit = sm.OLS(values, np.ones((values.size, 1))).fit(cov_type="cluster", cov_kwds={"groups": np.array(items)})
    sizes = Counter(items)
    degrees = values.size**2 / sum(n * n for n in sizes.values()) - 1
    # statsmodels multiplies by (N - 1) / (N - K), which is 1 for a mean
    half = t_quantile(0.975, degrees) * math.sqrt(fit.cov_params()[0, 0])
    one = clustered_mean(values, items)
    assert one.low is not None
    assert one.high is not None
    assert (one.high - one.low) / 2 == pytest.approx(half, rel=1e-6, abs=1e-9)


@given(st.lists(st.tuples(st.integers(0, 3), ITEM), max_size=40))
def test_cells_are_rates_of_their_own(rows: list[tuple[int, tuple[int, int]]]) -> None:
    items = [item for _, item in rows]
    by_cell = item_sums_by_cell([cell for cell, _ in rows], 5, *columns(items))
    for cell, sums in enumerate(by_cell):
        own = [item for where, item in rows if where == cell]
        assert sums == (item_sums(*columns(own)) if own else ItemSums(0, 0, 0, 0, 0, 0, 0, 0, 0))


def test_large_numbers_are_exact() -> None:
    """A million trials of one item and of a thousand: whole numbers up to the end."""
    sums = item_sums([1_000_000, *([1000] * 1000)], [999_999, *([1] * 1000)])
    assert (sums.size_squares, sums.cross) == (10**12 + 10**9, 999_999 * 10**6 + 10**6)
    # p = 1,000,999 of 2,000,000; r of the large item 499,499.5, of the others -499.4995: Σr² = 2.4975 × 10^11
    squares = 499_499.5**2 + 1000 * 499.4995**2
    assert rate_of(sums).error == pytest.approx(math.sqrt(1001 / 1000 * squares / 4e12), rel=1e-12)


@pytest.mark.parametrize(
    ("trials", "successes"), [([], []), ([0], [0]), ([1], [2]), ([1], [-1]), ([-1], [-1]), ([1, 2], [1])]
)
def test_impossible_counts(trials: list[int], successes: list[int]) -> None:
    with pytest.raises(ValueError, match=r"trial|broadcast|as successes"):
        rate(trials, successes)


def test_only_whole_numbers() -> None:
    assert whole_numbers([True, False]).tolist() == [1, 0]
    with pytest.raises(TypeError, match="float64"):
        whole_numbers([0.5])


@pytest.mark.parametrize("many", [0, 100])
def test_distinct_codes(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By counting and, where there may be many more codes than rows, by sorting."""
    monkeypatch.setattr(module, "MANY_CODES", many)
    table = [([7, 2, 7, 0], 9, [0, 2, 7], [2, 1, 2, 0]), ([5], 60, [5], [0]), ([], 4, [], []), ([], 0, [], [])]
    for codes, number, distinct, places in table:
        made = module.distinct_codes(np.array(codes, np.int64), number)
        assert [one.tolist() for one in made] == [distinct, places]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 300), st.integers(0, 70_000)), max_size=30), st.integers(1, 3)
)
def test_equal_rows_have_one_number(rows: list[tuple[int, int, int]], width: int) -> None:
    columns = [np.array(column, np.int64) for column in zip(*rows, strict=True)][:width] if rows else []
    keys = [row[:width] for row in rows]
    numbers = {key: number for number, key in enumerate(sorted(set(keys)))}
    assert module.row_codes(columns, len(rows)).tolist() == [numbers[key] for key in keys]


@given(st.lists(st.integers(0, 9) | st.just(3_000_000), max_size=30))
def test_the_first_row_of_each_code(codes: list[int]) -> None:
    assert module.first_rows(np.array(codes, np.int32)).tolist() == [codes.index(code) for code in sorted(set(codes))]


@given(st.lists(st.integers(0, 9) | st.sampled_from([65_535, 65_536]), max_size=30))
def test_rows_of_each_code(codes: list[int]) -> None:
    parts = module.rows_of_each(np.array(codes, np.int64))
    assert len(parts) == max(codes, default=-1) + 1
    there = {code: part.tolist() for code, part in enumerate(parts) if len(part)}
    assert there == {code: [i for i, own in enumerate(codes) if own == code] for code in sorted(set(codes))}
