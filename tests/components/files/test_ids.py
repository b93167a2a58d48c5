"""Ids of records: of several columns, refused, offered where they repeat."""

from __future__ import annotations

import json
import shlex
import sqlite3
from contextlib import closing
from typing import Any

import polars as pl
import pytest
from files_read import lines, put, read, refused

import auditfw
from auditfw.components.files.file_settings import FileSet, Unpivot
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import FrameSource
from auditfw.components.source.sqlite import Sqlite
from auditfw.core.errors import AuditError, DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")


DOCUMENTS = [
    {"doc_id": 0, "filter": "strict", "m": {"name": "a"}},
    {"doc_id": 0, "filter": "loose", "m": {"name": "a"}},
    {"doc_id": 1, "filter": "strict", "m": {"name": "b"}},
]


@pytest.mark.parametrize(
    ("columns", "ids"),
    [
        ({"id": "{doc_id}/{filter}"}, ["0/strict", "0/loose", "1/strict"]),
        ({"id": "{m.name}:{doc_id}-{filter}!"}, ["a:0-strict!", "a:0-loose!", "b:1-strict!"]),
        ({"id": "{item}/{variant}", "item": "doc_id", "variant": "filter"}, ["0/strict", "0/loose", "1/strict"]),
        ({"id": "{doc_id}/{#}"}, ["0/1", "0/2", "1/3"]),
        ({"id": "#", "pair": "{filter}{doc_id}"}, ["1", "2", "3"]),
    ],
)
def test_composite_ids(columns: dict[str, str], ids: list[str]) -> None:
    rows, _ = read(
        JsonLines(path=lines(*DOCUMENTS), columns=columns), "filter" if "variant" not in columns else "variant"
    )
    assert [row["id"] for row in rows] == ids


