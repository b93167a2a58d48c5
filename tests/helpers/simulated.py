"""Simulators by their names, and batches of scenarios for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.config.schema import Builder
from auditfw.kinds.simulation import ScenarioBatch, Simulated


def simulator(use: str, **settings: Any) -> Any:
    builder = Builder({})
    made = builder._component("simulator", {"use": use, **settings}, "simulator")
    if builder.errors:
        raise builder.errors[0]
    return made


def stretch(rows: Sequence[Mapping[str, float]], seeds: Sequence[int] | None = None) -> ScenarioBatch:
    labels = [f"s{i}" for i in range(len(rows))]
    return ScenarioBatch(range(len(rows)), labels, rows, seeds or list(range(len(rows))))


def xs(*values: float) -> ScenarioBatch:
    return stretch([{"x": value} for value in values])


def each(found: Simulated) -> list[Any]:
    """The outcomes of each scenario, from columns or as they are; None where it failed."""
    if not found.columns:
        return list(found.outcomes)
    rows = [{key: float(column[i]) for key, column in found.columns.items()} for i in range(len(found.status))]
    return [row if status == "ok" else None for row, status in zip(rows, found.status, strict=True)]
