"""Equations: what is known of their solutions, and ones of one's own."""

from __future__ import annotations

import math

import pytest
from simulated import each, simulator, stretch

import auditfw
from auditfw.config import build as bridge
from auditfw.core.errors import UsageError

bridge.prepare()


def test_sir_against_what_is_known_of_it() -> None:
    """The final size solves z = s0 (1 - exp(-R0 (z + i0))); the peak is 1 - (1 + ln(R0 s0)) / R0, with s0 + i0 = 1."""
    part = auditfw.load("simulator", "sir")
    part.check()
    found = part(stretch([{"beta": 0.5, "gamma": 0.2}, {"beta": 0.05, "gamma": 0.1}]))
    ratio, start = 2.5, 0.001
    size = 1.0
    for _ in range(200):
        size = (1 - start) * (1 - math.exp(-ratio * (size + start)))
    assert found.columns["attack_rate"][0] == pytest.approx(size, abs=1e-6)
    peak = 1 - (1 + math.log(ratio * (1 - start))) / ratio
    assert found.columns["peak_infected"][0] == pytest.approx(peak, abs=1e-7)
    assert found.columns["peak_infected"][1] == start, "where it only dies out the peak is the start"
    assert found.columns["peak_infected_time"][1] == 0


def test_lotka_volterra_comes_round() -> None:
    """delta x - gamma ln x + beta y - alpha ln y is the same at the end as at the start."""
    p = {"alpha": 1.1, "beta": 0.4, "delta": 0.1, "gamma": 0.4, "prey": 10.0, "predators": 5.0}
    found = auditfw.load("simulator", "lotka_volterra")(stretch([p]))

    def constant(x: float, y: float) -> float:
        return p["delta"] * x - p["gamma"] * math.log(x) + p["beta"] * y - p["alpha"] * math.log(y)

    end = constant(found.columns["final_prey"][0], found.columns["final_predators"][0])
    assert end == pytest.approx(constant(10, 5), abs=1e-6)


def test_equations_of_ones_own() -> None:
    settings = {"right_hand_side": "toy_simulators:decay", "start": "toy_simulators:decay_start", "states": ["y"]}
    part = simulator("ode", **settings, until=2.0, falls={"lost": "y"})
    found = each(part(stretch([{"rate": 0.5}, {}])))
    assert found[0]["final_y"] == pytest.approx(math.exp(-1), abs=1e-8)
    assert found[0]["lost"] == pytest.approx(1 - math.exp(-1), abs=1e-8)
    assert found[1] is None
    with pytest.raises(UsageError, match=r"falls\.lost: no state 'z'"):
        simulator("ode", **settings, falls={"lost": "z"})
