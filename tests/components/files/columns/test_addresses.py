"""Addresses of columns: paths into records, and names that look like them."""

from __future__ import annotations

from typing import Any

import pytest
from files_read import lines, read

from auditfw.components.files.formats.jsonl import JsonLines

pytestmark = pytest.mark.usefixtures("here")


@pytest.mark.parametrize(
    ("theirs", "value"),
    [("o[0]", "x"), ("o[-1]", "y"), ("c.t", 0.5), ('c["a.b"]', 2), ("q.r", 9), ("c", {"t": 0.5, "a.b": 2})],
)
def test_addresses(theirs: str, value: Any) -> None:
    path = lines({"o": ["x", "y"], "c": {"t": 0.5, "a.b": 2}, "q.r": 9})
    rows, _ = read(JsonLines(path=path, columns={"v": theirs}), "v", optional=())
    assert rows == [{"id": "1", "v": value}]


def test_addresses_as_names() -> None:
    path = lines({"c": {"t": 1}}, {"c": {"t": 2}})
    rows, _ = read(JsonLines(path=path, where='"c.t" > 1'), "c.t", optional=())
    assert rows == [{"id": "2", "c.t": 2}]
