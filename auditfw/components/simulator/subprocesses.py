"""A process of its own for simulated code: started in a folder of its own, read with deadlines, ended as a group."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from auditfw.core.errors import brief
from auditfw.core.interrupts import check_not_ours, look
from auditfw.core.processes import need_groups, scratch_prefix

ELSEWHERE = "run your own code with simulator.isolation=none, which waits for it without a time limit"
TAIL = 4_096
CHUNK = 1 << 20


class EndedError(Exception):
    """The process has ended, or closed its standard output; says how."""


class FloodError(Exception):
    """The process sent more than it may."""


class ChildProcess:
    """A running process with what it still has to be sent, what it has written, and the end of its standard error.

    `most` is how many bytes may wait to be taken. It works in `folder`; None: in an empty folder of its own, which is
    removed at the end.
    """

    def __init__(self, command: Sequence[str], folder: str | None, most: int) -> None:
        need_groups("simulator", "a process of its own that can be ended", ELSEWHERE)
        self.scratch = tempfile.mkdtemp(prefix=scratch_prefix("simulator"))
        self.work = str(Path(self.scratch, "work"))
        os.mkdir(self.work)
        self.output, self.tail, self._most, self._outgoing = bytearray(), b"", most, memoryview(b"")
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
                cwd=folder if folder is not None else self.work, start_new_session=True,
                env={**os.environ, "TMPDIR": self.scratch},
            )  # fmt: skip
        except OSError:
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise
        self._streams: list[IO[bytes]] = [s for s in (self._process.stdout, self._process.stderr) if s is not None]
        self._selector = selectors.DefaultSelector()
        for stream in self._streams:
            _never_wait(stream)
            self._selector.register(stream, selectors.EVENT_READ)
        if self._process.stdin is not None:
            _never_wait(self._process.stdin)

    def send(self, data: bytes) -> None:
        """Puts data behind what is still to be sent."""
        waiting = bytes(self._outgoing)
        self._outgoing = memoryview(waiting + data if waiting else data)
        if not waiting and self._process.stdin is not None:
            self._selector.register(self._process.stdin, selectors.EVENT_WRITE)

    def pump(self, wait: float) -> None:
        """Sends and receives what can be, waiting for at most so many seconds. Raises EndedError and FloodError."""
        look()
        over = False
        for key, _ in self._selector.select(wait):
            if key.fileobj is self._process.stdin:
                self._send()
            elif key.fileobj is self._process.stdout:
                data = self._read(key.fileobj)
                self.output += data or b""
                over = over or data == b""
            else:
                data = self._read(key.fileobj)
                self.tail = (self.tail + (data or b""))[-TAIL:]
                if data == b"":
                    self._selector.unregister(key.fileobj)
        if len(self.output) > self._most:
            raise FloodError
        if over:
            raise EndedError(self._how())

    def _read(self, stream: Any) -> bytes | None:
        try:
            return os.read(stream.fileno(), CHUNK)
        except BlockingIOError:
            return None

    def _send(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            self._outgoing = self._outgoing[os.write(stdin.fileno(), self._outgoing) :]
        except BlockingIOError:
            return
        except OSError:
            self._outgoing = memoryview(b"")  # it has ended, or its silence will show it
        if not self._outgoing:
            self._selector.unregister(stdin)

    def _how(self) -> str:
        """How it has ended, with its last words."""
        try:
            code: int | None = self._process.wait(1)
        except subprocess.TimeoutExpired:
            code = None
        check_not_ours(-code if code is not None else None)
        if code is None:
            how = "it closed its standard output"
        elif code < 0:
            how = f"its process died ({signal.Signals(-code).name})"
        else:
            how = f"its process ended (exit code {code})"
        return f"{how}{self.last_words()}"

    def last_words(self) -> str:
        """The last line of its standard error behind a colon, if there is one."""
        with contextlib.suppress(OSError, ValueError):
            self.tail = (self.tail + os.read(self._streams[1].fileno(), CHUNK))[-TAIL:]
        lines = self.tail.decode("utf-8", "replace").strip().splitlines()
        return f": {brief(lines[-1], 200)}" if lines else ""

    def end(self) -> None:
        """Ends the process with all that it started in its group, and removes its own folder."""
        if sys.platform == "win32":
            raise NotImplementedError  # nothing is started there: see `need_groups`
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for stream in (self._process.stdin, *self._streams):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


def _never_wait(stream: IO[bytes]) -> None:
    if sys.platform != "win32":
        os.set_blocking(stream.fileno(), False)