def test_composite_ids_of_every_source() -> None:
    flat = [{"doc_id": row["doc_id"], "filter": row["filter"]} for row in DOCUMENTS]
    put("a.json", json.dumps({"rows": flat}))
    put("a.csv", "doc_id,filter\n" + "".join(f"{row['doc_id']},{row['filter']}\n" for row in flat))
    pl.DataFrame(flat).write_parquet("a.parquet")
    with closing(sqlite3.connect("a.db")) as db:
        db.execute("CREATE TABLE t (doc_id, filter)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [tuple(row.values()) for row in flat])
        db.commit()
    columns = {"id": "{doc_id}/{filter}"}
    sources = [
        JsonLines(path=lines(*flat), columns=columns), JsonArray(path="a.json", records="rows", columns=columns),
        DelimitedText(path="a.csv", columns=columns), Parquet(path="a.parquet", columns=columns),
        Sqlite(path="a.db", query="SELECT * FROM t", columns=columns), FrameSource(frame=flat, columns=columns),
    ]  # fmt: skip
    for source in sources:
        assert [row["id"] for row in read(source)[0]] == ["0/strict", "0/loose", "1/strict"], source


def test_composite_ids_with_files_unpivoted_and_filtered() -> None:
    lines({"k": 1}, {"k": 2}, name="a.jsonl")
    lines({"k": 1}, {"k": 2}, name="b.jsonl")
    files = (FileSet("a.jsonl", {"run": "x"}), FileSet("b.jsonl", {"run": "y"}))
    rows, _ = read(JsonLines(files=files, columns={"id": "{run}/{k}"}, where="id <> 'y/2'"), "k")
    assert [row["id"] for row in rows] == ["x/1", "x/2", "y/1"]
    turn = Unpivot("side", ("p", "q"), {"raw_text": "{value}", "id": "{k}/{side}"})
    path = lines({"k": 1, "p": "x", "q": "y"}, name="c.jsonl")
    assert [row["id"] for row in read(JsonLines(path=path, unpivot=turn), "raw_text")[0]] == ["1/p", "1/q"]


def test_a_column_whose_name_has_braces_is_that_column() -> None:
    assert read(JsonLines(path=lines({"{a}": 7}), columns={"id": "{a}"}))[0][0]["id"] == "7"


@pytest.mark.parametrize(
    ("kind", "columns", "words"),
    [
        (DataError, {"id": "{doc}/{filter}"}, ["source.columns.id: no column 'doc' in a.jsonl", "found: doc_id"]),
        (
            UsageError,
            {"id": "{doc_id/{filter}"},
            ["source.columns.id", "expected the name of a column in braces", "{NAME}"],
        ),
        (UsageError, {"id": "{}"}, ["expected the name of a column in braces"]),
        (UsageError, {"id": "{x}/{filter}", "x": "{doc_id}"}, ["'x' is itself composed"]),
        (DataError, {"id": "{doc_id}/{late}"}, ["a.jsonl:1", "the id is null"]),
        (DataError, {"id": "{m}/{filter}"}, ["a.jsonl:1", "the id is null"]),
    ],
)
def test_composite_ids_refused(kind: type[AuditError], columns: dict[str, str], words: list[str]) -> None:
    path = lines(*DOCUMENTS, {"doc_id": 9, "filter": "x", "late": 1})
    refused(kind, JsonLines(path=path, columns=columns), *words)


def test_composite_ids_of_judgements() -> None:
    rows = [{"qid": "q", "epoch": n, "scholar": {"label": "VALID"}, "auditor": {"label": "VALID"}} for n in range(2)]
    columns = {"id": "{qid}/{epoch}"}
    done = auditfw.run(
        {"experiment": "cross_agent", "source": {"use": "pairs", "path": lines(*rows), "columns": columns}}
    )
    assert done.counts == {"read": 2, "audited": 2}
    for name in ("scholar", "auditor"):
        lines(*({"qid": "q", "epoch": n, "label": "VALID"} for n in range(2)), name=f"{name}.jsonl")
    paths = {"scholar": "scholar.jsonl", "auditor": "auditor.jsonl"}
    done = auditfw.run({"experiment": "cross_agent", "source": {"use": "raters", "paths": paths, "columns": columns}})
    assert done.counts["audited"] == 4


def filtered(*names: str) -> list[dict[str, Any]]:
    return [{"id": n, "filter": name, "acc": (n + k) % 2} for k, name in enumerate(names) for n in range(6)]


REPEATED: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "by filter": (filtered("strict", "loose"), "differ in filter", "6 of 12 rows"),
    "by epoch": ([{"id": n, "epoch": e, "u": f"{n}.{e}"} for e in (1, 2, 4) for n in range(4)], "in epoch", "8 of 12"),
    "by one of an object": ([{"id": n, "c": {"model": m}} for m in "ab" for n in range(4)], "in c.model", "4 of 8"),
    "by two": (
        [{"id": n, "task": t, "model": m} for t in "xy" for m in "ab" for n in range(3)], "in model, task", "9 of 12",
    ),
    "one pair": ([{"id": 1, "split": "a"}, {"id": 1, "split": "b"}, {"id": 2, "split": "a"}], "in split", "1 of 3"),
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_what_is_offered_where_ids_repeat_makes_them_unique(name: str) -> None:
    """The id, and the condition, that are offered are taken as they stand, and nothing is left out as a duplicate."""
    rows, differ, left_out = REPEATED[name]
    path = lines(*rows)
    with pytest.raises(AuditError) as caught:
        read(JsonLines(path=path))
    said = str(caught.value).split("\n")[0]
    assert differ in said
    assert said.index("source.columns.id=") < said.index("source.duplicates=first")
    assert f"source.duplicates=first leaves out {left_out}" in said
    words = shlex.split(said.partition(" write ")[2].partition("; source.duplicates")[0].replace("),", ")").rstrip(","))
    overrides = [word.rstrip(",") for word in words if word.startswith("source.")]
    known = {
        key.removeprefix("source."): value.strip('"') for key, _, value in (word.partition("=") for word in overrides)
    }
    found, tally = read(JsonLines(path=path, columns={"id": known["columns.id"]}))
    assert (len(found), tally["dropped"]) == (len(rows), {})
    if "where" in known:
        ids = [row["id"] for row in read(JsonLines(path=path, where=known["where"]))[0]]
        assert len(set(ids)) == len(ids) > 0


def test_ids_that_repeat_from_file_to_file_or_in_equal_rows() -> None:
    lines({"id": 1, "t": "a"}, {"id": 2, "t": "b"})
    lines({"id": 1, "t": "c"}, {"id": 2, "t": "d"}, name="b.jsonl")
    files = (FileSet("a.jsonl"), FileSet("b.jsonl"))
    with pytest.raises(
        AuditError, match=r"set: \{file: a\}.*columns\.id='\"\{id\}/\{file\}\"'.*first leaves out 2 of 4"
    ):
        read(JsonLines(files=files))
    files = (FileSet("a.jsonl", {"run": 1}), FileSet("b.jsonl", {"run": 2}))
    with pytest.raises(AuditError, match=r"differ in run: write source\.columns\.id='\"\{id\}/\{run\}\"'"):
        read(JsonLines(files=files))
    path = lines({"id": 1, "t": "a"}, {"id": 1, "t": "a"}, name="c.jsonl")
    with pytest.raises(
        AuditError, match=r"rows with the same id are equal: source\.duplicates=first leaves out 1 of 2"
    ):
        read(JsonLines(path=path))
    path = lines({"id": 1, "raw_text": "a", "acc": 0}, {"id": 1, "raw_text": "b", "acc": 1}, name="d.jsonl")
    with pytest.raises(
        AuditError, match=r"source\.columns\.id='#' for the row number; source\.duplicates=first leaves"
    ):
        read(JsonLines(path=path))
