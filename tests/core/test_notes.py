"""Notes that are alike are one remark, and remarks of many files one warning."""

from __future__ import annotations

import pytest
from mistakes import TRIAL, files, parsing

import auditfw
from auditfw.core.notes import folded, remarks

pytestmark = pytest.mark.usefixtures("here")


NOTES = {
    "a.jsonl: ids are mixed": 1,
    "b.jsonl: ids are mixed": 2,
    "a.jsonl: bytes read as U+FFFD (first: line 7)": 3,
    "a.jsonl: bytes read as U+FFFD (first: line 9)": 4,
    "c.jsonl: bytes read as U+FFFD (first: line 1)": 5,
    "stored: text that means null": 6,
    "moved": 1_000,
}


def test_notes_that_are_alike_are_one_remark() -> None:
    assert remarks(NOTES) == [
        "a.jsonl and 1 more: bytes read as U+FFFD (first: line 7): 12",
        "a.jsonl and 1 more: ids are mixed: 3",
        "moved: 1,000",
        "stored: text that means null: 6",
    ]
    assert folded(["a.db: no log", "x", "b.db: no log", "c.db: no log"]) == ("a.db and 2 more: no log", "x")


def test_remarks_of_many_files_are_one_warning() -> None:
    rows = [{"id": n if n % 2 else f"x{n}", **TRIAL} for n in range(4)]
    result = auditfw.run(parsing(files=files(*rows), duplicates="all") | {"gate": [], "report": []})
    [found] = [text for text in result.warnings if "ids are numbers" in text]
    assert found == "1.jsonl and 4 more: ids are numbers in some records and text in others; compared as text: 5"
