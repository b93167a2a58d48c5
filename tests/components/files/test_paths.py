"""Paths that stand for several files, and the columns that are taken off them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from files_read import put, read, refused

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.paths import paths_of
from auditfw.core.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")
NAMES = ("*.jsonl",)


def made(*paths: str) -> None:
    for number, path in enumerate(paths):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        put(path, json.dumps({"id": number, "t": "x"}) + "\n")


FILES = ("runs/a-0.5.jsonl", "runs/b-1.jsonl", "runs/deep/c-2.jsonl", "runs/.hidden-3.jsonl", "runs/.git/d-4.jsonl")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("runs", [(FILES[0], {}), (FILES[1], {}), (FILES[2], {})]),
        ("runs/*.jsonl", [(FILES[0], {}), (FILES[1], {})]),
        ("runs/**/*.jsonl", [(FILES[0], {}), (FILES[1], {}), (FILES[2], {})]),
        ("runs/[!b]-*.jsonl", [(FILES[0], {})]),
        ("runs/[ab]-?.jsonl", [(FILES[1], {})]),
        (
            "runs/{model}-{temperature}.jsonl",
            [(FILES[0], {"model": "a", "temperature": 0.5}), (FILES[1], {"model": "b", "temperature": 1})],
        ),
        ("{folder}/deep/{model}-*.jsonl", [(FILES[2], {"folder": "runs", "model": "c"})]),
        ("runs/**/{model}-2.jsonl", [(FILES[2], {"model": "c"})]),
        ("other.jsonl", [("other.jsonl", {})]),
    ],
)
def test_what_a_path_stands_for(path: str, expected: list[Any]) -> None:
    made(*FILES)
    assert paths_of(path, NAMES, "source.path") == expected


def test_a_path_that_is_there_is_itself() -> None:
    made("a{b}.jsonl", "[x].jsonl", "ab.jsonl")
    assert paths_of("a{b}.jsonl", NAMES, "") == [("a{b}.jsonl", {})]
    assert paths_of("[x].jsonl", NAMES, "") == [("[x].jsonl", {})]


def test_names_that_repeat_are_the_same_and_numbers_are_numbers_everywhere() -> None:
    made("a/a.jsonl", "a/b.jsonl", "b/b.jsonl", "007.jsonl", "12.jsonl")
    assert [path for path, _ in paths_of("{m}/{m}.jsonl", NAMES, "")] == ["a/a.jsonl", "b/b.jsonl"]
    assert [columns["n"] for _, columns in paths_of("{n}.jsonl", NAMES, "")] == ["007", "12"]


def test_what_is_refused() -> None:
    made("runs/a.jsonl", "runs/b.csv")
    refused(DataError, JsonLines(path="runs/*.json"), "runs/*.json: no file matches", "in runs are: a.jsonl, b.csv")
    refused(DataError, JsonLines(path="rums/{m}.jsonl"), "no file matches", "there is no folder rums")
    refused(UsageError, JsonLines(path="runs/{a b}.jsonl"), "source.path", "expected the name of a column in braces")
    refused(DataError, Parquet(path="runs"), "runs: is a folder (no *.parquet in it)", "name a file in it: a.jsonl")
    refused(DataError, JsonLines(path=("runs/a.jsonl", "runs/c.jsonl")), "runs/c.jsonl: no such file", "a.jsonl")
    refused(UsageError, JsonLines(path=()), "source.path: not set")
    refused(UsageError, JsonLines(path=("runs/a.jsonl", "runs/{}.jsonl")), "expected the name of a column in braces")


def test_every_format_reads_folders_and_lists() -> None:
    os.mkdir("f")
    put("f/a.json", '[{"id": 1}]')
    put("f/a.csv", "id\n1\n")
    put("f/b.tsv", "id\n2\n")
    pl.DataFrame({"id": [1]}).write_parquet("f/a.parquet")
    put("f/a.jsonl.gz", __import__("gzip").compress(b'{"id": 1}\n'))
    for source in (JsonArray(path="f"), Parquet(path="f"), JsonLines(path="f")):
        assert [row["id"] for row in read(source)[0]] == ["1"], source
    assert [row["id"] for row in read(DelimitedText(path="f"))[0]] == ["1", "2"]
    assert [row["id"] for row in read(DelimitedText(path=("f/b.tsv", "f/a.csv")))[0]] == ["2", "1"]


def test_columns_off_the_path_are_columns() -> None:
    made(*FILES[:2])
    source = JsonLines(path="runs/{model}-{temperature}.jsonl", columns={"id": "{model}/{id}"}, where="model <> 'b'")
    rows, tally = read(source)
    assert rows == [{"id": "a/0", "t": "x", "model": "a", "temperature": 0.5}]
    assert tally["dropped"] == {"filtered": 1}
