"""Trials without a stored label, counted by cell."""

from __future__ import annotations

from typing import Any

import pytest
from sentences import parsing as says

import auditfw
from auditfw.core.results.findings import CellCount, Finding

KIND = "labels_missing"


def found(labels: dict[str, list[Any]], by: list[str], **audit: Any) -> tuple[list[Finding], list[str]]:
    """The findings of a run over the stored labels of each model, and the reasons why one was not looked for."""
    texts = {"raw_text": "A", "ground_truth": "A"}
    rows = [
        {"id": f"{model}{i}", "model": model, "stored": label, **texts}
        for model, of in labels.items()
        for i, label in enumerate(of)
    ]
    chosen = {"parser": ["raw"], "normalizer": ["none"], "matcher": "exact", "by": by}
    audit = {"baseline": None, **audit}
    source = {"use": "frame", "frame": rows}
    result = auditfw.run({"experiment": "answer_parsing", "source": source, "gate": [], "audit": audit, **chosen})
    whys = [one.why for one in result.not_checked if one.kind == KIND]
    return [one for one in result.findings if one.kind == KIND], whys


def test_they_are_counted_by_cell_the_most_first() -> None:
    [finding], _ = found({"a": [1, None, 0, 1], "b": [None, None, 1], "c": [1, 0]}, ["model"])
    assert (finding.value, finding.of, finding.text) == (3, 9, says.OF_AUDITED_TRIALS_HAVE_NO)
    assert finding.points == pytest.approx(100 / 3)
    assert finding.cells == [CellCount({"model": "b"}, 2), CellCount({"model": "a"}, 1)]


def test_one_without_cells() -> None:
    [finding], _ = found({"a": [1, None]}, [])
    assert (finding.text, finding.cells) == (says.OF_AUDITED_TRIALS_HAS_NO, [])


def test_nothing_is_found_where_all_have_one() -> None:
    assert found({"a": [1, 0]}, ["model"]) == ([], [])


def test_where_none_has_one_it_cannot_be_looked_for() -> None:
    assert found({"a": [None, None]}, []) == ([], [says.NO_TRIAL_HAS_A_STORED_LABEL])
    assert found({"a": [None, None]}, [], reference="stored") == ([], [])
