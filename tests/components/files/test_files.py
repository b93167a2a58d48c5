"""Files: which are there, which are empty, and how many rows they have."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from files_read import lines, put, read, refused

from auditfw.commands.check import check
from auditfw.components.files.file_settings import FileSet, Unpivot
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import FrameSource
from auditfw.components.source.sqlite import Sqlite
from auditfw.core.errors import DataError, NothingAudited, UsageError

pytestmark = pytest.mark.usefixtures("here")


def test_an_empty_file_among_others_is_told_and_not_fatal() -> None:
    put("a.csv", "id,t\n1,x\n")
    put("b.csv", "")
    put("c.csv", "id,t\n")
    put("d.csv", "id,t\n2,y\n")
    rows, tally = read(DelimitedText(files=tuple(FileSet(f"{name}.csv") for name in "abcd")), "t")
    assert [row["id"] for row in rows] == ["1", "2"]
    assert tally["evidence"].warnings == ("2 of 4 files hold no record: b.csv, c.csv",)
    assert [one.path for one in tally["evidence"].inputs()] == ["a.csv", "b.csv", "c.csv", "d.csv"]
    refused(NothingAudited, DelimitedText(files=(FileSet("b.csv"), FileSet("b.csv"))), "b.csv", "is empty")
    refused(NothingAudited, DelimitedText(path="b.csv"), "b.csv: is empty")


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".parquet", ".jsonl.gz", ".db"])
def test_many_empty_files_of_every_format(suffix: str) -> None:
    names = [f"f{n}{suffix}" for n in range(300)]
    for name in names:
        put(name, "")
    row = {"id": 1, "t": "x"}
    kind: Any = {".json": JsonArray, ".parquet": Parquet, ".db": Sqlite}.get(suffix, JsonLines)
    if suffix == ".parquet":
        pl.DataFrame([row]).write_parquet(names[7])
    elif suffix == ".db":
        Path(names[7]).unlink()
        with closing(sqlite3.connect(names[7])) as db:
            db.execute("CREATE TABLE t AS SELECT 1 AS id, 'x' AS t")
            db.commit()
    else:
        text = json.dumps([row] if suffix == ".json" else row).encode()
        put(names[7], gzip.compress(text) if suffix.endswith(".gz") else text)
    more = {"query": "SELECT * FROM t"} if suffix == ".db" else {}
    rows, tally = read(kind(files=tuple(map(FileSet, names)), **more), "t")
    assert [row["t"] for row in rows] == ["x"]
    [told] = tally["evidence"].warnings
    assert told.startswith(f"299 of 300 files hold no record: f0{suffix}, ")
    assert told.endswith(" and 294 more")


def uneven(count: int, longest: int, seed: int) -> list[dict[str, Any]]:
    """Rows of very uneven length: short ones first, long ones later."""
    random = Random(seed)
    return [{"id": n, "t": "x" * random.randrange(1, 4 if n < count // 2 else longest)} for n in range(count)]


@pytest.mark.parametrize("count", [0, 1, 120, 1_000, 1_001, 2_500])
@pytest.mark.parametrize("use", ["jsonl", "jsonl.gz", "json", "json.gz", "csv", "parquet", "records", "db"])
def test_rows_of_a_short_file_are_counted(count: int, use: str) -> None:
    rows = [{"id": -1, "t": "\n\n"}, *uneven(count, 300, 1)]
    text = "".join(json.dumps(row) + "\n\n" for row in rows)
    array = json.dumps({"about": "y" * 5_000, "rows": rows}, indent=2)
    table = "id,t\n" + "".join(f'{row["id"]},"{row["t"]}"\n' for row in rows)
    name = f"a.{use}"
    source: Any
    if use.startswith("json"):
        content = (text if "jsonl" in use else array).encode()
        put(name, gzip.compress(content) if use.endswith(".gz") else content)
        source = JsonLines(path=name) if "jsonl" in use else JsonArray(path=name, records="rows")
    elif use == "csv":
        source = DelimitedText(path=put(name, table))
    elif use == "db":
        with closing(sqlite3.connect(name)) as db:
            db.execute("CREATE TABLE t (id, t)")
            db.executemany("INSERT INTO t VALUES (?, ?)", [tuple(row.values()) for row in rows])
            db.commit()
        source = Sqlite(path=name, query="SELECT * FROM t -- all of them\n;")
    else:
        frame = pl.DataFrame(rows)
        frame.write_parquet(name)
        source = Parquet(path=name) if use == "parquet" else FrameSource(frame=rows)
    size = str(source.open(["t"], ()).counted())
    assert size == f"{count + 1:,}" or (count > 900 and use not in ("parquet", "records") and size.startswith("about "))


def test_rows_of_several_files_up_to_a_limit_and_of_several_a_record() -> None:
    names = [lines(*uneven(count, 900, count), name=f"{count}.jsonl") for count in (3, 700, 40)]
    files = tuple(map(FileSet, names))
    assert str(JsonLines(files=files, duplicates="all").open(["t"], ()).counted()) == "743"
    assert str(JsonLines(files=files, duplicates="all", limit=50).open(["t"], ()).counted()) == "50"
    turn = Unpivot("side", ("a", "b"), {"raw_text": "t"})
    assert str(JsonLines(files=files, duplicates="all", unpivot=turn).open(["t"], ()).counted()) == "1,486"


def test_check_counts_the_rows_of_an_array_in_a_large_document(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": n, "raw_text": "Paris", "ground_truth": "Paris", "events": ["é" * (n % 700)]} for n in range(120)]
    put("a.json", json.dumps({"header": "z" * 40_000, "samples": rows}, indent=1))
    assert check(["by=[]", "source=json", "source.path=a.json", "source.records=samples"]) == 0
    told = capsys.readouterr().out
    assert "rows: 120\n" in told
    assert "labels to compute: 120 rows x 5 readings\n" in told


def test_files_not_there() -> None:
    put("trials.jsonl", "{}")
    os.mkdir("folder")
    os.mkfifo("pipe")
    refused(UsageError, JsonLines(), "source.path: not set")
    refused(DataError, JsonLines(path="trails.jsonl"), "trails.jsonl: no such file", "'trials.jsonl'")
    refused(DataError, JsonLines(path="nowhere/a.jsonl"), "there is no folder nowhere")
    refused(DataError, JsonLines(path="folder"), "folder: is a folder")
    refused(DataError, JsonLines(path="pipe"), "pipe: is not a regular file (a fifo)")
    refused(NothingAudited, JsonLines(path=put("empty.jsonl", "\n")), "empty.jsonl", "no record")
    refused(NothingAudited, DelimitedText(path=put("empty.csv", "a,b\n")), "empty.csv", "no record")


def test_a_changed_file_is_noticed() -> None:
    evidence = JsonLines(path=lines({"id": 1})).open((), None)
    evidence.check()
    lines({"id": 1}, {"id": 2})
    with pytest.raises(DataError, match=r"a\.jsonl: changed"):
        evidence.check()
    os.remove("a.jsonl")
    with pytest.raises(DataError, match=r"a\.jsonl: vanished"):
        evidence.check()
