"""Numbers that are not finite or too large matter only where they are read, and conditions come before ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from files_read import lines, put, read, refused

import auditfw
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.source.formats import FrameSource
from auditfw.core.errors import DataError

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("use", ["jsonl", "json"])
def test_a_number_that_is_not_finite_matters_only_where_it_is_read(token: str, use: str) -> None:
    text = [f'{{"id": 1, "t": "a", "n": {token}, "deep": {{"p": [1, {token}]}}}}', '{"id": 2, "t": "NaN", "n": 5}']
    put("a.jsonl", "\n".join(text))
    put("a.json", f'{{"mean": {token}, "rows": [{",".join(text)}]}}')
    source = JsonLines(path="a.jsonl") if use == "jsonl" else JsonArray(path="a.json", records="rows")
    rows, tally = read(source, "t", optional=())
    assert ([row["t"] for row in rows], tally["notes"]) == (["a", "NaN"], {})
    rows, tally = read(source, "t", "n", "deep", optional=())
    assert [(row["n"], row["deep"]) for row in rows] == [(None, {"p": [1, None]}), (5, None)]
    told = {f"{name}: NaN or Infinity read as null (first: {source.path}:1)": 1 for name in ("n", "deep")}
    assert tally["notes"] == told


def test_a_number_too_large_is_refused_only_where_it_is_read() -> None:
    put("a.jsonl", '{"id": 1, "t": "a", "n": 1e999}\n')
    assert read(JsonLines(path="a.jsonl"), "t", optional=())[0] == [{"id": "1", "t": "a"}]
    refused(DataError, JsonLines(path="a.jsonl"), "a.jsonl:1: a number too large (1e999)", "null", required=("n",))


def test_tables_and_frames_say_so_too() -> None:
    frame = pl.DataFrame({"id": ["a", "b"], "n": [float("nan"), 2.0], "unread": [float("inf"), 1.0]})
    frame.write_parquet("a.parquet")
    for source in (Parquet(path="a.parquet"), FrameSource(frame=frame), FrameSource(frame=frame.to_dicts())):
        rows, tally = read(source, "n", optional=())
        assert [row["n"] for row in rows] == [None, 2.0]
        assert len(tally["notes"]) == 1
        assert read(source, "id", optional=())[1]["notes"] == {}


def test_recorded_outcomes_that_are_not_finite_stay_what_they_are(tmp_path: Path) -> None:
    put("s.jsonl", '{"label": "a", "intended": {"y": 1}, "params": {}, "note": NaN}\n')
    put("r.jsonl", '{"label": "a", "actual": {"y": NaN}}\n')
    done = auditfw.run({
        "experiment": "posiwid", "by": [], "scenarios": {"use": "jsonl", "path": "s.jsonl"},
        "simulator": {"use": "table", "path": "r.jsonl"},
    })  # fmt: skip
    assert done.counts == {"read": 1, "audited": 0, "nonfinite": 1}


@pytest.mark.parametrize("bad", [None, "", [1], True, float("nan")], ids=str)
@pytest.mark.parametrize("use", ["jsonl", "json", "records"])
def test_a_condition_comes_before_the_check_of_ids(bad: Any, use: str) -> None:
    rows = [{"id": 1, "ok": 1}, {"id": bad, "ok": 0}, {"id": 2, "ok": 1}, {"id": 1, "ok": 0}, {"id": 1, "ok": 0}]
    sources = {
        "jsonl": lambda where: JsonLines(path=lines(*rows), where=where),
        "json": lambda where: JsonArray(path=put("a.json", json.dumps(rows)), where=where),
        "records": lambda where: FrameSource(frame=rows, where=where),
    }
    found, tally = read(sources[use]("ok = 1"), "ok")
    assert ([row["id"] for row in found], tally["dropped"]) == (["1", "2"], {"filtered": 3})
    refused(DataError, sources[use]("ok >= 0"), ": the id is ")
    if bad is None:
        assert len(read(sources[use]("id IS NOT NULL AND (ok = 1)"), "ok")[0]) == 2
