"""Which array of a document holds the samples, and what is advised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from files_read import put, read, refused

from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.scanned_array import advice, records_at
from auditfw.components.files.keys import SOURCE
from auditfw.core.errors import AuditError, DataError

pytestmark = pytest.mark.usefixtures("here")


SAMPLE = {"id": 1, "input": "q", "target": "t", "messages": [{"role": "user", "content": "q"}] * 9, "tags": []}
LOG = {"version": 2, "eval": {"tags": [], "x": [{"a": 1}] * 99}, "tags": [], "samples": [SAMPLE] * 3, "stats": {}}


@pytest.mark.parametrize(
    ("whole", "mapped", "said"),
    [
        (LOG, [], "write source.records=samples"),
        (LOG, ["a"], "write source.records=eval.x"),
        ({"rows": [{"a": 1}]}, [], "write source.records=rows"),
        ({"tags": [], "messages": SAMPLE["messages"], "items": [{"x": 1}]}, [], "write source.records=items"),
        ({"messages": SAMPLE["messages"]}, [], "no array in it looks like samples"),
        ({"messages": SAMPLE["messages"]}, ["content"], "write source.records=messages"),
        ({"results": {"results": [{"prompt": "p", "score": 1}] * 4}}, [], "write source.records=results.results"),
        ({"a": [{"x": 1}] * 3, "b": [{"y": 1}]}, ["y[0]"], "write source.records=b"),
        ({"a": [{"x": 1}] * 3, "b": [{"y": 1, "z": 2}]}, ["{y}/{z}"], "write source.records=b"),
        ({"a": [{"x": 1}] * 3, "b": [{"y": 1}]}, [], "array of the samples: a (3 objects), b (1 objects)"),
        ({"data.x": [{"id": 1}]}, [], "'data.x': rename the key that has a dot"),
        ({"n": 1, "eval": {"tags": []}}, [], "there is no array of objects in it"),
        (SAMPLE | {"output": "o"}, [], "it looks like one record"),
        (SAMPLE | {"steps": [{"k": 1}]}, ["target"], "it looks like one record"),
        ({str(n): SAMPLE for n in range(5)}, [], "the object holds 5 records by key"),
        ({"one": SAMPLE, "two": SAMPLE}, [], "the object holds 2 records by key"),
        ({"v": 1, "details": {str(n): SAMPLE for n in range(5)}}, ["target"], "'details' holds 5 records by key"),
    ],
)
def test_the_array_that_holds_the_samples_is_named(whole: Any, mapped: list[str], said: str) -> None:
    assert said in advice(whole, mapped, SOURCE)
    path = put("a.json", json.dumps(whole))
    refused(DataError, JsonArray(path=path, columns={f"c{n}": text for n, text in enumerate(mapped)}), said)


@pytest.mark.parametrize(
    ("whole", "records"),
    [
        ({"samples": [SAMPLE]}, "samples"),
        ({"details": {"1": SAMPLE, "2": SAMPLE}, "n": 2}, "details.*"),
        ({"messages": SAMPLE["messages"]}, None),
        ({"data.x": [SAMPLE]}, None),
        ({"n": 2}, None),
    ],
)
def test_the_likeliest_records(whole: Any, records: str | None) -> None:
    assert records_at(whole) == records


@pytest.mark.parametrize("records", ["tags", "eval", "eval.tags", "smples", "samples.tags", "version"])
def test_keys_that_lead_elsewhere_get_the_same_advice(records: str) -> None:
    path = put("a.json", json.dumps(LOG))
    refused(AuditError, JsonArray(path=path, records=records), "source.records=samples")
    assert len(read(JsonArray(path=path, records="samples", columns={"id": "#"}))[0]) == 3
