"""Settings of single files among several, and texts that are lists."""

from __future__ import annotations

import pytest
from files_read import lines, put, read, refused

from auditfw.components.files.file_settings import FileEntry, FileSet
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")


def test_columns_conditions_and_nulls_of_one_file() -> None:
    lines({"id": 1, "out": "x", "gold": "n/a", "n": 1}, {"id": 2, "out": "y", "gold": "b", "n": 5}, name="a.jsonl")
    lines({"id": 3, "text": "z", "gold": "n/a", "n": 5}, name="b.jsonl")
    source = JsonLines(
        files=(
            FileEntry("a.jsonl", {"model": "m"}, {"raw_text": "out"}, "n < 5", {"truth": ("n/a",)}),
            {"path": "b.jsonl", "columns": {"raw_text": "text"}},  # type: ignore[arg-type]  # as it comes from a config
        ),
        columns={"truth": "gold"},
        where="n > 0",
    )
    rows, tally = read(source, "raw_text", "truth", optional=("model",))
    assert rows == [
        {"id": "1", "raw_text": "x", "truth": None, "model": "m"},
        {"id": "3", "raw_text": "z", "truth": "n/a", "model": None},
    ]
    assert tally["dropped"] == {"filtered": 1}
    assert tally["notes"] == {"truth: texts that mean missing (source.nulls.truth)": 1}


def test_the_condition_of_a_file_and_of_all_hold_together() -> None:
    lines({"id": 1, "n": 1}, {"id": 2, "n": 2}, {"id": 3, "n": 3})
    source = JsonLines(files=(FileEntry("a.jsonl", where="n > 1 OR n < 0"),), where="n < 3")
    assert [row["id"] for row in read(source)[0]] == ["2"]


def test_what_is_refused_of_a_file() -> None:
    lines({"id": 1})
    refused(DataError, JsonLines(files=(FileEntry("a.jsonl", columns={"t": "x"}),)), "source.columns.t: no column 'x'")
    refused(UsageError, JsonLines(files=(FileEntry("a.jsonl", where="x = 1"),)), "source.where: no column 'x'")
    refused(UsageError, JsonLines(files=(FileEntry("a.jsonl", nulls={"x": ("",)}),)), "source.nulls.x: no column 'x'")


def test_a_file_set_is_a_file_entry() -> None:
    source = JsonLines(files=(FileSet("a.jsonl", {"m": 1}),))  # type: ignore[arg-type]  # as others write it
    assert source.files == (FileEntry("a.jsonl", {"m": 1}),)


def test_texts_that_are_lists() -> None:
    put("a.csv", "id,truth,n\n1,Rome / Roma,a\n2,/,b\n3,x,c\n")
    rows, _ = read(DelimitedText(path="a.csv", split={"truth": "/"}, where="truth <> 'x'"), "truth")
    assert [row["truth"] for row in rows] == [["Rome", "Roma"], []]
    refused(
        UsageError, DelimitedText(path="a.csv", split={"thruth": "/"}), "source.split.thruth", "did you mean 'truth'"
    )
    with pytest.raises(UsageError, match=r"split\.truth: expected the text between the parts"):
        DelimitedText(path="a.csv", split={"truth": ""})
