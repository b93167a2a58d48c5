"""Simulators by their settings, and what they make of a few scenarios."""

from __future__ import annotations

from typing import Any

from auditfw.config.schema import Builder
from auditfw.kinds.simulation import ScenarioBatch, Simulated


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
