"""result.json is the contract, and all there is."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import replace

import polars as pl
import pytest
from made_up_audit import HOSTILE, Stream

from auditfw.components.report.json import JsonReport
from auditfw.core.records import Result, Value
from auditfw.core.result_json import dumps, measurement_columns, result_document


def test_document_is_the_contract(hostile: Result) -> None:
    document = json.loads(dumps(result_document(hostile)))
    assert list(document) == [
        *(
            "schema",
            "audit",
            "verdict",
            "exit_code",
            "answer",
            "findings",
            "not_checked",
            "digests",
            "counts",
            "measurements",
        ),
        *("gates", "warnings", "inputs", "config_hash", "seed", "versions"),
    ]
    assert document["schema"] == "auditfw.result/2"
    assert list(document["counts"]) == ["read", "audited", "malformed", "no_ground_truth"]
    assert document["gates"][1] == {
        "name": "flips",
        "rule": "flips <= 25",
        "reading": "answer_v2+v2",
        "value": 1061.0,
        "status": "fail",
        "why": "1,061 is above 25",
        "metric": "flips",
        **dict.fromkeys(("bound", "side", "low", "high", "on", "answer")),
        **{"strict": False, "cell": {}, "terms": []},
    }
    assert document["gates"][3]["value"] is None
    assert document["inputs"][0]["path"] == HOSTILE.replace("\ud800", "\ufffd")
    assert document["measurements"][0] == {
        "metric": "error_rate",
        "reading": "stored+v1",
        "cell": {},
        "value": 61.2,
        "counted": 1080,
        "missing": 0,
        "low": None,
        "high": None,
        "undefined": None,
    }
    assert [list(found["cell"]) for found in document["measurements"] if found["cell"]] == [["key"]]
    broken = next(found for found in document["measurements"] if found["metric"] == "flips" and found["counted"] == 3)
    assert (broken["value"], broken["low"], broken["high"], broken["undefined"]) == (None, None, None, "not finite")


def test_measurements_share_their_columns(hostile: Result) -> None:
    storable = HOSTILE.replace("\ud800", "\ufffd")  # what is read holds no half of a character
    measured = [replace(one, metric="m", reading="r", cell=mended(one.cell, storable)) for one in hostile.measurements]
    rows = pl.DataFrame(measurement_columns(replace(hostile, measurements=measured))).to_dicts()
    wanted = ["metric", "reading", "temperature", "cell.value", "key", "value", "counted", "missing"]
    assert all(list(row) == [*wanted, "low", "high", "undefined"] for row in rows)
    assert len(rows) == len(hostile.measurements)
    assert (rows[0]["temperature"], rows[1]["temperature"], rows[-1]["key"]) == (None, "0.5", storable)
    assert rows[-2]["cell.value"] is None
    assert not any(isinstance(value, float) and not math.isfinite(value) for row in rows for value in row.values())


def mended(cell: Mapping[str, Value], text: str) -> dict[str, Value]:
    return {name: text if value == HOSTILE else value for name, value in cell.items()}


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_is_all_there_is(monkeypatch: pytest.MonkeyPatch, hostile: Result, encoding: str) -> None:
    stream = Stream(encoding)
    monkeypatch.setattr(sys, "stdout", stream)
    assert JsonReport()(hostile, None) == ()
    assert json.loads(stream.text()) == json.loads(dumps(result_document(hostile)))
    quiet = Stream()
    monkeypatch.setattr(sys, "stdout", quiet)
    assert JsonReport(print=False)(hostile, None) == ()
    assert quiet.text() == ""
