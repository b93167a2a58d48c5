"""Blocks: where they end, and that their size changes nothing."""

from __future__ import annotations

import io
import json

import pytest
from files_read import QUIET, TEXTS, lines, put, read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditfw.components.files.formats import blocks, jsonl
from auditfw.components.files.formats import json as json_array
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines

pytestmark = pytest.mark.usefixtures("here")


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
