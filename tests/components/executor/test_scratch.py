"""The scratch folder: files are counted however they are hidden, and nothing of it remains."""

from __future__ import annotations

import glob
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from walls import needs_landlock

from auditfw.components.executor.channel import excess, scratch_folder
from auditfw.components.executor.tiers import Sandlock, Subprocess
from auditfw.core.processes import scratch_prefix

KERNEL = pytest.param(Sandlock(seconds=10.0), id="kernel", marks=needs_landlock)
BOTH = pytest.mark.parametrize("executor", [KERNEL, pytest.param(Subprocess(seconds=10.0), id="process")])
TOO_MANY = "wrote more than 16,777,216 bytes into files"
START = "import ctypes, os, time\ndef transform(n):\n"
LINUX = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="files that were deleted are counted on Linux")


@BOTH
@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(
            "    kept = []\n    while True:\n        kept.append(open('a', 'wb'))\n        os.unlink('a')\n"
            "        kept[-1].write(b'x' * 10**6)\n        kept[-1].flush()\n        time.sleep(0.01)",
            TOO_MANY,
            id="deleted, but open",
            marks=LINUX,
        ),
        pytest.param(
            "    with open('a', 'wb+') as file:\n        file.write(b'x' * 10**6)\n        file.flush()\n"
            "        ctypes.CDLL(None).mmap(None, 4096, 1, 2, file.fileno(), 0)\n"
            "    os.unlink('a')\n    time.sleep(20)",
            TOO_MANY,
            id="deleted, but mapped",
            marks=LINUX,
        ),
        pytest.param(
            "    for number in range(6000): open(f'{number}', 'w').close()\n    time.sleep(20)", TOO_MANY, id="empty"
        ),
        pytest.param(
            "    with open('a', 'wb') as file: file.truncate(2**24)\n    open('b', 'w').close()\n    time.sleep(20)",
            TOO_MANY,
            id="with a hole",
        ),
        pytest.param(
            "    for _ in range(1500):\n        os.mkdir('d')\n        os.chdir('d')\n    time.sleep(20)",
            "made folders more than 20 deep",
            id="deep",
        ),
    ],
)
def test_files_are_counted_however_they_are_hidden(executor: Any, body: str, why: str) -> None:
    [one] = executor(START + body, [1])
    assert (one.output, one.error) == (None, why)
    folders = os.path.join(tempfile.gettempdir(), scratch_prefix("program"))  # this process's: others run meanwhile
    assert not glob.glob(folders + "*")


def test_a_folder_in_which_something_still_writes_and_deletes_is_removed() -> None:
    """A thread makes a folder more as soon as the last is gone, ten of them, and deletes one that may be met."""
    started = Event()

    def write(top: Path) -> None:
        with suppress(FileNotFoundError):
            for number in range(10):
                (top / f"{number}").mkdir()
                (top / f"{number}" / "a").touch()
                started.set()
                while (top / f"{number}").exists():
                    (top / f"{number}" / "a").unlink(missing_ok=True)

    with scratch_folder() as folder:
        thread = Thread(target=write, args=(Path(folder),), daemon=True)
        thread.start()
        started.wait()
    assert not Path(folder).exists()
    thread.join()


@BOTH
def test_files_that_are_deleted_and_closed_count_no_more(executor: Any) -> None:
    body = (
        "    for _ in range(n):\n        with open('a', 'wb') as file: file.write(b'x' * 10**6)\n"
        "        os.rename('a', 'b')\n        os.unlink('b')\n        time.sleep(0.005)\n    return os.listdir('.')"
    )
    [one] = executor(START + body, [60])
    assert (one.output, one.error) == ([], "")


def test_a_folder_that_cannot_be_looked_into_is_too_much() -> None:
    with scratch_folder() as folder:
        os.mkdir(f"{folder}/closed", 0o300)
        why = excess(folder, 0, 10**6)
        assert why == ("" if os.getuid() == 0 else "made a folder that cannot be looked into: Permission denied")
    assert not os.path.exists(folder)


@pytest.mark.parametrize(("name", "depth"), [("x" * 100, 60), pytest.param("x", 1100, marks=pytest.mark.slow)])
def test_nothing_remains_of_folders_too_deep_for_a_path_or_a_recursion(name: str, depth: int) -> None:
    here = os.getcwd()
    with scratch_folder() as folder:
        os.chdir(folder)
        for _ in range(depth):
            os.mkdir(name)
            os.chdir(name)
        Path("file").write_text("x", "utf-8")
        os.symlink(here, "link")
        os.chdir(here)
    assert not os.path.exists(folder)
    assert os.path.isdir(here)
