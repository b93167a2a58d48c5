"""Trials in a Parquet file."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.components.files.formats.frames import Parquet
from auditfw.kinds.registry import register


@register("source", "parquet")
@dataclass(frozen=True)
class ParquetSource(Parquet):
    """Reads a Parquet file slice by slice; dates and decimals become text.

    It has the settings of all file sources.
    """
