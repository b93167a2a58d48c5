"""What decodes to more than is plausible is refused before the memory is used."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from bounded_reading import parquet, read, refused

from auditfw.config.schema import load

pytestmark = pytest.mark.usefixtures("here")


def packed(text: bytes) -> str:
    Path("a.jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
    return "a.jsonl.gz"


LINE = b'{"id": 1, "t": "x"}\n'
BOMBS: dict[str, tuple[str, Callable[[], str], str]] = {
    "gzip": ("jsonl", lambda: packed(LINE * 60_000), "a.jsonl.gz: decompresses to more than is plausible ("),
    "equal numbers": (
        "parquet",
        lambda: parquet(id=range(10), l=[[0] * 12_000] * 10),
        "a.parquet: a row group decodes to more than is plausible (960,",
    ),
    "one long text many times": (
        "parquet",
        lambda: parquet(id=range(2_000), t=["x" * 1_000] * 2_000),
        "a.parquet: the texts of 1,000 rows are longer than is plausible (1,000,000 bytes, where 900,000 are",
    ),
    "texts in lists of structs": (
        "parquet",
        lambda: parquet(id=range(40), t=[[{"a": "x" * 1_000}] * 50] * 40),
        "a.parquet: a row group decodes to more than is plausible (2,0",
    ),
    "bytes": (
        "parquet",
        lambda: parquet(id=range(40), t=[b"x" * 50_000] * 40),
        "a.parquet: the texts of 40 rows are longer than is plausible (2,000,000 bytes",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_decodes_to_too_much_is_refused(name: str) -> None:
    use, make, message = BOMBS[name]
    path = make()
    assert os.path.getsize(path) < 20_000
    refused(load("source", {"use": use, "path": path, "max_decoded": 900_000, "duplicates": "all"}), message)
    assert read(load("source", {"use": use, "path": path, "max_decoded": 50_000_000, "duplicates": "all"}))
    assert read(load("source", {"use": use, "path": path, "duplicates": "all"}))


def test_texts_are_bounded_by_the_size_of_the_file_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """One long text in many rows is a few bytes of file, and as long as all of them together in Python."""
    source = load("source", {"use": "parquet", "path": parquet(id=range(2_000), t=["x" * 1_000] * 2_000)})
    assert len(read(source)) == 2_000
    monkeypatch.setattr("auditfw.components.files.formats.frames.FREE_TEXTS", 10_000)
    monkeypatch.setattr("auditfw.components.files.files.RATIO", 1)
    refused(source, "a.parquet: the texts of 1,000 rows are longer than is plausible (1,000,000 bytes, where 10,000")
