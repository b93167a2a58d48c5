"""The view by item: the questions whose labels change, most first."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from sentences import parsing as says

import auditfw
from auditfw.audits.parsing.conclusions.by_item import SHOWN, TITLE, by_item, rows_by_item
from auditfw.audits.parsing.conclusions.items import crossed_items
from auditfw.audits.parsing.table import STORED, LabelTable
from auditfw.core.document import Note, Table


def test_the_sample_names_its_questions(tmp_path: Path) -> None:
    """17 flips of stored+v2 are three questions, 15, 1 and 1; 23 of answer_v2+v1 are thirteen."""
    result = auditfw.run({}, tmp_path)
    table = pl.read_parquet(tmp_path / "items.parquet")
    assert (table.height, table["trials"].sum(), table["item"].to_list()) == (20, 1080, sorted(table["item"]))
    assert sorted(table["to_true.stored+v2"].to_list(), reverse=True)[:4] == [15, 1, 1, 0]
    assert (table["to_false.stored+v2"].sum(), (table["to_false.answer_v2+v1"] > 0).sum()) == (0, 13)
    assert "items.parquet" in result.digests
    [section] = [section for section in result.sections if section.title == TITLE]
    note, shown = section.blocks
    assert isinstance(note, Note)
    assert isinstance(shown, Table)
    flips = table.select(pl.selectors.starts_with("to_")).sum_horizontal()
    assert note.text == says.ONE_OF_ITEMS_ACCOUNTS_FOR.format(flips.max(), flips.sum())
    assert shown.columns[:3] == ["item", "trials", "stored+v1"]
    totals = [sum(map(int, row[2:])) for row in shown.rows]
    assert totals == sorted(totals, reverse=True)
    assert sum(totals) == flips.sum()


def test_rows_that_do_not_fit_are_counted() -> None:
    items = ["a" * (SHOWN + 1), "b", "c"]
    rows = {"item": items, "trials": [2, 3, 4], "to_true.r": [0, 2, 0], "to_false.r": [1, 0, 0]}
    note, table = by_item(rows, ["r"], 1).blocks
    assert note == Note("One of 3 items accounts for 2 of the 3 changed labels of all readings.")
    assert isinstance(table, Table)
    assert (table.rows, table.left_out) == ([["b", "3", "2"]], 1)
    _, whole = by_item(rows, ["r"], 9).blocks
    assert isinstance(whole, Table)
    assert whole.rows[1][0] == "a" * SHOWN + "…"


def test_without_items_or_flips_there_is_nothing_to_show() -> None:
    assert rows_by_item(crossed_items(LabelTable(), "zero"), STORED, {"r": 0}) == {}
    assert by_item({}, ["r"], 9).blocks == []
    still = {"item": ["a"], "trials": [1], "to_true.r": [0], "to_false.r": [0]}
    assert by_item(still, ["r"], 9).blocks == []
