"""Files that people filled in: every form gives the same rows, and what cannot be read says where."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from auditfw.components.files.filled_rows import filled_rows
from auditfw.core.errors import DataError

ROWS = [{"key": "k1", "label": "right", "note": "=1+1"}, {"key": "k2", "label": "", "note": 'two\nlines, "q"'}]
LABEL_STUDIO = [
    {"data": {"key": "k1"}, "annotations": [{"completed_by": 7, "result": [{"value": {"choices": ["right"]}}]}]},
    {"data": {"key": "k2"}, "annotations": [{"completed_by": {"email": "a@b"}, "was_cancelled": True, "result": []}]},
    {"data": {"key": "k3"}, "annotations": [
        {"completed_by": {"id": 3}, "result": [{"value": {"text": ["x"]}}, {"value": {"choices": ["wrong"]}}]},
        {"completed_by": "dora", "result": []}]},
    {"data": {"key": "k4"}, "annotations": []},
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'key,label,note\nk1,right,\'=1+1\nk2,,"two\nlines, ""q"""\n'),
        ("a.csv", '\ufeffkey;label;note\r\nk1;right;\'=1+1\r\nk2;;"two\nlines, ""q"""\r\n'),
        ("a.tsv", 'key\tlabel\tnote\nk1\tright\t=1+1\n\nk2\t\t"two\nlines, ""q"""'),
        ("a.jsonl", "".join(json.dumps(row) + "\n\n" for row in ROWS)),
        ("a.json", json.dumps([ROWS[0], {**ROWS[1], "label": None}])),
    ],
)
def test_every_form_gives_the_same(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(text.encode())
    assert [row for _, row in filled_rows(str(tmp_path / name))] == ROWS


def test_parquet_numbers_and_truths_are_texts(tmp_path: Path) -> None:
    pl.DataFrame({"key": ["k1", "k2"], "label": [True, None], "n": [1, 2]}).write_parquet(tmp_path / "a.parquet")
    rows = list(filled_rows(str(tmp_path / "a.parquet")))
    assert rows == [(1, {"key": "k1", "label": "true", "n": "1"}), (2, {"key": "k2", "label": "", "n": "2"})]


def test_lines_are_where_rows_begin(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('key,note\nk1,"two\nlines"\n\nk2,x\n')
    assert [at for at, _ in filled_rows(str(tmp_path / "a.csv"))] == [2, 5]


def test_label_studio(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(LABEL_STUDIO))
    rows = [(at, row["key"], row["label"], row["labeller"]) for at, row in filled_rows(str(tmp_path / "a.json"))]
    assert rows == [(1, "k1", "right", "7"), (2, "k2", "", "a@b"), (3, "k3", "wrong", "3"), (3, "k3", "", "dora")]


@pytest.mark.parametrize(
    ("name", "data", "where", "what"),
    [
        ("a.csv", b"", "a.csv", "is empty"),
        ("a.csv", b"key,label\nk1,right\nk2\n", "a.csv:3", "expected 2 cells"),
        ("a.csv", b'key,label\nk1,"x" y\n', "a.csv:2", "is no row of CSV"),
        ("a.csv", b"key\n\xff\n", "a.csv", "is not UTF-8 text"),
        ("a.jsonl", b'{"key": "k1"}\n{"key"\n', "a.jsonl:2", "is not JSON"),
        ("a.jsonl", b"[1]\n", "a.jsonl:1", "expected an object"),
        ("a.json", b'{"key": "k1"}', "a.json", "expected a list of tasks"),
        ("a.json", b'[{"annotations": []}]', "a.json: task 1: data", "expected an object"),
        ("a.json", b'[{"data": {}, "annotations": [3]}]', "a.json: task 1: annotations", "expected an object"),
        ("a.parquet", b"PAR1", "a.parquet", "is no Parquet table"),
        ("b.csv", None, "b.csv", "no such file"),
        ("b.parquet", None, "b.parquet", "no such file"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, data: bytes | None, where: str, what: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(DataError) as caught:
        list(filled_rows(str(tmp_path / name)))
    assert (caught.value.where, caught.value.what) == (f"{tmp_path}/{where}", what)


def test_the_labels_that_are_shipped() -> None:
    words = Counter(row["label"] for _, row in filled_rows("sample:vivarium_behavioral/labels.csv"))
    assert words == {"right": 84, "wrong": 13, "cannot_tell": 3}
