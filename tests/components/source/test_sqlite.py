"""SQLite: rows, queries and files that are refused, schemas, locks."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from files_read import database, put, read, refused

from auditfw.components.source.sqlite import Sqlite
from auditfw.core.errors import DataError, NothingAudited, UsageError

pytestmark = pytest.mark.usefixtures("here")


def test_sqlite_rows() -> None:
    path = database("a %?#.db")
    rows, _ = read(
        Sqlite(path=path, query="WITH q AS (SELECT * FROM r) SELECT id, upper(t) AS t FROM q ORDER BY id DESC"), "t"
    )
    assert rows == [{"id": "2", "t": None}, {"id": "1", "t": "X"}]
    assert sorted(os.listdir()) == [path]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (None, ["source.query: not set", "r"]),
        ("SELECT 1; SELECT 2", ["one SELECT"]),
        ("ATTACH 'b.db' AS b", ["one SELECT"]),
        ("PRAGMA user_version", ["one SELECT"]),
        ("DELETE FROM r", ["one SELECT"]),
        ("CREATE TABLE x (a)", ["one SELECT"]),
        ("SELECT load_extension('x')", ["one SELECT"]),
        ("SELECT * FROM v", ["one SELECT"]),
        ("SELECT * FROM rr", ["no such table", "'r'"]),
        ("SELECT nope FROM r", ["no such column"]),
        ("SELEKT", ["source.query"]),
        ("-- nothing", ["is not a SELECT"]),
        ("SELECT id, t AS id FROM r", ["two columns of the same name"]),
    ],
)
def test_sqlite_queries_refused(query: str | None, words: list[str]) -> None:
    path = database(script="CREATE TABLE r (id, t); INSERT INTO r VALUES (1, 'x'); CREATE VIEW v AS SELECT * FROM r")
    refused(UsageError, Sqlite(path=path, query=query), "source.query", *words)
    assert os.listdir() == [path]


def test_sqlite_files_refused() -> None:
    refused(DataError, Sqlite(path="b.db", query="SELECT 1"), "b.db: no such file")
    assert not os.path.exists("b.db")
    refused(DataError, Sqlite(path=put("c.db", "text"), query="SELECT 1"), "c.db: is not an SQLite database")
    refused(NothingAudited, Sqlite(path=database(), query="SELECT * FROM r WHERE id > 9"), "no row", "id > 9")
    whole = Path(
        database("d.db", "CREATE TABLE r (id, t); INSERT INTO r VALUES (1, hex(zeroblob(90000)))")
    ).read_bytes()
    refused(DataError, Sqlite(path=put("e.db", whole[:8_192]), query="SELECT * FROM r"), "e.db", "damaged")


FUNCTIONS = {
    "an index": "CREATE TABLE r (id, t, j); CREATE INDEX i ON r (json_extract(j, '$.a'))",
    "an operator in an index": "CREATE TABLE r (id, t, j); CREATE INDEX i ON r (j ->> '$.a', t DESC)",
    "a partial index": "CREATE TABLE r (id, t, j); CREATE UNIQUE INDEX i ON r (t) WHERE json_extract(j, '$.a') > 0",
    "a generated column": "CREATE TABLE r (id, t, j, g AS (json_extract(j, '$.a')))",
    "a stored column": "CREATE TABLE r (id, t, j, g AS (json_array_length(j)) STORED)",
    "a check": "CREATE TABLE r (id, t, j CHECK (json_valid(j)))",
    "a default": "CREATE TABLE r (id, t, j DEFAULT (json_array()))",
    "a view": "CREATE TABLE r (id, t, j); CREATE VIEW v AS SELECT json_extract(j, '$.a') AS a FROM r",
    "a trigger": "CREATE TABLE r (id, t, j);"
    " CREATE TRIGGER g AFTER INSERT ON r BEGIN SELECT json_extract(new.j, '$.a'); END",
    "another table": "CREATE TABLE r (id, t, j); CREATE TABLE s (j, g AS (json_type(j)) VIRTUAL)",
    "an unknown function": "CREATE TABLE r (id, t, j); CREATE INDEX i ON r (mine(t))",
    "an unknown function of a column": "CREATE TABLE r (id, t, j, g AS (mine(t)))",
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("log", [False, True])
def test_sqlite_functions_in_the_schema_are_no_damage(name: str, log: bool) -> None:
    """Some versions of SQLite refuse their own JSON functions in a schema that is not trusted."""
    with closing(sqlite3.connect("a.db")) as db:
        db.create_function("mine", 1, str, deterministic=True)
        db.executescript(("PRAGMA journal_mode = WAL;" if log else "") + FUNCTIONS[name])
        db.execute("""INSERT INTO r (id, t, j) VALUES (1, 'x', '{"a": 7}')""")
        db.commit()
        query = "SELECT id, t, json_extract(j, '$.a') AS a FROM r"
        assert read(Sqlite(path="a.db", query=query), "t", "a")[0] == [{"id": "1", "t": "x", "a": 7}]
        if name == "a view":
            refused(UsageError, Sqlite(path="a.db", query="SELECT a FROM v"), "only one SELECT over tables is allowed")
        if name.startswith("a generated"):
            assert read(Sqlite(path="a.db", query="SELECT id, g FROM r"), "g")[0] == [{"id": "1", "g": 7}]


SCHEMAS = [
    (
        "CREATE TABLE r (id, g AS (mine(id)))",
        "r",
        "computed by a function that SQLite does not have (unknown function: mine())",
    ),
    (
        "CREATE TABLE r (id COLLATE mine)",
        "r ORDER BY id",
        "a collation (an order of texts) that SQLite does not have (no such collation sequence",
    ),
    (
        "CREATE TABLE r (id)",
        "r WHERE json_extract(id, '$.a')",
        "not JSON where the query expects JSON (malformed JSON)",
    ),
    ("CREATE TABLE r (id); CREATE INDEX i ON r (id)", "r", "cannot read the definition of 'i' in it (near "),
]


@pytest.mark.parametrize(("script", "asked", "words"), SCHEMAS)
def test_sqlite_schemas_that_cannot_be_read_are_no_damage(script: str, asked: str, words: str) -> None:
    with closing(sqlite3.connect("a.db")) as db:
        db.create_function("mine", 1, str, deterministic=True)
        db.create_collation("mine", lambda a, b: (a > b) - (a < b))
        db.executescript(f"{script}; INSERT INTO r (id) VALUES ('no JSON')")
        if "INDEX" in script:  # as a later version of SQLite may write it
            change = "UPDATE sqlite_master SET sql = 'CREATE INDEX i ON r (id) FUTURE' WHERE name = 'i'"
            db.executescript(f"PRAGMA writable_schema = ON; {change}")
        db.commit()
    with pytest.raises(DataError, match=re.escape(words)) as caught:
        read(Sqlite(path="a.db", query=f"SELECT * FROM {asked}"))
    assert "damaged" not in str(caught.value)
    assert caught.value.do


def test_sqlite_text_that_is_not_utf8() -> None:
    path = database(script="CREATE TABLE r (id, t); INSERT INTO r VALUES (1, CAST(x'41ff' AS TEXT)), (2, x'42')")
    rows, tally = read(Sqlite(path=path, query="SELECT * FROM r"), "t")
    assert [row["t"] for row in rows] == ["A\ufffd", "B"]
    assert list(tally["notes"].values()) == [1]


def test_sqlite_write_ahead_log() -> None:
    with closing(sqlite3.connect("a.db")) as db:
        db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE r (id); INSERT INTO r VALUES (1)")
        db.commit()
        rows, tally = read(Sqlite(path="a.db", query="SELECT * FROM r"))
        assert (len(rows), tally["evidence"].warnings) == (1, ())
    before = sorted(os.listdir())
    rows, tally = read(Sqlite(path="a.db", query="SELECT * FROM r"))
    assert len(rows) == 1
    assert "write-ahead log" in tally["evidence"].warnings[0]
    assert sorted(os.listdir()) == before == ["a.db"]


def test_sqlite_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("auditfw.components.files.database.PATIENCE", 0.05)
    with closing(sqlite3.connect(database(), isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        refused(DataError, Sqlite(path="a.db", query="SELECT * FROM r"), "a.db: is locked")
