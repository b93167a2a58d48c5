"""Orders of a column's values: which are tried, what a reading turns, and how evenly the trials are spread."""

from __future__ import annotations

from typing import Any

import pytest
from plain_rates import LabelledTrial, PlainRates, labelled
from sentences import all_audits as says

from auditfw.audits.orders import (
    FEW,
    MANY,
    MOST,
    OrderReader,
    ReadOrder,
    ReadOrders,
    TurnedPair,
    counted,
    read_orders,
    unevenness,
)
from auditfw.core.errors import UsageError
from auditfw.kinds.context import OrderStatement

Counts = dict[str, dict[str, tuple[int, int]]]


def orders(counts: Counts, claims: Any = None, alpha: float = 0.05) -> ReadOrders:
    rates = PlainRates(("model",), labelled({(name,): of for name, of in counts.items()}))
    return read_orders(claims or {}, OrderReader(rates, list(next(iter(counts.values()))), alpha), "error_rate")


def only(counts: Counts, alpha: float = 0.05) -> ReadOrder:
    [order] = orders(counts, alpha=alpha).orders
    return order


THREE: Counts = {
    "a": {"stored": (100, 10), "same": (100, 10), "x": (100, 50), "y": (100, 30)},
    "b": {"stored": (100, 45), "same": (100, 45), "x": (100, 45), "y": (100, 45)},
    "c": {"stored": (100, 50), "same": (100, 50), "x": (100, 5), "y": (100, 44)},
}


def test_what_a_reading_turns() -> None:
    """a is better than b and c, these two are alike; x puts a after both, c first: by 45 and 5 points."""
    order = only(THREE)
    assert (order.name, order.values, order.reference.ranked.count()) == ("order of model", ["a", "b", "c"], 2)
    assert order.turned == [TurnedPair("x", 0, 2), TurnedPair("x", 0, 1)]  # the largest first; b before c is open
    assert [order.lost_under(reading) for reading in order.readings] == [0, 0, 2, 2]
    read = ReadOrders([order])
    assert [read.turned_under(reading) for reading in ("same", "x", "y", "no such")] == [0, 2, 0, None]
    assert order.reference.ranked.ranks == [(1, 1), (2, 3), (2, 3)]
    assert order.readings["x"].ranked.ranks == [(2, 3), (2, 3), (1, 1)]
    assert order.chance(order.turned[0]) == order.reference.ranked.chances[0, 2]
    assert order.chance(TurnedPair("x", 2, 0)) == order.reference.ranked.chances[0, 2]
    assert counted(read) == says.SIGNIFICANTLY_DIFFERENT_PAIRS_MODEL_OF_3


def test_alpha_is_that_of_the_audit() -> None:
    weak: Counts = {"a": {"stored": (100, 20), "x": (100, 40)}, "b": {"stored": (100, 35), "x": (100, 30)}}
    assert [len(only(weak, alpha).turned) for alpha in (0.05, 0.001)] == [1, 0]


def test_a_reading_of_other_trials_turns_no_pair() -> None:
    """The reading labels the first 12 trials of a, of which the reference has 10 wrong, too: 10 of 12 against 45 %."""
    counts: Counts = {"a": {"stored": (100, 10), "x": (12, 10)}, "b": {"stored": (100, 45), "x": (100, 45)}}
    assert only(counts).turned == []
    assert only({"a": {"stored": (100, 10), "x": (50, 40)}, "b": counts["b"]}).turned == [TurnedPair("x", 0, 1)]


def test_values_without_a_trial_under_a_reading() -> None:
    order = only({"a": {"stored": (99, 9), "x": (0, 0)}, "b": {"stored": (99, 70), "x": (99, 0)}})
    assert (order.readings["x"].rates[0], order.turned, order.lost_under("x")) == (None, [], 1)


@pytest.mark.parametrize(("values", "untried"), [(1, ""), (FEW, ""), (MANY, ""), (MANY + 1, "has 51 values")])
def test_how_many_values_are_tried_unasked(values: int, untried: str) -> None:
    counts = {f"m{i:03}": {"stored": (2, 1)} for i in range(values)}
    read = orders(counts)
    assert read.untried == ({"model": untried} if untried else {})
    assert len(read.orders) == (FEW <= values <= MANY)
    if values > MANY:
        claimed = orders(counts, {"mine": lambda: OrderStatement("error_rate", "model")})
        assert (claimed.untried, [order.name for order in claimed.orders]) == ({}, ["mine"])


def test_claimed_orders() -> None:
    """One that is claimed takes the place of the default; by its own metric, and its own name."""
    mine = OrderStatement("no_answer", "model")
    read = orders(THREE, {"mine": lambda: mine, "other": lambda: OrderStatement("error_rate", "model")})
    assert [(order.name, order.statement.metric) for order in read.orders] == [
        ("mine", "no_answer"),
        ("other", "error_rate"),
    ]
    assert read.turned_under("x") == 4


@pytest.mark.parametrize(
    ("values", "message"), [(1, "an order needs two values"), (MOST + 1, "has more than 300 values")]
)
def test_claimed_orders_of_too_few_or_many(values: int, message: str) -> None:
    counts = {f"m{i:03}": {"stored": (1, 1)} for i in range(values)}
    with pytest.raises(UsageError, match=rf"claims\.mine\.of: {message}"):
        orders(counts, {"mine": lambda: OrderStatement("error_rate", "model")})


def spread(counts: dict[tuple[str, int], int]) -> str:
    rows = [LabelledTrial(cell, f"{cell}{i}", {"stored": False}) for cell, n in counts.items() for i in range(n)]
    return unevenness("model", ["a", "b"], PlainRates(("model", "seed"), rows))


@pytest.mark.parametrize(
    ("counts", "wanted"),
    [
        ({("a", 1): 10, ("a", 2): 10, ("b", 1): 30, ("b", 2): 30}, ""),
        ({("a", 1): 48, ("a", 2): 52, ("b", 1): 52, ("b", 2): 48}, ""),  # 4 points
        (
            {("a", 1): 10, ("b", 1): 10, ("b", 2): 30},
            says.MODEL_IS_UNEVENLY_SPREAD_OVER_SEED,
        ),
        (
            {("a", 1): 40, ("a", 2): 60, ("b", 1): 60, ("b", 2): 40},
            says.MODEL_IS_UNEVENLY_SPREAD_OVER_SEED_SEED,
        ),
    ],
)
def test_unevenly_spread_trials_are_reported(counts: dict[tuple[str, int], int], wanted: str) -> None:
    assert spread(counts) == wanted
