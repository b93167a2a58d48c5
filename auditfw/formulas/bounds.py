"""Parameters against what a simulator takes: its names and bounds, before the first scenario runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from auditfw.core.errors import DataError, nearest
from auditfw.kinds.simulation import Columns

OutOfBounds = Literal["error", "clip", "allow"]
Limits = Mapping[str, tuple[float, float]]
Rows = Sequence[Mapping[str, float]]
SHOWN = 8  # parameters in an error


def fitted(
    labels: Sequence[str],
    params: Rows,
    limits: Limits | None,
    rule: OutOfBounds = "error",
    optional: frozenset[str] = frozenset(),
) -> tuple[Rows, int]:
    """The parameters as a simulator may be given them, and how many values were moved to their bound.

    `limits` is what `simulator.limits()` says, `optional` the names a scenario may leave out: the attribute
    `optional` of a simulator that has one. With limits, a name that is not among them and a name that is not given
    raise DataError naming the scenario, whatever the rule; a value outside its bounds (they belong to the range) does
    so under "error", is moved to the nearest bound under "clip" and stays under "allow". Without limits everything
    fits. Call it for all scenarios before the first one runs.
    """
    if limits is None:
        return params, 0
    if isinstance(params, Columns):
        return _fitted_columns(labels, params, limits, rule, optional)
    known, needed = limits.keys(), limits.keys() - optional
    checked: set[frozenset[str]] = set()
    for label, row in zip(labels, params, strict=True):
        names = frozenset(row)
        if names not in checked:
            _check_names(label, names, limits, needed)
            checked.add(names)
    if rule == "allow" or all(_within([row[name] for row in params if name in row], *limits[name]) for name in known):
        return params, 0
    values, moved = [], 0
    for label, row in zip(labels, params, strict=True):
        new = {name: _settled(label, name, value, limits[name], rule) for name, value in row.items()}
        moved += sum(new[name] != value for name, value in row.items())
        values.append(new)
    return values, moved


def _fitted_columns(
    labels: Sequence[str], params: Columns, limits: Limits, rule: OutOfBounds, optional: frozenset[str]
) -> tuple[Rows, int]:
    if len(params):
        _check_names(labels[0], frozenset(params.columns), limits, limits.keys() - optional)
    if rule == "allow":
        return params, 0
    columns, moved = dict(params.columns), 0
    for name, column in params.columns.items():
        if _within(column, *limits[name]):
            continue
        values = [_settled(label, name, float(v), limits[name], rule) for label, v in zip(labels, column, strict=True)]
        moved += sum(new != old for new, old in zip(values, column, strict=True))
        columns[name] = type(column)(values) if isinstance(column, list | tuple) else _like(values)
    return Columns(columns, params.size), moved


def _like(values: list[float]) -> Any:
    import numpy as np

    return np.array(values)


def _check_names(label: str, names: frozenset[str], limits: Limits, needed: Any) -> None:
    where = f"scenario '{label}'"
    for name in sorted(names - limits.keys()):
        raise DataError(where, f"unknown parameter '{name}'", _ranges(limits), nearest(name, sorted(limits)))
    for name in sorted(needed - names):
        raise DataError(where, f"parameter '{name}' is missing", _ranges(limits), "give it in every scenario")


def _ranges(limits: Limits) -> str:
    listed = [f"{name} within [{low!r}, {high!r}]" for name, (low, high) in sorted(limits.items())[:SHOWN]]
    return ", ".join([*listed, *([f"and {len(limits) - SHOWN} more"] if len(limits) > SHOWN else [])])


def _within(values: Sequence[float], low: float, high: float) -> bool:
    if not len(values):
        return True
    least = values.min() if hasattr(values, "min") else min(values)
    most = values.max() if hasattr(values, "max") else max(values)
    return bool(low <= least and most <= high) and not any(math.isnan(v) for v in (least, most))


def _settled(label: str, name: str, value: float, bounds: tuple[float, float], rule: OutOfBounds) -> float:
    low, high = bounds
    if low <= value <= high:
        return value
    if rule == "clip" and not math.isnan(value):
        return low if value < low else high
    raise DataError(
        f"scenario '{label}'",
        f"parameter '{name}' is out of bounds",
        f"{value!r} is not within [{low!r}, {high!r}]",
        "correct it, or write audit.out_of_bounds=clip or allow",
    )
