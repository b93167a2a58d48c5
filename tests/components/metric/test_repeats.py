"""The metrics of any and all of k: what they say of repeats, and of none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from auditfw.core.errors import UsageError
from auditfw.core.records import Estimate
from auditfw.formulas.label_counts import LabelCounts
from auditfw.formulas.repeats.repeated import ItemRepeats
from auditfw.kinds.registry import component

COUNTS = LabelCounts(3, 1, 0, 0, 3, 0, 0, 1)
NONE = np.zeros(2, np.int64)
REPEATS = ItemRepeats(np.arange(2), 2, np.array([4, 2]), np.array([2, 2]), NONE)


def metric(name: str, k: Any) -> Any:
    return component("metric", name).cls(k=k)


@pytest.mark.parametrize(
    ("name", "k", "value", "missing"),
    [("any_of_k", 1, 75.0, 0), ("any_of_k", 2, 100 * (5 / 6 + 1) / 2, 0), ("all_of_k", 2, 100 * (1 / 6 + 1) / 2, 0),
     ("any_of_k", 3, 100.0, 1), ("all_of_k", 3, 0.0, 1)],
)  # fmt: skip
def test_its_value(name: str, k: int, value: float, missing: int) -> None:
    estimate = metric(name, k)(replace(COUNTS, repeats=REPEATS))
    assert (estimate.value, estimate.counted, estimate.missing) == (pytest.approx(value), 2 - missing, missing)
    assert estimate.low <= estimate.value <= estimate.high
    assert estimate.between is None


def test_run_errors_give_both_ends() -> None:
    lost = replace(REPEATS, errors=np.array([0, 1]))
    estimate = metric("all_of_k", 2)(replace(COUNTS, repeats=lost))
    assert estimate.between == (pytest.approx(100 * (1 / 6 + 1 / 3) / 2), pytest.approx(100 * (1 / 6 + 1) / 2))


@pytest.mark.parametrize(
    ("known", "estimate"),
    [
        (None, None),
        ("no items", Estimate(None, 0, 4, undefined="no items")),
        (replace(REPEATS, trials=NONE, right=NONE), Estimate(None, 0, 4, undefined="no trial with a label")),
    ],
)
def test_there_is_none(known: Any, estimate: Estimate | None) -> None:
    assert metric("any_of_k", 2)(replace(COUNTS, repeats=known)) == estimate


@pytest.mark.parametrize("k", [0, 1001, 2.0, True])
def test_how_many_are_a_whole_number(k: Any) -> None:
    with pytest.raises(UsageError, match="from 1 to 1,000"):
        metric("any_of_k", k)
