"""Escapes: a table of attempts to change, read or leave anything outside, each refused by the kernel tier."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from escapes import ATTEMPTS, PROGRAM
from walls import needs_landlock

from auditfw.components.executor.tiers import Sandlock


@pytest.fixture
def places(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Files, a process and sockets that are not the program's own."""
    folder = tmp_path / "outside"
    (folder / "empty").mkdir(parents=True)
    file = folder / "file"
    file.write_text("secret")
    os.utime(file, (9, 9))
    victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    abstract = f"auditfw-{secrets.token_hex(4)}"
    with socket.socket() as inet, socket.socket(socket.AF_UNIX) as named, socket.socket(socket.AF_UNIX) as hidden:
        inet.bind(("127.0.0.1", 0))
        hidden.bind(f"\0{abstract}")
        os.chdir(tmp_path)  # a socket's path is short
        named.bind("listening")
        for one in (inet, named, hidden):
            one.listen(4)
        yield {
            "file": str(file),
            "folder": str(folder),
            "empty": str(folder / "empty"),
            "own": "own",
            "library": os.__file__,
            "victim": victim.pid,
            "port": inet.getsockname()[1],
            "abstract": abstract,
            "listening": str(tmp_path / "listening"),
        }
    victim.kill()
    victim.wait()


@needs_landlock
def test_no_attempt_gets_out(places: dict[str, Any]) -> None:
    file = Path(places["file"])
    before = (os.stat(file), sorted(os.listdir(file.parent)))
    inputs = [{"attempt": attempt, "places": places} for attempt in ATTEMPTS]
    found = Sandlock(seconds=10.0, scratch_mb=16)(f"{PROGRAM}\nopen('own', 'w').write('x')", inputs)
    out = {attempt: one.output or one.error for attempt, one in zip(ATTEMPTS, found, strict=True)}
    assert {attempt: came for attempt, came in out.items() if came != "held"} == {}
    assert len(ATTEMPTS) > 250
    assert (os.stat(file), sorted(os.listdir(file.parent))) == before
