"""Notes that are alike are one remark, and remarks of many files one warning."""

from __future__ import annotations

import pickle
from collections import Counter

import pytest
from mistakes import TRIAL, files, parsing

import auditfw
from auditfw.core.notes import Remark, folded, remarks

pytestmark = pytest.mark.usefixtures("here")


NOTES = {
    Remark("ids are mixed", "a.jsonl"): 1,
    Remark("ids are mixed", "b.jsonl"): 2,
    Remark("bytes read as U+FFFD", "a.jsonl", "line 7"): 7,
    Remark("bytes read as U+FFFD", "c.jsonl", "line 1"): 5,
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


def test_a_remark_is_the_same_wherever_it_is_made() -> None:
    """Also once it was sent: the first place stays."""
    first, second = Remark("bytes", "a", "line 7"), Remark("bytes", "a", "line 9")
    notes = Counter({first: 1})
    notes.update(pickle.loads(pickle.dumps(Counter({second: 2, Remark("bytes", "b"): 4}))))
    assert [(one.file, one.place, n) for one, n in notes.items()] == [("a", "line 7", 3), ("b", "", 4)]
    assert (str(first), hash(first) == hash("a: bytes")) == ("a: bytes", True)
    assert [one.place for one in pickle.loads(pickle.dumps([second]))] == ["line 9"]


def test_remarks_of_many_files_are_one_warning() -> None:
    rows = [{"id": n if n % 2 else f"x{n}", **TRIAL} for n in range(4)]
    result = auditfw.run(parsing(files=files(*rows), duplicates="all") | {"gate": [], "report": []})
    [found] = [text for text in result.warnings if "ids are numbers" in text]
    assert found == "1.jsonl and 4 more: ids are numbers in some records and text in others; compared as text: 5"
