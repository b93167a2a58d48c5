"""Variance components: by hand, a plain analysis of variance, the prototype, statsmodels, deleting items one by one."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from places import CASES
from searching import examples

from auditfw.formulas.repeats.variance import ENOUGH, VarianceParts, variance_parts
from auditfw.formulas.student import t_quantile

STORED = json.loads((CASES / "data" / "repeats_prototypes" / "cases.json").read_text("utf-8"))["components"]


def parts(labels: Any, items: Any) -> VarianceParts:
    made = variance_parts(np.array(labels), items)
    assert made is not None
    return made


def estimates(made: VarianceParts) -> list[float]:
    repeat = 0.0 if made.repeat is None else made.repeat.estimate
    return [made.item.estimate, repeat, made.item_reading.estimate, made.repeat_reading.estimate]


def drawn(seed: int, items: int, most: int, readings: int) -> tuple[Any, Any]:
    """Labels of 1 to `most` trials of each item, by readings that differ in a tenth of them."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(items), rng.integers(1, most + 1, items))
    base = rng.random(codes.size) < rng.beta(0.6, 0.5, items)[codes]
    return np.stack([base ^ (rng.random(codes.size) < 0.1) for _ in range(readings)], 1).astype(int), codes


@pytest.mark.parametrize(
    ("labels", "items", "expected"),
    [
        ([1, 1, 1, 0], [0, 0, 1, 1], [0, 1 / 4, 0, 0]),  # MSB 1/4, MSW 1/4
        ([1, 1, 1, 0], [0, 0, 0, 1], [1 / 2, 0, 0, 0]),  # MSB 3/4, n0 4 - 10/4
        ([1, 0, 0, 1], [0, 0, 1, 1], [-1 / 4, 1 / 2, 0, 0]),  # less than chance between items
        ([1, 0, 1], [0, 0, 1], [-1 / 4, 1 / 2, 0, 0]),  # MSB 1/6, MSW 1/2 of one trial to spare, n0 4/3
        ([1, 0], [0, 1], [1 / 2, 0, 0, 0]),  # nothing repeated: both together
    ],
)
def test_one_reading_by_hand(labels: list[int], items: list[int], expected: list[float]) -> None:
    made = parts([[one] for one in labels], items)
    assert estimates(made) == pytest.approx(expected)
    assert made.mean == sum(labels) / len(labels)
    assert (made.item.value, made.item.negative) == (max(0, expected[0]), expected[0] < 0)


def test_two_readings_by_hand() -> None:
    """The means 1/2 and 1: MSB 1/8. Of the rest ±1/2 and 0, less ±1/4 of each reading: MSBz 1/4."""
    made = parts([[1, 0], [1, 1]], [0, 1])
    assert estimates(made) == pytest.approx([0, 0, 1 / 4, 0])
    assert (made.shares, made.mean, made.readings) == ((1.0, 0.5), 0.75, 2)
    assert (made.items, made.trials, made.repeats, made.repeat) == (2, 2, 1, None)


def plain(labels: Any, items: Any) -> list[float]:
    """The analysis of variance in loops, as a textbook has it."""
    trials, readings = labels.shape
    groups = [labels[items == one] for one in sorted(set(items.tolist()))]
    spare, usual = trials - len(groups), (trials - sum(len(one) ** 2 for one in groups) / trials) / (len(groups) - 1)

    def split(columns: list[Any], ways: int) -> tuple[float, float]:
        between = within = 0.0
        for column in columns:
            for group in (column[items == one] for one in sorted(set(items.tolist()))):
                between += len(group) * (group.mean() - column.mean()) ** 2
                within += ((group - group.mean()) ** 2).sum()
        inner = within / (spare * ways) if spare else 0.0
        return (between / ((len(groups) - 1) * ways) - inner) / usual, inner

    means = labels.mean(1)
    item, repeat = split([means], 1)
    if readings == 1:
        return [item, repeat, 0.0, 0.0]
    crossed, rest = split([labels[:, one] - means for one in range(readings)], readings - 1)
    return [item - crossed / readings, repeat - rest / readings, crossed, rest]


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 4), st.integers(1, 4))
@settings(max_examples=examples(60), deadline=None)
def test_plain_analysis_of_variance(seed: int, items: int, most: int, readings: int) -> None:
    labels, codes = drawn(seed, items, most, readings)
    made = parts(labels, codes)
    assert estimates(made) == pytest.approx(plain(labels, codes), abs=1e-12)
    mixed = np.random.default_rng(seed).permutation(codes.size)
    assert parts(labels[mixed], codes[mixed]) == made  # no order of trials
    assert estimates(parts(1 - labels, codes * 7)) == pytest.approx(estimates(made), abs=1e-12)


