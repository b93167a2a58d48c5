"""Trials in a Parquet file."""

from __future__ import annotations

from auditfw.components.files.formats.frames import Parquet
from auditfw.kinds.registry import declare


@declare("source", "parquet")
class ParquetSource(Parquet):
    """Reads a Parquet file slice by slice; dates and decimals become text.

    It has the settings of all file sources.
    """
