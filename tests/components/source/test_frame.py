"""Data frames as sources: plain values, also from Parquet."""

from __future__ import annotations

import polars as pl
import pytest
from files_read import read, refused

import auditfw
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.source.formats import FrameSource
from auditfw.core.errors import UsageError

pytestmark = pytest.mark.usefixtures("here")


def test_parquet_and_frames_give_plain_values() -> None:
    import datetime

    frame = pl.DataFrame(
        {
            "id": [1, 2],
            "d": [datetime.date(2026, 1, 2), None],
            "c": pl.Series(["x", "y"], dtype=pl.Categorical),
            "l": [[1], []],
        }
    ).with_columns(s=pl.struct("id", "c"))
    frame.write_parquet("a.parquet")
    wanted = [
        {"id": "1", "c": "x", "d": "2026-01-02", "l": [1], "s": {"id": 1, "c": "x"}},
        {"id": "2", "c": "y", "d": None, "l": [], "s": {"id": 2, "c": "y"}},
    ]
    for source in (Parquet(path="a.parquet"), FrameSource(frame=frame)):
        assert read(source, "c", "d", "l", "s")[0] == wanted
    assert read(Parquet(path="a.parquet", columns={"n": "s.c"}), "n", optional=())[0][1] == {"id": "2", "n": "y"}


def test_pandas_frame() -> None:
    pandas = pytest.importorskip("pandas")
    rows, _ = read(
        FrameSource(frame=pandas.DataFrame({"id": [1, 2], "t": ["x", None], "n": [1.5, float("nan")]})), "t", "n"
    )
    assert rows == [{"id": "1", "t": "x", "n": 1.5}, {"id": "2", "t": None, "n": None}]
    refused(UsageError, FrameSource(), "source.frame")
    refused(UsageError, FrameSource(frame="text"), "source.frame")
    refused(UsageError, FrameSource(frame=[{"id": 1}], path="a.csv"), "source.path", "a frame has no file")


@pytest.mark.parametrize("make", ["polars", "pandas"])
def test_a_frame_at_hand_is_audited(make: str) -> None:
    columns = {"id": ["a", "b"], "raw_text": ["Paris", "Rome"], "ground_truth": ["Paris", "Oslo"], "stored": [1, 0]}
    frame = __import__(make).DataFrame(columns)
    settings = {"experiment": "answer_parsing", "by": [], "parser": ["raw"], "normalizer": ["v1"], "gate": []}
    result = auditfw.run({**settings, "source": {"use": "frame", "frame": frame}})
    assert result.counts == {"read": 2, "audited": 2}
    assert result.measurement("flips", "raw+v1").estimate.value == 0.0
