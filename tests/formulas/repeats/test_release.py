"""A suite's decision: entries and exit codes by table, and the laws."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.formulas.repeats.release import (
    Limited,
    SuiteEntry,
    exit_code,
    limited_drop,
    limited_relative,
    limited_value,
    release,
)

BREACH, HELD = Limited(3.2, 1.4, 5.0, 1.0), Limited(0.1, -0.5, 0.7, 1.0)
WITHIN, BEYOND = Limited(0.6, -0.4, 1.6, 1.0), Limited(1.2, 0.2, 2.2, 1.0)  # both undecided
NUMBER = st.floats(-50, 50)
LIMITED = st.builds(
    lambda value, below, above, bound: Limited(value, value - below, value + above, bound),
    NUMBER, st.floats(0, 9), st.floats(0, 9), NUMBER,
)  # fmt: skip
TIERS = st.sampled_from(["critical", "supporting", "advisory"])
ENTRIES = st.lists(
    st.builds(
        SuiteEntry, TIERS, st.lists(LIMITED, max_size=2), st.booleans(), st.sampled_from([0, 1, 2, 5]), st.booleans(),
        st.booleans(), st.sampled_from([None, "inconclusive", "pass", "value"]), st.booleans(), st.booleans(),
    ),
    min_size=1, max_size=5,
)  # fmt: skip


@pytest.mark.parametrize(
    ("limited", "status", "by_value"),
    [
        (BREACH, "breach", "breach"),
        (HELD, "held", "held"),
        (WITHIN, "undecided", "held"),
        (BEYOND, "undecided", "breach"),
        (Limited(1.5, 1.0, 2.0, 1.0), "undecided", "breach"),  # the lower end must lie above
        (Limited(0.5, 0.0, 1.0, 1.0), "held", "held"),
        (Limited(1.0, 1.0, 1.0, 1.0), "held", "held"),
        (Limited(0.0, -math.inf, math.inf, 1.0), "undecided", "held"),
    ],
)
def test_a_limit(limited: Limited, status: str, by_value: str) -> None:
    assert (limited.status(), limited.status(by_value=True)) == (status, by_value)


def test_drops() -> None:
    """Baseline less candidate; of an error, where lower is better, what it rises."""
    assert limited_drop((3.2, 1.4, 5.0), 1.0) == BREACH
    assert limited_drop((-3.2, -5.0, -1.4), 1.0, higher_better=False) == BREACH
    assert limited_drop((0.5, None, None), 1.0) == Limited(0.5, -math.inf, math.inf, 1.0)
    assert limited_drop((0.5, None, None), 1.0, higher_better=False) == Limited(-0.5, -math.inf, math.inf, 1.0)


def test_values() -> None:
    """At least 98, at most 2: an interval that lies beyond is a breach, one that holds the bound is undecided."""
    for number, status in (((97, 96, 97.9), "breach"), ((99, 98, 100), "held"), ((98, 97, 99), "undecided")):
        assert limited_value(number, 98).status() == status
        value, low, high = number
        assert limited_value((100 - value, 100 - high, 100 - low), 2, least=False).status() == status
    assert limited_value((99, 98, 100), 98) == Limited(-99, -100, -98, -98)
    assert limited_value((1, 0.5, 2), 2, least=False) == Limited(1, 0.5, 2, 2)
    assert limited_value((97, None, None), 98).status() == "undecided"
    assert not limited_value((97, None, None), 98).within


@pytest.mark.parametrize(
    ("baseline", "below", "expected"),
    [
        (10.0, 20.0, (32, 14, 50)),
        (20.0, 20.0, None),
        (80.0, 20.0, None),
        (80.0, 100.0, (4, 1.75, 6.25)),
        (160.0, 100.0, (2, 0.875, 3.125)),  # always
        (-80.0, 100.0, (4, 1.75, 6.25)),
        (0.0, 20.0, (math.inf, math.inf, math.inf)),
    ],
)
def test_relative(baseline: float, below: float, expected: tuple[float, ...] | None) -> None:
    made = limited_relative(BREACH, baseline, 3.0, below)
    assert (None if made is None else (made.value, made.low, made.high)) == (
        None if expected is None else pytest.approx(expected)
    )
    assert made is None or made.bound == 3.0


def test_relative_to_nothing() -> None:
    assert limited_relative(HELD, 0.0, 3.0) == Limited(math.inf, -math.inf, math.inf, 3.0)
    assert limited_relative(Limited(0.0, 0.0, 0.0, 1.0), 0.0, 3.0) == Limited(0.0, 0.0, 0.0, 3.0)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"limits": [HELD, HELD]}, "held"),
        ({"limits": []}, "held"),
        ({"limits": [HELD, WITHIN]}, "undecided"),
        ({"limits": [BREACH, WITHIN]}, "breach"),
        ({"limits": [WITHIN], "by_value": True}, "held"),
        ({"limits": [BEYOND], "by_value": True}, "breach"),
        ({"limits": [HELD], "gates_failed": True}, "breach"),
        ({"limits": [HELD], "gates_open": True}, "undecided"),
        ({"limits": [BREACH], "gates_open": True}, "breach"),
        ({"limits": [BREACH], "comparable": False}, "not comparable"),
        ({"limits": [BREACH], "missing": True, "comparable": False}, "missing"),
        ({"limits": [HELD], "exit_code": 1}, "held"),
        ({"limits": [HELD], "exit_code": 2}, "missing"),
        ({"limits": [HELD], "exit_code": 5}, "missing"),
    ],
)
def test_statuses(fields: dict[str, Any], status: str) -> None:
    entry = SuiteEntry(**fields)
    assert entry.status == status
    assert entry.stops == (status in ("breach", "missing", "not comparable"))
    assert not SuiteEntry(tier="advisory", **fields).stops


@pytest.mark.parametrize("limited", [WITHIN, BEYOND])
@pytest.mark.parametrize("tier", ["critical", "supporting", "advisory"])
@pytest.mark.parametrize("undecided", [None, "inconclusive", "pass", "value"])
def test_undecided(tier: Any, undecided: Any, limited: Limited) -> None:
    usual = {"critical": "inconclusive", "supporting": "value", "advisory": "pass"}[tier]
    rule = undecided or usual
    asks = tier != "advisory" and (rule == "inconclusive" or (rule == "value" and limited is BEYOND))
    entry = SuiteEntry(tier, [HELD, limited], undecided=undecided)
    assert entry.asks == asks
    assert release([entry]) == ("INCONCLUSIVE" if asks else "GO")
    assert exit_code([entry]) == int(asks)


@pytest.mark.parametrize(
    ("tier", "undecided", "asks"),
    [("critical", None, 1), ("supporting", None, 1), ("supporting", "pass", 0), ("advisory", None, 0)],
)
def test_an_open_gate(tier: Any, undecided: Any, asks: int) -> None:
    """It has no estimate that could pass by its value."""
    entry = SuiteEntry(tier, [HELD], gates_open=True, undecided=undecided)
    assert (entry.status, entry.asks, exit_code([entry])) == ("undecided", bool(asks), asks)


@pytest.mark.parametrize(
    ("entries", "decision", "code"),
    [
        ([SuiteEntry(limits=[HELD])], "GO", 0),
        ([SuiteEntry("advisory", [BREACH])], "GO", 0),
        ([SuiteEntry("advisory", [HELD], exit_code=3)], "GO", 0),
        ([SuiteEntry("critical", [WITHIN]), SuiteEntry(limits=[HELD])], "INCONCLUSIVE", 1),
        ([SuiteEntry("critical", [WITHIN]), SuiteEntry(limits=[BREACH])], "NO-GO", 1),
        ([SuiteEntry(limits=[HELD]), SuiteEntry(missing=True)], "NO-GO", 1),
        ([SuiteEntry(comparable=False)], "NO-GO", 1),
        ([SuiteEntry("advisory", exit_code=2), SuiteEntry(exit_code=4), SuiteEntry(exit_code=3)], "NO-GO", 4),
        ([SuiteEntry("critical", [BREACH]), SuiteEntry(exit_code=5)], "NO-GO", 5),
        ([SuiteEntry(exit_code=2)], "NO-GO", 2),
        ([SuiteEntry(limits=[BREACH], exit_code=1)], "NO-GO", 1),
        ([SuiteEntry("critical", [WITHIN]), SuiteEntry("advisory", exit_code=2)], "INCONCLUSIVE", 1),
    ],
)
def test_decisions(entries: list[SuiteEntry], decision: str, code: int) -> None:
    assert (release(entries), exit_code(entries)) == (decision, code)


def test_an_empty_suite() -> None:
    for ask in (release, exit_code):
        with pytest.raises(ValueError, match="a suite needs an entry"):
            ask([])


@given(ENTRIES, ENTRIES)
@settings(max_examples=examples(80), deadline=None)
def test_laws(entries: list[SuiteEntry], others: list[SuiteEntry]) -> None:
    """More entries never make it better, no order counts, and 0 is GO."""
    order = ["GO", "INCONCLUSIVE", "NO-GO"]
    decision = release(entries)
    assert order.index(release(entries + others)) == max(order.index(decision), order.index(release(others)))
    assert release(entries[::-1]) == decision
    assert (exit_code(entries) == 0) == (decision == "GO")
    assert exit_code(entries) in ((0,) if decision == "GO" else (1, 2, 5) if decision == "NO-GO" else (1,))


@given(LIMITED, st.floats(0, 9))
@settings(max_examples=examples(60), deadline=None)
def test_a_wider_bound_and_a_wider_interval(one: Limited, more: float) -> None:
    order = ["held", "undecided", "breach"]
    wider = Limited(one.value, one.low, one.high, one.bound + more)
    assert order.index(wider.status()) <= order.index(one.status())
    assert Limited(one.value, -math.inf, math.inf, one.bound).status() == "undecided"
    relative = limited_relative(one, 100.0, one.bound)
    assert relative is not None
    assert [relative.value, relative.low, relative.high] == pytest.approx([one.value, one.low, one.high])
