"""What a worker must have the same as the command: programs, modules and parts of files are compared by digests."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from auditfw.components.engine import identity, outpost
from auditfw.components.engine.identity import check_modules, check_same, modules, program
from auditfw.components.engine.parcels import apply, packed_apart, parcel_of, unpacked
from auditfw.components.simulator.table import TableSimulator
from auditfw.core.errors import AuditError, DataError, Findings, IncompleteError
from auditfw.core.inputs import FilePart, file_part

HERE = {"auditfw": "1 with sources a", "Python": "3.11.7", "text kernel": "python"}


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        (HERE, None),
        (
            HERE | {"auditfw": "2 with sources b"},
            "runs another program than the command (auditfw 1 with sources a, wanted 2 with sources b) "
            "- install the same there, and start its workers again",
        ),
        (
            HERE | {"text kernel": "native 12"},
            "runs another program than the command (text kernel python, wanted native 12) - install auditfw there "
            "where there is a C compiler, or set AUDITFW_KERNEL=python on both sides",
        ),
        (
            HERE | {"Polars": "9", "Python": "4"},
            "runs another program than the command (Python 3.11.7, wanted 4; Polars none, wanted 9) "
            "- install the same there, and start its workers again",
        ),
    ],
)
def test_programs_that_differ(wanted: Mapping[str, str], line: str | None) -> None:
    if line is None:
        return check_same(wanted, HERE)
    with pytest.raises(IncompleteError) as refused:
        check_same(wanted, HERE)
    assert str(refused.value) == line


def test_a_program_is_the_same_as_itself() -> None:
    assert list(program()) == ["auditfw", "Python", "Unicode", "Polars", "text kernel"]
    check_same(dict(program()), program())
    assert not [name for name in modules() if name.startswith("auditfw.")]


def test_a_module_is_what_it_was_when_it_was_first_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker has loaded it by then: that its file is another one now is no help."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(identity, "_seen", {})
    (tmp_path / "own_steps.py").write_text("a = 1\n", "utf-8")
    first = identity.digest_of("own_steps")
    assert first
    check_modules({"own_steps": first, "not_there": "1"})
    (tmp_path / "own_steps.py").write_text("a = 2\n", "utf-8")
    assert identity.digest_of("own_steps") == first
    monkeypatch.setattr(identity, "_seen", {})
    second = identity.digest_of("own_steps")
    with pytest.raises(IncompleteError) as refused:
        check_modules({"own_steps": first})
    assert str(refused.value).startswith(f"has another module 'own_steps' ({second}, wanted {first}) - ")


@pytest.mark.parametrize(
    ("content", "span", "line"),
    [
        (b"0123456789", (2, 5), None),
        (b"x123456789", (2, 5), None),
        (b"01x3456789", (2, 5), "is another file (other bytes from 2 to 5)"),
        (b"012345678", (2, 5), "is another file (9 bytes, wanted 10)"),
        (b"0123456789", (0, 0), None),
        (None, (2, 5), "no such file"),
    ],
)
def test_parts_of_files_that_differ(
    content: bytes | None, span: tuple[int, int], line: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, data in ((here, b"0123456789"), (there, content)):
        folder.mkdir()
        if data is not None:
            (folder / "f").write_bytes(data)
            os.utime(folder / "f", (1, 1))
    monkeypatch.chdir(here)
    part = file_part("f", *span)
    assert part == file_part("f", *span, b"0123456789"[slice(*span)])
    if line is None:
        return part.check(str(there))
    with pytest.raises(DataError) as refused:
        part.check(str(there))
    assert str(refused.value) == f"{there / 'f'}: {line} - share its folder under the same path, or copy it there"


def test_a_file_without_a_digest_is_known_by_its_time(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"0123456789")
    part = file_part(str(tmp_path / "f"))
    part.check("/")
    os.utime(tmp_path / "f", (1, 1))
    with pytest.raises(DataError) as refused:
        part.check("/")
    assert (refused.value.what, refused.value.found) == ("is another file", "modified at another time")


@dataclass(frozen=True)
class Reading:
    """A task that reads a file."""

    path: str

    def file_parts(self) -> list[FilePart]:
        return [file_part(self.path, 0, 3)]

    def __call__(self) -> str:
        return Path(self.path).read_text("utf-8")


@dataclass(frozen=True)
class Doing:
    """Work that may fail."""

    error: Exception | None = None

    def __call__(self, task: Reading) -> str:
        if self.error is not None:
            raise self.error
        return task()


class Keeping:
    """Work that keeps what it did."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def __call__(self, task: int) -> list[int]:
        self.seen.append(task)
        return list(self.seen)


