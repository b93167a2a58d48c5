"""A simulator as the executor of programs that are its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tuned_simulators import toy

import auditfw
from auditfw.components.executor.simulator import Simulate
from auditfw.components.simulator.python import PythonSimulator
from auditfw.core.errors import UsageError


def test_program_is_parameters_and_input_what_is_fixed() -> None:
    first, second = Simulate(toy())('{"x": 0.25}', [{"y": 0.5}, {"y": 0.75}])
    assert (first.output, first.error) == ({"fitness": 0.5, "energy": 0.5}, "")
    assert second.output == {"fitness": 0.5, "energy": 0.25}


@pytest.mark.parametrize(
    ("program", "fixed", "error"),
    [
        ("import os", {}, "must be the parameters as one JSON object"),
        ("[0.5]", {}, "not list"),
        ('{"x": NaN, "y": 0}', {}, "'x' is not a finite number"),
        ('{"x": true, "y": 0}', {}, "'x' is not a finite number"),
        ('{"x": 1' + "0" * 400 + ', "y": 0}', {}, "'x' is not a finite number"),
        ("[" * 50_000, {}, "must be the parameters"),
        ("9" * 200_000, {}, "longer than"),
        ('{"x": 0.2}', {}, "'y' is missing"),
        ('{"x": 0.2, "y": 0, "z": 1}', {}, "unknown parameter 'z'"),
        ('{"x": 1.2, "y": 0}', {}, "out of bounds"),
        ('{"x": 0.2, "y": 0}', {"y": 0.1}, "'y' is fixed at 0.1"),
        ('{"x": 0.2, "y": 0}', "warm", "not a mapping"),
        ('{"x": 0.95, "y": 0}', {}, "too hot"),
    ],
)
def test_what_fails_is_an_execution_with_its_error(program: str, fixed: Any, error: str) -> None:
    (found,) = Simulate(toy())(program, [fixed])
    assert found.output is None
    assert error in found.error


def test_one_failing_example_leaves_the_others() -> None:
    found = Simulate(toy())('{"y": 0.5}', [{"x": 0.95}, {"x": 0.1}, {"x": 7}])
    assert [bool(one.error) for one in found] == [True, False, True]
    assert found[1].output == {"fitness": 0.2, "energy": 0.5}


def test_tier_is_the_simulators_own_isolation() -> None:
    assert Simulate(toy()).tier == "simulator, in this process"
    assert Simulate(toy(isolation="process")).tier == "simulator, in a process of its own"


def test_recorded_outcomes_cannot_be_refined() -> None:
    with pytest.raises(UsageError, match="nothing to refine"):
        Simulate(auditfw.load("simulator", "sample_mito")).check()


def lucky(params: Mapping[str, float], seed: int) -> dict[str, float]:
    return {"drawn": params["x"] + seed}


def test_attempts_on_a_stochastic_simulator_share_their_luck() -> None:
    executor = Simulate(PythonSimulator(lucky, bounds={"x": (0, 1)}, isolation="none", stochastic=True))
    one, other = (executor(f'{{"x": {x}}}', [{}, {}]) for x in (0, 1))
    assert [b.output["drawn"] - a.output["drawn"] for a, b in zip(one, other, strict=True)] == [1, 1]
    assert one[0].output != one[1].output
    assert Simulate(executor.simulator, seed=1)('{"x": 0}', [{}])[0].output != one[0].output
