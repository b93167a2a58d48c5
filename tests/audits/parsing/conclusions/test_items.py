"""Labels by item: what batches bring is merged whatever their order, and crossed as a plain count would."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.audits.parsing.conclusions.items import UNCOUNTED, crossed_items, items_of
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, MISSING, TRUE, UNDEFINED
from auditfw.audits.parsing.table import STORED, BatchLabels, LabelTable, NumberedColumn, Undefined, label_of
from auditfw.formulas.clusters import item_sums
from auditfw.formulas.label_counts import LabelItems
from auditfw.formulas.shifts import shift_sums_by_cell
from auditfw.formulas.sign_flips import sign_flips

Trial = tuple[str, str, int, int, int]  # item, cell, stored, the codes of two readings

TRIALS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from("xy"),
        st.sampled_from([TRUE, FALSE, MISSING]),
        st.sampled_from([TRUE, FALSE, BLANK, UNDEFINED, MISSING]),
        st.sampled_from([TRUE, FALSE]),
    ),
    min_size=1,
    max_size=40,
)


def table_of(batches: Sequence[Sequence[Trial]]) -> LabelTable:
    table = LabelTable()
    for trials in batches:
        items, cells, *codes = zip(*trials, strict=True)
        table.take(
            BatchLabels(list(map(bytes, codes)), NumberedColumn.of((c,) for c in cells), NumberedColumn.of(items))
        )
    return table


def plain(trials: Sequence[Trial], reading: int, reference: int, undefined: Undefined) -> LabelItems:
    """The same by one count an item."""
    rows: dict[str, list[int]] = {}
    for item, _, *codes in trials:
        label, before = label_of(codes[reading + 1], undefined), label_of(codes[reference + 1], undefined)
        row = rows.setdefault(item, [0] * 6)
        if label is not None:
            row[0] += 1
            row[1] += not label
            row[2] += codes[reading + 1] == BLANK
            if before is not None:
                row[3] += 1
                row[4] += label and not before
                row[5] += before and not label
    n, wrong, blank, both, up, down = zip(*rows.values(), strict=True)
    change = [u - d for u, d in zip(up, down, strict=True)]
    [shift] = shift_sums_by_cell([0] * len(n), 1, both, change)
    pairs = (item_sums(n, wrong), item_sums(n, blank), item_sums(both, up), item_sums(both, down))
    return LabelItems(*pairs, shift, sign_flips(change))


@settings(max_examples=examples(60), deadline=None)
@given(TRIALS, st.integers(0, 3), st.sampled_from(["zero", "drop"]), st.sampled_from([STORED, 1]), st.randoms())
def test_labels_by_item_are_those_of_a_plain_count(
    trials: list[Trial], parts: int, undefined: Undefined, reference: int, draw: Random
) -> None:
    """In any order, in any batches."""
    shuffled = trials[:]
    draw.shuffle(shuffled)
    size = max(1, len(trials) // (parts + 1))
    batches = [shuffled[i : i + size] for i in range(0, len(shuffled), size)]
    for table in (table_of([trials]), table_of(batches)):
        by_item = items_of(crossed_items(table, undefined), 0)
        for reading in (STORED, 0, 1):
            whole, cells = by_item(reading, reference)
            assert whole == plain(trials, reading, reference, undefined)
            for cell in {trial[1] for trial in trials}:
                assert cells[(cell,)] == plain([t for t in trials if t[1] == cell], reading, reference, undefined)


def test_a_source_without_items_has_none() -> None:
    assert items_of(crossed_items(LabelTable(), "zero"), None)(0, STORED) == (None, {})
    assert items_of(crossed_items(table_of([[("a", "x", TRUE, TRUE, TRUE)]]), "zero"), None)(UNCOUNTED, STORED) == (
        None,
        {},
    )
