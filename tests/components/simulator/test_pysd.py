"""System Dynamics models by PySD against the outputs of their native tools.

The models and reference outputs are those of SDXorg/test-models (tests/cases/data/sdx_test_models/PROVENANCE.md).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import CASES, ROOT
from running import Command
from simulated_parts import outcomes, part, stretch

from auditfw.components.simulator.pysd import nearest_steps
from auditfw.config import build as bridge
from auditfw.core.errors import AuditError
from auditfw.kinds.simulation import Simulated

bridge.prepare()
MODELS = CASES / "data/sdx_test_models"

# Model, its native tool's output, the worst deviation |d| / max(|intended|, 0.1) of PySD over all columns and times.
DEVIATIONS = [
    ("samples/SIR/SIR.mdl", "output.csv", 6.75e-6),
    ("samples/teacup/teacup.mdl", "output.csv", 4.85e-6),
    ("samples/simple_harmonic_oscillator/simple_harmonic_oscillator.mdl", "output.tab", 4.34e-5),
    ("samples/Roessler_Chaos/roessler_chaos.mdl", "output.tab", 7.6e-3),
    ("tests/exp/test_exp.mdl", "output.csv", 3.0e-5),
    ("tests/exp/test_exp.xmile", "output.csv", 3.0e-5),
    ("tests/lookups/test_lookups.mdl", "output.tab", 1.2e-14),
    ("tests/abs/test_abs.mdl", "output.csv", 0),
    ("tests/limits/test_limits.mdl", "output.tab", 0),
    ("tests/smooth_and_stock/test_smooth_and_stock.mdl", "output.tab", 0),
    ("tests/non_negative_stocks/test_non_negative_stocks.xmile", "output.tab", 0),
]


def test_times_are_joined_to_the_nearest_step() -> None:
    steps = np.array([0.0, 0.1, 0.2, 0.30000000000000004])
    times = {"0": 0.0, "0.1004": 0.1004, "0.2": 0.2, "0.3": 0.3, "0.15": 0.15, "9": 9.0, "-1": -1.0}
    assert nearest_steps(steps, times, 1e-9) == {"0": 0, "0.2": 2, "0.3": 3}
    assert nearest_steps(steps, times, None) == {"0": 0, "0.1004": 1, "0.2": 2, "0.3": 3}
    assert nearest_steps(steps, times, 0.0) == {"0": 0, "0.2": 2}
    assert nearest_steps(np.array([5.0]), {"5": 5.0, "6": 6.0}, None) == {"5": 0}


@pytest.fixture(scope="module")
def sir() -> Simulated:
    """The epidemic model with its own parameters, with another one, by either spelling of its name, and a wrong one."""
    simulator = part("simulator", use="pysd", model=str(MODELS / "samples/SIR/SIR.mdl"))
    simulator.check()
    rows: list[dict[str, float]] = [{}, {"contact_infectivity": 0.2}, {}, {"Contact Infectivity": 0.2}, {"nope": 1.0}]
    found: Simulated = simulator(stretch(*rows))
    return found


@pytest.mark.slow
def test_the_last_step_of_a_model(sir: Simulated) -> None:
    own, other = outcomes(sir, 0), outcomes(sir, 1)
    assert own["Infectious"] == pytest.approx(2.071343, abs=5e-7)
    assert own["Recovered"] == pytest.approx(590.77095, abs=5e-6)
    assert other["Susceptible"] == pytest.approx(926.3248, abs=5e-5)
    assert other["Infectious"] == pytest.approx(2.145817, abs=5e-7)
    assert other["Recovered"] == pytest.approx(76.529380, abs=5e-7)


def test_a_scenario_leaves_nothing_behind_in_a_model(sir: Simulated) -> None:
    assert outcomes(sir, 2) == outcomes(sir, 0)
    assert outcomes(sir, 3) == outcomes(sir, 1)
    assert sir.status[4] == "error"
    assert "'nope' is not recognized as a model component" in sir.why[4]
    files = sorted(path.name for path in (MODELS / "samples/SIR").iterdir())
    assert files == ["README.md", "SIR.mdl", "output.csv"], "nothing was written beside the model"


def series(model: str, output: str) -> tuple[dict[str, float], dict[str, float]]:
    """What the native tool gave, column by column and time by time, and what PySD gives."""
    reference = str((MODELS / model).parent / output)
    evidence = part("scenarios", use="series", path=reference).open()
    scenario = next(iter(evidence.tasks))().columns
    simulator = part("simulator", use="pysd", model=str(MODELS / model), outcomes="series", times=reference)
    return scenario["intended"][0], outcomes(simulator(stretch(*scenario["params"])))


def worst(model: str, output: str) -> float:
    intended, actual = series(model, output)
    assert intended.keys() <= actual.keys(), "every time of the reference has its step"
    return max(abs(actual[key] - value) / max(abs(value), 0.1) for key, value in intended.items())


@pytest.mark.slow
@pytest.mark.parametrize(("model", "output", "deviation"), DEVIATIONS)
def test_deviation(model: str, output: str, deviation: float) -> None:
    assert worst(model, output) == pytest.approx(deviation, rel=0.05, abs=1e-13)


@pytest.mark.slow
def test_prey_die_out() -> None:
    model = str(MODELS / "samples/Lotka_Volterra/Lotka_Volterra.mdl")
    found = outcomes(part("simulator", use="pysd", model=model)(stretch({})))
    assert found["Prey"] == pytest.approx(0, abs=1e-6)
    assert found["Predators"] == pytest.approx(12.4129, abs=5e-5)


@pytest.mark.slow
def test_audit_of_a_model_by_config(command: Command, tmp_path: Path) -> None:
    """Every column of teacup at every time, intended as its native tool gave it: nearly 1."""
    words = ("--config-dir", "tests/cases/conf", "experiment=sdx_teacup", f"hydra.run.dir={tmp_path / 'run'}")
    done = command(*words, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    told = json.loads((tmp_path / "run/result.json").read_text("utf-8"))
    assert told["counts"] == {"read": 964, "audited": 964}
    overall = next(m["value"] for m in told["measurements"] if m["metric"] == "mean_overall" and not m["cell"])
    assert 1 - 1e-5 < overall < 1


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"model": "nothing.mdl"}, "nothing.mdl: no such file"),
        ({"model": "model.py"}, "model: is neither Vensim's .mdl nor .xmile (model.py)"),
        ({"model": str(MODELS / "samples/teacup/teacup.mdl"), "times": "no.csv"}, "no.csv: no such file"),
        ({"model": "a.mdl", "tolerance": -1}, "tolerance: expected a number of 0 or more"),
    ],
)
def test_models_that_there_are_not(settings: dict[str, Any], told: str) -> None:
    def look() -> None:
        part("simulator", use="pysd", **settings).check()

    with pytest.raises(AuditError) as caught:
        look()
    assert told in str(caught.value)
