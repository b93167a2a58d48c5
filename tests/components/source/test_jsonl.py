"""JSON Lines: rows and ids, strictly JSON, torn tails, compressed files, blocks."""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest
from files_read import lines, put, read, refused

from auditfw.components.files import zstd
from auditfw.components.files.formats import blocks
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import JsonLinesSource
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")


def packed(suffix: str, content: bytes) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content, mtime=0)
    return zstd.library().compress(content)


def test_jsonl_rows_and_ids() -> None:
    path = lines({"id": 7, "t": "x"}, {"id": "b", "n": 1.5})
    rows, tally = read(JsonLines(path=path), "t", optional=("n", "nowhere"))
    assert rows == [{"id": "7", "t": "x", "n": None}, {"id": "b", "t": None, "n": 1.5}]
    assert list(tally["notes"]) == ["a.jsonl: ids are numbers in some records and text in others; compared as text"]
    assert tally["evidence"].columns == ("id", "t", "n")
    [found] = tally["evidence"].inputs()
    assert (found.path, found.bytes) == ("a.jsonl", os.path.getsize("a.jsonl"))


DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"a": 1, "a": 2}', "duplicate key in one object"),
        ('{"a": {"b": 1, "b": 2}}', "'b'"),
        ('{"a": 1e999}', "too large"),
        (f'{{"a": {DEEP}}}', "nested too deep"),
        (f'{{"a": {"[" * 501}{"]" * 501}}}', "nested too deep"),
        (f'{{"a": {"9" * 5_000}}}', "too many digits"),
        ('{"a": 1,}', "trailing comma"),
        ('{"a": 1} // x', "not JSON"),
        ('{"a": // x', "comments are not JSON"),
        ('{"a": /* x */ 1}', "comments are not JSON"),
        ('{"a": # x', "comments are not JSON"),
        ('{"a": /x', "write a text in quotes"),
        ("{'a': 1}", "not JSON"),
        ('"text"', "expected an object, got text"),
        ("nope", "not JSON"),
    ],
    ids=range(15),
)
def test_strict_json(line: str, words: str) -> None:
    refused(DataError, JsonLines(path=put("a.jsonl", f'{{"a": 0}}\n{line}\n{{"a": 3}}\n')), "a.jsonl:2", words)
    if line[0] != "n":
        refused(DataError, JsonArray(path=put("a.json", f'[{{"a": 0}},\n{line}\n,{{"a": 3}}]')), "a.json:2")


def test_lenient_where_it_is_harmless() -> None:
    put("a.jsonl", '\ufeff{"id": "\u2028"}\r\n\r\n  \n{"id": 123456789012345678901234567890}\n{"id": "\\ud83d\\ude00"}')
    assert [row["id"] for row in read(JsonLines(path="a.jsonl"))[0]] == [
        "\u2028",
        "123456789012345678901234567890",
        "😀",
    ]


def test_lone_surrogates_and_bytes_are_replaced_and_counted() -> None:
    put("a.jsonl", b'{"id": 1, "t": "a\\ud800b"}\n{"id": 2, "t": "\xff\xe9"}\n{"id": 3, "t": "\xff"}\n')
    rows, tally = read(JsonLines(path="a.jsonl"), "t")
    assert [row["t"] for row in rows] == ["a\ufffdb", "\ufffd\ufffd", "\ufffd"]
    assert tally["notes"] == {
        "a.jsonl: half a surrogate pair, read as U+FFFD (first: line 1)": 1,
        "a.jsonl: bytes that are not utf-8, read as U+FFFD (first: line 2)": 2,
    }
    assert read(JsonLines(path=put("b.jsonl", b'{"t": "\xe9"}\n'), encoding="latin-1"), "t")[0][0]["t"] == "é"


def test_torn_tail() -> None:
    put("a.jsonl", '{"id": 1}\n{"id": 2, "t": "abc')
    words = ("a.jsonl:2: the last line is cut off", "source.tolerate_torn_tail=true")
    refused(DataError, JsonLines(path="a.jsonl"), *words)
    rows, tally = read(JsonLines(path="a.jsonl", tolerate_torn_tail=True))
    assert ([row["id"] for row in rows], tally["dropped"]) == (["1"], {"malformed": 1})
    put("b.jsonl", '{"id": 1}\n{"id": 2, "t": "abc\n{"id": 3}\n')
    refused(DataError, JsonLines(path="b.jsonl", tolerate_torn_tail=True), "b.jsonl:2", "not JSON")