@pytest.mark.parametrize("readings", [1, 3])
def test_the_jackknife_by_deletion(readings: int) -> None:
    labels, codes = drawn(3, 70, 3, readings)
    made = parts(labels, codes)
    without = np.array([estimates(parts(labels[codes != one], codes[codes != one])) for one in range(70)])
    errors = np.sqrt(69 / 70 * ((without - without.mean(0)) ** 2).sum(0))
    assert made.repeat is not None
    for part, error in zip((made.item, made.repeat, made.item_reading, made.repeat_reading), errors, strict=True):
        half = t_quantile(0.975, 69) * error
        assert part.low == pytest.approx(max(0, part.estimate - half), abs=1e-12)
        assert part.high == pytest.approx(max(0, part.estimate + half), abs=1e-12)


@pytest.mark.parametrize(("wrong", "ends"), [(ENOUGH - 1, False), (ENOUGH, True)])
def test_few_items_of_the_rarer_label_have_no_interval(wrong: int, ends: bool) -> None:
    labels = np.ones((200, 1), int)
    labels[: 2 * wrong : 2] = 0
    made = parts(labels, np.repeat(np.arange(100), 2))
    assert made.rarer == wrong
    assert (made.item.low is not None, made.item.high is not None) == (ends, ends)


def test_missing_labels() -> None:
    """A trial without a label in some reading is left out; so is an item of such trials."""
    labels, codes = drawn(5, 6, 3, 2)
    extra = np.concatenate([labels, [[1, 255], [2, 0], [-1, 1]]])
    assert parts(extra, np.concatenate([codes, [0, 3, 99]])) == parts(labels, codes)


@pytest.mark.parametrize("labels", [[], [[1]], [[1], [0]], [[1], [9]]])
def test_fewer_than_two_items(labels: list[list[int]]) -> None:
    table = np.array(labels, int).reshape(len(labels), 1)
    assert variance_parts(table, np.zeros(len(labels), int)) is None


@pytest.mark.parametrize(
    ("labels", "items"), [(np.ones(3, int), [0, 1, 2]), (np.ones((3, 0), int), [0, 1, 2]), (np.ones((3, 1), int), [0])]
)
def test_refused(labels: Any, items: list[int]) -> None:
    with pytest.raises(ValueError, match="trials × readings"):
        variance_parts(labels, items)


def test_the_variance_of_a_mean() -> None:
    """V = (σ²_I + σ²_IS/S)/G + (σ²_R + σ²_RS/S)/(GR)."""
    labels, codes = drawn(2, 60, 4, 2)
    made = parts(labels, codes)
    assert made.repeat is not None
    one, two, three, four = (part.value for part in (made.item, made.repeat, made.item_reading, made.repeat_reading))
    assert made.variance(10, 3) == pytest.approx((one + three / 2) / 10 + (two + four / 2) / 30)
    assert made.variance(10, 3, 5) == pytest.approx((one + three / 5) / 10 + (two + four / 5) / 30)
    variance = made.variance(10, 3)
    assert variance is not None
    assert made.half_width(10, 3) == pytest.approx(t_quantile(0.975, 9) * math.sqrt(variance))
    assert made.half_width(1, 3) is None
    assert made.half_width(2, 3) is not None


def test_nothing_is_known_of_repeats_where_there_are_none() -> None:
    made = parts([[1], [0], [1], [1]], [0, 1, 2, 3])
    assert made.variance(8, 1) == pytest.approx(1 / 4 / 8)
    assert made.variance(8, 2) is None
    assert made.half_width(8, 2) is None


@pytest.mark.parametrize("case", STORED, ids=lambda case: f"{len(case['trials'])} items")
def test_the_prototype(case: dict[str, Any]) -> None:
    labels = [list(map(int, row)) for row in case["labels"]]
    made = parts(labels, np.repeat(np.arange(len(case["trials"])), case["trials"]))
    assert made.mean == pytest.approx(case["mean"])
    assert estimates(made) == pytest.approx(list(case["estimates"].values()), abs=1e-12)
    named = {"item": made.item, "item_reading": made.item_reading, "repeat_reading": made.repeat_reading}
    for name, part in named.items() if made.rarer >= ENOUGH else ():
        assert [part.low, part.high] == pytest.approx(case["intervals"][name], abs=1e-12)
    if made.repeat is not None:
        asked = case["variance"]
        assert made.variance(asked["items"], asked["repeats"]) == pytest.approx(asked["value"])
        assert made.rarer < ENOUGH or [made.repeat.low, made.repeat.high] == pytest.approx(case["intervals"]["repeat"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_statsmodels(seed: int) -> None:
    """Of as many repeats of each item the components are those of restricted maximum likelihood, where positive."""
    import statsmodels.api as sm

    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(80), 4)
    labels = (rng.random(320) < rng.beta(0.6, 0.5, 80)[codes]).astype(int)
    fitted = sm.MixedLM(labels.astype(float), np.ones((320, 1)), groups=codes).fit(reml=True, gtol=1e-12)
    made = parts(labels[:, None], codes)
    assert made.repeat is not None
    assert made.item.estimate > 0
    expected = [float(np.asarray(fitted.cov_re)[0, 0]), float(fitted.scale)]
    assert [made.item.estimate, made.repeat.estimate] == pytest.approx(expected, abs=1e-6)
