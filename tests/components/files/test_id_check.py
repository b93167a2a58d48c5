"""Ids that are there twice are refused in the same words, whether they are looked for before the work or with it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditfw.components.files.file_source import Tasks
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.rows import IdCheck, hashes
from auditfw.core.errors import AuditError, DataError
from auditfw.core.native import VARIABLE
from auditfw.kinds.evidence import Evidence, one_pass_of

ROWS = [{"id": f"t{i}", "raw_text": "x" * 900} for i in range(4_000)]  # several blocks


def lines(path: Path, rows: list[dict[str, str]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8", newline="\n")
    return str(path)


def checked(evidence: Evidence) -> list[str]:
    """The ids, checked on the way."""
    once = one_pass_of(evidence.tasks)
    assert once is not None
    ids: list[str] = []
    for task in once.tasks:
        ids += task().columns["id"]
        once.take(task.note)  # type: ignore[attr-defined]
    once.finish()
    return ids


def refusal(read: object, evidence: Evidence) -> str:
    with pytest.raises(DataError) as caught:
        read(evidence)  # type: ignore[operator]
    return str(caught.value)


@pytest.mark.parametrize("name", ["native", "python"])
def test_the_refusal_is_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, name)
    path = lines(tmp_path / "a.jsonl", [*ROWS, ROWS[3], ROWS[7]])
    source = JsonLines(path=path)
    beforehand = refusal(lambda evidence: list(evidence.tasks), source.open(["raw_text"], []))
    assert refusal(checked, source.open(["raw_text"], [])) == beforehand
    assert "a.jsonl:4001: duplicate id 't3' (first at" in beforehand
    assert "1 more like this" in beforehand


def test_ids_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No further pass over the ids, neither before the work nor for a second look at the records."""
    source = JsonLines(path=lines(tmp_path / "a.jsonl", ROWS))
    monkeypatch.setattr(Tasks, "_ids", None)
    evidence = source.open(["raw_text"], [])
    assert checked(evidence) == [row["id"] for row in ROWS]
    assert [word for task in evidence.tasks for word in task().columns["id"]] == [row["id"] for row in ROWS]


def test_rows_that_a_condition_drops_are_none(tmp_path: Path) -> None:
    rows = [{"id": "a", "raw_text": "x", "n": "1"}, {"id": "a", "raw_text": "y", "n": "2"}]
    path = lines(tmp_path / "a.jsonl", rows)
    assert checked(JsonLines(path=path, where="n = '2'").open(["raw_text"], [])) == ["a"]
    assert "duplicate id 'a'" in refusal(checked, JsonLines(path=path).open(["raw_text"], []))


def test_what_is_dropped_or_numbered_is_known_before(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [ROWS[0], ROWS[0]])
    for settings in ({"duplicates": "first"}, {"duplicates": "all"}, {"columns": {"id": "#"}}):
        assert one_pass_of(JsonLines(path=path, **settings).open(["raw_text"], []).tasks) is None  # type: ignore[arg-type]


def test_tables_are_checked_too(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,raw_text\n1,x\n2,y\n1,z\n", "utf-8")
    evidence = DelimitedText(path=str(tmp_path / "a.csv")).open(["raw_text"], [])
    assert refusal(checked, evidence).startswith(f"{tmp_path}/a.csv:4: duplicate id '1' (first at {tmp_path}/a.csv:2)")


def test_equal_hashes_are_a_suspicion_only() -> None:
    """Whoever is told of them looks at the ids."""
    told: list[bool] = []
    for notes in ([], [b""], [hashes(["a", "b"]), hashes(["c"])], [hashes(["a"]), hashes(["b", "a"])]):
        check = IdCheck([], told.append)
        for note in notes:
            check.take(note)
        check.finish()
    assert told == [False, False, False, True]


@given(
    numbers=st.lists(
        st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**60 - 1, 2**60, 2**63, 2**64 - 1]), max_size=40
    )
)
def test_hashes_that_are_there_twice_are_found_whatever_their_bits(numbers: list[int]) -> None:
    told: list[bool] = []
    check = IdCheck([], told.append)
    for number in numbers:
        check.take(number.to_bytes(8, sys.byteorder))
    check.finish()
    assert told == [len(set(numbers)) < len(numbers)]


@pytest.mark.parametrize("name", ["native", "python"])
def test_a_hash_is_eight_bytes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, name)
    words = ["a", "b", "", "é", "\U0001f600", "\ud800", "a"]
    each = [hashes([word]) for word in words]
    assert b"".join(each) == hashes(words)
    assert [len(one) for one in each] == [8] * len(words)
    assert len(set(each)) == len(words) - 1


def test_a_record_that_is_none_comes_first(tmp_path: Path) -> None:
    """Of a file with both faults the record is named, however many processes read it."""
    path = tmp_path / "a.jsonl"
    lines(path, [*ROWS, ROWS[0]])
    path.write_bytes(path.read_bytes() + b'{"id": "z", "raw_text": nonsense}\n')
    with pytest.raises(AuditError, match=r"a\.jsonl:4002:25: not JSON"):
        checked(JsonLines(path=str(path)).open(["raw_text"], []))
