"""Recorded outcomes as a simulator."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from simulated import simulator

from auditfw.config import build as bridge
from auditfw.core.errors import DataError, UsageError
from auditfw.kinds.simulation import ScenarioBatch

bridge.prepare()


def write(path: Path, *rows: Any) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return str(path)


def of_labels(*labels: str) -> ScenarioBatch:
    return ScenarioBatch(range(len(labels)), labels, [{}] * len(labels), [0] * len(labels))


def csv_file(path: Path) -> str:
    path.write_text("label,y,note\na,1,\nb,,n\n", "utf-8")
    return str(path)


def parquet_file(path: Path) -> str:
    pl.DataFrame({"label": ["a", "b"], "actual.y": [1.0, None], "other": [1, 2]}).write_parquet(path)
    return str(path)


def report_file(path: Path) -> str:
    path.write_text(json.dumps({"individual_results": [{"actual": {"y": 1}}, {"actual": {}}], "more": 1}), "utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("name", "made", "settings", "labels"),
    [
        ("t.jsonl", lambda p: write(p, {"label": "a", "actual": {"y": 1}}, {"label": "b", "actual": {}}), {}, "ab"),
        ("t.jsonl", lambda p: write(p, {"id": 7, "actual": {"y": 1}}, {"id": 8, "actual": {}}), {}, "78"),
        ("t.jsonl", lambda p: write(p, {"actual": {"y": 1}}, {"actual": {}}), {}, "12"),
        (
            "t.ndjson",
            lambda p: write(p, {"n": "a", "got": {"y": 1}}),
            {"columns": {"label": "n", "actual": "got"}},
            "ab",
        ),
        ("t.csv", csv_file, {}, "ab"),
        ("t.parquet", parquet_file, {}, "ab"),
        ("t.json", report_file, {"format": "posiwid_report"}, "12"),
    ],
)
def test_recorded(
    tmp_path: Path, name: str, made: Callable[[Path], str], settings: dict[str, Any], labels: str
) -> None:
    part = simulator("table", path=made(tmp_path / name), **settings)
    part.check()
    found = part(of_labels(labels[0], labels[1], "none"))
    assert [row.get("y") for row in found.outcomes] == [1, None, None]
    assert found.status == ["ok"] * 3
    assert found.why[2].startswith("no record of it in ")


def test_recorded_beside_the_scenarios() -> None:
    rows = ScenarioBatch([0], ["a"], [{}], [0], {"actual": [{"y": 1}]})
    assert simulator("table")(rows).outcomes == [{"y": 1}]
    with pytest.raises(UsageError, match=r"simulator\.path: not set"):
        simulator("table")(of_labels("a"))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"label": "a", "actual": {}}, {"label": "a", "actual": {}}], ":2: duplicate label 'a'"),
        ([{"label": "a", "result": {}}], "no column 'actual' (found: label, result) - write simulator.columns.actual"),
        ([{"label": "a", "actual": 3}], ":1: 'actual' is not a mapping of outcomes (a int)"),
    ],
)
def test_recordings_that_cannot_be_used(tmp_path: Path, rows: list[Any], told: str) -> None:
    def look() -> None:
        part = simulator("table", path=write(tmp_path / "t.jsonl", *rows))
        part.check()
        part(of_labels("a"))

    with pytest.raises(DataError) as caught:
        look()
    assert told in str(caught.value)
