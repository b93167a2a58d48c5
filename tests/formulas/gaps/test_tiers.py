"""Tiers and rank intervals: by hand, the prototype's, and laws."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import CASES

from auditfw.formulas.gaps.tiers import Tiers, tiers
from auditfw.formulas.two_rates import pair_sums, separate_sums

STORED = json.loads((CASES / "gaps" / "tiers.json").read_text("utf-8"))


def tiers_of(right: Any) -> Tiers:
    logs, items = right.shape
    trials = np.ones(right.size, int)
    codes = np.repeat(np.arange(logs), items), np.tile(np.arange(items), logs)
    return tiers(pair_sums(codes[0], logs, codes[1], trials, right.reshape(-1).astype(int)))


@pytest.mark.parametrize("case", STORED)
def test_as_the_prototype(case: dict[str, Any]) -> None:
    made = tiers_of(np.array([[int(flag) for flag in log] for log in case["right"]]))
    by_tier: dict[int, list[int]] = {}
    for log in made.logs:
        by_tier.setdefault(log.tier, []).append(log.log)
    assert list(by_tier.values()) == case["tiers"]
    assert {log.log: [log.best, log.worst] for log in made.logs} == dict(enumerate(case["ranks"]))
    assert made.resolved == case["resolved"]
    assert [[a, b, p] for (a, b), p in made.p.items()] == [[a, b, pytest.approx(p)] for a, b, p in case["p"]]


def test_three_logs_by_hand() -> None:
    """300 separate trials each: 80 and 78 % are not resolved, 50 % is resolved against both."""
    made = tiers(separate_sums([300, 300, 300], [150, 240, 234]))
    table = [(log.log, log.tier, log.best, log.worst) for log in made.logs]
    assert table == [(1, 1, 1, 2), (2, 1, 1, 2), (0, 2, 3, 3)]
    assert [log.rate for log in made.logs] == [0.8, 0.78, 0.5]
    assert (made.lead, made.resolved) == (2, 2)


def test_the_middle_of_three_ties_with_both() -> None:
    """No transitivity: the best is resolved against the last alone, which has a tier of its own and ranks 2 to 3."""
    made = tiers(separate_sums([200, 200, 200], [140, 125, 110]))
    assert [(log.log, log.tier, log.best, log.worst) for log in made.logs] == [(0, 1, 1, 2), (1, 1, 1, 3), (2, 2, 2, 3)]


def test_logs_of_one_item_are_not_resolved() -> None:
    made = tiers(separate_sums([1, 300, 300], [1, 30, 270]))
    assert made.p[0, 1] is None
    assert made.p[0, 2] is None
    assert [(log.log, log.tier, log.best, log.worst) for log in made.logs] == [(0, 1, 1, 3), (2, 1, 1, 2), (1, 1, 2, 3)]


def test_one_log_and_equal_logs() -> None:
    assert [(log.tier, log.best, log.worst) for log in tiers(separate_sums([9], [4])).logs] == [(1, 1, 1)]
    equal = tiers(separate_sums([50, 50], [20, 20]))
    assert [(log.log, log.tier, log.best, log.worst) for log in equal.logs] == [(0, 1, 1, 2), (1, 1, 1, 2)]


def test_a_log_without_trials() -> None:
    with pytest.raises(ValueError, match="a trial of each log"):
        tiers(separate_sums([5, 0], [2, 0]))


@given(st.lists(st.integers(0, 120), min_size=2, max_size=7))
def test_ranks_hold_the_place_and_tiers_go_down(right: list[int]) -> None:
    made = tiers(separate_sums([120] * len(right), right))
    assert [log.rate for log in made.logs] == sorted((n / 120 for n in right), reverse=True)
    for place, log in enumerate(made.logs, 1):
        assert log.best <= place <= log.worst
    assert made.logs[0].tier == 1
    heads = [log.tier for log in made.logs if log.tier not in {one.tier for one in made.logs[: made.logs.index(log)]}]
    assert heads == sorted(heads) == list(range(1, len(heads) + 1))
    assert sum(log.best - 1 for log in made.logs) == made.resolved
