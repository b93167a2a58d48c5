"""The table of trials, written in bounded parts and joined at the end, so that memory stays flat."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

PART_ROWS = 65_536


class TrialTable:
    """Collects rows column by column; `close()` gives the whole as a polars LazyFrame or DataFrame.

    With a folder the rows go to `<name>.parquet` in it, whole or not at all; without one they stay in memory.
    Columns whose values are all null in one part take their type from the other parts.
    """

    def __init__(self, folder: str | None, name: str = "trials") -> None:
        self.folder = Path(folder) if folder is not None else None
        self.name = name
        self._columns: dict[str, list[Any]] = {}
        self._parts: list[Any] = []
        self._rows = 0

    def add(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Adds equally long columns; every call brings the same names."""
        for name, values in columns.items():
            self._columns.setdefault(name, []).extend(values)
        self._rows = len(next(iter(self._columns.values()), ()))
        if self._rows >= PART_ROWS:
            self._spill()

    def _spill(self) -> None:
        import polars as pl

        frame = pl.DataFrame(
            {name: pl.Series(name, values, strict=False) for name, values in self._columns.items()},
        )
        self._columns = {name: [] for name in self._columns}
        self._rows = 0
        if self.folder is None:
            self._parts.append(frame)
            return
        scratch = self._scratch(self.folder)
        scratch.mkdir(exist_ok=True)
        path = scratch / f"{len(self._parts):06}.parquet"
        frame.write_parquet(path, compression="lz4")
        self._parts.append(path)

    def close(self) -> pl.LazyFrame | pl.DataFrame | None:
        """Joins the parts. Returns None when there is no row."""
        import polars as pl

        if self._rows or (self._columns and not self._parts):
            self._spill()
        if not self._parts:
            return None
        if self.folder is None:
            whole: pl.DataFrame = pl.concat(self._parts, how="vertical_relaxed")
            return whole
        scratch = self._scratch(self.folder)
        joined, target = scratch / "joined.parquet", self.folder / f"{self.name}.parquet"
        frames = [pl.scan_parquet(part) for part in self._parts]
        pl.concat(frames, how="vertical_relaxed").sink_parquet(
            joined, compression="zstd", row_group_size=PART_ROWS, maintain_order=True
        )
        os.replace(joined, target)
        shutil.rmtree(scratch)
        return pl.scan_parquet(target)

    def _scratch(self, folder: Path) -> Path:
        return folder / f".parts-{self.name}"