def test_what_a_work_keeps_is_of_earlier_tasks_alone() -> None:
    """A task comes late, or again, where workers die or are many: a fresh work does it."""
    _, parcel = parcel_of(Keeping())
    done = [apply(parcel, packed_apart(number, number))[1] for number in (0, 1, 4, 2, 3, 3, 7)]
    assert done == [[0], [0, 1], [0, 1, 4], [2], [2, 3], [3], [3, 7]]


@dataclass(frozen=True)
class Simulating:
    """Work with a component in it."""

    simulator: TableSimulator

    def __call__(self, task: int) -> int:
        return task


def test_files_that_a_component_of_the_work_reads_are_compared(tmp_path: Path) -> None:
    file = tmp_path / "outcomes.jsonl"
    file.write_text('{"label": "a", "actual": {"y": 1}}\n', "utf-8")
    _, parcel = parcel_of(Simulating(TableSimulator(path=str(file))))
    assert apply(parcel, packed_apart(1)) == ("done", 1)
    file.write_text('{"label": "a", "actual": {"y": 2}}\n', "utf-8")
    kind, content = apply(parcel, packed_apart(1))
    assert (kind, content.exit_code, content.what) == ("failed", 3, "is another file")


def test_a_task_finds_the_relative_paths_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("command", "worker"):
        (tmp_path / folder).mkdir()
    (tmp_path / "command" / "f").write_text("abc", "utf-8")
    monkeypatch.chdir(tmp_path / "command")
    _, parcel = parcel_of(Doing())
    task = packed_apart(Reading("f"))
    monkeypatch.chdir(tmp_path / "worker")
    assert apply(parcel, task) == ("done", "abc")
    assert Path.cwd() == tmp_path / "worker"
    (tmp_path / "command" / "f").write_text("abd", "utf-8")
    assert apply(parcel, task)[0] == "failed"


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (DataError("f:1", "is wrong"), 3, "worker h: f:1: is wrong"),
        (IncompleteError("", "has no more"), 4, "worker h: has no more"),
        (Findings([DataError("f", "a"), DataError("g", "b")]), 3, "worker h: f: a\nworker h: g: b"),
        (OSError(5, "Input/output error", "f"), 4, "worker h: f: the system refuses (Input/output error)"),
        (ModuleNotFoundError("no", name="m"), 4, "worker h: has no module 'm' - share "),
        (KeyError("k"), 70, "worker h: a defect of auditfw (KeyError: 'k') - please report it "),
    ],
)
def test_errors_of_a_worker_begin_with_its_name(error: Exception, code: int, line: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("abc", "utf-8")
    _, parcel = parcel_of(Doing(error))
    kind, content = apply(parcel, packed_apart(Reading(str(tmp_path / "f"))))
    with pytest.raises(AuditError) as raised:
        unpacked(("h", kind, pickle.loads(pickle.dumps(content))))
    assert raised.value.exit_code == code
    assert str(raised.value).startswith(line)


def test_the_outpost_says_what_is_lacking(tmp_path: Path) -> None:
    host, kind, content = outpost.answer(b"no parcel", packed_apart(1))
    assert kind == "broke"
    assert "UnpicklingError" in str(content)
    with pytest.raises(IncompleteError) as refused:
        unpacked((host, "lacking", "ModuleNotFoundError: No module named 'auditfw'"))
    assert str(refused.value).startswith(f"worker {host}: cannot run this auditfw (ModuleNotFoundError: No module ")
