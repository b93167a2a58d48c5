"""What every simulator keeps to: bounds, safe mode, extras that are absent, processes that cannot open."""

from __future__ import annotations

import math
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import simulator

import auditfw
from auditfw.components.simulator import models
from auditfw.config import build as bridge
from auditfw.core.errors import DataError, IncompleteError, UsageError
from auditfw.formulas.parameter_search import fitted
from auditfw.kinds.simulation import Columns

bridge.prepare()


def test_safe_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDITFW_SAFE", "1")
    for settings in (
        {"use": "python", "function": "toy_simulators:double"},
        {"use": "subprocess", "command": ["cat"]},
        {"use": "pysd", "model": "a.mdl"},
        {"use": "fmu", "model": "a.fmu"},
        {"use": "gymnasium", "environment": "mine:Own-v0"},
        {"use": "ode", "right_hand_side": "toy_simulators:decay", "start": "toy_simulators:decay", "states": ["y"]},
    ):
        with pytest.raises(UsageError, match="switched off by AUDITFW_SAFE"):
            simulator(**settings)
    assert auditfw.load("simulator", "sir").limits()["beta"] == (0.0, 1.0)


LIMITS = {"x": (0.0, 1.0), "y": (-math.inf, 5.0)}


@pytest.mark.parametrize("columns", [False, True])
def test_bounds(columns: bool) -> None:
    def rows(*values: float) -> Any:
        made = [{"x": value, "y": 0.0} for value in values]
        whole = {name: np.array([row[name] for row in made]) for name in ("x", "y")}
        return Columns(whole, len(made)) if columns else made

    assert fitted(["a", "b"], rows(0, 1), LIMITS)[1] == 0, "bounds belong to the range"
    with pytest.raises(DataError) as caught:
        fitted(["a", "b"], rows(0.5, 1.5), LIMITS)
    assert str(caught.value).startswith("scenario 'b': parameter 'x' is out of bounds (1.5 is not within [0.0, 1.0])")
    clipped, moved = fitted(["a", "b", "c"], rows(0.5, 1.5, -1), LIMITS, "clip")
    assert ([row["x"] for row in clipped], moved) == ([0.5, 1.0, 0.0], 2)
    kept, moved = fitted(["a", "b"], rows(0.5, 1.5), LIMITS, "allow")
    assert ([row["x"] for row in kept], moved) == ([0.5, 1.5], 0)
    for rule in ("error", "clip"):
        with pytest.raises(DataError, match="out of bounds"):
            fitted(["a"], rows(math.nan), LIMITS, rule)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["error", "clip", "allow"])
def test_names_are_checked_whatever_the_rule(rule: Any) -> None:
    with pytest.raises(DataError, match="scenario 'b': unknown parameter 'z'"):
        fitted(["a", "b"], [{"x": 0, "y": 0}, {"x": 0, "y": 0, "z": 0}], LIMITS, rule)
    with pytest.raises(DataError, match="scenario 'a': parameter 'y' is missing"):
        fitted(["a"], [{"x": 0}], LIMITS, rule)
    assert fitted(["a"], [{"x": 0}], LIMITS, rule, frozenset({"y"}))[1] == 0
    assert fitted(["a"], [{"anything": 9}], None, rule)[1] == 0


@pytest.mark.parametrize(
    ("package", "extra", "settings"),
    [
        ("pysd", "pysd", {"use": "pysd", "model": "a.mdl"}),
        ("gymnasium", "gym", {"use": "gymnasium", "environment": "CartPole-v1"}),
    ],
)
def test_an_extra_that_is_absent_is_named(
    package: str, extra: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models, "find_spec", lambda name: None if name == package else find_spec(name))
    with pytest.raises(UsageError) as caught:
        simulator(**settings).check()
    assert str(caught.value).endswith(f"pip install 'auditfw[{extra}]'")


def test_a_process_that_cannot_open_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ends_at_import.py").write_text("import os\nos._exit(5)\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(IncompleteError, match=r"could not be opened in a process of its own .*exit code 5"):
        simulator("python", function="ends_at_import:run").check()
