"""System Dynamics models by PySD against the outputs of their native tools, and an environment under a linear policy.

The models and reference outputs are those of SDXorg/test-models (tests/cases/data/sdx_test_models/PROVENANCE.md).
"""

from __future__ import annotations

import json
import math
import platform
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from places import CASES, ROOT
from running import Command

import auditfw
from auditfw.components.simulator.pysd import nearest_steps
from auditfw.config import build as bridge
from auditfw.config.schema import Builder
from auditfw.core.errors import AuditError
from auditfw.kinds.simulation import ScenarioBatch, Simulated

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


def part(kind: str, **settings: Any) -> Any:
    builder = Builder({})
    made = builder._component(kind, settings, kind)
    if builder.errors:
        raise builder.errors[0]
    return made


def stretch(*rows: dict[str, float]) -> ScenarioBatch:
    return ScenarioBatch(range(len(rows)), [str(i) for i in range(len(rows))], rows, [0] * len(rows))


def outcomes(found: Simulated, i: int = 0) -> dict[str, float]:
    assert found.status[i] == "ok", found.why[i]
    return {k: float(v[i]) for k, v in found.columns.items()} if found.columns else found.outcomes[i]


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
        ({"model": "a.mdl", "tolerance": -1}, "tolerance: must not be negative"),
    ],
)
def test_models_that_there_are_not(settings: dict[str, Any], told: str) -> None:
    def look() -> None:
        part("simulator", use="pysd", **settings).check()

    with pytest.raises(AuditError) as caught:
        look()
    assert told in str(caught.value)


# An environment


@pytest.fixture(scope="module")
def balance() -> Simulated:
    """Ten episodes: weights (0, 0, 1, 1), then (0, 0, 1, 0), seeds 0 to 4 each; then one with weights left out."""
    simulator = part("simulator", use="gymnasium", environment="CartPole-v1")
    simulator.check()
    rows = [{"w0": 0.0, "w1": 0.0, "w2": 1.0, "w3": w3, "seed": float(s)} for w3 in (1, 0) for s in range(5)]
    found: Simulated = simulator(stretch(*rows, {"w0": 1.0}))
    return found


def test_a_policy_that_sees_the_speed_of_the_pole_balances_it(balance: Simulated) -> None:
    steps = balance.columns["steps"][:10].tolist()
    assert steps == [334, 500, 500, 500, 500, 41, 51, 35, 36, 25]
    assert balance.columns["total_reward"][:10].tolist() == steps
    assert balance.columns["terminated"][:10].tolist() == [1, 0, 0, 0, 0, 1, 1, 1, 1, 1]


def test_weights_that_are_missing_are_told(balance: Simulated) -> None:
    assert balance.status[10] == "error"
    assert balance.why[10] == "ValueError: parameter 'w1' is missing: the weights are w0, w1, w2, w3"


@pytest.mark.parametrize(
    ("environment", "told"),
    [("CartPole-v99", "cannot make CartPole-v99"), ("FrozenLake-v1", "needs boxes of numbers or discrete actions")],
)
def test_environments_that_cannot_be_steered(environment: str, told: str) -> None:
    with pytest.raises(AuditError, match=told):
        part("simulator", use="gymnasium", environment=environment, isolation="none").check()


def test_actions_of_several_numbers() -> None:
    simulator = part("simulator", use="gymnasium", environment="Pendulum-v1", isolation="none", most=50)
    found = outcomes(simulator(stretch({"w0": 0.0, "w1": 1.0, "w2": 1.0, "seed": 5.0})))
    assert found["steps"] == 50
    assert math.isfinite(found["total_reward"])


def test_audit_of_an_environment_by_config() -> None:
    """What was meant, 500 steps, is what the policy that sees the speed does in four of five episodes."""
    scenarios = [
        {"label": f"{name} {s}", "group": name, "intended": {"steps": 500.0},
         "params": {"w0": 0.0, "w1": 0.0, "w2": 1.0, "w3": w3, "seed": float(s)}}
        for name, w3 in (("with speed", 1.0), ("without", 0.0))
        for s in range(5)
    ]  # fmt: skip
    result = auditfw.run({
        "experiment": "posiwid",
        "simulator": {"use": "gymnasium", "environment": "CartPole-v1", "isolation": "none"},
        "scenarios": {"use": "inline", "rows": scenarios},
        "by": ["group"],
    })  # fmt: skip
    means = {m.cell["group"]: m.estimate.value for m in result.measurements if m.metric == "mean_overall" and m.cell}
    assert means["with speed"] == pytest.approx(0.5 + 0.5 * (334 / 500 + 4) / 5)
    assert means["without"] == pytest.approx(0.5 + 0.5 * (41 + 51 + 35 + 36 + 25) / 500 / 5)


# A Functional Mock-up Unit, where FMPy (the extra `fmu`) and a C compiler are at hand

if find_spec("fmpy") and shutil.which("cc") and (sys.platform, platform.machine()) == ("linux", "x86_64"):

    @pytest.fixture(scope="module")
    def decay(tmp_path_factory: pytest.TempPathFactory) -> str:
        """A unit of exponential decay, compiled for this machine."""
        folder, source = tmp_path_factory.mktemp("fmu"), CASES / "data/decay_fmu"
        library = folder / "decay.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source / "decay.c", "-lm"], check=True)
        with zipfile.ZipFile(folder / "decay.fmu", "w") as unit:
            unit.write(source / "modelDescription.xml", "modelDescription.xml")
            unit.write(library, "binaries/linux64/decay.so")
        return str(folder / "decay.fmu")

    def test_mockup_unit(decay: str) -> None:
        simulator = part("simulator", use="fmu", model=decay)
        simulator.check()
        found = simulator(stretch({"rate": 0.5}, {}, {"rate": 1.0}, {"nope": 1.0}))
        assert found.columns["level"][:3].tolist() == pytest.approx([math.exp(-1), math.exp(-1), math.exp(-2)])
        assert found.status == ["ok", "ok", "ok", "error"]
        assert found.why[3] == "ValueError: unknown parameter 'nope': known: level, rate"
        assert len(simulator.reads()) == 1

    def test_mockup_units_that_there_are_not(tmp_path: Path) -> None:
        (tmp_path / "no.fmu").write_text("no zip", "utf-8")
        with pytest.raises(AuditError, match="is no Functional Mock-up Unit"):
            part("simulator", use="fmu", model=str(tmp_path / "no.fmu")).check()
