"""What is around the records of a JSON text, and records that are the members of an object."""

from __future__ import annotations

import json

import pytest
from files_read import put, read, refused

from auditfw.components.files.formats import json as json_format
from auditfw.components.files.formats.json import JsonArray
from auditfw.core.errors import DataError, NothingAudited, UsageError

pytestmark = pytest.mark.usefixtures("here")
LOG = {
    "eval": {"model": "m", "config": {"temperature": 0.5}},
    "results": {"version": 3, "rows": [{"id": 1, "t": "x"}, {"id": 2, "t": "y"}], "after": "z"},
    "tags": ["a"],
}


def test_columns_from_outside_the_records() -> None:
    put("a.json", json.dumps(LOG))
    header = {"model": "eval.model", "temperature": "eval.config.temperature", "v": "results.version"}
    rows, _ = read(JsonArray(path="a.json", records="results.rows", header={**header, "z": "results.after"}))
    assert rows == [
        {"id": n, "t": t, "model": "m", "temperature": 0.5, "v": 3, "z": "z"} for n, t in (("1", "x"), ("2", "y"))
    ]


def test_each_file_has_its_own() -> None:
    for name in ("a", "b"):
        put(f"{name}.json", json.dumps({"model": name, "rows": [{"n": 1}]}))
    source = JsonArray(path="{run}.json", records="rows", header={"model": "model"}, columns={"id": "{model}/{run}"})
    assert [row["id"] for row in read(source)[0]] == ["a/a", "b/b"]


def test_headers_that_are_not_there() -> None:
    put("a.json", json.dumps(LOG))
    put("b.json", '[{"id": 1}]')
    source = JsonArray(path="a.json", records="results.rows", header={"m": "evals.model"})
    refused(UsageError, source, "source.header.m: no 'evals.model' in a.json", "found: eval, results, tags", "'eval'")
    refused(UsageError, JsonArray(path="b.json", header={"m": "x"}), "there is nothing outside the records of b.json")
    put("c.json", '{"eval": 1, "rows": [{"id": 1}, }')
    refused(DataError, JsonArray(path="c.json", records="rows", header={"m": "eval"}), "c.json:1")


DETAILS = {"accuracy": 50, "details": {"type": "GEN", "0": {"p": "x"}, "7": {"p": "y", "key": "own"}}}


def test_members_of_an_object_are_records() -> None:
    put("a.json", json.dumps(DETAILS))
    rows, tally = read(JsonArray(path="a.json", records="details.*", columns={"id": "key"}))
    assert rows == [{"id": "0", "p": "x"}, {"id": "own", "p": "y"}]
    assert tally["notes"] == {"a.json: values next to the records that are not objects were left out": 1}
    put("b.json", json.dumps({"q1": {"p": "x"}, "q2": {"p": "y"}}, indent=1))
    rows, _ = read(JsonArray(path="b.json", records="*"), "key", optional=("#place",))
    assert rows == [{"id": "1", "key": "q1", "#place": "b.json:2"}, {"id": "2", "key": "q2", "#place": "b.json:5"}]


def test_members_that_are_arrays_of_records() -> None:
    put("a.json", json.dumps({"eval": {"T/0": [{"s": 1}, {"s": 2}], "T/1": [], "T/2": [{"s": 3}]}}))
    rows, _ = read(JsonArray(path="a.json", records="eval.*", columns={"id": "{key}/{#}"}))
    assert [(row["id"], row["s"]) for row in rows] == [("T/0/1", 1), ("T/0/2", 2), ("T/2/3", 3)]


def test_members_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_format, "CHUNK", 3)
    monkeypatch.setattr(json_format, "ROWS", 2)
    members = {str(n): {"n": n} if n % 3 else n for n in range(20)}
    put("a.json", json.dumps({"head": {"x": [1, {"y": 2}]}, "d": members, "tail": 1}))
    rows, tally = read(JsonArray(path="a.json", records="d.*", header={"y": "head.x[1].y", "tail": "tail"}))
    assert [row["n"] for row in rows] == [n for n in range(20) if n % 3]
    assert {(row["y"], row["tail"]) for row in rows} == {(2, 1)}
    assert sum(tally["notes"].values()) == 7


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ('{"d": [1]}', DataError, ("expected an object at 'd.*'", "got '['")),
        ('{"d": {"a": 1}}', NothingAudited, ("a.json: the array at 'd.*' is empty",)),
        ('{"d": {"a": {"b": 1},}}', DataError, ("a.json:1", "trailing comma")),
        ('{"d": {1: {"b": 1}}}', DataError, ("a.json:1", "a key is a int, not text")),
        ('{"d": {"a": {"b": 1}', DataError, ("a.json:1", "the file is cut off")),
        ('{"e": {"a": {"b": 1}}}', UsageError, ("no key 'd' in a.json", "found: e")),
        ('{"d": {"a": {"b": 1},\n"a": {"b": 2}}}', DataError, ("a.json:2: duplicate key in one object (key 'a')",)),
        ('{"e": 1, "e": 2, "d": {"a": {"b": 1}}}', DataError, ("a.json:1: duplicate key in one object (key 'e')",)),
        ('{"d": {"a": {"b": 1}}, "d": {}}', DataError, ("a.json:1: duplicate key in one object (key 'd')",)),
        ('{"d": {"a": {"b": 1}}, 1: {}}', DataError, ("a.json:1", "a key is a int, not text")),
    ],
)
def test_members_that_cannot_be_read(text: str, kind: type, words: tuple[str, ...]) -> None:
    put("a.json", text)
    refused(kind, JsonArray(path="a.json", records="d.*"), *words)
