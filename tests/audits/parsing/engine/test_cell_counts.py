"""Pairs of label codes counted a batch at a time, against one row at a time."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from auditfw.audits.parsing.engine.cell_counts import met, numbered
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, MISSING, TRUE

CODES = st.integers(0, 7)
CELLS = st.sampled_from([(0.5, "base"), (0.5, None), (1, "base"), (True, "base"), ("", "think")])
ROWS = st.lists(st.tuples(CELLS, CODES, CODES, CODES, st.booleans()), max_size=30)


def test_pairs_counted_by_hand() -> None:
    stored, answers = bytearray([TRUE, FALSE, TRUE, MISSING]), bytearray([FALSE, FALSE, FALSE, BLANK])
    cells, pairs = numbered([("a",), ("b",), ("a",), ("a",)], stored)
    assert met(cells, pairs, [stored, answers], bytearray([1, 1, 1, 1])) == [
        {("a",): {(TRUE, TRUE): 2, (MISSING, MISSING): 1}, ("b",): {(FALSE, FALSE): 1}},
        {("a",): {(TRUE, FALSE): 2, (MISSING, BLANK): 1}, ("b",): {(FALSE, FALSE): 1}},
    ]
    assert met(cells, pairs, [answers], bytearray([1, 0, 0, 1])) == [{("a",): {(TRUE, FALSE): 1, (MISSING, BLANK): 1}}]
    assert met(cells, pairs, [], bytearray([1, 1, 1, 1])) == []


@given(rows=ROWS)
def test_pairs_counted_as_one_by_one(rows: list[tuple[tuple[float | str | None, ...], int, int, int, bool]]) -> None:
    wanted: list[dict[object, Counter[tuple[int, int]]]] = [{}, {}]
    for cell, stored, one, other, whole in rows:
        for counts, code in zip(wanted, (one, other), strict=True):
            if whole:
                counts.setdefault(cell, Counter())[stored, code] += 1
    columns = [bytearray(row[i] for row in rows) for i in (1, 2, 3, 4)]
    cells, pairs = numbered([row[0] for row in rows], columns[0])
    assert met(cells, pairs, columns[1:3], columns[3]) == wanted
