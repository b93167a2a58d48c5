"""Functions and classes as simulators: a scenario that fails, hangs or gives nonsense costs only itself."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated import each, simulator, stretch, xs

import auditfw
from auditfw.config import build as bridge
from auditfw.core.errors import UsageError
from auditfw.kinds.simulation import Columns, ScenarioBatch

bridge.prepare()
BOTH = pytest.mark.parametrize("isolation", ["process", "none"])


def python(name: str, **settings: Any) -> Any:
    return simulator("python", function=f"toy_simulators:{name}", **settings)


@BOTH
def test_a_function_of_a_dict(isolation: str) -> None:
    found = python("double", isolation=isolation)(xs(0.5, 0.1))
    assert each(found) == [{"fitness": 1.0, "energy": 0.5}, {"fitness": 0.2, "energy": 0.9}]
    assert found.status == ["ok", "ok"]


def test_columns_of_parameters_are_the_same_as_rows() -> None:
    part = python("double", isolation="none")
    rows = ScenarioBatch(range(2), ["a", "b"], Columns({"x": np.array([0.5, 0.1])}, 2), [0, 0])
    assert each(part(rows)) == each(part(xs(0.5, 0.1)))


@BOTH
def test_a_failing_scenario_costs_itself(isolation: str) -> None:
    given_rows = [{"x": float(n)} for n in range(7)]
    found = python("every_third_fails", isolation=isolation)(stretch(given_rows))
    assert found.status == ["error", "ok", "ok", "error", "ok", "ok", "error"]
    assert found.why[0] == "ValueError: bad\\nluck"
    assert [row and row["y"] for row in each(found)] == [None, 1, 2, None, 4, 5, None]
    assert given_rows[1] == {"x": 1.0}, "the parameters it cleared were its own"


@BOTH
def test_odd_outcomes(isolation: str) -> None:
    found = python("odd", isolation=isolation)(xs(*range(17)))
    got = each(found)
    assert found.status == ["ok", *["error"] * 4, *["ok"] * 12]
    assert found.why[1:5] == [
        "it gave nothing, not a mapping of outcomes",
        "it gave a list, not a mapping of outcomes",
        "it gave a str, not a mapping of outcomes",
        "it gave a ndarray, not a mapping of outcomes",
    ]
    values = [row["y"] for row in got[5:16]]
    assert math.isnan(values[0])
    assert values[1] == "text"
    assert (values[3], values[4], values[5], values[9], values[10]) == (0.5, 2.5, None, True, 10**400)
    assert [values[i].sort for i in (2, 6, 7)] == ["ndarray", "Decimal", "MaskedConstant"]
    assert values[8].sort.startswith("bool"), "a NumPy truth value is no number"
    assert got[16] == {"2": 1.0}


@BOTH
def test_hangs_are_interrupted(isolation: str) -> None:
    started = time.monotonic()
    found = python("slow", isolation=isolation, timeout=0.2)(xs(0, 1, 2, 3, 4, 5, 6))
    assert time.monotonic() - started < 5
    assert found.status == ["ok", "timeout", "ok", "timeout", "ok", "error", "ok"]
    assert found.why[1] == "no answer within 0.2 s"
    assert found.why[5] == "it asked to exit (code 3)"


@pytest.mark.slow
def test_what_does_not_answer_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = python("deadly", timeout=0.2)(xs(*range(50)))
    assert {i: s for i, s in enumerate(found.status) if s != "ok"} == {20: "timeout", 30: "error", 31: "error"}
    assert found.why[30] == "its process ended (exit code 7)"
    assert found.why[31] == "its process died (SIGSEGV)"
    assert [int(row["y"]) for row in each(found) if row] == [n for n in range(50) if n not in (20, 30, 31)]
    assert list(tmp_path.iterdir()) == [], "it wrote into a folder of its own"


@BOTH
def test_random_numbers_are_the_scenarios_own(isolation: str) -> None:
    import random

    random.seed(5)
    before = random.getstate()
    part = python("dice", isolation=isolation, stochastic=True)
    rows = [{"x": 0.0}] * 4
    first = each(part(stretch(rows, [1, 2, 3, 1])))
    again = each(part(stretch(rows[:2], [3, 1])))
    assert first[0] == first[3] != first[1]
    assert again == [first[2], first[0]], "whatever ran before"
    assert random.getstate() == before
    assert each(python("with_seed", isolation=isolation)(stretch(rows, [7, 8, 9, 10])))[3] == {"y": 10.0}


def test_one_dict_given_again_and_again_is_copied() -> None:
    assert [row["y"] for row in each(python("same_dict_again", isolation="none")(xs(1, 2, 3)))] == [1, 2, 3]


@BOTH
def test_a_class_is_made_once(isolation: str) -> None:
    part = python("Scaled", settings={"factor": 3}, isolation=isolation)
    assert each(part(xs(1, 2)))[1]["y"] == 6
    assert each(part(xs(1)))[0]["made"] == each(part(xs(5)))[0]["made"]


@BOTH
def test_batches(isolation: str) -> None:
    """Many at once where that works; where it fails, one by one."""
    part = python("Vectorised", settings={"factor": 2}, isolation=isolation)
    assert [row["y"] for row in each(part(xs(1, 2)))] == [2, 4]
    mixed = part(xs(1, 3, 2))
    assert mixed.status == ["ok", "error", "ok"]
    assert [row and row["y"] for row in each(mixed)] == [-2, None, -4]


def test_which_batch_function() -> None:
    assert each(python("run", isolation="none")(xs(1)))[0]["y"] == 1.5, "run_batch stands beside run"
    assert each(python("run", isolation="none", batch=None)(xs(1)))[0]["y"] == 1
    named = python("double", isolation="none", batch="toy_simulators:run_batch")
    assert each(named(xs(1)))[0] == {"y": 1.5}
    wrong = python("double", isolation="none", batch="toy_simulators:batch_of_wrong_length")
    assert each(wrong(xs(1)))[0] == {"fitness": 2, "energy": 0}


def test_an_object_of_this_process() -> None:
    """What cannot be sent to another process runs in this one."""
    part = simulator("python", function=lambda params: {"y": params["x"] + 1})
    assert each(part(xs(1)))[0] == {"y": 2}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"function": "toy_simulators:doubel"}, "simulator.function: no 'doubel' in toy_simulators"),
        ({"function": "toy_simulatros:double"}, "simulator.function: no module 'toy_simulatros'"),
        ({"function": "toy_simulators"}, "simulator.function: is not an import path (toy_simulators)"),
        ({"function": "toy_simulators:ODD"}, "simulator.function: cannot be called"),
        ({"function": "toy_simulators:double", "settings": {"a": 1}}, "settings: only a class takes settings (a)"),
        ({"function": "toy_simulators:Scaled", "settings": {"a": 1}}, "settings: Scaled cannot be made with them"),
        ({"function": "toy_simulators:double", "bounds": {"x": [1, 0]}}, "bounds.x: the low bound is above"),
        ({"function": "toy_simulators:double", "timeout": 0}, "timeout: expected a number of seconds above 0"),
    ],
)
def test_what_cannot_be_called_is_told_before_the_first_scenario(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as caught:
        simulator("python", isolation="none", **settings).check()
    assert told in str(caught.value)


def test_an_object_of_the_originals_protocol_brings_its_bounds() -> None:
    wrapped = auditfw.SimulatorWrapper(lambda p: {"y": p["x"]}, {"x": (0.0, 1.0)})
    assert simulator("python", function=wrapped).limits() == {"x": (0.0, 1.0)}
    own = simulator("python", function=wrapped, bounds={"x": [0, 5]})
    assert own.limits() == {"x": (0.0, 5.0)}
    assert not simulator("python", function=wrapped.run).limits()
