"""Simulators to be tuned, and intentions for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from auditfw.components.simulator.python import PythonSimulator
from auditfw.kinds import Simulator


def line(params: Mapping[str, float]) -> dict[str, Any]:
    """Doubles x; y alone decides the rest; above 0.9 it fails, at 0.5 it forgets an outcome."""
    if params["x"] > 0.9:
        raise ValueError("too hot")
    outcomes: dict[str, Any] = {"fitness": 2 * params["x"], "energy": 1 - params.get("y", 0.0), "name": "line"}
    if params["x"] == 0.5:
        del outcomes["energy"]
    return outcomes


def toy(**settings: Any) -> Simulator:
    bounds = {"x": (0, 1), "y": (0, 1)}
    return PythonSimulator(line, **{"bounds": bounds, "isolation": "none", **settings})
