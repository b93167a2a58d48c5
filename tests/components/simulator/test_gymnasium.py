"""An environment under a linear policy."""

from __future__ import annotations

import math

import pytest
from simulated_parts import outcomes, part, stretch

import auditfw
from auditfw.config import build as bridge
from auditfw.core.errors import AuditError
from auditfw.kinds.simulation import Simulated

bridge.prepare()


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
    [("CartPole-v99", "cannot make CartPole-v99"), ("FrozenLake-v1", "expected boxes of numbers, or discrete actions")],
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
