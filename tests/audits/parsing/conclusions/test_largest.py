"""The largest shifts: cells of few trials last, each shift with its interval, and how many gave no answer."""

from __future__ import annotations

from typing import Any

import auditfw
from auditfw.core.document import Note, Section, Table


def trials(cell: str, n: int, changed: int) -> list[dict[str, Any]]:
    """So many right answers, of which reading the raw text turns some wrong."""
    return [
        {"id": f"{cell}{i}", "g": cell, "raw_text": "Rome" if i < changed else "Paris", "parsed_text": "Paris",
         "ground_truth": "Paris", "stored": 1}
        for i in range(n)
    ]  # fmt: skip


def shifts(*rows: dict[str, Any], **more: Any) -> Section:
    settings = {
        "experiment": "answer_parsing",
        "source": {"use": "frame", "frame": list(rows)},
        "by": ["g"],
        "gate": [],
    }
    result = auditfw.run({**settings, "parser": ["stored", "raw"], "normalizer": ["v1"], **more})
    [section] = [section for section in result.sections if section.title == "Largest Shifts"]
    return section


def test_cells_of_few_trials_come_last() -> None:
    found = shifts(*trials("few", 9, 9), *trials("many", 10, 1), *trials("more", 20, 4), *trials("same", 10, 0))
    table, note = found.blocks
    assert isinstance(table, Table)
    assert [row[1:3] for row in table.rows] == [["more", "20"], ["many", "10"], ["few", "9"]]
    assert note == Note("Cells of fewer than 10 trials come last.")
    assert found.folded == "3 shifts as a table"


def test_without_large_cells_nothing_is_put_last() -> None:
    assert len(shifts(*trials("few", 9, 9)).blocks) == 1
    assert len(shifts(*trials("many", 10, 1)).blocks) == 1


def test_a_shift_has_the_interval_that_was_measured() -> None:
    (table,) = shifts(*trials("many", 10, 1)).blocks
    assert isinstance(table, Table)
    assert list(table.columns) == [
        "reading",
        "g",
        "n",
        "stored error %",
        "error %",
        "Δ pp",
        "no answer %",
        "changed labels",
    ]
    reading, cell, n, before, after, shift, blank, flips = table.rows[0]
    assert (reading, cell, n, before, after, blank, flips) == ("raw+v1", "many", "10", "0.00", "10.00", "0.00", "1")
    assert shift.startswith("+10.00 [")


def test_without_that_metric_there_is_no_column_of_it() -> None:
    (table,) = shifts(*trials("many", 10, 1), metric=["flips"]).blocks
    assert isinstance(table, Table)
    assert list(table.columns) == ["reading", "g", "n", "stored error %", "error %", "Δ pp", "changed labels"]
    assert table.rows[0][5] == "+10.00"


def test_values_of_a_cell_are_as_they_are_and_rates_round_half_up() -> None:
    """0.25 and 0.2 stay two cells; 1 of 32 is 3.125 %."""
    rows = [{**row, "g": float(row["g"])} for row in (*trials("0.25", 32, 1), *trials("0.2", 10, 1))]
    (table,) = shifts(*rows).blocks
    assert isinstance(table, Table)
    assert sorted(row[1] for row in table.rows) == ["0.2", "0.25"]
    assert {row[1]: row[4] for row in table.rows}["0.25"] == "3.13"
