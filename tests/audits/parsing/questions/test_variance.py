"""Where the noise comes from, of a run: in full of one cell, a row a cell of several, nothing without repeats."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from sentences import parsing as says

import auditfw
from auditfw.audits.noise import TITLE, WAYS
from auditfw.core.document import Note, Section, Table
from auditfw.core.records import Result
from auditfw.formulas.repeats.purchases import ITEMS, NOW, ONCE, REPEATS

Row = dict[str, Any]


def run(rows: list[Row], **settings: Any) -> Result:
    table = [{"id": f"{n}", "raw_text": f"text {n}", "ground_truth": "4", **row} for n, row in enumerate(rows)]
    own = {"source": {"use": "frame", "frame": pl.DataFrame(table)}, "parser": ["last_number"], "normalizer": ["none"]}
    audit = {"baseline": None}
    return auditfw.run({**own, "matcher": "numeric", "gate": [], "report": [], "audit": audit, "by": [], **settings})


def trials(repeats: int, **more: Any) -> list[Row]:
    """40 items, one in four wrong throughout, each asked so often; of the others the last repeat is wrong in ten."""
    return [
        {"item": f"{item}", "stored": int(item % 4 > 0 and not (repeat == 2 and item % 4 == 1)), **more}
        for item in range(40)
        for repeat in range(repeats)
    ]


def sections(result: Result) -> list[Section]:
    return [one for one in result.sections if one.title == TITLE]


def test_one_cell_in_full() -> None:
    [section] = sections(run(trials(3)))
    sources, buys = [block for block in section.blocks if isinstance(block, Table)]
    assert [row[0] for row in sources.rows] == ["items", "repeats of an item"]
    assert [row[0] for row in buys.rows] == [WAYS[name] for name in (NOW, ITEMS, REPEATS, ONCE)]
    assert [row[1:4] for row in buys.rows] == [
        ["40", "3", "120"], ["80", "3", "240"], ["40", "6", "240"], ["120", "1", "120"],
    ]  # fmt: skip
    notes = [block.text for block in section.blocks if isinstance(block, Note)]
    assert says.REPEATS_OF_ONE_ITEM in notes
    assert notes[0] == says.TWENTY_HOLD_THE_RARER


def test_a_row_a_cell() -> None:
    rows = [*trials(3, part="x"), *trials(2, part="y"), *trials(1, part="z")]
    [section] = sections(run(rows, by=["part"]))
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    assert [row[:3] for row in table.rows] == [["x", "40", "3"], ["y", "40", "2"]]
    assert table.rows[1][4] == "0.0000"  # both repeats of an item are alike


def test_models_are_no_repeats() -> None:
    one_each = [row for model in "mn" for row in trials(1, model=model)]
    assert sections(run(one_each)) == []
    [section] = sections(run([row for model in "mn" for row in trials(3, model=model)]))
    [table] = [block for block in section.blocks if isinstance(block, Table)]
    assert [row[:3] for row in table.rows] == [["m", "40", "3"], ["n", "40", "3"]]


def test_equal_texts_are_said() -> None:
    [section] = sections(run([row | {"raw_text": row["item"]} for row in trials(3)]))
    assert says.TEXTS_OF_REPEATS_ARE_EQUAL in [block.text for block in section.blocks if isinstance(block, Note)]


@pytest.mark.parametrize("rows", [trials(1), [{"stored": 1}, {"stored": 0}]])
def test_nothing_without_repeats(rows: list[Row]) -> None:
    assert sections(run(rows)) == []
