"""Files that are small on disk, read for their ids or refused."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from auditfw.core.errors import DataError


def read(source: Any) -> list[Any]:
    """The ids of all rows."""
    return [word for task in source.open((), None).tasks for word in task().columns["id"]]


def refused(source: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(source)
    assert str(caught.value).startswith(message), str(caught.value)


def parquet(path: str = "a.parquet", **columns: Any) -> str:
    pl.DataFrame(columns).write_parquet(path, compression="zstd")
    return path
