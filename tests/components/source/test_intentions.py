"""Scenarios as problems to refine."""

from __future__ import annotations

from typing import Any

import pytest

from auditfw.components.source.intentions import Intentions
from auditfw.core.errors import DataError


def scenarios(*rows: dict[str, Any]) -> Any:
    from auditfw.components.scenarios.files import FrameScenarios

    return FrameScenarios(frame=list(rows))


def test_scenarios_become_problems() -> None:
    rows = [
        {"label": "one", "intended": {"fitness": 0.5}, "params": {"x": 0.1, "y": 0.2}, "group": "g"},
        {
            "label": "two",
            "intended": {"fitness": {"between": [0.2, 0.3]}},
            "params": {"x": 0.1, "y": 0.3},
            "group": "g",
        },
    ]
    source = Intentions(scenarios(*rows), fixed=("y",))
    evidence = source.open(["group"], ["id", "train", "params", "test"])
    (batch,) = [task() for task in evidence.tasks]
    assert batch.columns["id"] == ["one", "two"]
    assert batch.columns["train"][0] == [{"input": {"y": 0.2}, "output": {"fitness": 0.5}}]
    assert batch.columns["group"] == ["g", "g"]
    assert batch.columns["params"][1] == {"x": 0.1, "y": 0.3}
    assert set(evidence.columns) == set(batch.columns)
    with pytest.raises(DataError, match="no column 'grup'"):
        source.open(["grup"], [])
    with pytest.raises(DataError, match="no parameter 'z' to hold fixed"):
        next(iter(Intentions(scenarios(rows[0]), fixed=("z",)).open([], []).tasks))()


@pytest.mark.parametrize(
    ("intended", "message"),
    [
        ({}, "nothing is intended"),
        ({"a": {"direction": "up"}}, "needs a baseline"),
        ({"a": {"value": "x"}}, "not a number"),
    ],
)
def test_scenario_that_is_no_problem(intended: Any, message: str) -> None:
    evidence = Intentions(scenarios({"label": "s", "intended": intended, "params": {"x": 1}})).open([], None)
    with pytest.raises(DataError, match=message):
        next(iter(evidence.tasks))()
