"""The trials of a run for people: cells and items as numbers, and only what was audited."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from auditfw.audits.adjudication.run_trials import AuditedRun, RunTrials
from auditfw.core.records import Input

FRAME = {
    "id": ["a", "b", "c", "d", "e", "f"],
    "model": ["y", "x", "y", None, "x", "x"],
    "size": [2.5, 1.0, 1.0, 2.5, 1.0, 2.5],
    "status": ["audited"] * 5 + ["no_ground_truth"],
    "stored": [True, False, None, True, False, True],
    "code.stored": [1, 0, 3, 1, 0, 1],
    "row.item": ["q1", "q2", "q1", None, None, "q2"],
}


def trials(**columns: list[object]) -> RunTrials:
    frame = pl.DataFrame({**FRAME, **columns}, strict=False)
    run = AuditedRun(Path(), {"seed": 3}, Input("", "", 0), {"reference": "stored"}, frame)
    return RunTrials(run, np.array([0, 1, -1, 2, 3, 0], np.int8))


def test_trials_are_audited_and_have_a_class() -> None:
    assert trials().kept.tolist() == [0, 1, 3, 4]
    assert trials().ids == ["a", "b", "d", "e"]
    assert trials().run.cells == ["model", "size"]


def test_cells_of_several_columns() -> None:
    cells, numbers = trials().coded(["model", "size"])
    assert [cells[number] for number in numbers] == [("y", 2.5), ("x", 1.0), (None, 2.5), ("x", 1.0)]
    assert cells == [("x", 1.0), ("y", 2.5), (None, 2.5)]
    crossed, numbers = trials(model=["x", "x", "y", "y", "x", "x"], size=[1, 2, 1, 1, 1, 1]).coded(["model", "size"])
    assert [crossed[number] for number in numbers] == [("x", 1), ("x", 2), ("y", 1), ("x", 1)]
    assert trials().coded([])[0] == [()]


def test_items_and_trials_without_one() -> None:
    q1, q2, none, other = trials().item_numbers.tolist()
    assert len({q1, q2, none, other}) == 4
    same = trials(**{"row.item": ["q", "q", "p", "q", None, None]}).item_numbers.tolist()
    assert same[0] == same[1] == same[2] != same[3]


def test_the_questions_that_an_error_rate_is_worth() -> None:
    """Single trials are worth themselves; four of one question are worth that one."""
    own, cell = trials().coded(["size"])
    labels = np.array([1, 0, 1, 0], np.int8)
    assert trials().effective_items(labels, own, cell) == {(): 4.0, (1.0,): 2.0, (2.5,): 2.0}
    one = trials(**{"row.item": ["q"] * 6})
    assert one.effective_items(labels, [()], np.zeros(4, np.int64)) == {(): 1.0}
    assert one.effective_items(np.array([-1, 0, -1, 0], np.int8), own, cell) == {(): 1.0, (1.0,): 1.0}
