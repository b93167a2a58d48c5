"""Queries without an end are ended, and the time that others take does not count."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing

import pytest
from bounded_reading import read, refused

from auditfw.components.source.sqlite import Sqlite
from auditfw.core.errors import UsageError

pytestmark = pytest.mark.usefixtures("here")


NUMBERS = "WITH RECURSIVE c (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c) "
ENDLESS = {
    "no row ever": "SELECT count(*) AS id FROM c",
    "rows for ever": "SELECT id FROM c",
    "later rows never": "SELECT id FROM c WHERE id < 1500",
    "a join": "SELECT a.id FROM c AS a JOIN c AS b ON b.id < 0",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_an_endless_query_ends(name: str) -> None:
    with closing(sqlite3.connect("a.db")) as db:
        db.execute("CREATE TABLE r (id)")
    begun = time.monotonic()
    do = "simplify it, or give it more time with source.deadline=SECONDS"
    source = Sqlite(path="a.db", query=NUMBERS + ENDLESS[name], deadline=0.2)
    refused(source, f"a.db: the query takes too long (over 0.2 s) - {do}")
    assert time.monotonic() - begun < 20


def test_the_time_that_others_take_does_not_count() -> None:
    with closing(sqlite3.connect("a.db")) as db:
        db.execute("CREATE TABLE r (id)")
        db.executemany("INSERT INTO r VALUES (?)", [(n,) for n in range(9_000)])
        db.commit()
    tasks = iter(Sqlite(path="a.db", query="SELECT id FROM r", deadline=0.5, duplicates="all").open((), None).tasks)
    next(tasks)
    time.sleep(0.8)
    assert len(list(tasks)) == 4
    with pytest.raises(UsageError, match="deadline: expected a number above 0"):
        Sqlite(path="a.db", query="SELECT 1", deadline=0)
    assert read(Sqlite(path="a.db", query="SELECT id FROM r LIMIT 2", deadline=None)) == ["0", "1"]
