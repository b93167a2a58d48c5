"""Scored blocks as rows: the frames of trials.parquet and scenarios.parquet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from auditfw.kinds.simulation import Columns

from .status import NOT_MEANT, SCENARIO_STATUS, STATUS
from .work import PARAM, OutcomeBlock

TRIAL_COLUMNS = ("id", "scenario", "label", "key", "intended", "actual", "direction_match", "magnitude_match",
                 "combined", "status")  # fmt: skip


def trial_frame(block: OutcomeBlock) -> pl.DataFrame:
    """One row a scenario and key: scenarios in order, the keys of each together."""
    codes = np.stack([one.codes for one in block.found], axis=1) if block.found else np.zeros((block.size, 0), np.uint8)
    rows, keys = np.nonzero(codes != NOT_MEANT)
    names = pl.Series("key", [one.key for one in block.found], dtype=pl.String)
    scenario = pl.Series("scenario", rows + block.start, dtype=pl.Int64)
    key = names.gather(pl.Series(keys, dtype=pl.UInt32))
    frame = pl.DataFrame([scenario, _label(block).gather(pl.Series(rows, dtype=pl.UInt32)), key])
    own = [name for name in block.by if name not in TRIAL_COLUMNS]
    numbers = {
        "intended": [one.compared.target for one in block.found],
        "actual": [one.compared.actual for one in block.found],
        "direction_match": [one.direction for one in block.found],
        "magnitude_match": [one.magnitude for one in block.found],
        "combined": [one.combined for one in block.found],
    }
    return frame.select(
        pl.concat_str("scenario", pl.lit("."), "key").alias("id"),
        *("scenario", "label", "key"),
        *(_values(name, block.by[name]).gather(pl.Series(rows, dtype=pl.UInt32)) for name in own),
        *(_floats(name, columns, rows, keys) for name, columns in numbers.items()),
        pl.Series("status", STATUS, dtype=pl.String).gather(pl.Series(codes[rows, keys], dtype=pl.UInt32)),
    )


def scenario_frame(block: OutcomeBlock) -> pl.DataFrame:
    """One row a scenario: its overall score, its bucket and why, its parameters."""
    meant = np.zeros(block.size, np.int64)
    for one in block.found:
        meant += one.codes != NOT_MEANT
    columns = [
        pl.Series("scenario", np.arange(block.start, block.start + block.size), dtype=pl.Int64),
        _label(block),
        *(_values(name, column) for name, column in block.by.items() if name not in ("scenario", "label")),
        pl.Series("overall", block.overall, dtype=pl.Float64).fill_nan(None),
        pl.Series("n_keys_matched", block.matched, dtype=pl.Int64),
        pl.Series("n_keys_missing", meant - block.matched, dtype=pl.Int64),
        pl.Series("status", SCENARIO_STATUS, dtype=pl.String).gather(pl.Series(block.scenario, dtype=pl.UInt32)),
        pl.Series("why", [block.why.get(i) for i in range(block.size)], dtype=pl.String),
    ]
    held = {column.name for column in columns}
    params = [_values(f"{PARAM}{name}", values) for name, values in param_columns(block.params).items()]
    return pl.DataFrame([*columns, *(column for column in params if column.name not in held)])


def param_columns(params: Sequence[Any]) -> dict[str, Any]:
    """The parameters of scenarios as columns, None where one has it not."""
    if isinstance(params, Columns):
        return {str(name): column for name, column in params.columns.items()}
    names = dict.fromkeys(name for row in params for name in row)
    return {str(name): [row.get(name) for row in params] for name in names}


def _label(block: OutcomeBlock) -> pl.Series:
    return pl.Series("label", block.labels, dtype=pl.String)


def _values(name: str, values: Any) -> pl.Series:
    found = pl.Series(name, values, strict=False)
    return found.cast(pl.Float64) if found.dtype.is_integer() and name.startswith(PARAM) else found


def _floats(name: str, columns: Sequence[Any], rows: Any, keys: Any) -> pl.Series:
    whole = np.stack(columns, axis=1)[rows, keys] if columns else np.zeros(0)
    return pl.Series(name, np.where(np.isfinite(whole), whole, np.nan), dtype=pl.Float64).fill_nan(None)
