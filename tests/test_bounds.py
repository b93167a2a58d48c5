"""Bounds of what a file may cost: queries end, what decodes to too much is refused before the memory is used."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.files.formats import csv as csv_text
from auditfw.components.files.formats import footers
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.sqlite import Sqlite
from auditfw.config.schema import load
from auditfw.core.errors import DataError, UsageError


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(source: Any) -> list[Any]:
    """The ids of all rows."""
    return [word for task in source.open((), None).tasks for word in task().columns["id"]]


def refused(source: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(source)
    assert str(caught.value).startswith(message), str(caught.value)


# Queries

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
    do = "make it cheaper, or give it more time with source.deadline=SECONDS"
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
    with pytest.raises(UsageError, match="deadline: must be above 0"):
        Sqlite(path="a.db", query="SELECT 1", deadline=0)
    assert read(Sqlite(path="a.db", query="SELECT id FROM r LIMIT 2", deadline=None)) == ["0", "1"]


# What decodes to more than is plausible


def parquet(path: str = "a.parquet", **columns: Any) -> str:
    pl.DataFrame(columns).write_parquet(path, compression="zstd")
    return path


def packed(text: bytes) -> str:
    Path("a.jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
    return "a.jsonl.gz"


LINE = b'{"id": 1, "t": "x"}\n'
BOMBS: dict[str, tuple[str, Callable[[], str], str]] = {
    "gzip": ("jsonl", lambda: packed(LINE * 60_000), "a.jsonl.gz: decompresses to more than is plausible ("),
    "equal numbers": (
        "parquet",
        lambda: parquet(id=range(10), l=[[0] * 12_000] * 10),
        "a.parquet: a row group decodes to more than is plausible (960,",
    ),
    "one long text many times": (
        "parquet",
        lambda: parquet(id=range(2_000), t=["x" * 1_000] * 2_000),
        "a.parquet: the texts of 1,000 rows are longer than is plausible (1,000,000 bytes, where 900,000 are",
    ),
    "texts in lists of structs": (
        "parquet",
        lambda: parquet(id=range(40), t=[[{"a": "x" * 1_000}] * 50] * 40),
        "a.parquet: a row group decodes to more than is plausible (2,0",
    ),
    "bytes": (
        "parquet",
        lambda: parquet(id=range(40), t=[b"x" * 50_000] * 40),
        "a.parquet: the texts of 40 rows are longer than is plausible (2,000,000 bytes",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_decodes_to_too_much_is_refused(name: str) -> None:
    use, make, message = BOMBS[name]
    path = make()
    assert os.path.getsize(path) < 20_000
    refused(load("source", {"use": use, "path": path, "max_decoded": 900_000, "duplicates": "all"}), message)
    assert read(load("source", {"use": use, "path": path, "max_decoded": 50_000_000, "duplicates": "all"}))
    assert read(load("source", {"use": use, "path": path, "duplicates": "all"}))


def test_texts_are_bounded_by_the_size_of_the_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """One long text in many rows is a few bytes of file, and as long as all of them together in Python."""
    source = load("source", {"use": "parquet", "path": parquet(id=range(2_000), t=["x" * 1_000] * 2_000)})
    assert len(read(source)) == 2_000
    monkeypatch.setattr("auditfw.components.files.formats.frames.FREE_TEXTS", 10_000)
    monkeypatch.setattr("auditfw.components.files.files.RATIO", 1)
    refused(source, "a.parquet: the texts of 1,000 rows are longer than is plausible (1,000,000 bytes, where 10,000")


def test_what_a_parquet_file_says_of_itself() -> None:
    parquet(i=[1, 2, 3], f=[0.5] * 3, b=[True] * 3, l=[[1, 2], [], [3]], t=["a", "b", None])
    largest, whole = footers.decoded("a.parquet") or (0, 0)
    assert largest == whole >= 3 * 8 + 3 * 8 + 3 + 3 * 8
    pl.DataFrame({"i": range(10_000)}).write_parquet("b.parquet", row_group_size=1_000)
    largest, whole = footers.decoded("b.parquet") or (0, 0)
    assert (whole >= 80_000, largest < whole / 5) == (True, True)
    flat = {"label": ["a"], "intended.y": [1.0], "params.x": [1.0]}
    source = load("scenarios", {"use": "parquet", "path": parquet(**flat), "max_decoded": 10})
    with pytest.raises(
        DataError, match=r"a\.parquet: a row group decodes to more .* scenarios\.max_decoded=BYTES|source"
    ):
        source.open()


@given(st.binary(max_size=80), st.integers(0, 2**31))
def test_no_footer_is_too_strange(footer: bytes, length: int) -> None:
    for told in (len(footer), length):
        Path("s.parquet").write_bytes(b"PAR1" + footer + told.to_bytes(4, "little") + b"PAR1")
        found = footers.decoded("s.parquet")
        assert found is None or len(found) == 2
    Path("s.parquet").write_bytes(footer)
    footers.decoded("s.parquet")


# Blank lines, long lines


def test_megabytes_of_newlines_take_no_time() -> None:
    rows = [json.dumps({"id": n}) for n in (1, 2)]
    gap = "\n" * 4_000_000
    Path("a.jsonl").write_text(f"{gap}{rows[0]}{gap}{rows[1]}", "utf-8")
    begun = time.monotonic()
    evidence = JsonLines(path="a.jsonl").open((), ("id", "#place"))
    places = [place for task in evidence.tasks for place in task().columns["#place"]]
    assert places == ["a.jsonl:4000001", "a.jsonl:8000001"]
    Path("a.json").write_text(f"{gap}[{gap}{rows[0]},{gap}{rows[1]}]{gap}", "utf-8")
    assert read(load("source", {"use": "json", "path": "a.json"})) == ["1", "2"]
    assert time.monotonic() - begun < 20


def test_blank_lines_of_delimited_text_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_text, "MOST_BLANK", 1_000)
    Path("a.csv").write_text("id\n" + "\n" * 1_000 + "1\n", "utf-8")
    assert read(load("source", {"use": "csv", "path": "a.csv"})) == ["1"]
    Path("a.csv").write_text("id\n" + "\n" * 1_001 + "1\n", "utf-8")
    refused(load("source", {"use": "csv", "path": "a.csv"}), "a.csv:1002: too many blank lines (over 1,000)")


LONG = """
import resource, sys
from auditfw.config.schema import load
from auditfw.core.errors import DataError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    load("source", {"use": sys.argv[1], "path": sys.argv[2]}).open((), None)
except DataError as error:
    print(error)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""
