"""Measurements as a table for notebooks: a Polars data frame, or a pandas one with the extra."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

from auditfw.core.errors import UsageError
from auditfw.core.records import Result
from auditfw.core.result_json import FIELDS, measurement_columns
from auditfw.core.results.views import FrameKind

if TYPE_CHECKING:
    import polars as pl

KINDS = typing.get_args(FrameKind)
AUDIT, READING = "audit", "reading"
NUMBERS = ("value", "low", "high", "counted", "missing", "undefined")


def measurements(result: Result, kind: str) -> Any:
    """The measurements, a row each, with the names and values of measurements.parquet. Raises UsageError."""
    import polars as pl

    check_kind("frame", kind)
    columns = measurement_columns(result)
    cells = {f"cell.{name}" if name == AUDIT else name: columns[name] for name in columns if name not in FIELDS}
    audit = pl.Series(AUDIT, [result.audit] * len(columns["metric"]), pl.String)
    ordered = {AUDIT: audit, READING: columns[READING], **cells, "metric": columns["metric"]}
    return as_kind("frame", pl.DataFrame({**ordered, **{name: columns[name] for name in NUMBERS}}), kind)


def check_kind(where: str, kind: str) -> None:
    """Raises UsageError for a kind of frame that there is not."""
    if kind not in KINDS:
        raise UsageError(f"{where}.kind", "no such kind of frame", kind, f"write one of {', '.join(KINDS)}")


def as_kind(where: str, frame: pl.DataFrame, kind: str) -> Any:
    """A Polars frame as one of this kind. Raises UsageError where pandas is not installed."""
    import polars as pl

    if kind == "polars":
        return frame
    try:
        import pandas as pd
    except ImportError:
        what = "a pandas frame needs the extra pandas"
        raise UsageError(f"{where}.kind", what, None, "pip install 'auditfw[pandas]'") from None
    number = [name for name, dtype in frame.schema.items() if dtype == pl.Float64]
    made = pd.DataFrame(frame.to_dict(as_series=False), columns=frame.columns)
    return made.astype(dict.fromkeys(number, "float64"))
