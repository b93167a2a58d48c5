"""Columns of records: mapped, required, absent, of every name; ids; several rows of one record."""

from __future__ import annotations

from typing import Any

import pytest
from files_read import lines, put, read, refused

from auditfw.components.files.file_settings import FileSet, Unpivot
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import AuditError, DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    ("kind", "columns", "words"),
    [
        (
            DataError,
            {"raw_text": "txet"},
            ["source.columns.raw_text: no column 'txet' in a.jsonl", "found: id, text", "'text'"],
        ),
        (DataError, {"raw_text": "text.inner"}, ["no column 'text.inner'"]),
        (UsageError, {"raw_text": "text[x]"}, ["source.columns.raw_text", "address"]),
    ],
)
def test_mapped_column_absent(kind: type[AuditError], columns: dict[str, str], words: list[str]) -> None:
    refused(kind, JsonLines(path=lines({"id": 1, "text": "t"}), columns=columns), *words)


def test_required_column_missing() -> None:
    path = lines({"id": 1, "ground_truht": "t"})
    do = "source.columns.ground_truth=ground_truht"
    refused(
        DataError,
        JsonLines(path=path),
        "a.jsonl: no column 'ground_truth'",
        "found: id",
        do,
        required=("ground_truth",),
    )


def test_ids_are_row_numbers_without_a_column() -> None:
    put("a.jsonl", '{"t": 1}\n\n{"t": 2}\n')
    put("b.jsonl", '{"t": 3}')
    assert [r["id"] for r in read(JsonLines(path="a.jsonl"), "t")[0]] == ["1", "3"]
    rows, _ = read(JsonLines(files=(FileSet("a.jsonl"), FileSet("b.jsonl"))), "t")
    assert [r["id"] for r in rows] == ["1:1", "1:3", "2:1"]
    path = lines({"id": 5, "t": 1}, {"id": 5, "t": 2}, name="c.jsonl")
    assert [r["id"] for r in read(JsonLines(path=path, columns={"id": "#", "q": "id"}), "t")[0]] == ["1", "2"]


@pytest.mark.parametrize(("value", "word"), [(None, "null"), ("", "empty"), ([1], "a list"), (True, "a bool")])
def test_bad_ids(value: Any, word: str) -> None:
    refused(DataError, JsonLines(path=lines({"id": "a"}, {"id": value})), "a.jsonl:2", f"the id is {word}")


def test_files_with_columns_set() -> None:
    lines({"id": 1, "t": "x"}, name="a.jsonl")
    lines({"id": 2, "t": "y", "temperature": 9}, name="b.jsonl")
    files = (FileSet("a.jsonl", {"temperature": 0.0}), FileSet("b.jsonl", {"temperature": 0.5}))
    rows, _ = read(JsonLines(files=files), "temperature", optional=())
    assert rows == [{"id": "1", "temperature": 0.0}, {"id": "2", "temperature": 0.5}]


def test_every_column() -> None:
    path = lines({"a": 1, "b": {"c": 2}, "d": 3})
    rows, _ = read(JsonLines(path=path, columns={"x": "a", "y": "b.c"}))
    assert rows == [{"id": "1", "x": 1, "y": 2, "b": {"c": 2}, "d": 3}]


@pytest.mark.parametrize(
    ("settings", "filled"),
    [
        ({}, {"x"}),
        ({"columns": {"y": "b"}}, {"x", "y"}),
        ({"columns": {"y": "z"}}, {"x"}),
        ({"where": "a = 1"}, set()),
    ],
)
def test_columns_that_hold_something(settings: dict[str, Any], filled: set[str]) -> None:
    """Of the records at the start; none where a condition may drop them."""
    path = lines({"a": 1, "x": "t", "b": "u", "z": None}, {"a": 1, "x": "", "b": "", "z": ""})
    assert JsonLines(path=path, **settings).open((), ("x", "y", "z")).filled == filled


def test_unpivot() -> None:
    path = lines(
        {"q": "Q", "m1": {"s": "x", "ok": True}, "m2": {"s": "y", "ok": False}}, {"q": "R", "m1": {"s": "z"}, "m2": {}}
    )
    turn = Unpivot("model", ("m1", "m2"), {"raw_text": "{value}.s", "stored": "{value}.ok"})
    rows, tally = read(JsonLines(path=path, unpivot=turn), "raw_text", "q", "model", optional=("stored",))
    assert [tuple(row.values()) for row in rows] == [
        ("1.m1", "x", "Q", "m1", True),
        ("1.m2", "y", "Q", "m2", False),
        ("2.m1", "z", "R", "m1", None),
        ("2.m2", None, "R", "m2", None),
    ]
    assert tally["evidence"].rows == 4
    bad = Unpivot("model", ("m1", "m3"), {"raw_text": "{value}.s"})
    refused(DataError, JsonLines(path=path, unpivot=bad), "source.unpivot.columns.raw_text", "m3.s")
