"""The rates that claims are read against: by item and from totals, as one count a trial gives them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_rates import LabelledTrial, PlainRates
from searching import examples

from auditfw.audits.parsing.conclusions.claims import LabelRates
from auditfw.audits.parsing.conclusions.items import crossed_items, items_of
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, MISSING, TRUE
from auditfw.audits.parsing.samples import ComparedReading, LabelRules, samples
from auditfw.audits.parsing.table import STORED, BatchLabels, LabelTable, NumberedColumn, label_of
from auditfw.audits.read_claims import GroupedRates
from auditfw.core.records import Reading

Trial = tuple[str, str, int, int, int]  # item, cell, stored, the codes of two readings
READINGS = {"stored": STORED, "one": 0, "two": 1}
CODES = st.sampled_from([TRUE, FALSE, BLANK, MISSING])
TRIALS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.sampled_from([TRUE, FALSE, MISSING]), CODES, CODES),
    min_size=1,
    max_size=40,
)


def rates_of(trials: list[Trial], by_item: bool) -> LabelRates:
    """The rates as an audit has them; a trial has one reading for each code, the stored label first."""
    table = table_of(trials, by_item, [(cell,) for _, cell, *_ in trials])
    crossed = crossed_items(table, "zero")
    readings = [
        ComparedReading(Reading(name, "candidate" if n >= 0 else "reference"), n) for name, n in READINGS.items()
    ]
    taken = samples(table, readings, ("cell",), LabelRules(), items_of(crossed, None))
    return LabelRates(("cell",), table, taken, READINGS, crossed)


def table_of(trials: list[Trial], by_item: bool, cells: list[tuple[Any, ...]]) -> LabelTable:
    items, _, *codes = zip(*trials, strict=True)
    table = LabelTable()
    table.take(
        BatchLabels(list(map(bytes, codes)), NumberedColumn.of(cells), NumberedColumn.of(items) if by_item else None)
    )
    return table


def plain_of(trials: list[Trial], by_item: bool, metric: str = "error_rate") -> PlainRates:
    rows = []
    for i, (item, cell, *codes) in enumerate(trials):
        labels = {name: label_of(code, "zero") for name, code in zip(READINGS, codes, strict=True)}
        counted = {name: None if label is None else not label for name, label in labels.items()}
        if metric == "no_answer":
            blank = zip(READINGS, codes, strict=True)
            counted = {name: None if counted[name] is None else code == BLANK for name, code in blank}
        rows.append(LabelledTrial((cell,), item if by_item else str(i), counted))
    return PlainRates(("cell",), rows)


def numbers(grouped: GroupedRates | None) -> Any:
    """All that is asked of grouped rates, as plain numbers."""
    if grouped is None:
        return None
    size = range(len(grouped.items))
    pairs = [(a, b) for a in size for b in size if a != b and grouped.items[a].trials and grouped.items[b].trials]
    return grouped.items, grouped.pairs.cells, [grouped.pairs.difference(*pair) for pair in pairs]


@settings(max_examples=examples(150), deadline=None)
@given(TRIALS, st.booleans(), st.lists(st.integers(-1, 2), min_size=3, max_size=3), st.sampled_from([*READINGS]))
def test_rates_are_those_of_one_count_a_trial(
    trials: list[Trial], by_item: bool, groups: list[int], reading: str
) -> None:
    rates, plain = rates_of(trials, by_item), plain_of(trials, by_item)
    assert (rates.cells, rates.named, rates.trials()) == (plain.cells, plain.named, plain.trials())
    own = groups[: len(rates.cells)]
    assert numbers(rates.grouped(reading, "error_rate", own, 3)) == numbers(
        plain.grouped(reading, "error_rate", own, 3)
    )
    cells = [i for i, group in enumerate(own) if group >= 0]
    assert rates.changed(reading, cells) == plain.changed(reading, cells)


@settings(max_examples=examples(100), deadline=None)
@given(TRIALS, st.booleans(), st.sampled_from(["one", "two"]))
def test_the_reference_on_the_trials_of_a_reading(trials: list[Trial], by_item: bool, among: str) -> None:
    rates, plain = rates_of(trials, by_item), plain_of(trials, by_item)
    groups = [0 if cell == ("x",) else 1 for cell in rates.cells]
    quick = rates.grouped("stored", "error_rate", groups, 2, among)
    assert numbers(quick) == numbers(plain.grouped("stored", "error_rate", groups, 2, among))


@settings(max_examples=examples(100), deadline=None)
@given(TRIALS, st.booleans(), st.sampled_from(["one", "two"]))
def test_empty_answers(trials: list[Trial], by_item: bool, reading: str) -> None:
    rates, plain = rates_of(trials, by_item), plain_of(trials, by_item, "no_answer")
    groups = [0] * len(rates.cells)
    quick = rates.grouped(reading, "no_answer", groups, 1)
    assert numbers(quick) == numbers(plain.grouped(reading, "no_answer", groups, 1))


def test_what_is_not_known() -> None:
    """Nobody knows of the answers behind stored labels; empty answers are not crossed with another reading's labels."""
    trials = [("a", "x", TRUE, FALSE, MISSING), ("b", "x", TRUE, BLANK, TRUE)]
    for by_item in (False, True):
        rates = rates_of(trials, by_item)
        assert rates.grouped("stored", "no_answer", [0], 1) is None
        assert rates.grouped("one", "error_rate", [0], 1, among="stored") is None  # all of its trials
    assert rates_of(trials, by_item=False).grouped("one", "no_answer", [0], 1, among="two") is None


@pytest.mark.parametrize("by_item", [False, True])
def test_without_cells_all_trials_are_one(by_item: bool) -> None:
    trials = [("a", "x", TRUE, FALSE, TRUE), ("b", "x", TRUE, BLANK, TRUE), ("b", "x", FALSE, FALSE, FALSE)]
    rates = rates_of(trials, by_item)
    whole = [sample for sample in rates.samples if not sample.cell]
    table = table_of(trials, by_item, [()] * 3)
    alone = LabelRates((), table, whole, READINGS, crossed_items(table, "zero"))
    assert (alone.cells, alone.named, alone.trials(), alone.changed("one", [0])) == ([()], [{}], [3], 2)
    grouped = alone.grouped("one", "error_rate", [0], 1)
    assert grouped is not None
    assert (grouped.items[0].trials, grouped.items[0].successes, grouped.items[0].items) == (3, 3, 2 if by_item else 3)
