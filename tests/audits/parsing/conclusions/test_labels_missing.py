"""Trials without a stored label, counted by cell."""

from __future__ import annotations

from typing import Any

import pytest

import auditfw
from auditfw.audits.parsing.conclusions.labels_missing import TITLE
from auditfw.core.document import Block, Note, Table


def blocks(labels: dict[str, list[Any]], by: list[str]) -> list[Block]:
    """What the section shows of the stored labels of each model."""
    texts = {"raw_text": "A", "ground_truth": "A"}
    rows = [
        {"id": f"{model}{i}", "model": model, "stored": label, **texts}
        for model, of in labels.items()
        for i, label in enumerate(of)
    ]
    chosen = {"parser": ["raw"], "normalizer": ["none"], "matcher": "exact", "audit": {"baseline": None}, "by": by}
    source = {"use": "frame", "frame": rows}
    result = auditfw.run({"experiment": "answer_parsing", "source": source, "gate": [], **chosen})
    return [block for section in result.sections if section.title == TITLE for block in section.blocks]


def test_they_are_counted_by_cell_the_most_first() -> None:
    note, table = blocks({"a": [1, None, 0, 1], "b": [None, None, 1], "c": [1, 0]}, ["model"])
    assert note == Note("3 of 9 audited trials have no stored label.")
    assert isinstance(table, Table)
    assert table.rows == [["b", "2", "3", "66.67"], ["a", "1", "4", "25.00"]]


def test_one_without_cells() -> None:
    assert blocks({"a": [1, None]}, []) == [Note("1 of 2 audited trials has no stored label.")]


@pytest.mark.parametrize("labels", [[1, 0], [None, None]])
def test_nothing_is_shown_where_all_have_one_or_none_has(labels: list[Any]) -> None:
    assert blocks({"a": labels}, ["model"]) == []
