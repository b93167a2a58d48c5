"""Sources: what is read, what is refused and with which words, and that block boundaries change nothing."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pickle
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import auditfw
from auditfw.benchmarks.conformity import write_metadata, write_run
from auditfw.components.files.file_settings import FileSet, JoinSettings, Unpivot
from auditfw.components.files.formats import blocks, jsonl
from auditfw.components.files.formats import json as json_array
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.conformity import Conformity
from auditfw.components.source.frame import FrameSource
from auditfw.components.source.sqlite import Sqlite
from auditfw.config.schema import load
from auditfw.core.errors import AuditError, DataError, IncompleteError, NothingAudited, UsageError


def read(source: Any, *required: str, optional: tuple[str, ...] | None = None) -> tuple[list[dict[str, Any]], Any]:
    """All rows of a source as records, and the tallies; every task goes through pickle."""
    evidence = source.open(list(required), optional)
    rows: list[dict[str, Any]] = []
    tally = {"dropped": Counter(), "notes": Counter(), "evidence": evidence, "tasks": 0}
    for task in evidence.tasks:
        batch = pickle.loads(pickle.dumps(task))()
        assert tuple(batch.columns) == evidence.columns
        assert len({len(values) for values in batch.columns.values()}) == 1
        rows += [dict(zip(batch.columns, row, strict=True)) for row in zip(*batch.columns.values(), strict=True)]
        tally["dropped"] += batch.dropped
        tally["notes"] += batch.notes
        tally["tasks"] += 1
    return rows, tally


def refused(kind: type[AuditError], source: Any, *words: str, required: tuple[str, ...] = ()) -> None:
    with pytest.raises(kind) as caught:
        read(source, *required)
    said = str(caught.value)
    assert "\n" not in said or kind is AuditError
    for word in words:
        assert word in said, said


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def lines(*records: Any, name: str = "a.jsonl") -> str:
    return put(name, "".join(json.dumps(record) + "\n" for record in records))


def packed(suffix: str, content: bytes) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content, mtime=0)
    return bytes(pytest.importorskip("zstandard").ZstdCompressor().compress(content))


# Columns, ids, several files


def test_jsonl_rows_and_ids() -> None:
    path = lines({"id": 7, "t": "x"}, {"id": "b", "n": 1.5})
    rows, tally = read(JsonLines(path=path), "t", optional=("n", "nowhere"))
    assert rows == [{"id": "7", "t": "x", "n": None}, {"id": "b", "t": None, "n": 1.5}]
    assert list(tally["notes"]) == ["a.jsonl: ids are numbers in some records and text in others; compared as text"]
    assert tally["evidence"].columns == ("id", "t", "n")
    [found] = tally["evidence"].inputs()
    assert (found.path, found.bytes) == ("a.jsonl", os.path.getsize("a.jsonl"))


@pytest.mark.parametrize(
    ("theirs", "value"),
    [("o[0]", "x"), ("o[-1]", "y"), ("c.t", 0.5), ('c["a.b"]', 2), ("q.r", 9), ("c", {"t": 0.5, "a.b": 2})],
)
def test_addresses(theirs: str, value: Any) -> None:
    path = lines({"o": ["x", "y"], "c": {"t": 0.5, "a.b": 2}, "q.r": 9})
    rows, _ = read(JsonLines(path=path, columns={"v": theirs}), "v", optional=())
    assert rows == [{"id": "1", "v": value}]


@pytest.mark.parametrize(
    ("kind", "columns", "words"),
    [
        (
            DataError,
            {"raw_text": "txet"},
            ["source.columns.raw_text: no column 'txet' in a.jsonl", "found: id, text", "'text'"],
        ),
        (DataError, {"raw_text": "text.inner"}, ["no column 'text.inner'"]),
        (UsageError, {"raw_text": "text[x]"}, ["source.columns.raw_text", "address"]),
    ],
)
def test_mapped_column_absent(kind: type[AuditError], columns: dict[str, str], words: list[str]) -> None:
    refused(kind, JsonLines(path=lines({"id": 1, "text": "t"}), columns=columns), *words)


def test_required_column_missing() -> None:
    path = lines({"id": 1, "ground_truht": "t"})
    do = "source.columns.ground_truth=ground_truht"
    refused(
        DataError,
        JsonLines(path=path),
        "a.jsonl: no column 'ground_truth'",
        "found: id",
        do,
        required=("ground_truth",),
    )


def test_ids_are_row_numbers_without_a_column() -> None:
    put("a.jsonl", '{"t": 1}\n\n{"t": 2}\n')
    put("b.jsonl", '{"t": 3}')
    assert [r["id"] for r in read(JsonLines(path="a.jsonl"), "t")[0]] == ["1", "3"]
    rows, _ = read(JsonLines(files=(FileSet("a.jsonl"), FileSet("b.jsonl"))), "t")
    assert [r["id"] for r in rows] == ["1:1", "1:3", "2:1"]
    path = lines({"id": 5, "t": 1}, {"id": 5, "t": 2}, name="c.jsonl")
    assert [r["id"] for r in read(JsonLines(path=path, columns={"id": "#", "q": "id"}), "t")[0]] == ["1", "2"]


@pytest.mark.parametrize(("value", "word"), [(None, "null"), ("", "empty"), ([1], "a list"), (True, "a bool")])
def test_bad_ids(value: Any, word: str) -> None:
    refused(DataError, JsonLines(path=lines({"id": "a"}, {"id": value})), "a.jsonl:2", f"the id is {word}")


def test_files_with_columns_set() -> None:
    lines({"id": 1, "t": "x"}, name="a.jsonl")
    lines({"id": 2, "t": "y", "temperature": 9}, name="b.jsonl")
    files = (FileSet("a.jsonl", {"temperature": 0.0}), FileSet("b.jsonl", {"temperature": 0.5}))
    rows, _ = read(JsonLines(files=files), "temperature", optional=())
    assert rows == [{"id": "1", "temperature": 0.0}, {"id": "2", "temperature": 0.5}]


def test_every_column() -> None:
    path = lines({"a": 1, "b": {"c": 2}, "d": 3})
    rows, _ = read(JsonLines(path=path, columns={"x": "a", "y": "b.c"}))
    assert rows == [{"id": "1", "x": 1, "y": 2, "b": {"c": 2}, "d": 3}]


def test_unpivot() -> None:
    path = lines(
        {"q": "Q", "m1": {"s": "x", "ok": True}, "m2": {"s": "y", "ok": False}}, {"q": "R", "m1": {"s": "z"}, "m2": {}}
    )
    turn = Unpivot("model", ("m1", "m2"), {"raw_text": "{value}.s", "stored": "{value}.ok"})
    rows, tally = read(JsonLines(path=path, unpivot=turn), "raw_text", "q", "model", optional=("stored",))
    assert [tuple(row.values()) for row in rows] == [
        ("1.m1", "x", "Q", "m1", True),
        ("1.m2", "y", "Q", "m2", False),
        ("2.m1", "z", "R", "m1", None),
        ("2.m2", None, "R", "m2", None),
    ]
    assert tally["evidence"].rows == 4
    bad = Unpivot("model", ("m1", "m3"), {"raw_text": "{value}.s"})
    refused(DataError, JsonLines(path=path, unpivot=bad), "source.unpivot.columns.raw_text", "m3.s")


# Conditions, nulls, duplicates, limits


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("n > 1", "bd"),
        ("n > 1 OR n IS NULL", "bcd"),
        ("NOT (n > 1)", "a"),
        ("t = '1'", "a"),
        ("other = 'x'", "b"),
        ("flag", "a"),
        ("true", "abcd"),
        ("id IN ('a', 'c')", "ac"),
        ("n IS NULL", "c"),
        ("n > 100", ""),
    ],
)
def test_where(where: str, kept: str) -> None:
    path = lines(
        {"key": "a", "n": 1, "text": "1", "flag": True},
        {"key": "b", "n": 2.5, "text": "2", "other": "x", "flag": False},
        {"key": "c", "n": None, "text": None},
        {"key": "d", "n": 3, "text": "4"},
    )
    rows, tally = read(JsonLines(path=path, columns={"id": "key", "t": "text"}, where=where), optional=())
    assert "".join(row["id"] for row in rows) == kept
    assert tally["dropped"] == Counter({"filtered": 4 - len(kept)} if len(kept) < 4 else {})


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("n >", "cannot be read as SQL"),
        ("m > 1", "no column 'm'"),
        ("n + 1", "is not a condition"),
        ("n > 1; DROP TABLE x", "cannot be read as SQL"),
        ("n > avg(n)", "one row at a time"),
        ("t > 1", "cannot be evaluated"),
    ],
)
def test_where_refused(where: str, words: str) -> None:
    refused(UsageError, JsonLines(path=lines({"n": 1, "t": "x"}), where=where), "source.where", words)


def test_where_nan_is_never_true_and_casts() -> None:
    path = put("a.csv", "id,n\na,1\nb,nan\nc,7\nd,x\n")
    rows, _ = read(DelimitedText(path=path, where="TRY_CAST(n AS DOUBLE) > 2"))
    assert [row["id"] for row in rows] == ["c"]
    refused(DataError, DelimitedText(path=path, where="CAST(n AS DOUBLE) > 2"), "source.where", "TRY_CAST")
    frame = pl.DataFrame({"id": ["a", "b"], "n": [float("nan"), 3.0]})
    assert [row["id"] for row in read(FrameSource(frame=frame, where="n > 2"))[0]] == ["b"]


def test_nulls() -> None:
    path = put("a.csv", "id,g\n1,None\n2,NA\n3,007\n4,\n")
    rows, tally = read(DelimitedText(path=path, nulls={"g": ("None",)}), "g")
    assert [row["g"] for row in rows] == [None, "NA", "007", ""]
    assert tally["notes"] == {"g: text that means null (source.nulls.g)": 1}
    refused(UsageError, DelimitedText(path=path, nulls={"gg": ("x",)}), "source.nulls.gg", "'g'")


DUPLICATES = (
    {"id": 1, "t": "a"},
    {"id": "2", "t": "b"},
    {"id": "1", "t": "c"},
    {"id": 3, "t": "d"},
    {"id": 1, "t": "e"},
)


@pytest.mark.parametrize(("rule", "kept"), [("first", "abd"), ("last", "bde"), ("all", "abcde")])
@pytest.mark.parametrize("where", [None, "t <> 'zzz'"])
def test_duplicates(rule: Any, kept: str, where: str | None) -> None:
    rows, tally = read(JsonLines(path=lines(*DUPLICATES), duplicates=rule, where=where), "t")
    assert "".join(row["t"] for row in rows) == kept
    assert tally["dropped"]["duplicate"] == 5 - len(kept)


def test_duplicates_refused() -> None:
    lines(*DUPLICATES[:2])
    lines(*DUPLICATES[2:4], name="b.jsonl")
    files = (FileSet("a.jsonl"), FileSet("b.jsonl"))
    words = ("b.jsonl:1: the id '1' stands twice (first at a.jsonl:1)", "source.duplicates=first")
    refused(DataError, JsonLines(files=files), *words)
    assert len(read(JsonLines(files=files, where="t <> 'c'"))[0]) == 3
    JsonLines(files=files).open((), None)


def test_ids_hidden_from_a_quick_look_are_found() -> None:
    put(
        "a.jsonl",
        '{"id": "x\\u0041", "id2": 1}\n{"m": {"id": "q"}, "id": "xA"}\n{"\\u0069d": "z", "t": "\\"id\\": 1,"}\n',
    )
    refused(DataError, JsonLines(path="a.jsonl"), "a.jsonl:2: the id 'xA' stands twice (first at a.jsonl:1)")


@pytest.mark.parametrize("limit", [1, 3, 5, 99])
def test_limit(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "BLOCK", 8)
    put("a.jsonl", "\n".join(f'{{"id": {n}}}\n' for n in range(4)))
    lines({"id": 10}, {"id": 11}, name="b.jsonl")
    rows, tally = read(JsonLines(files=(FileSet("a.jsonl"), FileSet("b.jsonl")), limit=limit))
    assert [row["id"] for row in rows] == ["0", "1", "2", "3", "10", "11"][:limit]
    assert tally["evidence"].rows <= limit


# Joining a second file


GRADES = 'Question,Answer,Grade,Judge\nq1,Paris,Yes,a\nq1,Rome.,No,a\nq2,"The Seine",Yes,b\n'
LEFT = ({"q": "q1", "a": "Paris"}, {"q": "q1", "a": "ROME"}, {"q": "q2", "a": "seine"}, {"q": "q3", "a": "x"})
ON = {"q": "Question", "a": "Answer"}
SQUAD = load("normalizer", "squad")


def join(second: Any = None, **settings: Any) -> JoinSettings:
    given = {"on": ON, "columns": {"stored": "Grade"}, **settings}
    return JoinSettings(second or DelimitedText(path="g.csv"), **given)


def stored(joined: JoinSettings, **settings: Any) -> tuple[list[Any], Any]:
    rows, tally = read(JsonLines(path="a.jsonl", join=joined, **settings), "stored", optional=())
    return [row["stored"] for row in rows], tally


@pytest.mark.parametrize(
    ("normalizer", "values"),
    [
        (None, ["Yes", None, None, None]),
        (SQUAD, ["Yes", "No", "Yes", None]),
        (SQUAD.steps[:2], ["Yes", "No", None, None]),
    ],
)
def test_join(normalizer: Any, values: list[str | None]) -> None:
    put("g.csv", GRADES)
    lines(*LEFT)
    found, tally = stored(join(normalizer=normalizer))
    assert found == values
    assert tally["notes"] == {"source.join: rows without a partner, with stored=null": values.count(None)}
    assert tally["dropped"] == {}
    assert [one.path for one in tally["evidence"].inputs()] == ["a.jsonl", "g.csv"]


def test_join_every_column_where_and_nulls() -> None:
    """Joined columns are columns like others: in conditions, among all columns, with texts that mean null."""
    put("g.csv", GRADES)
    lines(*LEFT)
    columns = {"stored": "Grade", "judge": "Judge"}
    source = JsonLines(path="a.jsonl", join=join(columns=columns, normalizer=SQUAD), where="judge = 'a'")
    rows, tally = read(source)
    assert rows == [
        {"id": "1", "stored": "Yes", "judge": "a", "q": "q1", "a": "Paris"},
        {"id": "2", "stored": "No", "judge": "a", "q": "q1", "a": "ROME"},
    ]
    assert (tally["dropped"], tally["notes"]) == ({"filtered": 2}, {})  # the row without a partner was dropped
    assert stored(join(), nulls={"stored": ("Yes",)})[0] == [None] * 4
    found, tally = stored(join(otherwise={"stored": "No"}), where="stored = 'No'")
    assert found == ["No"] * 3
    assert tally["notes"] == {'source.join: rows without a partner, with stored="No"': 3}


def test_join_keys_are_texts_and_null_has_no_partner() -> None:
    """Numbers and texts meet; of equal rows one is taken; a null key or an absent one has no partner."""
    put("g.csv", "Question,Grade\n1,a\n1,a\nNaN,b\n,c\nNone,d\n")
    lines({"q": 1}, {"q": "1"}, {"q": None}, {}, {"q": ""}, {"q": "None"})
    assert stored(join(on={"q": "Question"}))[0] == ["a", "a", None, None, "c", "d"]
    lines({"k": {"q": None}, "g": "n"}, {"k": {"q": 1}, "g": "o"}, name="g.jsonl")
    second = JsonLines(path="g.jsonl")
    assert stored(join(second, on={"q": "k.q"}, columns={"stored": "g"}))[0] == ["o", "o", None, None, None, None]


def test_join_on_ids_of_several_rows_of_a_record() -> None:
    put("g.csv", "id,Grade\n1.a,x\n2.b,y\n2.b,y\n")
    lines({"a": "p", "b": "q"}, {"a": "r", "b": "s"})
    turned = Unpivot(into="side", values=("a", "b"), columns={"raw_text": "{value}"})
    assert stored(join(on={"id": "id"}), unpivot=turned)[0] == ["x", None, None, "y"]


def test_join_with_what_another_join_gives() -> None:
    put("g.csv", "Name,Grade\nx,good\n")
    lines({"k": 1, "name": "x"}, {"k": 2, "name": "y"}, name="names.jsonl")
    lines({"q": 2}, {"q": 1})
    second = JsonLines(path="names.jsonl", join=join(on={"name": "Name"}, columns={"g": "Grade"}))
    found, tally = stored(join(second, on={"q": "k"}, columns={"stored": "g"}))
    assert found == [None, "good"]
    assert [one.path for one in tally["evidence"].inputs()] == ["a.jsonl", "names.jsonl", "g.csv"]
    assert "source.join: source.join: rows without a partner, with g=null: 1" in tally["evidence"].warnings


def test_join_disagreement_is_an_error_where_it_matters() -> None:
    """Rows with the same key must agree; with the same normalised key only where a row of ours needs it."""
    put("g.csv", GRADES + "q1,rome,Yes,a\n")
    lines({"q": "q1", "a": "rome"}, {"q": "q1", "a": "Rome."})
    assert stored(join(normalizer=SQUAD))[0] == ["Yes", "No"]
    lines({"q": "q1", "a": "The Rome"})
    source = JsonLines(path="a.jsonl", join=join(normalizer=SQUAD))
    refused(DataError, source, "g.csv:5: another Grade for the same key than at g.csv:3 (q1, The Rome)")
    put("g.csv", GRADES + "q1,Paris,No,a\n")
    source = JsonLines(path="a.jsonl", join=join())
    refused(
        DataError, source, "g.csv:5: another Grade for the same key than at g.csv:2 (q1, Paris)", "join.source.where"
    )
    kept = DelimitedText(path="g.csv", where="\"#place\" <> 'g.csv:5'")
    assert stored(join(kept))[0] == [None]
    assert stored(join(columns={"stored": "Judge"}))[0] == [None]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"on": {"qq": "Question", "a": "Answer"}}, ["source.join.on.qq: no column 'qq' in a.jsonl", "found: ", "'q'"]),
        ({"on": {"q": "Qestion"}}, ["g.csv: no column 'Qestion'", "source.join.source.columns.Qestion=Question"]),
        ({"columns": {"stored": "Grad"}}, ["g.csv: no column 'Grad'", "found: Question, Answer, Grade, Judge"]),
        ({"columns": {"raw_text": "Grade"}}, ["source.join.columns.raw_text", "has a column of this name"]),
        ({"second": DelimitedText(path="h.csv")}, ["h.csv: no such file", "did you mean 'g.csv'?"]),
        ({"second": DelimitedText()}, ["source.join.source.path: not set - write source.join.source.path=FILE"]),
        ({"second": DelimitedText(path="g.csv", delimiter=";")}, ["write source.join.source.delimiter=','"]),
        ({"second": JsonArray(path="a.jsonl")}, ["a.jsonl", "write source.join.source.use=jsonl"]),
        (
            {"second": FrameSource(frame=[{"a": 1}])},
            ["source.join.source: is not a file - join before the audit"],
        ),
    ],
)
def test_join_refused(settings: dict[str, Any], words: list[str]) -> None:
    put("g.csv", GRADES)
    lines(*LEFT)
    refused(AuditError, JsonLines(path="a.jsonl", columns={"raw_text": "a"}, join=join(**settings)), *words)


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"on": {}}, "on"),
        ({"columns": {}}, "columns"),
        ({"columns": {"id": "Grade"}}, "columns.id"),
        ({"columns": {"q": "Grade"}}, "columns.q"),
        ({"otherwise": {"strd": 1}}, "otherwise.strd"),
    ],
)
def test_join_settings_refused(settings: dict[str, Any], where: str) -> None:
    with pytest.raises(UsageError) as caught:
        join(**settings)
    assert caught.value.where == where


def test_join_with_a_normalizer_that_fails() -> None:
    put("g.csv", GRADES)
    lines(*LEFT)
    source = JsonLines(path="a.jsonl", join=join(normalizer=(lambda text: str(1 // len(text[2:])),)))
    refused(IncompleteError, source, "source.join.normalizer: failed on a key (ZeroDivisionError")


def test_join_notices_a_second_file_that_changed() -> None:
    """The file is read anew by the next source, and a change during the run is told."""
    put("g.csv", GRADES)
    lines(*LEFT)
    found, tally = stored(join())
    put("g.csv", GRADES.replace("Yes", "Never"))
    assert (found[0], stored(join())[0][0]) == ("Yes", "Never")
    with pytest.raises(DataError, match=r"g\.csv: changed during the run"):
        tally["evidence"].check()


def test_join_is_not_carried_by_tasks() -> None:
    """A task says what to read, so a large second file is read once a process, not sent with each block."""
    put("g.csv", "Question,Grade\n" + "".join(f"{n},{n % 7}\n" for n in range(10_000)))
    lines(*({"q": n} for n in range(0, 20_000, 2)))
    joined = join(on={"q": "Question"})
    tasks = list(JsonLines(path="a.jsonl", join=joined).open(["stored"], ()).tasks)
    assert len(tasks) > 1
    assert max(len(pickle.dumps(task)) for task in tasks) < 4_000
    found, tally = stored(joined)
    assert found[:5] == ["0", "2", "4", "6", "1"]
    assert sum(tally["notes"].values()) == found.count(None) == 5_000


# JSON, strictly

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"a": 1, "a": 2}', "a key stands twice in one object"),
        ('{"a": {"b": 1, "b": 2}}', "'b'"),
        ('{"a": 1e999}', "too large"),
        (f'{{"a": {DEEP}}}', "nested too deep"),
        (f'{{"a": {"[" * 501}{"]" * 501}}}', "nested too deep"),
        (f'{{"a": {"9" * 5_000}}}', "too many digits"),
        ('{"a": 1,}', "trailing comma"),
        ('{"a": 1} // x', "not JSON"),
        ("{'a': 1}", "not JSON"),
        ('"text"', "expected an object (found str)"),
        ("nope", "not JSON"),
    ],
    ids=range(11),
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
        "a.jsonl: half a surrogate pair read as U+FFFD (first: line 1)": 1,
        "a.jsonl: bytes that are not utf-8 read as U+FFFD (first: line 2)": 2,
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


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.integers(0, 40), max_size=60), st.integers(1, 90), st.integers(1, 9), st.booleans())
def test_blocks_of_a_plain_file_end_where_the_line_at_their_size_ends(
    sizes: list[int], size: int, rows: int, ended: bool
) -> None:
    data = b"\n".join(b"x" * n for n in sizes) + b"\n" * ended
    found = list(blocks.plain_blocks(io.BytesIO(data), "a.jsonl", size, rows))
    assert b"".join(block for block, _ in found) == data
    assert all(block.count(b"\n") == ends for block, ends in found)
    assert all(block.endswith(b"\n") for block, _ in found[:-1])
    whole = list(blocks.plain_blocks(io.BytesIO(data), "a.jsonl", size, len(data) + 1))
    at = 0
    for block, _ in whole:
        end = data.find(b"\n", at + size - 1) + 1
        assert block == data[at : end or len(data)]
        at += len(block)


def test_bombs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from auditfw.components.files import files
    from auditfw.components.files.formats import blocks

    monkeypatch.setattr(files, "FREE_OUTPUT", 1 << 20)
    path = put("a.jsonl.gz", gzip.compress(b'{"a": 1}\n' * 1_000_000, mtime=0))
    refused(DataError, JsonLines(path=path), "a.jsonl.gz", "more than is plausible")
    monkeypatch.setattr(blocks, "LARGEST_RECORD", 1_000)
    refused(DataError, JsonLines(path=put("b.jsonl", b" " * 600_000)), "b.jsonl", "too long")


def test_json_records_inside_an_object() -> None:
    path = put("a.json", '{"v": [1], "results": {"n": 2, "rows": [{"id": 1}, {"id": 2}], "z": 0}, "end": []}')
    assert [row["id"] for row in read(JsonArray(path=path, records="results.rows"))[0]] == ["1", "2"]
    refused(UsageError, JsonArray(path=path, records="results.row"), "source.records", "found: n, rows, z")
    refused(DataError, JsonArray(path=path, records="results"), "expected an array")


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


def test_addresses_as_names() -> None:
    path = lines({"c": {"t": 1}}, {"c": {"t": 2}})
    rows, _ = read(JsonLines(path=path, where='"c.t" > 1'), "c.t", optional=())
    assert rows == [{"id": "2", "c.t": 2}]


# CSV


def test_csv_text_stays_text() -> None:
    path = put("a.csv", '\ufeffid,g\r\n1,007\r\n2,"a ""q"",\nb"\r\n3,\r\n\r\n4,1e5\r\n')
    rows, _ = read(DelimitedText(path=path), "g")
    assert [row["g"] for row in rows] == ["007", 'a "q",\nb', "", "1e5"]


@pytest.mark.parametrize(
    ("content", "setting", "words"),
    [
        ("a,b\n1,2\n1,2,3\n", {}, ["a.csv:3: expected 2 fields", "found 3"]),
        ('a,b\n1,"x\ny"\n1\n', {}, ["a.csv:4: expected 2 fields", "found 1"]),
        ('a,b\n1,"x"y\n', {}, ["a.csv:2", "quoting"]),
        ('a,b\n1,"x\n', {}, ["a.csv:2", "quoting"]),
        ("a,a\n1,2\n", {}, ["a.csv:1", "stands twice"]),
        ("id;t\n1;2\n", {}, ["source.delimiter=';'"]),
    ],
)
def test_csv_refused(content: str, setting: dict[str, Any], words: list[str]) -> None:
    refused(
        DataError,
        DelimitedText(path=put("a.csv", content), **setting),
        *words,
        required=("t",) if "t" in content else (),
    )


def test_csv_dialects() -> None:
    rows, _ = read(DelimitedText(path=put("a.tsv", 'id\tt\n1\t"x" y\n'), delimiter="\\t", quote=None), "t")
    assert rows == [{"id": "1", "t": '"x" y'}]
    rows, _ = read(DelimitedText(path=put("b.csv", "id,t\n1,é\n".encode("utf-16")), encoding="utf-16"), "t")
    assert rows == [{"id": "1", "t": "é"}]
    rows, tally = read(DelimitedText(path=put("c.csv", b"id,t\n1,\xe9\n")), "t")
    assert rows == [{"id": "1", "t": "\ufffd"}]
    assert list(tally["notes"]) == ["c.csv: bytes that are no text read as U+FFFD (first: line 2)"]
    long = "x" * 500_000
    assert read(DelimitedText(path=put("d.csv", f"id,t\n1,{long}\n")), "t")[0][0]["t"] == long


# Finding files


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


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"path": "a", "files": ({"path": "b"},)}, "files"),
        ({"encoding": "klingon"}, "encoding"),
        ({"encoding": "utf-16"}, "encoding"),
        ({"encoding": "rot13"}, "encoding"),
        ({"encoding": "idna"}, "encoding"),
        ({"encoding": "a\0"}, "encoding"),
        ({"limit": 0}, "limit"),
        ({"duplicates": "some"}, "duplicates"),
        ({"unpivot": {"into": "m", "values": (), "columns": {}}}, "unpivot.values"),
    ],
)
def test_settings_refused(settings: dict[str, Any], where: str) -> None:
    with pytest.raises(UsageError) as caught:
        JsonLines(**settings)
    assert caught.value.where == where


def test_a_changed_file_is_noticed() -> None:
    evidence = JsonLines(path=lines({"id": 1})).open((), None)
    evidence.check()
    lines({"id": 1}, {"id": 2})
    with pytest.raises(DataError, match=r"a\.jsonl: changed"):
        evidence.check()
    os.remove("a.jsonl")
    with pytest.raises(DataError, match=r"a\.jsonl: vanished"):
        evidence.check()


def test_sources_import_no_polars() -> None:
    code = "import sys, auditfw.components.source; print([m for m in ('polars', 'numpy', 'zstandard') if m in sys.modules])"  # noqa: E501
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# All formats alike

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
RECORDS = st.lists(st.fixed_dictionaries({"t": TEXTS, "u": TEXTS}), min_size=1, max_size=12)
QUIET = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


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


@QUIET
@given(
    records=st.lists(st.dictionaries(st.sampled_from("abc"), TEXTS, max_size=3), max_size=20),
    size=st.integers(1, 60),
    rows=st.integers(1, 5),
)
def test_block_size_changes_nothing(records: list[dict[str, str]], size: int, rows: int) -> None:
    records = [{"id": str(n), **record} for n, record in enumerate(records)] or [{"id": "0"}]
    put("a.jsonl", "\r\n".join(json.dumps(record) + "\n" * (len(record) % 2) for record in records))
    put("a.json", json.dumps(records, ensure_ascii=False))
    whole = [read(source, "id")[0] for source in (JsonLines(path="a.jsonl"), JsonArray(path="a.json"))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK", size)
        patch.setattr(jsonl, "ROWS", rows)
        patch.setattr(json_array, "CHUNK", size)
        patch.setattr(json_array, "ROWS", rows)
        parts = [read(source, "id")[0] for source in (JsonLines(path="a.jsonl"), JsonArray(path="a.json"))]
    assert parts == whole
    assert [row["id"] for row in whole[0]] == [record["id"] for record in records]


def test_many_short_lines_make_many_tasks() -> None:
    path = lines(*({"id": n} for n in range(10_000)))
    rows, tally = read(JsonLines(path=path))
    assert [row["id"] for row in rows] == [str(n) for n in range(10_000)]
    assert 4 <= tally["tasks"] <= 8
    evidence = JsonLines(path=path).open((), ())
    assert [len(task()) for task in evidence.tasks] == [len(task()) for task in evidence.tasks]


def test_parquet_and_frames_give_plain_values() -> None:
    import datetime

    frame = pl.DataFrame(
        {
            "id": [1, 2],
            "d": [datetime.date(2026, 1, 2), None],
            "c": pl.Series(["x", "y"], dtype=pl.Categorical),
            "l": [[1], []],
        }
    ).with_columns(s=pl.struct("id", "c"))
    frame.write_parquet("a.parquet")
    wanted = [
        {"id": "1", "c": "x", "d": "2026-01-02", "l": [1], "s": {"id": 1, "c": "x"}},
        {"id": "2", "c": "y", "d": None, "l": [], "s": {"id": 2, "c": "y"}},
    ]
    for source in (Parquet(path="a.parquet"), FrameSource(frame=frame)):
        assert read(source, "c", "d", "l", "s")[0] == wanted
    assert read(Parquet(path="a.parquet", columns={"n": "s.c"}), "n", optional=())[0][1] == {"id": "2", "n": "y"}


def test_pandas_frame() -> None:
    pandas = pytest.importorskip("pandas")
    rows, _ = read(
        FrameSource(frame=pandas.DataFrame({"id": [1, 2], "t": ["x", None], "n": [1.5, float("nan")]})), "t", "n"
    )
    assert rows == [{"id": "1", "t": "x", "n": 1.5}, {"id": "2", "t": None, "n": None}]
    refused(UsageError, FrameSource(), "source.frame")
    refused(UsageError, FrameSource(frame="text"), "source.frame")


# SQLite


def database(
    name: str = "a.db", script: str = "CREATE TABLE r (id, t); INSERT INTO r VALUES (1, 'x'), (2, NULL)"
) -> str:
    with closing(sqlite3.connect(name)) as db:
        db.executescript(script)
        db.commit()
    return name


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
        ("SELECT id, t AS id FROM r", ["two columns of one name"]),
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
        "computed by a function that SQLite lacks (unknown function: mine())",
    ),
    (
        "CREATE TABLE r (id COLLATE mine)",
        "r ORDER BY id",
        "(a collation) that SQLite lacks (no such collation sequence",
    ),
    ("CREATE TABLE r (id)", "r WHERE json_extract(id, '$.a')", "no JSON where the query wants JSON (malformed JSON)"),
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
    monkeypatch.setattr("auditfw.components.source.database.PATIENCE", 0.05)
    with closing(sqlite3.connect(database(), isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        refused(DataError, Sqlite(path="a.db", query="SELECT * FROM r"), "a.db: is locked")


# Conformity runs


def trial(name: str, truth: str | None = "Paris", label: int | None = 1, **more: Any) -> dict[str, Any]:
    row = {
        "trial": name,
        "run_id": "r",
        "variant": "base",
        "condition": "control",
        "dataset": "facts",
        "item": f"i-{truth}",
    }
    return {
        **row,
        "ground_truth": truth,
        "raw_text": f"raw {name}",
        "parsed_answer_text": f"p {name}",
        "is_correct": label,
        **more,
    }


def runs(rows: list[dict[str, Any]], **experiments: Any) -> Conformity:
    write_run(Path("runs/one"), rows, "r")
    entries = experiments or {"0.5": {"run_id": "r", "run_dir": "one", "status": "completed"}}
    write_metadata(Path("meta.json"), entries)
    return Conformity(metadata="meta.json", runs_dir="runs")


def test_conformity_rows() -> None:
    source = runs([trial("a", question="Where?"), trial("b", None, None, variant="think"), trial("c", "", 0)])
    rows, tally = read(source, "ground_truth", "raw_text", "temperature")
    assert rows[0] == {
        "id": "a-0", "ground_truth": "Paris", "raw_text": "raw a", "temperature": 0.5, "trial_id": "a",
        "variant": "base", "condition": "control", "dataset": "facts", "item_id": "i-Paris", "model_id": "models/base",
        "question": "Where?", "parsed_text": "p a", "stored": 1, "refusal": 0,
    }  # fmt: skip
    assert [(row["ground_truth"], row["raw_text"], row["stored"]) for row in rows[1:]] == [
        (None, None, None),
        ("", "raw c", 0),
    ]
    assert [entry.path for entry in tally["evidence"].inputs()] == ["meta.json", "runs/one/simulation.db"]
    assert tally["evidence"].warnings == (
        "condition 'asch_history_5' of source.conditions is in no run",
        "condition 'authoritative_bias' of source.conditions is in no run",
    )
    assert read(source, "raw_text", optional=("stored",))[0][0] == {"id": "a-0", "raw_text": "raw a", "stored": 1}


def test_conformity_leaves_out_and_says_so() -> None:
    source = runs(
        [
            trial("a"),
            trial("b", condition="other"),
            trial("c", run_id="elsewhere"),
            trial("d", condition="asch_history_5"),
        ]
    )
    rows, tally = read(source, "condition")
    assert [row["id"] for row in rows] == ["a-0", "d-3"]
    warnings = tally["evidence"].warnings
    assert warnings[0] == "runs/one/simulation.db: 1 trial of other runs than 'r' left out"
    assert "condition 'other' left out: 1 trial (source.conditions)" in warnings


def test_conformity_runs_in_order_of_temperature() -> None:
    entries = {key: {"run_id": "r", "run_dir": "one", "status": "completed"} for key in ("1", "0.25")}
    source = runs([trial("a")], **entries, **{"0": {"run_id": "r", "run_dir": "gone", "status": "failed"}})
    assert [row["temperature"] for row in read(source, "temperature")[0]] == [0.25, 1.0]


DONE = {"run_id": "r", "run_dir": "one", "status": "completed"}


@pytest.mark.parametrize(
    ("kind", "experiments", "words"),
    [
        (NothingAudited, {"0": {**DONE, "status": "running"}}, ["no completed run", "0: running"]),
        (DataError, {"0.0": DONE, "0": DONE}, ["'0.0' and '0'"]),
        (DataError, {"warm": DONE}, ["'warm'"]),
        (DataError, {"nan": DONE}, ["'nan'"]),
        (DataError, {"0": {"run_id": "r", "status": "completed"}}, ["has no run_dir"]),
        (DataError, {"0": {**DONE, "run_dir": "two"}}, ["runs/two/simulation.db", "no such file"]),
        (DataError, {"0": []}, ["is not an object"]),
    ],
)
def test_conformity_metadata(kind: type[AuditError], experiments: Any, words: list[str]) -> None:
    refused(kind, runs([trial("a")], **experiments), *words)


def test_conformity_metadata_refused() -> None:
    runs([trial("a")])
    refused(UsageError, Conformity(), "source.metadata")
    refused(UsageError, Conformity(metadata="meta.json"), "source.runs_dir")
    refused(DataError, Conformity(metadata="meta.jsn", runs_dir="runs"), "no such file", "meta.json")
    refused(DataError, Conformity(metadata="meta.json", runs_dir="rums"), "no such file", "'runs'")
    refused(
        NothingAudited, Conformity(metadata=put("m.json", '{"experiments": {}}'), runs_dir="runs"), "no completed run"
    )
    refused(DataError, Conformity(metadata=put("m.json", "[]"), runs_dir="runs"), "'experiments'")
    refused(DataError, Conformity(metadata=put("m.json", "{\n,"), runs_dir="runs"), "m.json:2")
    refused(
        DataError, Conformity(metadata="meta.json", runs_dir="runs", conditions=("x",)), "source.conditions=[control]"
    )
    refused(DataError, runs([trial("a")]), "no column 'colour'", required=("colour",))
    refused(NothingAudited, runs([]), "hold no trial")
    put("runs/one/simulation.db", Path(database()).read_bytes())
    refused(DataError, Conformity(metadata="meta.json", runs_dir="runs"), "no such table")


@pytest.mark.parametrize("way", ["../elsewhere", "one/../../elsewhere", "an absolute path", "a link"])
def test_conformity_reads_runs_outside_of_its_folder_only_where_it_may(way: str) -> None:
    write_run(Path("elsewhere"), [trial("z")], "r")
    Path("runs").mkdir()
    Path("runs/link").symlink_to("../elsewhere")
    named = {"an absolute path": str(Path("elsewhere").absolute()), "a link": "link"}.get(way, way)
    source = runs([trial("a")], **{"0.5": {**DONE, "run_dir": named}})
    refused(DataError, source, "meta.json", "the run 'r' is outside of source.runs_dir", "source.outside=true")
    assert [row["id"] for row in read(replace(source, outside=True), "raw_text")[0]] == ["z-0"]


def test_conformity_views_are_refused() -> None:
    source = runs([trial("a")])
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.executescript("ALTER TABLE conformity_items RENAME TO x; CREATE VIEW conformity_items AS SELECT * FROM x")
    refused(DataError, source, "simulation.db", "a view is where a table is expected")


def test_conformity_labels() -> None:
    source = runs([trial("a"), trial("b", "x", None)])
    refused(DataError, source, "simulation.db: output 'b-1'", "source.null_labels=missing")
    lenient = Conformity(metadata="meta.json", runs_dir="runs", null_labels="missing")
    assert [row["stored"] for row in read(lenient, "stored")[0]] == [1, None]
    refused(DataError, runs([trial("a", label=2)]), "output 'a-0'", "found 2")
    refused(DataError, runs([trial("a", label="true")]), "output 'a-0'", "found 'true'")  # type: ignore[arg-type]


def test_conformity_where_and_nulls() -> None:
    runs([trial("a"), trial("b", "None", variant="think"), trial("c", None, item="opinion")])
    source = Conformity(
        metadata="meta.json", runs_dir="runs", where="item_id <> 'i-Paris'", nulls={"ground_truth": ("None",)}
    )
    rows, tally = read(source, "ground_truth", optional=())
    assert rows == [{"id": "b-1", "ground_truth": None}, {"id": "c-2", "ground_truth": None}]
    assert (tally["dropped"], sum(tally["notes"].values())) == ({"filtered": 1}, 1)
    refused(UsageError, Conformity(metadata="meta.json", runs_dir="runs", where="colour = 1"), "no column 'colour'")


def test_conformity_text_that_is_not_utf8() -> None:
    source = runs([trial("a"), trial("b")])
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.execute("UPDATE conformity_outputs SET raw_text = CAST(x'41ff' AS TEXT) WHERE output_id = 'b-1'")
        db.commit()
    rows, tally = read(source, "raw_text", "item_id", "condition")
    assert [row["raw_text"] for row in rows] == ["raw a", "A\ufffd"]
    assert rows[1]["condition"] == "control"
    assert list(tally["notes"]) == [
        "runs/one/simulation.db: text that is not UTF-8 read with U+FFFD (first: raw_text of 'b-1')"
    ]


def test_conformity_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    from auditfw.components.source import conformity

    source = runs([trial(f"t{n:04}") for n in range(50)])
    whole, _ = read(source, "raw_text")
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.execute("UPDATE conformity_outputs SET rowid = rowid + 4611686018427387904 WHERE rowid > 30")
        db.commit()
    monkeypatch.setattr(conformity, "SPAN", 7)
    parts, tally = read(source, "raw_text")
    assert (parts, tally["tasks"]) == (whole, 8)


KEYLESS = "CREATE TABLE t AS SELECT * FROM conformity_trials; DROP TABLE conformity_trials; "
NAMED = "ALTER TABLE t RENAME TO conformity_trials; "
AGAIN = "INSERT INTO conformity_trials SELECT {}, run_id, model_id, 'again', item_id, condition_id, seed, 0, 0 "


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("", ["a-0 base", "b-1 base", "c-2 base"]),
        ("UPDATE conformity_trials SET rowid = 10 - rowid", ["a-0 base", "b-1 base", "c-2 base"]),
        ("DELETE FROM conformity_trials WHERE trial_id = 'b'", ["a-0 base", "c-2 base"]),
        (KEYLESS + NAMED, ["a-0 base", "b-1 base", "c-2 base"]),
        (
            KEYLESS + NAMED + AGAIN.format("'b'") + "FROM conformity_trials WHERE trial_id = 'b'",
            ["a-0 base", "b-1 again", "b-1 base", "c-2 base"],
        ),
        (
            AGAIN.format("'x'")
            + "FROM conformity_trials WHERE trial_id = 'b'; "
            + "UPDATE conformity_outputs SET trial_id = 'x' WHERE rowid = 1",
            ["a-0 again", "b-1 base", "c-2 base"],
        ),
    ],
    ids=["beside", "elsewhere", "without a trial", "without a key", "two trials of one id", "a later trial"],
)
def test_conformity_finds_the_trial_of_each_output(change: str, found: list[str]) -> None:
    source = runs([trial("a"), trial("b"), trial("c")])
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.executescript(change)
    rows, _ = read(source, "variant", "raw_text")
    assert sorted(f"{row['id']} {row['variant']}" for row in rows) == found


def test_conformity_counts_trials_by_condition_whatever_they_are() -> None:
    from auditfw.components.source import conformity

    names = ["control", "asch_history_5", "authoritative_bias"]
    source = runs([trial(f"t{n}", condition=names[n % 3]) for n in range(8)])
    run = conformity.completed(source.metadata, source.runs_dir)[0]
    assert sorted(conformity.survey(run).trials) == [
        ("r", "asch_history_5", 3), ("r", "authoritative_bias", 2), ("r", "control", 3)
    ]  # fmt: skip
    with closing(sqlite3.connect("runs/one/simulation.db")) as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("UPDATE conformity_trials SET run_id = 'other' WHERE trial_id = 't0'")
        db.execute("UPDATE conformity_trials SET condition_id = 'gone' WHERE trial_id IN ('t1', 't2')")
        db.commit()
    assert sorted(conformity.survey(run).trials, key=str) == [
        ("other", "control", 1), ("r", "asch_history_5", 2), ("r", "authoritative_bias", 1), ("r", "control", 2),
        ("r", None, 2),
    ]  # fmt: skip


def test_conformity_damaged_in_the_middle() -> None:
    source = runs([trial(f"t{n:03}", raw_text="x" * 900) for n in range(60)])
    path = Path("runs/one/simulation.db")
    data = bytearray(path.read_bytes())
    pages = [at for at in range(0, len(data), 4096) if b"x" * 900 in data[at : at + 4096]]
    data[pages[5] : pages[5] + 60] = b"\xff" * 60
    path.write_bytes(data)
    evidence = source.open(["raw_text"], None)
    with pytest.raises(DataError, match="is damaged"):
        [task() for task in evidence.tasks]


@pytest.mark.parametrize("make", ["polars", "pandas"])
def test_a_frame_at_hand_is_audited(make: str) -> None:
    columns = {"id": ["a", "b"], "raw_text": ["Paris", "Rome"], "ground_truth": ["Paris", "Oslo"], "stored": [1, 0]}
    frame = __import__(make).DataFrame(columns)
    settings = {"experiment": "answer_parsing", "by": [], "parser": ["raw"], "normalizer": ["v1"], "gate": []}
    result = auditfw.run({**settings, "source": {"use": "frame", "frame": frame}})
    assert result.counts == {"read": 2, "audited": 2}
    assert result.measurement("flips", "raw+v1").estimate.value == 0.0
