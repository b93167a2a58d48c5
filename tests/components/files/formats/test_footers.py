"""What a Parquet file says of itself in its footer, and footers too strange to say anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bounded_reading import parquet
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.files.formats import footers
from auditfw.config.schema import load
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")


def test_what_a_parquet_file_says_of_itself() -> None:
    parquet(i=[1, 2, 3], f=[0.5] * 3, b=[True] * 3, l=[[1, 2], [], [3]], t=["a", "b", None])
    largest, whole = footers.decoded("a.parquet") or (0, 0)
    assert largest == whole >= 3 * 8 + 3 * 8 + 3 + 3 * 8
    pl.DataFrame({"i": range(10_000)}).write_parquet("b.parquet", row_group_size=1_000)
    largest, whole = footers.decoded("b.parquet") or (0, 0)
    assert (whole >= 80_000, largest < whole / 5) == (True, True)
    flat = {"label": ["a"], "intended.y": [1.0], "params.x": [1.0]}
    source = load("scenarios", {"use": "parquet", "path": parquet(**flat), "max_decoded": 10})
    with pytest.raises(
        DataError, match=r"a\.parquet: a row group decodes to more .* scenarios\.max_decoded=BYTES|source"
    ):
        source.open()


@pytest.mark.parametrize(("lists", "objects"), [(1, 1), (49, 1), (49, 2), (0, 99), (0, 100), (150, 0)])
def test_columns_within_columns(lists: int, objects: int) -> None:
    kind: Any = pl.Int64()
    value: Any = 1
    for _ in range(lists):
        kind, value = pl.List(kind), [value]
    for _ in range(objects):
        kind, value = pl.Struct({"k": kind}), {"k": value}
    pl.DataFrame({"id": ["1", "2"], "d": pl.Series([value] * 2, dtype=kind), "z": [1, 2]}).write_parquet("a.parquet")
    levels = 1 + 2 * lists + objects
    source = load("source", {"use": "parquet", "path": "a.parquet"})
    if levels <= 100:
        assert source.open(["id"], ()).rows == 2
        return
    with pytest.raises(DataError, match=rf"a\.parquet: nested too deep \(column 'd': {levels} levels, limit 100\)"):
        source.open(["id"], ())


@given(st.binary(max_size=80), st.integers(0, 2**31))
def test_no_footer_is_too_strange(footer: bytes, length: int) -> None:
    for told in (len(footer), length):
        Path("s.parquet").write_bytes(b"PAR1" + footer + told.to_bytes(4, "little") + b"PAR1")
        found = footers.decoded("s.parquet")
        assert found is None or len(found) == 2
    Path("s.parquet").write_bytes(footer)
    footers.decoded("s.parquet")
