"""Cells in order and by name: the strata that an audit counts apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from auditfw.records import Cell, Value

NO_VALUE = "(missing)"


def sorted_cells(cells: Iterable[Cell]) -> list[Cell]:
    """Cells in ascending order: numbers by size, then text by code point, nulls last."""
    return sorted(cells, key=lambda cell: [_order(value) for value in cell])


def named_cells(keys: Sequence[Cell], by: Sequence[str]) -> list[dict[str, Value]]:
    """Cells as mappings of the `by` columns. A column with a null somewhere becomes text, the null "(missing)"."""
    columns: list[list[Value]] = []
    for values in zip(*keys, strict=True):
        gaps = None in values or len({isinstance(value, str) for value in values}) > 1
        columns.append([NO_VALUE if v is None else str(v) if gaps else v for v in values])
    return [dict(zip(by, cell, strict=True)) for cell in zip(*columns, strict=True)] if columns else [{} for _ in keys]


def _order(value: Value) -> tuple[int, Any]:
    if value is None:
        return (2, "")
    return (1, value) if isinstance(value, str) else (0, value)
