"""A JSON document whose records stand inside an object."""

from __future__ import annotations

import pytest
from files_read import put, read, refused

from auditfw.components.files.formats.json import JsonArray
from auditfw.core.errors import DataError, UsageError

pytestmark = pytest.mark.usefixtures("here")


def test_json_records_inside_an_object() -> None:
    path = put("a.json", '{"v": [1], "results": {"n": 2, "rows": [{"id": 1}, {"id": 2}], "z": 0}, "end": []}')
    assert [row["id"] for row in read(JsonArray(path=path, records="results.rows"))[0]] == ["1", "2"]
    refused(UsageError, JsonArray(path=path, records="results.row"), "source.records", "found: n, rows, z")
    refused(DataError, JsonArray(path=path, records="results"), "expected an array")
