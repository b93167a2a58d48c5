"""Addresses of columns: paths into records, and names that look like them."""

from __future__ import annotations

from typing import Any

import pytest
from files_read import lines, read

from auditfw.components.files.columns.addresses import pieces
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import UsageError

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    ("theirs", "value"),
    [("o[0]", "x"), ("o[-1]", "y"), ("c.t", 0.5), ('c["a.b"]', 2), ("q.r", 9), ("c", {"t": 0.5, "a.b": 2})],
)
def test_addresses(theirs: str, value: Any) -> None:
    path = lines({"o": ["x", "y"], "c": {"t": 0.5, "a.b": 2}, "q.r": 9})
    rows, _ = read(JsonLines(path=path, columns={"v": theirs}), "v", optional=())
    assert rows == [{"id": "1", "v": value}]


@pytest.mark.parametrize("theirs", ["{a}}", "{a}{", "{a}/{b", "{}", "{a}/{}"])
def test_braces_without_a_name(theirs: str) -> None:
    with pytest.raises(UsageError, match="expected the name of a column in braces"):
        pieces(theirs, (), "columns.id")
    assert pieces("x{a}/{b}", (), "columns.id") == [(False, "x"), (True, "a"), (False, "/"), (True, "b")]


def test_addresses_as_names() -> None:
    path = lines({"c": {"t": 1}}, {"c": {"t": 2}})
    rows, _ = read(JsonLines(path=path, where='"c.t" > 1'), "c.t", optional=())
    assert rows == [{"id": "2", "c.t": 2}]
