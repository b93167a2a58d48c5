"""Other systems: what Unix alone has is asked for where it is needed, and the one who needs it says so in a line.

Nothing here runs on Windows or macOS: Unix's own is taken away from an interpreter on this machine, mypy's idea of the
other systems is asked (slow), and the source is looked through.
"""

from __future__ import annotations

import ast
import os
import select
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from places import HELPERS, ROOT

from auditfw.components.executor.tiers import Sandlock, Subprocess
from auditfw.components.simulator.isolated import check_opens
from auditfw.components.simulator.python import PythonSimulator
from auditfw.components.simulator.subprocess import Program
from auditfw.core import background
from auditfw.core import locks as locking
from auditfw.core.errors import UsageError
from auditfw.core.locks import holding

pytestmark = pytest.mark.slow  # whole runs, or very many texts

FILES = sorted((ROOT / "auditfw").rglob("*.py"))
UNIX = {"crypt", "curses", "fcntl", "grp", "nis", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios"}
UNIX |= {"tty"}
RUNNERS = {"run", "Popen", "check_output", "check_call"}


def crippled(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """The command in an interpreter without what Unix has, its output not in UTF-8 as on a Western Windows."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "cp1252", "COLUMNS": "100"}
    environment["PYTHONUTF8"] = "0"
    command = [sys.executable, str(HELPERS / "other_system.py"), *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=100, check=False)


@pytest.mark.parametrize("words", ["--help", "list"])
def test_the_command_tells_of_itself(tmp_path: Path, words: str) -> None:
    done = crippled(tmp_path, words)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"auditfw" in done.stdout


def test_a_run_gives_the_same_bytes_in_one_process_and_in_spawned_ones(tmp_path: Path) -> None:
    one = crippled(tmp_path, "engine.workers=1", "hydra.run.dir=one")
    two = crippled(tmp_path, "engine.workers=2", "hydra.run.dir=two", "report=[json]")
    assert (one.returncode, one.stderr, two.returncode, two.stderr) == (0, b"", 0, b"")
    assert b"Data and gates (exit code 0" in one.stdout.replace(b"\r", b"")
    assert (tmp_path / "one" / "report.html").stat().st_size > 10_000
    for name in ("result.json", "measurements.parquet"):
        first, second = (tmp_path / run / name for run in ("one", "two"))
        assert first.read_bytes() == second.read_bytes(), name


def test_a_component_that_cannot_ends_the_command_in_one_line(tmp_path: Path) -> None:
    done = crippled(tmp_path, "experiment=posiwid", "simulator=subprocess", "simulator.command=[cat]")
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        f"auditfw: error: simulator: to start a program that can be ended needs Linux or macOS (this is {system()}) "
        "- on Windows run it under WSL"
    ]


def system() -> str:
    return os.uname().sysname if hasattr(os, "uname") else "Windows"


def test_executors_name_the_system_and_what_else_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "killpg", raising=False)
    with pytest.raises(UsageError, match=r"^executor: .* needs Linux or macOS \(this is \w+\) - .* WSL$"):
        Subprocess().check()
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(UsageError, match=r"^executor: sandlock needs Linux \(this is \w+\) - .* executor=subprocess$"):
        Sandlock().check()


def model(params: Any) -> Any:
    return params


def test_simulators_name_the_system_and_what_else_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(select, "poll", raising=False)
    with pytest.raises(UsageError, match=r"^simulator: .* needs Linux or macOS .* - .*simulator\.isolation=none"):
        check_opens(PythonSimulator(function=f"{__name__}:model"))
    with pytest.raises(UsageError, match=r"^simulator: .* needs Linux or macOS .* WSL$"):
        Program(command=("cat",)).check()
    check_opens(PythonSimulator(function=f"{__name__}:model", isolation="none"))


def test_benchmarks_name_the_system(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.__main__ import main

    monkeypatch.setitem(sys.modules, "resource", None)
    assert main(["startup"]) == 2
    assert capsys.readouterr().err == f"auditfw: error: benchmarks: need Linux or macOS (this is {sys.platform})\n"


def test_a_pipe_is_read_and_written_by_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "POLL", None)
    code = "import sys; line = sys.stdin.readline(); print(len(line)); print(line, end='', flush=True); sys.exit(3)"
    child = background.Child(background.started([sys.executable, "-c", code], errors=False))
    with pytest.raises(TimeoutError):
        child.line(0.05)
    child.send(b"x" * 1_000_000 + b"\n")
    assert (child.line(10), child.line(10)) == (b"1000001", b"x" * 1_000_000)
    with pytest.raises(background.EndedError):
        child.line(10)
    assert child.code() == 3
    child.end()


class Locks:
    """Windows' locks as its documentation has them: of bytes from the place in the file on, refused where held."""

    LK_UNLCK, LK_LOCK, LK_NBLCK = 0, 1, 2

    def __init__(self) -> None:
        self.held: dict[tuple[int, int], int] = {}

    def locking(self, handle: int, mode: int, _size: int) -> None:
        place = os.fstat(handle).st_ino, os.lseek(handle, 0, os.SEEK_CUR)
        if mode == self.LK_UNLCK:
            del self.held[place]
        elif self.held.setdefault(place, handle) != handle:
            raise PermissionError(13, "Permission denied")


def test_a_folder_is_held_by_the_locks_of_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    monkeypatch.setattr(locking, "msvcrt", Locks())
    with (
        holding(tmp_path, ".lock"),
        pytest.raises(UsageError, match=f"is in use .lock held by process {os.getpid()} on host "),
        holding(tmp_path, ".lock"),
    ):
        pass
    assert (tmp_path / ".lock").read_bytes().startswith(b"process ")
    with open(tmp_path / "journal", "ab+") as one:
        one.write(b"12")
        one.flush()
        locking.lock(one.fileno(), "LOCK_EX")
        assert os.lseek(one.fileno(), 0, os.SEEK_CUR) == 2
        locking.lock(one.fileno(), "LOCK_UN")
        assert (tmp_path / "journal").stat().st_size == 2


def test_a_lock_of_windows_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks, slept = Locks(), []
    monkeypatch.setattr(locking, "fcntl", None)
    monkeypatch.setattr(locking, "msvcrt", locks)
    monkeypatch.setattr(locking, "time", SimpleNamespace(sleep=lambda _: (slept.append(1), locks.held.clear())))
    with open(tmp_path / "journal", "ab") as one, open(tmp_path / "journal", "ab") as other:
        locking.lock(one.fileno(), "LOCK_EX")
        locking.lock(other.fileno(), "LOCK_EX")
    assert slept == [1]


# The source


@lru_cache(maxsize=1)
def trees() -> list[tuple[str, ast.Module]]:
    return [(str(file.relative_to(ROOT)), ast.parse(file.read_text("utf-8"))) for file in FILES]


def at_start(tree: ast.Module) -> list[ast.stmt]:
    """The statements that run when a module is imported, but for those that may fail for want of a module."""
    found: list[ast.stmt] = []
    todo: list[ast.stmt] = list(tree.body)
    while todo:
        one = todo.pop()
        found.append(one)
        if isinstance(one, ast.If | ast.With | ast.ClassDef):
            todo += [*one.body, *getattr(one, "orelse", [])]
        elif isinstance(one, ast.Try) and "ImportError" not in ast.unparse(ast.Module(list(one.handlers), [])):
            todo += one.body
    return found


def test_no_module_needs_a_unix_module_to_be_imported() -> None:
    faults = []
    for file, tree in trees():
        for one in at_start(tree):
            names = [alias.name for alias in one.names] if isinstance(one, ast.Import) else []
            names += [one.module or ""] if isinstance(one, ast.ImportFrom) and not one.level else []
            faults += [f"{file}:{one.lineno}: {name}" for name in names if name in UNIX]
    assert faults == []


def test_every_text_file_has_its_encoding_and_line_ends() -> None:
    faults = []
    for file, tree in trees():
        for call in ast.walk(tree):
            if isinstance(call, ast.Call):
                faults += [f"{file}:{call.lineno}: {ast.unparse(call)[:80]}: {what}" for what in lacking(call)]
    assert faults == []


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("open(file)", ["encoding"]),
        ("open(file, 'rb')", []),
        ("open(file, encoding='utf-8')", []),
        ("open(file, 'w', encoding='utf-8')", ["newline"]),
        ("path.open('a', encoding='utf-8', newline='')", []),
        ("path.open('w')", ["encoding", "newline"]),
        ("source.open(columns)", []),
        ("path.read_text()", ["encoding"]),
        ("path.read_text('utf-8')", []),
        ("path.write_text(text, 'utf-8')", ["newline"]),
        ("subprocess.run(words, text=True)", ["encoding"]),
    ],
)
def test_what_a_text_file_may_lack(source: str, what: list[str]) -> None:
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    assert lacking(call) == what


def lacking(call: ast.Call) -> list[str]:
    """What a call that opens a text file, or talks in texts with a program, leaves to the system."""
    method = isinstance(call.func, ast.Attribute)
    home = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    words = {word.arg: word.value for word in call.keywords}
    if name in RUNNERS and words.keys() & {"text", "universal_newlines"}:
        return [] if "encoding" in words else ["encoding"]
    if name == "open" and home != "os":
        mode = words.get("mode") or next(iter(call.args[0 if method else 1 :]), None)
        if method and not isinstance(mode, ast.Constant):
            return []  # a source's, or a model's
        modes, positional = str(mode.value) if isinstance(mode, ast.Constant) else "r", False
    elif name in ("read_text", "write_text") and method:  # without an object it is ours, and always UTF-8
        modes, positional = name[0], len(call.args) > (name == "write_text")
    else:
        return []
    if "b" in modes:
        return []
    lacks = [] if positional or "encoding" in words else ["encoding"]
    return lacks + (["newline"] if set(modes) & set("wa+") and "newline" not in words else [])


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_types_hold_for_other_systems(platform: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout
