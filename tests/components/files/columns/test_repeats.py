"""Rows that repeat an id."""

from __future__ import annotations

from typing import Any

import pytest
from files_read import lines, put, read, refused

from auditfw.components.files.file_settings import FileSet
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")


DUPLICATES = (
    {"id": 1, "t": "a"},
    {"id": "2", "t": "b"},
    {"id": "1", "t": "c"},
    {"id": 3, "t": "d"},
    {"id": 1, "t": "e"},
)


@pytest.mark.parametrize(("rule", "kept"), [("first", "abd"), ("last", "bde"), ("all", "abcde")])
@pytest.mark.parametrize("where", [None, "t <> 'zzz'"])
def test_duplicates(rule: Any, kept: str, where: str | None) -> None:
    rows, tally = read(JsonLines(path=lines(*DUPLICATES), duplicates=rule, where=where), "t")
    assert "".join(row["t"] for row in rows) == kept
    assert tally["dropped"]["duplicate"] == 5 - len(kept)


def test_duplicates_refused() -> None:
    lines(*DUPLICATES[:2])
    lines(*DUPLICATES[2:4], name="b.jsonl")
    files = (FileSet("a.jsonl"), FileSet("b.jsonl"))
    words = ("b.jsonl:1: duplicate id '1' (first at a.jsonl:1)", "source.duplicates=first")
    refused(DataError, JsonLines(files=files), *words)
    assert len(read(JsonLines(files=files, where="t <> 'c'"))[0]) == 3
    JsonLines(files=files).open((), None)


def test_ids_hidden_from_a_quick_look_are_found() -> None:
    put(
        "a.jsonl",
        '{"id": "x\\u0041", "id2": 1}\n{"m": {"id": "q"}, "id": "xA"}\n{"\\u0069d": "z", "t": "\\"id\\": 1,"}\n',
    )
    refused(DataError, JsonLines(path="a.jsonl"), "a.jsonl:2: duplicate id 'xA' (first at a.jsonl:1)")
