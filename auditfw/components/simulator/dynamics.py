"""Right-hand sides of the shipped dynamical models: plain functions of time, state and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def sir(_t: float, y: Sequence[float], p: Mapping[str, float]) -> list[float]:
    """Susceptible, infected, recovered as shares of a closed population (Kermack and McKendrick 1927).

    ds/dt = -beta s i; di/dt = beta s i - gamma i; dr/dt = gamma i. `beta` and `gamma` are rates per day.
    """
    s, i, _ = y
    caught, over = p["beta"] * s * i, p["gamma"] * i
    return [-caught, caught - over, over]


def sir_start(p: Mapping[str, float]) -> list[float]:
    """A share `infected` of the population at the start, all others susceptible."""
    return [1 - p["infected"], p["infected"], 0.0]


def lotka_volterra(_t: float, y: Sequence[float], p: Mapping[str, float]) -> list[float]:
    """Prey and predators (Lotka 1925, Volterra 1926): dx/dt = x (alpha - beta y); dy/dt = y (delta x - gamma)."""
    x, z = y
    return [x * (p["alpha"] - p["beta"] * z), z * (p["delta"] * x - p["gamma"])]


def lotka_volterra_start(p: Mapping[str, float]) -> list[float]:
    """The numbers `prey` and `predators` at the start."""
    return [p["prey"], p["predators"]]
