"""Tables as files: small ones written whole, finished ones copied, large ones read slice by slice."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditfw.core.files import part_beside, whole
from auditfw.core.masking import masked_frame
from auditfw.core.tables import footer, pieces, typeless

if TYPE_CHECKING:
    import polars as pl


def write_table(file: Path, name: str, columns: Mapping[str, Any]) -> None:
    """Writes a small table of Polars columns, whole or not at all. Raises OSError.

    By way of memory: Polars names no errno for a file that cannot be written.
    """
    import polars as pl

    frame, buffer = pl.DataFrame(columns), BytesIO()
    frame = frame.with_columns(typeless(frame.schema))
    masked_frame(frame).write_parquet(buffer, compression="zstd", metadata=footer(name))
    with whole(file, sync=False) as stream:
        stream.write(buffer.getvalue())


def slices(table: pl.LazyFrame, rows: int) -> Iterator[pl.DataFrame]:
    """A table, so many rows at a time; the last slice has fewer, or none."""
    start = 0
    while True:
        part = table.slice(start, rows).collect()
        yield part
        start += rows
        if part.height < rows:
            return


def copied(file: Path, folder: str, name: str) -> pl.LazyFrame:
    """A finished table, or the folder of its parts, copied whole or not at all into another folder."""
    import polars as pl

    target = Path(folder) / f"{name}.parquet"
    with part_beside(target) as part:
        (shutil.copytree if file.is_dir() else shutil.copyfile)(file, part)
        os.replace(part, target)
    return pl.scan_parquet(pieces(target), glob=False)