LINES = {  # how a file begins that is one line, and the megabytes that may be taken before it is refused
    "jsonl": ("a.jsonl", b'{"id": "', 60),
    "json": ("a.json", b'[{"id": "', 900),
    "csv": ("a.csv", b"id\n", 900),
}


@pytest.mark.slow
@pytest.mark.parametrize("use", LINES)
def test_a_line_of_a_gigabyte_is_refused_before_it_is_held(use: str) -> None:
    path, start, most = LINES[use]
    with open(path, "wb") as file:
        file.write(start)
        for _ in range(1_024):
            file.write(b"x" * (1 << 20))
    done = subprocess.run([sys.executable, "-c", LONG, use, path], capture_output=True, text=True, check=True)
    os.remove(path)
    message, taken = done.stdout.splitlines()
    assert "too long" in message
    assert int(taken) < most


# The machine


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ulimit")
@pytest.mark.parametrize(
    ("megabytes", "code", "said"),
    [
        (300, 4, "auditfw: error: ulimit -v: 300 MB of address space are too few"),
        *(pytest.param(n, 0, "", marks=[pytest.mark.slow] * (n != 600)) for n in (500, 600, 800, 1000, 1500, 3000)),
    ],
)
def test_a_bounded_address_space_is_enough_or_is_said_to_be_too_small(megabytes: int, code: int, said: str) -> None:
    import resource

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * 1_000_000,) * 2)

    words = ["report=[]", "engine.workers=1"]
    done = subprocess.run(
        [sys.executable, "-m", "auditfw", *words], preexec_fn=bound, timeout=120, check=False, capture_output=True,
        text=True,
    )  # fmt: skip
    assert (done.returncode, done.stderr[: len(said) or None]) == (code, said), done.stderr
    assert done.stderr.count("\n") == (code != 0)
