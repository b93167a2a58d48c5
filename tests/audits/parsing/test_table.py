"""The label table: its queries against one count a trial."""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.audits.parsing import table as module
from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, TIMEOUT, TRUE, UNDEFINED, UNREAD
from auditfw.audits.parsing.table import NUMBERS, STORED, BatchLabels, LabelTable, NumberedColumn, label_of

CODES = st.sampled_from([FALSE, TRUE, BLANK, UNDEFINED, MISSING, UNREAD])
CELLS = st.sampled_from([(0.5, "base"), (0.5, None), (1, "base"), ("", "think")])
ROWS = st.lists(st.tuples(CELLS, st.sampled_from("xy"), CODES, CODES, CODES, st.booleans()), max_size=30)
Row = tuple[Any, ...]


def table_of(rows: list[Row], size: int = 7) -> LabelTable:
    """Rows of a cell, an item, a value, and codes, the last saying whether the trial is audited."""
    table = LabelTable()
    for start in range(0, len(rows), size):
        cells, items, *codes, sound = zip(*rows[start : start + size], strict=True)
        codes[1] = [code if ok else TIMEOUT for code, ok in zip(codes[1], sound, strict=True)]
        columns = NumberedColumn.of(cells), NumberedColumn.of(items), NumberedColumn.of(items)
        table.take(BatchLabels([bytes(c) for c in (*codes, [ERROR] * len(sound))], *columns))
    return table.of([0, 1])  # without a third one, under which a component fails on all


def test_counts_by_hand() -> None:
    rows = [
        (("a",), "i", TRUE, TRUE, FALSE, True),
        (("a",), "i", TRUE, FALSE, FALSE, True),
        (("b",), "j", MISSING, TRUE, BLANK, True),
        (("b",), "j", TRUE, TRUE, TRUE, False),
        (("c",), "k", TRUE, TRUE, TRUE, False),  # of this cell and item no trial is audited
    ]
    table = table_of(rows)
    assert (table.trials, table.cells, table.items) == (3, {("a",): 0, ("b",): 1}, {"i": 0, "j": 1})
    assert table.met(0, STORED) == {("a",): {(TRUE, TRUE): 1, (TRUE, FALSE): 1}, ("b",): {(MISSING, TRUE): 1}}
    assert table.met(STORED, STORED) == {("a",): {(TRUE, TRUE): 2}, ("b",): {(MISSING, MISSING): 1}}
    assert table.total(1, 0) == {(TRUE, FALSE): 1, (FALSE, FALSE): 1, (TRUE, BLANK): 1}
    assert table.counted(STORED) == {TRUE: 2, MISSING: 1}
    assert table.by_value() == {("i", TRUE, FALSE): 2, ("j", MISSING, BLANK): 1}
    assert table.alike(2, "zero") == [0, 1, 2]
    assert table.apart([0, 1], "zero") == {(0, 1): 2}
    assert table.flips([0, 1], STORED, "zero") == 2


def test_an_empty_table_has_no_counts() -> None:
    table = LabelTable()
    assert (table.trials, table.met(0, STORED), table.total(0, STORED), table.by_value()) == (0, {}, {}, {})
    assert (table.alike(1, "zero"), table.flips([0], STORED, "zero"), table.counted(0)) == ([0, 0], 0, {})


@settings(max_examples=examples(60), deadline=None)
@given(rows=ROWS, undefined=st.sampled_from(["zero", "drop"]), reference=st.sampled_from([STORED, 1]))
def test_counts_are_those_of_one_by_one(rows: list[Row], undefined: Any, reference: int) -> None:
    table, audited = table_of(rows), [row for row in rows if row[-1]]
    for reading in (STORED, 0, 1):
        met: dict[Any, Counter[tuple[int, int]]] = {}
        for cell, _, *codes, _ in audited:
            met.setdefault(cell, Counter())[codes[reference + 1], codes[reading + 1]] += 1
        assert table.met(reading, reference) == met
        assert table.total(reading, reference) == sum(met.values(), Counter())
    labels = [[label_of(code, undefined) for code in codes] for _, _, *codes, _ in audited]
    for (i, one), (j, other) in combinations(enumerate(zip(*labels, strict=True)), 2):
        numbers = table.alike(2, undefined)
        assert (numbers[i] == numbers[j]) == (one == other)
        differ = sum({a, b} == {True, False} for a, b in zip(one, other, strict=True))
        assert table.apart([i - 1, j - 1], undefined) == {(0, 1): differ}
        assert table.flips([j - 1], i - 1, undefined) == differ


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4) | st.just(2**31), CODES, CODES), min_size=1, max_size=40))
def test_many_rows_are_counted_as_few(rows: list[tuple[int, int, int]]) -> None:
    cells, *codes = zip(*rows, strict=True)
    columns = [array(NUMBERS, cells), *map(bytearray, codes)]
    few = list(module.row_times(columns).items())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MANY", 1)
        many = list(module.row_times(columns).items())
    assert few == many == list(Counter(rows).items())
