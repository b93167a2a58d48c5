"""The journal of the self-audit: what was written is read back, and damage is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from auditfw.audits.self_audit.journal import Journal, held, read, sealed, unsealed
from auditfw.core.errors import DataError, IncompleteError, UsageError
from auditfw.kinds.ledger import Spent, Tried
from auditfw.kinds.solving import Example, Problem

PROBLEM = Problem("ü\n1", (Example(1, [[1]]),))


def written(folder: Path, attempts: int) -> Path:
    journal = Journal(str(folder))
    journal.begin("settings", "solver")
    for number in range(1, attempts + 1):
        spent = Spent(1, number / 3, 0, 5, None)
        tried = Tried(number, 0.5, False, spent, program="x = '\u2028'", feedback="no\n\ud800", tests=None)
        journal.finished(PROBLEM, tried, [[[float("nan"), 1]]])
    return folder / "attempts.jsonl"


def test_journal_reads_back_what_was_written(tmp_path: Path) -> None:
    stored = read(written(tmp_path, 3))
    assert stored.settings, stored.solver == ("settings", "solver")
    assert [one.number for one in stored.of(PROBLEM.id)] == [1, 2, 3]
    assert stored.of(PROBLEM.id)[1].spent == Spent(1, 2 / 3, 0, 5, None)
    assert stored.of(PROBLEM.id)[0].program == "x = '\u2028'"
    assert stored.remarks == []


def test_journal_cut_at_every_byte(tmp_path: Path) -> None:
    """Whatever is cut off, the lines before stay; a whole last line counts even without its line end."""
    path = written(tmp_path, 3)
    data = path.read_bytes()
    starts = [at + 1 for at, byte in enumerate(data) if byte == 10][:-1]
    for size in range(starts[0], len(data), 3):
        path.write_bytes(data[:size])
        found = len(read(path).of(PROBLEM.id))
        assert found == sum(size >= end - 1 for end in [*starts[1:], len(data)]), size


def test_journal_flipped_bytes_are_found(tmp_path: Path) -> None:
    """A flipped byte in any line but the last names the line; none is taken for something else."""
    path = written(tmp_path, 3)
    data = path.read_bytes()
    end = data.rstrip(b"\n").rfind(b"\n")
    for at in range(0, end, 19):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(DataError, match=f":{data[:at].count(10) + 1}: a line of the journal is damaged"):
            read(path)


def test_a_torn_line_is_cut_off_before_the_next(tmp_path: Path) -> None:
    """A process killed while writing leaves half a line: the next writer removes it."""
    path = written(tmp_path, 2)
    with path.open("ab") as stream:
        stream.write(b'{"problem": "half')
    Journal(str(tmp_path)).finished(PROBLEM, Tried(3, 0.5, False, Spent(1)), None)
    stored = read(path)
    assert [one.number for one in stored.of(PROBLEM.id)] == [1, 2, 3]
    assert stored.remarks == []


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    path = written(tmp_path, 2)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 100, hard))
    try:
        with pytest.raises(IncompleteError, match=r"attempts\.jsonl: cannot write .*errno 27"):
            Journal(str(tmp_path)).finished(PROBLEM, Tried(3, 0.5, False, Spent(1), program="x" * 400), None)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    stored = read(path)
    assert [one.number for one in stored.of(PROBLEM.id)] == [1, 2]
    assert stored.remarks == []


def test_unfinished_requests_are_known(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path), costly=True)
    journal.begin("s", "s")
    journal.started(PROBLEM, 1, 1)
    journal.finished(PROBLEM, Tried(1, 0.5, False, Spent(1)), None)
    journal.started(PROBLEM, 2, 1)
    journal.started(PROBLEM, 2, 2)
    assert read(tmp_path / "attempts.jsonl").unfinished() == {PROBLEM.id: (2, 2)}


def test_seal() -> None:
    line = sealed({"problem": 'a", "sum": "b', "attempt": 1})
    assert unsealed(line) == {"problem": 'a", "sum": "b', "attempt": 1}
    assert unsealed(line.replace("1", "2", 1)) is None
    assert unsealed("") is None


def test_one_holder(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(UsageError, match="is in use"), held(tmp_path):
        raise AssertionError
    with held(tmp_path):
        pass
