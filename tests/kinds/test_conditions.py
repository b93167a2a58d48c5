"""Conditions on rows, texts that mean null, and limits."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from files_read import lines, put, read, refused

from auditfw.components.files.file_settings import FileSet
from auditfw.components.files.formats import jsonl
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import FrameSource
from auditfw.core.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("n > 1", "bd"),
        ("n > 1 OR n IS NULL", "bcd"),
        ("NOT (n > 1)", "a"),
        ("t = '1'", "a"),
        ("other = 'x'", "b"),
        ("flag", "a"),
        ("true", "abcd"),
        ("id IN ('a', 'c')", "ac"),
        ("n IS NULL", "c"),
        ("n > 100", ""),
    ],
)
def test_where(where: str, kept: str) -> None:
    path = lines(
        {"key": "a", "n": 1, "text": "1", "flag": True},
        {"key": "b", "n": 2.5, "text": "2", "other": "x", "flag": False},
        {"key": "c", "n": None, "text": None},
        {"key": "d", "n": 3, "text": "4"},
    )
    rows, tally = read(JsonLines(path=path, columns={"id": "key", "t": "text"}, where=where), optional=())
    assert "".join(row["id"] for row in rows) == kept
    assert tally["dropped"] == Counter({"filtered": 4 - len(kept)} if len(kept) < 4 else {})


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("n >", "cannot be read as SQL"),
        ("m > 1", "no column 'm'"),
        ("n + 1", "is not a condition"),
        ("n > 1; DROP TABLE x", "cannot be read as SQL"),
        ("n > avg(n)", "one row at a time"),
        ("t > 1", "cannot be evaluated"),
    ],
)
def test_where_refused(where: str, words: str) -> None:
    refused(UsageError, JsonLines(path=lines({"n": 1, "t": "x"}), where=where), "source.where", words)


def test_where_nan_is_never_true_and_casts() -> None:
    path = put("a.csv", "id,n\na,1\nb,nan\nc,7\nd,x\n")
    rows, _ = read(DelimitedText(path=path, where="TRY_CAST(n AS DOUBLE) > 2"))
    assert [row["id"] for row in rows] == ["c"]
    refused(DataError, DelimitedText(path=path, where="CAST(n AS DOUBLE) > 2"), "source.where", "TRY_CAST")
    frame = pl.DataFrame({"id": ["a", "b"], "n": [float("nan"), 3.0]})
    assert [row["id"] for row in read(FrameSource(frame=frame, where="n > 2"))[0]] == ["b"]


def test_nulls() -> None:
    path = put("a.csv", "id,g\n1,None\n2,NA\n3,007\n4,\n")
    rows, tally = read(DelimitedText(path=path, nulls={"g": ("None",)}), "g")
    assert [row["g"] for row in rows] == [None, "NA", "007", ""]
    assert tally["notes"] == {"g: texts that mean missing (source.nulls.g)": 1}
    refused(UsageError, DelimitedText(path=path, nulls={"gg": ("x",)}), "source.nulls.gg", "'g'")


@pytest.mark.parametrize("limit", [1, 3, 5, 99])
def test_limit(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "BLOCK", 8)
    put("a.jsonl", "\n".join(f'{{"id": {n}}}\n' for n in range(4)))
    lines({"id": 10}, {"id": 11}, name="b.jsonl")
    rows, tally = read(JsonLines(files=(FileSet("a.jsonl"), FileSet("b.jsonl")), limit=limit))
    assert [row["id"] for row in rows] == ["0", "1", "2", "3", "10", "11"][:limit]
    assert tally["evidence"].rows <= limit