@pytest.mark.parametrize(
    ("name", "content", "source", "words"),
    [
        ("a.jsonl", b'[{"a": 1}]', JsonLines, "source=json"),
        ("a.jsonl", b'[\n {"a": 1}\n]', JsonLines, "source=json"),
        ("a.jsonl", b'{\n "a": 1\n}', JsonLines, "source=json"),
        ("a.json", b'{"a": 1}\n{"a": 2}\n', JsonArray, "source=jsonl"),
        ("a.json", b'{"rows": [{"a": 1}]}', JsonArray, "source.records=rows"),
        ("a.json", b'[{"a": 1}', JsonArray, "cut off"),
        ("a.json", b'[{"a": 1}, {"a": "x', JsonArray, "cut off"),
        ("a.json", b'[{"a": 1},]', JsonArray, "trailing comma"),
        ("a.json", b'[{"a": 1}] x', JsonArray, "more after the end"),
        ("a.json", b"[1, 2]", JsonArray, "expected an object"),
        ("a.json", b'"x"', JsonArray, "expected a JSON array"),
        ("a.jsonl", gzip.compress(b'{"a": 1}\n', mtime=0), JsonLines, "gzip-compressed"),
        ("a.jsonl.gz", b'{"a": 1}\n', JsonLines, "is not gzip-compressed"),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 999, mtime=0)[:-12], JsonLines, "cut off"),
        ("a.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 999, mtime=0)[:20] + b"junk" * 9, JsonLines, "decompress"),
        ("a.jsonl", "{}".encode("utf-16"), JsonLines, "UTF-16"),
        ("a.csv", "a,b\n".encode("utf-16"), DelimitedText, "source.encoding=utf-16"),
        ("a.jsonl", b"SQLite format 3\0....", JsonLines, "source=sqlite"),
        ("a.csv", b"PAR1....", DelimitedText, "source=parquet"),
        ("a.csv", b"PK\x03\x04....", DelimitedText, "unpack"),
        ("a.parquet", b"a,b\n", Parquet, "not a Parquet file"),
        ("a.parquet", b"PAR1 broken PAR1", Parquet, "cannot be read as Parquet"),
    ],
    ids=range(22),
)
def test_wrong_kind_of_file(name: str, content: bytes, source: Any, words: str) -> None:
    refused(DataError, source(path=put(name, content)), name, words)


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compressed(suffix: str) -> None:
    content = b"".join(b'{"id": %d}\n' % n for n in range(5_000))
    rows, tally = read(
        JsonLines(path=put(f"a.jsonl{suffix}", packed(suffix, content) + packed(suffix, b'{"id": 5000}')))
    )
    assert [row["id"] for row in rows] == [str(n) for n in range(5_001)]
    assert tally["tasks"] > 1


def test_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from auditfw.components.files import files

    monkeypatch.setattr(files, "FREE_OUTPUT", 1 << 20)
    path = put("a.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 1_000_000, mtime=0))
    refused(DataError, JsonLines(path=path), "a.jsonl.gz", "more than is plausible")
    monkeypatch.setattr(blocks, "LARGEST_RECORD", 1_000)
    refused(DataError, JsonLines(path=put("b.jsonl", b" " * 600_000)), "b.jsonl", "too long")


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_cut_off_compressed_tail_may_be_dropped(suffix: str) -> None:
    random = Random(1)
    content = "".join(f'{{"id": {n}, "t": "{random.randbytes(8).hex()}"}}\n' for n in range(30_000)).encode()
    path = put(f"a.jsonl{suffix}", packed(suffix, content)[:-90_000])
    refused(DataError, JsonLines(path=path), path, "cut off")
    rows, tally = read(JsonLines(path=path, tolerate_torn_tail=True))
    assert [row["id"] for row in rows] == [str(n) for n in range(len(rows))]
    assert 10_000 < len(rows) < 30_000
    assert tally["dropped"]["malformed"] <= 1


@pytest.mark.parametrize(
    ("name", "limit", "known"), [("a.jsonl", None, True), ("a.jsonl", 1, False), ("a.jsonl.gz", None, False)]
)
def test_reading_sums_the_file(
    name: str, limit: int | None, known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has read every record of a plain file need not read it again for its checksum."""
    path = tmp_path / name
    data = b"".join(b'{"id": %d, "raw_text": "x"}\n' % i for i in range(5_000))
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    source = JsonLinesSource(path=str(path), limit=limit)
    evidence = source.open(["raw_text"], [])
    assert source.summed is known
    assert sum(len(task().columns["id"]) for task in evidence.tasks) == (limit or 5_000)
    sums = hashlib.sha256(path.read_bytes()).hexdigest()
    if known:
        monkeypatch.setattr(hashlib, "file_digest", None)
    assert [one.sha256 for one in evidence.inputs()] == [sums]
