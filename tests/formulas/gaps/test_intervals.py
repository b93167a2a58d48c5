"""Intervals of the parts of a gap: a jackknife by deletion, pseudo-items by hand, and the prototype's numbers."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from places import CASES
from scipy import stats

from auditfw.formulas.gaps import intervals
from auditfw.formulas.gaps.intervals import gap_of
from auditfw.formulas.gaps.parts import PARTS
from auditfw.formulas.gaps.two_logs import TwoLogs

STORED = json.loads((CASES / "gaps" / "parts.json").read_text("utf-8"))


def stored_logs(case: dict[str, Any]) -> TwoLogs:
    right = np.array([[int(flag) for flag in labels] for labels in case["labels"]], bool).reshape(-1, 2, 2)
    return TwoLogs(np.array(case["items"]), np.array(case["sides"]), right, np.array(case["ends"]))


@pytest.mark.parametrize("case", STORED, ids=[case["name"] for case in STORED])
def test_as_the_prototype(case: dict[str, Any]) -> None:
    gap = gap_of(stored_logs(case))
    assert gap.common == case["common"]
    for name, numbers in case["parts"].items():
        part = gap.gap if name == "gap" else gap.parts[name]
        if part.why:
            assert numbers == pytest.approx([0, 0, 0, 0], abs=1e-12)
        else:
            assert [part.value, part.low, part.high, part.error] == pytest.approx(numbers, abs=1e-12)


def left_out(logs: TwoLogs, item: int) -> TwoLogs:
    rows = logs.items != item
    return replace(logs, items=logs.items[rows], sides=logs.sides[rows], right=logs.right[rows], ends=logs.ends[rows])


@pytest.mark.parametrize("case", STORED[:2], ids=[case["name"] for case in STORED[:2]])
def test_the_jackknife_is_a_deletion_of_items(case: dict[str, Any]) -> None:
    logs = stored_logs(case)
    gap, items = gap_of(logs), np.unique(logs.items)
    without = [gap_of(left_out(logs, item)) for item in items]
    rows = {name: [one.parts[name].value for one in without] for name in PARTS}
    rows |= {"gap": [one.gap.value for one in without], "moved": [one.moved.value for one in without]}
    for name, left in rows.items():
        part = {"gap": gap.gap, "moved": gap.moved}.get(name) or gap.parts[name]
        values = np.array(left, float)
        error = math.sqrt((items.size - 1) / items.size * ((values - values.mean()) ** 2).sum())
        assert (part.error or 0.0) == pytest.approx(error, abs=1e-12)
        if name in ("items", "repeats", "rest", "gap", "moved") and not part.why:
            fewer = min(np.unique(logs.items[logs.sides == side]).size for side in (0, 1))
            half = stats.t.ppf(0.975, fewer - 1) * error
            assert (part.low, part.high) == pytest.approx(((part.value or 0) - half, (part.value or 0) + half))


def one_each(a: str, b: str, **more: Any) -> TwoLogs:
    """Logs of one trial an item, right (1) or wrong (0) by every rule and truth; R: right by the rule of B alone."""
    labels = {"1": [1, 1, 1, 1], "0": [0, 0, 0, 0], "R": [0, 0, 1, 1]}
    right = np.array([labels[flag] for flag in a + b], bool).reshape(-1, 2, 2)
    items = np.concatenate([np.arange(len(a)), np.arange(len(b))])
    return TwoLogs(items, np.repeat([0, 1], [len(a), len(b)]), right, np.zeros(len(items), int), **more)


def test_pseudo_items_by_hand() -> None:
    """Of eight items one is right by B's rule alone on both sides: pseudo-values of seven 0, of one -1.

    b = (1 + 1)/(1 + 1) = 1, N = 8 + 2, e = -0.1; v = 7 × 0.01 + 0.81 + (1 + 0.1)² + (1 - 0.1)²; t with 7 degrees.
    """
    part = gap_of(one_each("1100110R", "1100110R")).parts["scoring"]
    half = stats.t.ppf(0.975, 7) * math.sqrt(0.07 + 0.81 + 1.21 + 0.81) / 10
    assert (part.value, part.low, part.high) == pytest.approx((-0.125, -0.1 - half, -0.1 + half))
    assert part.items == 1


def test_pseudo_items_where_nothing_changed() -> None:
    """b = 1, N = 6, e = 0, v = 2; a share is from -1 to 1."""
    part = gap_of(one_each("1100", "1010")).parts["ended"]
    half = stats.t.ppf(0.975, 3) * math.sqrt(2) / 6
    assert (part.value, part.low, part.high) == (0.0, pytest.approx(-half), pytest.approx(half))
    short = gap_of(one_each("11", "10")).parts["ended"]
    assert (short.low, short.high) == (-1.0, 1.0)


def test_one_common_item_has_no_interval() -> None:
    gap = gap_of(one_each("1", "0R1"))
    for part in (*gap.parts.values(), gap.gap, gap.moved):
        assert (part.low, part.high, part.error, part.direction) == (None, None, None, 0)
    assert gap.gap.value == pytest.approx(1 - 2 / 3)


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    logs = stored_logs(STORED[0])
    whole = gap_of(logs)
    monkeypatch.setattr(intervals, "BLOCK", 5)
    assert gap_of(replace(logs)) == whole


@pytest.mark.parametrize(("low", "high", "direction"), [(0.1, 0.2, 1), (-0.2, -0.1, -1), (0.0, 0.1, 0), (-0.1, 0.0, 0)])
def test_the_direction_of_a_part(low: float, high: float, direction: int) -> None:
    assert intervals.GapPart("rest", 0.0, low, high, 0.1, 9).direction == direction
