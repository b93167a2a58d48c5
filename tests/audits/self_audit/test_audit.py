"""The whole self-audit, with a solver that is a function."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from sentences import self_audit as says

import auditfw
from auditfw.components.stop.budgets import Budgets
from auditfw.core.document import Note
from auditfw.core.errors import AuditError, UsageError
from auditfw.kinds.solving import Ask, Reply


def guess(ask: Ask) -> Reply:
    """Right at once for `a`, at the second try for `b`, never for `c`; `d` always fails."""
    if ask.problem.id == "d":
        raise ValueError("cannot")
    right = {"a": 1, "b": 2}.get(ask.problem.id, 99) <= ask.iteration
    return Reply(outputs=[ask.problem.train[0].output if right else [[0, 1]]], seconds=1.5)


def audited(names: str, **more: Any) -> auditfw.Result:
    rows = [{"id": name, "size": ord(name) // 99, "train": [{"input": 1, "output": [[1, 1]]}]} for name in names]
    told = {"source": {"use": "frame", "frame": rows}, "solver": {"use": "python", "function": guess}}
    stop = {"clock": "work", "max_iterations": 4, "retries": 1}
    settings = {"experiment": "self_audit", "engine": {"workers": 1}, "stop": stop, "gate": []}
    return auditfw.run({**settings, **told, **more})


def test_readings_counts_and_cells() -> None:
    found = audited("abc", by=["size"])
    assert found.counts == {"read": 3, "audited": 3}
    columns = (
        "id",
        "size",
        "live",
        "run_all",
        "one_attempt",
        "iteration",
        "stop_reason",
        "soft_score",
        "requests",
        "seconds",
    )
    assert found.trials.select(columns).rows() == [
        ("a", 0, True, True, True, 1, "success", 1.0, 1, 1.5),
        ("b", 0, True, True, False, 2, "success", 1.0, 2, 3.0),
        ("c", 1, False, False, False, 4, "iterations", 0.5, 4, 6.0),
    ]
    assert found.measurement("solve_rate", "live").estimate.value == pytest.approx(2 / 3)
    assert found.measurement("solve_rate", "one_attempt", size=0).estimate.value == 0.5
    assert found.measurement("mean_requests", "live").estimate.value == pytest.approx(7 / 3)
    assert found.measurement("total_seconds", "live").estimate.value == 10.5
    assert found.measurement("saved_requests", "live").estimate.value == 5
    assert found.measurement("solves_lost", "one_attempt").estimate.value == 1


ONE_OF_MANY = re.compile(r"(?<![\d,.+])1 (?!is |was |has )(\w+s|tries|replies|stretches)\b")


@pytest.mark.parametrize("names", ["a", "b", "c", "abc"])
def test_one_thing_is_not_told_as_several(names: str) -> None:
    """No section says `in 1 loops`."""
    found = audited(names, by=["size"], stop={"clock": "work", "max_iterations": 1 + len(names), "retries": 1})
    texts = [block.text for section in found.sections for block in section.blocks if isinstance(block, Note)]
    assert texts
    assert not [text for text in [*texts, *found.warnings] if ONE_OF_MANY.search(text)]
    assert ONE_OF_MANY.search("in 1 loops the last")
    assert any("; in 1 loop they tie" in text for text in texts) == ("c" in names)


def test_gates_bound_the_live_reading() -> None:
    gate = {"use": "bound", "metric": "solve_rate", "reading": "live"}
    assert audited("abc", gates={"g": {**gate, "min": 0.6}}).exit_code == 0
    assert audited("abc", gates={"g": {**gate, "min": 0.7}}).exit_code == 1


def test_problems_that_always_fail_are_their_own_bucket() -> None:
    found = audited("acd")
    assert (found.counts, found.exit_code) == ({"read": 3, "audited": 2, "error": 1}, 4)
    assert says.FAILED_ON_OF_PROBLEMS_VALUEERROR in found.warnings[-1]
    [row] = found.trials.filter(found.trials["id"] == "d").select("live", "solved", "stop_reason", "status").rows()
    assert row == (None, False, "error", "error")
    assert audited("acd", audit={"max_error_rate": 0.4}).exit_code == 0


def test_names_that_are_taken_are_refused() -> None:
    with pytest.raises(UsageError, match=r"by: 'seconds' is a column of the trials already"):
        audited("a", by=["seconds"])
    rule = {"use": "limits", "max_iterations": 1}
    with pytest.raises(UsageError, match=r"audit\.stop_rules\.solved: is the name of another column"):
        audited("a", audit={"stop_rules": {"solved": rule}})


def test_replaced_settings_keep_their_types() -> None:
    with pytest.raises(AuditError):
        replace(Budgets(), max_cost=-1.0)
