"""All formats alike: what goes in comes out."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing

import polars as pl
import pytest
from files_read import QUIET, TEXTS, put, read
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import FrameSource
from auditfw.components.source.sqlite import Sqlite

pytestmark = pytest.mark.usefixtures("here")


RECORDS = st.lists(st.fixed_dictionaries({"t": TEXTS, "u": TEXTS}), min_size=1, max_size=12)


@QUIET
@given(records=RECORDS, ascii_only=st.booleans())
def test_round_trip(records: list[dict[str, str]], ascii_only: bool) -> None:
    wanted = [{"id": str(n), **record} for n, record in enumerate(records, 1)]
    texts = [json.dumps(record, ensure_ascii=ascii_only) for record in records]
    put("a.jsonl", "\n".join(texts))
    put("a.json", json.dumps(records, ensure_ascii=ascii_only, indent=1))
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, ["t", "u"], quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(records)
    put("a.csv", buffer.getvalue())
    pl.DataFrame(records).write_parquet("a.parquet")
    with closing(sqlite3.connect("a.db")) as db:
        db.executescript("DROP TABLE IF EXISTS r; CREATE TABLE r (t TEXT, u TEXT)")
        db.executemany("INSERT INTO r VALUES (:t, :u)", records)
        db.commit()
    sources = [
        JsonLines(path="a.jsonl"),
        JsonArray(path="a.json"),
        DelimitedText(path="a.csv"),
        Parquet(path="a.parquet"),
    ]
    sources += [
        FrameSource(frame=records),
        FrameSource(frame=pl.DataFrame(records)),
        Sqlite(path="a.db", query="SELECT * FROM r"),
    ]
    for source in sources:
        assert read(source, "t", "u")[0] == wanted, source
