"""Commands on a terminal of their own, with keys that are pressed."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import sys
from collections.abc import Sequence
from pathlib import Path

WAITING = b"complete): "  # how a question ends
SECONDS = 60.0


def on_terminal(folder: Path, words: Sequence[str], keys: str = "", width: int = 200) -> tuple[int, str]:
    """The exit code of a command and what it prints; it is given a key whenever it asks."""
    child, stream = pty.fork()
    if not child:
        os.chdir(folder)
        around = {**os.environ, "COLUMNS": str(width), "TERM": "xterm"}
        os.execve(sys.executable, [sys.executable, "-m", "auditfw", *words], around)
    output, pressed = b"", 0
    with contextlib.suppress(OSError):  # the terminal is closed
        while select.select([stream], [], [], SECONDS)[0] and (piece := os.read(stream, 65536)):
            output += piece
            if output.count(WAITING) > pressed and pressed < len(keys):
                os.write(stream, keys[pressed].encode())
                pressed += 1
    os.close(stream)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), output.decode()
