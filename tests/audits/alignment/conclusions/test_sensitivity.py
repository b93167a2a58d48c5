"""Which parameters an outcome is sensitive to: Ishigami's indices, designs seen from their parameters, forests."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np
import pytest
from alignment_runs import Given, Run, rows_of, section
from scenario_files import scenarios
from sentences import alignment as says

import auditfw
from auditfw.audits.alignment.conclusions import sensitivity
from auditfw.audits.alignment.conclusions.sensitivity import design_of
from auditfw.core.document import Note
from auditfw.core.errors import UsageError
from auditfw.core.records import Result

BOUNDS = {name: [-math.pi, math.pi] for name in ("x1", "x2", "x3")}


def ishigami(params: dict[str, float]) -> dict[str, float]:
    """Ishigami and Homma 1990, with a = 7 and b = 0.1."""
    first = math.sin(params["x1"])
    return {"y": first + 7 * math.sin(params["x2"]) ** 2 + 0.1 * params["x3"] ** 4 * first}


def audited(design: dict[str, Any], function: Any = ishigami, **settings: Any) -> Result:
    chosen = {"use": "python", "function": function}
    scenarios = {"intended": {"y": 3.5}, "bounds": BOUNDS, **design}
    audit = {"sensitivity": True, **settings}
    plan = {"experiment": "posiwid", "by": [], "simulator": chosen, "scenarios": scenarios, "audit": audit}
    return auditfw.run(plan)


def indices(result: Result) -> dict[tuple[str, str], list[float]]:
    rows = rows_of(section(result, "Sensitivity of the Outcomes"))
    return {(row[0], row[1]): [float(cell.split(" ± ")[0]) for cell in row[2:]] for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize("second_order", [False, True])
def test_the_indices_of_ishigami(second_order: bool) -> None:
    """First order 0.3139, 0.4424, 0; total 0.5576, 0.4424, 0.2437."""
    result = audited({"use": "saltelli", "n": 4096, "second_order": second_order})
    known = {"x1": (0.3139, 0.5576), "x2": (0.4424, 0.4424), "x3": (0.0, 0.2437)}
    for row in rows_of(section(result, "Sensitivity of the Outcomes")):
        if row[0] == "y":
            for cell, expected in zip(row[2:], known[row[1]], strict=True):
                value, half = map(float, cell.split(" ± "))
                assert abs(value - expected) <= max(0.02, 1.5 * half), row
                assert half < 0.06
    assert {name for name, _ in indices(result)} == {"y", "(score)"}


@pytest.mark.slow
def test_a_forest_where_the_scenarios_are_no_such_design() -> None:
    result = audited({"use": "lhs", "n": 600})
    again = audited({"use": "lhs", "n": 600})
    assert indices(result) == indices(again)
    found = indices(result)
    assert found["y", "x1"][0] > found["y", "x3"][0] > 0.1
    assert found["y", "x2"][0] > found["y", "x3"][0]
    assert found["y", "x1"][1] > 0.7
    notes = [one.text for one in section(result, "Sensitivity of the Outcomes").blocks if isinstance(one, Note)]
    assert "random forest" in notes[0]


@pytest.mark.slow
def test_a_design_with_a_gap_is_none() -> None:
    """A scenario that gave nothing leaves a design of which no index can be computed."""
    result = audited({"use": "saltelli", "n": 64}, lambda p: ishigami(p) if p["x1"] < 3 else {}, no_data="undefined")
    assert "random forest" in str(section(result, "Sensitivity of the Outcomes").blocks[1])


def box(use: str, **settings: Any) -> np.ndarray[Any, Any]:
    chosen = scenarios(use, bounds={"a": [0, 1], "b": [5, 6]}, intended={"y": 1.0}, **settings)
    rows = [row for task in chosen.open().tasks for row in task().columns["params"]]
    return np.array([[row["a"], row["b"]] for row in rows])


def test_a_design_is_seen_from_its_parameters() -> None:
    first, second = (design_of(box("saltelli", n=8, second_order=flag)) for flag in (False, True))
    assert first is not None
    assert second is not None
    assert (first.second_order, second.second_order) == (False, True)
    assert design_of(box("sobol", n=32)) is None
    assert design_of(box("saltelli", n=8)[:-1]) is None
    assert design_of(box("saltelli", n=8)[::-1].copy()[1:]) is None
    moved = box("saltelli", n=8)
    moved[5, 0] += 1e-9
    assert design_of(moved) is None
    mixed = box("saltelli", n=8, second_order=True)
    mixed[3, 0] += 1e-9  # of the reverse mixtures
    assert design_of(mixed) is None
    assert design_of(np.zeros((8, 2))) is None


def test_it_is_off_by_default_and_needs_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"label": str(i), "intended": {"y": 1.0}, "params": {"x": float(i)}} for i in range(4)]
    run = Run(rows, Given(lambda p: {"y": p["x"]}))
    assert "Sensitivity of the Outcomes" not in {one.title for one in run().sections}
    absent = {"no-such-package": "no_such_module"}
    monkeypatch.setattr(sensitivity, "PACKAGES", absent)
    with pytest.raises(UsageError) as caught:
        run(sensitivity=True)
    assert str(caught.value) == "audit.sensitivity: needs no-such-package - pip install 'auditfw[sensitivity]'"
    monkeypatch.setattr(sensitivity, "PACKAGES", {})
    few = section(run(sensitivity=True), "Sensitivity of the Outcomes")
    assert str(few.blocks[0]).startswith(says.NOTE_SCENARIOS_WITH_A_VARYING)


@pytest.mark.slow
def test_the_packages_of_the_extra_are_there() -> None:
    assert all(importlib.util.find_spec(module) for module in sensitivity.PACKAGES.values())
