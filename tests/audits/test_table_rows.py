"""The table of a run as questions see it: which rows have some texts, and how many of some rows are in which cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from searching import examples

from auditfw.audits.table_rows import TableRows, cell_counts
from auditfw.core.results.findings import CELLS
from auditfw.core.tables import TrialTable

ROW = st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from([0.5, 1.0, -1.0, 20.0]), st.booleans())


def table_of(columns: dict[str, Sequence[Any]], *by: str) -> TableRows:
    table = TrialTable(None)
    table.add(columns)
    table.end()
    return TableRows(cast(Any, SimpleNamespace(trials=table, by=by, seed=0)))


@pytest.mark.parametrize(
    ("ids", "texts", "flags"),
    [
        (["a", "b", None, "a"], {"a", "c"}, [True, False, False, True]),
        ([1, 12, None, 2], {"1", "2"}, [True, False, False, True]),
        ([1.0, 1e20], {"1.0", "1e+20"}, [True, True]),
        (["a"], set(), [False]),
    ],
)
def test_rows_among_some_texts(ids: list[Any], texts: set[str], flags: list[bool]) -> None:
    assert table_of({"id": ids}).among("id", texts).tolist() == flags


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(ROW, min_size=1, max_size=40))
def test_cells_of_rows_are_counted_one_by_one(rows: list[tuple[str | None, float, bool]]) -> None:
    model, heat, chosen = zip(*rows, strict=True)
    counted = cell_counts(table_of({"model": model, "heat": heat}, "model", "heat"), np.array(chosen))
    cells = Counter((a, b) for a, b, flag in rows if flag)
    expected = [({"model": a, "heat": b}, n) for (a, b), n in cells.most_common(CELLS)]
    assert [(one.cell, one.value) for one in counted] == expected
