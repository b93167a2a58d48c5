"""Delimited text: texts stay texts, dialects, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from files_read import put, read, refused

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")


def test_csv_text_stays_text() -> None:
    path = put("a.csv", '\ufeffid,g\r\n1,007\r\n2,"a ""q"",\nb"\r\n3,\r\n\r\n4,1e5\r\n')
    rows, _ = read(DelimitedText(path=path), "g")
    assert [row["g"] for row in rows] == ["007", 'a "q",\nb', "", "1e5"]


@pytest.mark.parametrize(
    ("content", "setting", "words"),
    [
        ("a,b\n1,2\n1,2,3\n", {}, ["a.csv:3: expected 2 fields", "got 3"]),
        ('a,b\n1,"x\ny"\n1\n', {}, ["a.csv:4: expected 2 fields", "got 1"]),
        ('a,b\n1,"x"y\n', {}, ["a.csv:2", "quoting"]),
        ('a,b\n1,"x\n', {}, ["a.csv:2", "quoting"]),
        ("a,a\n1,2\n", {}, ["a.csv:1", "duplicate column"]),
        ("id;t\n1;2\n", {}, ["source.delimiter=';'"]),
    ],
)
def test_csv_refused(content: str, setting: dict[str, Any], words: list[str]) -> None:
    refused(
        DataError,
        DelimitedText(path=put("a.csv", content), **setting),
        *words,
        required=("t",) if "t" in content else (),
    )


def test_csv_dialects() -> None:
    rows, _ = read(DelimitedText(path=put("a.tsv", 'id\tt\n1\t"x" y\n'), delimiter="\\t", quote=None), "t")
    assert rows == [{"id": "1", "t": '"x" y'}]
    rows, _ = read(DelimitedText(path=put("b.csv", "id,t\n1,é\n".encode("utf-16")), encoding="utf-16"), "t")
    assert rows == [{"id": "1", "t": "é"}]
    rows, tally = read(DelimitedText(path=put("c.csv", b"id,t\n1,\xe9\n")), "t")
    assert rows == [{"id": "1", "t": "\ufffd"}]
    assert list(tally["notes"]) == ["c.csv: bytes that are not text, read as U+FFFD (first: line 2)"]
    long = "x" * 500_000
    assert read(DelimitedText(path=put("d.csv", f"id,t\n1,{long}\n")), "t")[0][0]["t"] == long
