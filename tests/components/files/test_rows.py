"""Rows out of lists and objects inside records."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from files_read import lines, put, read, refused

from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")
REPEATS = [{"id": "a", "resps": [["x", "y"]]}, {"id": "b", "resps": [["z"]]}]


def rows_of(source: Any, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in read(source)[0]]


def test_one_row_an_element() -> None:
    explode, columns = {"repeat": "resps[0]"}, {"id": "{id}/{repeat}", "raw_text": "resps[0]", "item": "id"}
    path = lines(*REPEATS)
    expected = [("a/0", "a", 0, "x"), ("a/1", "a", 1, "y"), ("b/0", "b", 0, "z")]
    names = ("id", "item", "repeat", "raw_text")
    assert rows_of(JsonLines(path=path, explode=explode, columns=columns), *names) == expected
    put("a.json", json.dumps(REPEATS))
    assert rows_of(JsonArray(path="a.json", explode=explode, columns=columns), *names) == expected
    pl.DataFrame(REPEATS).write_parquet("a.parquet")
    assert rows_of(Parquet(path="a.parquet", explode=explode, columns=columns), *names) == expected


def test_lists_in_lists_and_objects() -> None:
    lines({"m": {"one": [1, 2], "two": []}, "n": 0}, {"m": None, "n": 1}, {"n": 2})
    source = JsonLines(path="a.jsonl", explode={"key": "m", "at": "m"})
    assert rows_of(source, "id", "key", "at", "m", "n") == [
        ("1.0", "one", 0, 1, 0),
        ("1.1", "one", 1, 2, 0),
        ("1.2", "two", None, None, 0),
        ("2.0", None, None, None, 1),
        ("3.0", None, None, None, 2),
    ]


def test_duplicates_are_told_apart_row_by_row() -> None:
    lines({"r": [{"id": "a", "v": 1}, {"id": "b", "v": 2}]}, {"r": [{"id": "a", "v": 3}]})
    settings = {"path": "a.jsonl", "explode": {"n": "r"}, "columns": {"id": "r.id", "v": "r.v"}}
    assert rows_of(JsonLines(**settings, duplicates="first"), "id", "v") == [("a", 1), ("b", 2)]
    assert rows_of(JsonLines(**settings, duplicates="last"), "id", "v") == [("b", 2), ("a", 3)]
    refused(DataError, JsonLines(**settings), "a.jsonl:2: duplicate id 'a'", "first at a.jsonl:1")


def test_a_limit_counts_records_and_a_condition_sees_rows() -> None:
    lines(*REPEATS)
    columns = {"id": "{id}/{n}"}
    assert rows_of(JsonLines(path="a.jsonl", explode={"n": "resps[0]"}, columns=columns, limit=1), "id") == [
        ("a/0",),
        ("a/1",),
    ]
    source = JsonLines(path="a.jsonl", explode={"n": "resps[0]"}, columns=columns, where="n = 1")
    assert rows_of(source, "id") == [("a/1",)]
    assert source.open([], None).rows == 3


def test_what_cannot_be_exploded() -> None:
    lines({"id": 1, "r": ["x"]}, {}, {"id": 3, "r": "x"})
    put("a.jsonl", '{"id": 1, "r": ["x"]}\n\n{"id": 3, "r": "x"}\n')
    what = "expected a list or an object to explode (source.explode.n), got text"
    refused(DataError, JsonLines(path="a.jsonl", explode={"n": "r"}), f"a.jsonl:3: {what}")
    refused(UsageError, JsonLines(path="a.jsonl", explode={"n": "[0]"}), "source.explode.n", "cannot be read")
    refused(DataError, JsonLines(path="a.jsonl", explode={"n": "q"}, columns={"raw_text": "q[0]"}), "no column 'q[0]'")
