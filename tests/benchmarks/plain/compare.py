"""Compares the figures of the pandas script with a run folder of auditfw."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CELL = ("temperature", "variant", "condition")
TOLERANCE = 1e-9
OURS = " of auditfw"

Key = tuple[str, str, tuple[Any, ...]]
Figures = dict[Key, float | None]


def script_figures(path: Path) -> Figures:
    """Reads the script's totals and cells as `(metric, reading, cell) -> value`."""
    figures = json.loads(path.read_text(encoding="utf-8"))
    totals: Figures = {("flips", reading, ()): flips for reading, flips in figures["flips"].items()}
    totals["flips", "after_think+v2", ()] = figures["think_flips"]
    totals["mismatches", "stored+v1", ()] = figures["v1_mismatches"]
    return totals | dict(_script_cells(figures["cells"]))


def _script_cells(cells: dict[str, list[dict[str, Any]]]) -> Iterator[tuple[Key, float]]:
    for reading, rows in cells.items():
        for row in rows:
            cell = tuple(row[name] for name in CELL)
            yield ("error_rate", "stored", cell), row["stored_error"]
            yield ("error_rate", reading, cell), row["error"]
            yield ("delta_pp", reading, cell), row["delta"]
            yield ("flips", reading, cell), row["flips"]


def run_figures(folder: Path) -> tuple[Figures, dict[tuple[str, tuple[Any, ...]], int]]:
    """Reads a run's measurements, and the trials counted by reading and cell for its error rates."""
    import polars

    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    figures: Figures = {
        (row["metric"], row["reading"], ()): row["value"] for row in result["measurements"] if not row["cell"]
    }
    counted = {}
    for row in polars.read_parquet(folder / "measurements.parquet").iter_rows(named=True):
        cell = tuple(row[name] for name in CELL)
        if None not in cell:
            figures[row["metric"], row["reading"], cell] = row["value"]
            if row["metric"] == "error_rate":
                counted[row["reading"], cell] = row["counted"]
    return figures, counted


def differences(script: Path, folder: Path) -> tuple[list[str], int]:
    """Lists every number of the script that the run does not repeat, and counts the numbers compared."""
    wanted = script_figures(script)
    figures, counted = run_figures(folder)
    lines = [line for key, value in wanted.items() if (line := _difference(key, value, figures))]
    cells = json.loads(script.read_text(encoding="utf-8"))["cells"]
    trials = {(reading, tuple(row[name] for name in CELL)): row["n"] for reading in cells for row in cells[reading]}
    for (reading, cell), n in trials.items():
        if counted.get((reading, cell)) != n:
            lines.append(f"trials of {reading} in {cell}: script {n}, auditfw {counted.get((reading, cell))}")
    return lines, len(wanted) + len(trials)


def _difference(key: Key, value: float | None, figures: Figures) -> str:
    metric, reading, cell = key
    where = f"{metric} of {reading}" + (f" in {cell}" if cell else "")
    other = figures.get(key)
    if value is None or other is None:
        return f"{where}: script {value}, auditfw {'no such number' if key not in figures else other}"
    return (
        "" if math.isclose(value, other, rel_tol=0, abs_tol=TOLERANCE) else f"{where}: script {value}, auditfw {other}"
    )


def label_differences(script: Path, folder: Path) -> tuple[list[str], int]:
    """Lists the labels that the script gave and the run did not repeat, and counts the labels compared."""
    import polars

    wanted = polars.read_csv(script.with_suffix(".csv"), schema_overrides={"output_id": polars.String})
    wanted = wanted.rename({"output_id": "id", "is_correct": "stored"})
    readings = [name for name in wanted.columns if name != "id"]
    trials = polars.read_parquet(folder / "trials.parquet")
    shared = [name for name in readings if name in trials.columns]
    lines = [f"labels of {name}: auditfw has no such column" for name in readings if name not in shared]
    both = wanted.join(trials.select("id", *shared), on="id", how="left", suffix=OURS)
    for name in shared:
        ours = both[name + OURS].cast(polars.Int64)
        for row in both.filter(both[name].cast(polars.Int64).ne_missing(ours)).iter_rows(named=True):
            lines.append(f"label of {name} for {row['id']}: script {row[name]}, auditfw {row[name + OURS]}")
    return sorted(lines), len(wanted) * len(readings)
