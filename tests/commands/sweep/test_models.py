"""How the models of a sweep's jobs stand: rates by job, and who is ahead in how many scorings, counted by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sentences import commands as says

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.sweep.jobs import UNFIT, Job
from auditfw.commands.sweep.models import model_orders
from auditfw.core.records import Estimate, Measurement

HERE = Path("no-such-sweep")
NAME = "error_rate@p+n"
Errors = Mapping[str, float]


def cells(reading: str, errors: Errors, by: str = "model") -> list[Measurement]:
    return [
        Measurement("error_rate", reading, {by: value}, Estimate(error, 50, low=error - 5, high=error + 5))
        for value, error in errors.items()
    ]


def job(number: int, errors: Errors, stored: Errors | None, **further: Any) -> Job:
    """A job with the errors of its models."""
    value = sum(errors.values()) / len(errors)
    known = {NAME: cells("p+n", errors)} | ({} if stored is None else {"error_rate@stored": cells("stored", stored)})
    fields: dict[str, Any] = {"estimates": {NAME: Estimate(value, 100)}, "cells": known, "data": ["x"]}
    return Job(number, [f"k={number}"], "pass", 0, None, str(number), {NAME: value}, **(fields | further))


AB = {"a": 20.0, "b": 30.0}
BA = {"a": 40.0, "b": 30.0}
EVEN = {"a": 50.0, "b": 50.0}
THREE = {"a": 10.0, "b": 20.0, "c": 30.0}


@pytest.mark.parametrize(
    ("jobs", "sentence"),
    [
        (
            [job(0, AB, AB), job(1, BA, AB), job(2, {"a": 41.0, "b": 30.0}, AB), job(3, EVEN, AB)],
            "a is ahead with your labels and in 0 of 3 other scorings; b in 2; equal in 1 (job 3).",
        ),
        (
            [job(0, BA, AB), job(1, BA, AB)],
            "a is ahead with your labels and in 0 of 1 other scoring; b in 1.",
        ),
        ([job(0, AB, AB)], "a is ahead with your labels, as in every job."),
        ([job(0, AB, None), job(1, BA, None)], "a is ahead in 1 of 2 scorings (the best); b in 1."),
        (
            [job(0, AB, EVEN), job(1, BA, EVEN), job(2, BA, EVEN)],
            "a and b are equal with your labels; a is ahead in 1 of 2 other scorings (the best); b in 1.",
        ),
        (
            [job(0, {"a": 20.0, "b": 10.0, "c": 30.0}, THREE), job(1, {"a": 30.0, "b": 20.0, "c": 10.0}, THREE)],
            "a is ahead with your labels and in 0 of 2 other scorings;"
            " b in 2 (one is the best); 2 more of 3 pairs turn.",
        ),
        (
            [job(0, AB, AB), job(1, BA, AB, unsound={NAME: UNFIT})],
            "a is ahead with your labels, as in every job.",
        ),
    ],
)
def test_in_how_many_scorings_a_model_is_ahead_where_labels_are_not_known(jobs: Sequence[Job], sentence: str) -> None:
    orders = model_orders(HERE, jobs, SweepTable())
    assert orders is not None
    assert orders.sentence == sentence


def rate(right: str) -> float:
    return 100.0 * right.count("0") / len(right)


def labelled(sweep: Path, number: int, a: str, b: str) -> Job:
    """A job with the labels of its models on the same ten items, 1 right, and with those of YOURS."""
    codes = [int(code) for right in (a, b) for code in right]
    yours = [int(code) for right in YOURS for code in right]
    table = pl.DataFrame(
        {
            "id": [f"{n:02}" for n in range(20)],
            "row.item": [f"q{n % 10}" for n in range(20)],
            "model": ["a"] * 10 + ["b"] * 10,
            "code.p+n": pl.Series([2 if code == 0 and n % 2 else code for n, code in enumerate(codes)], dtype=pl.UInt8),
            "code.stored": pl.Series(yours, dtype=pl.UInt8),
        }
    )
    (sweep / str(number)).mkdir()
    table.write_parquet(sweep / str(number) / "trials.parquet")
    stored = dict(zip("ab", map(rate, YOURS), strict=True))
    return job(number, {"a": rate(a), "b": rate(b)}, stored)


YOURS = ("1111111111", "0000001111")  # six items apart, all one way: t = 3.7 of 9 degrees, clear
FAR = ("1111111100", "0000001100")  # six apart again, with other labels
NEAR = ("1111111111", "1111111110")  # one apart
BACK = ("0111111111", "1111111111")


@pytest.mark.parametrize(
    ("labels", "sentence", "firsts"),
    [
        (
            [YOURS, FAR, NEAR, BACK, FAR],
            "a is ahead with your labels (clear) and in 2 of 3 other scorings (1 clear; one is the best);"
            " b in 1 (not clear).",
            ["a", "a, not clear", "b, not clear", "a", "a"],
        ),
        ([YOURS, YOURS], "a is ahead with your labels (clear), as in every job.", ["a", "a"]),
        (
            [FAR, FAR[::-1]],
            "a is ahead with your labels (clear) and in 1 of 2 other scorings (clear; the best); b in 1 (clear).",
            ["a", "a", "b"],
        ),
        (
            [NEAR, ("0111111111", "0111111101")],
            "a is ahead with your labels (clear) and in 2 of 2 other scorings (none clear; one is the best); b in 0.",
            ["a", "a, not clear", "a, not clear"],
        ),
        (
            [NEAR, BACK, ("1011111111", "1111111111")],  # the last two have equal numbers, and other labels
            "a is ahead with your labels (clear) and in 1 of 3 other scorings (not clear; the best);"
            " b in 2 (none clear).",
            ["a", "a, not clear", "b, not clear", "b, not clear"],
        ),
    ],
)
def test_equal_labels_count_once_and_a_lead_is_clear_by_the_test_of_the_job(
    labels: Sequence[tuple[str, str]], sentence: str, firsts: Sequence[str], tmp_path: Path
) -> None:
    jobs = [labelled(tmp_path, number, *pair) for number, pair in enumerate(labels)]
    orders = model_orders(tmp_path, jobs, SweepTable())
    assert orders is not None
    assert orders.sentence == sentence
    assert sorted(row[-1] for row in orders.table(9).rows) == sorted(firsts)


def test_the_rates_of_the_best_jobs_and_the_last_and_how_many_are_between() -> None:
    jobs = [job(0, BA, AB), job(1, AB, AB), job(2, EVEN, AB), job(3, BA, AB)]
    orders = model_orders(HERE, jobs, SweepTable())
    assert orders is not None
    assert orders.title == "Error by model, %"
    table = orders.table(1)
    assert table.columns == ["job", "a", "b", "fewest errors"]
    assert [list(row) for row in table.rows] == [
        ["your labels", "20 [15, 25]", "30 [25, 35]", "a"],
        ["1", "20 [15, 25]", "30 [25, 35]", "a"],
        ["… 2 more", "", "", ""],
        ["2", "50 [45, 55]", "50 [45, 55]", "equal"],
    ]
    assert [row[0] for row in orders.table(2).rows] == ["your labels", "1", "0, 3", "2"]


def test_several_cells_of_a_model_are_pooled_by_their_trials() -> None:
    crossed = [
        Measurement("error_rate", "p+n", {"task": task, "model": model}, Estimate(error, n, low=0.0, high=99.0))
        for task, model, error, n in (
            ("x", "a", 10.0, 30),
            ("y", "a", 50.0, 10),
            ("x", "b", 4.0, 5),
            ("y", "b", 4.0, 7),
        )
    ]
    orders = model_orders(HERE, [job(0, AB, None, cells={NAME: crossed})], SweepTable())
    assert orders is not None
    rates = {name: (rate.value, rate.low) for name, rate in orders.rates[0].items()}
    assert rates == {"a": (20.0, None), "b": (4.0, None)}


def test_of_many_models_four_are_shown_and_the_pair_that_turns_is_among_them() -> None:
    many = {f"m{n}": 10.0 * n for n in range(1, 8)}
    turned = many | {"m5": 61.0}
    orders = model_orders(HERE, [job(0, turned, many), job(1, many, many)], SweepTable())
    assert orders is not None
    assert (orders.title, orders.table(1).columns[1:-1]) == (
        says.ERROR_BY_MODEL_AND_MORE,
        ["m1", "m5", "m6", "m7"],
    )


@pytest.mark.parametrize(
    "jobs",
    [
        [],
        [job(0, {"a": 20.0}, None)],
        [job(0, AB, None), job(1, {"a": 20.0, "c": 30.0}, None)],
        [job(0, AB, None), job(1, AB, None, data=["y"])],
        [job(0, AB, None, cells={})],
        [job(0, {"a": 20.0, "b": float("nan")}, None)],
    ],
)
def test_jobs_without_the_same_two_models_have_no_order(jobs: Sequence[Job]) -> None:
    assert model_orders(HERE, jobs, SweepTable()) is None
