"""Charts drawn in a side process: where Vega's engine dies or hangs, the run loses the pictures only."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec

from auditfw.core.escaping import log_line
from auditfw.core.interrupts import LOOK, check_not_ours, joined, look
from auditfw.core.processes import python_code

DEADLINE = 30.0  # seconds that a picture may take
SPARE = 5  # seconds after which the child ends itself where its parent cannot end it any more
PIECE = 1 << 16
WAITS = hasattr(select, "poll")  # else, on Windows, a thread is waited for
READABLE, WRITABLE = getattr(select, "POLLIN", 0), getattr(select, "POLLOUT", 0)
KEPT = 256
_drawing = threading.Lock()  # who asks for a picture that is being drawn waits for it
LOST = (
    "charts: cannot be drawn ({why}); the reports show their numbers as tables - give the run more address space "
    "(ulimit -v), or write report=[console,junit]"
)
CODE = "from auditfw.components.report.charts.serving import serve; serve({parent}, {deadline})"


class DrawingError(Exception):
    """The process that draws has ended, does not answer, or could not be started; says how."""


class Drawer:
    """A process that makes SVG of Vega-Lite specifications, one a line; after its first failure there is none.

    It is started with the first picture, or before, and kept for the next ones. A failure is reported once.
    """

    def __init__(self, deadline: float = DEADLINE) -> None:
        self.failed = False
        self._deadline = deadline
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def __call__(self, specification: str) -> str | None:
        """The picture of a specification, None where it cannot be drawn."""
        with self._lock:
            if self.failed:
                return None
            try:
                return self._draw(specification)
            except DrawingError as error:
                self._end()
                if not self.failed:  # else it was closed meanwhile
                    self.failed = True
                    print(f"auditfw: warning: {log_line(LOST.format(why=error))}", file=sys.stderr)
                return None
            except BaseException:
                self._end()  # an answer that nobody took must not be the next one's
                raise

    def start(self) -> None:
        """Starts the process where it does not run yet, and does not wait for it, nor for one that is drawing."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if not self.failed:
                with contextlib.suppress(OSError):
                    self._running()
        finally:
            self._lock.release()

    def stop(self) -> None:
        """Ends the process where it runs; one that is needed later is started then."""
        with self._lock:
            self._end()

    def close(self) -> None:
        """Ends the process, whatever it is doing, and draws no more."""
        self.failed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        """The process; one that ended while it had nothing to do is replaced."""
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            code = CODE.format(parent=os.getpid(), deadline=int(self._deadline) + SPARE)
            self._process = subprocess.Popen(
                python_code(code),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
                start_new_session=True,  # Ctrl-C is for the command, which ends it
            )  # fmt: skip
            assert self._process.stdin is not None
            if WAITS and hasattr(os, "set_blocking"):
                os.set_blocking(self._process.stdin.fileno(), False)
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _draw(self, specification: str) -> str:
        until = time.monotonic() + self._deadline
        try:
            process = self._running()
            question = specification.encode("ascii") + b"\n"
            if WAITS:
                self._send(process, question, until)
                answer = json.loads(self._line(process, until))
            else:
                answer = json.loads(self._line_by_thread(process, question))
        except OSError as error:
            raise DrawingError(error.strerror or str(error)) from None
        except (MemoryError, ValueError) as error:
            raise DrawingError(f"{type(error).__name__} {error}".strip()) from None
        if "svg" not in answer:
            raise DrawingError(str(answer["error"]))
        return str(answer["svg"])

    def _send(self, process: subprocess.Popen[bytes], data: bytes, until: float) -> None:
        assert process.stdin is not None
        left = memoryview(data)
        while left:
            self._wait(process.stdin.fileno(), WRITABLE, until)
            try:
                left = left[os.write(process.stdin.fileno(), left[:PIECE]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                raise DrawingError(_ending(process)) from None

    def _line(self, process: subprocess.Popen[bytes], until: float) -> bytes:
        assert process.stdout is not None
        pieces: list[bytes] = []
        while not pieces or not pieces[-1].endswith(b"\n"):
            self._wait(process.stdout.fileno(), READABLE, until)
            pieces.append(os.read(process.stdout.fileno(), PIECE))
            if not pieces[-1]:
                raise DrawingError(_ending(process))
        return b"".join(pieces)

    def _line_by_thread(self, process: subprocess.Popen[bytes], question: bytes) -> bytes:
        """The answer to a question, both over pipes that cannot be waited for."""
        assert process.stdin is not None
        assert process.stdout is not None
        writes, reads, pieces = process.stdin.fileno(), process.stdout.fileno(), [b""]

        def exchange() -> None:
            left = memoryview(question)
            with contextlib.suppress(OSError):
                while left:
                    left = left[os.write(writes, left[:PIECE]) :]
                while not pieces[-1].endswith(b"\n") and (piece := os.read(reads, PIECE)):
                    pieces.append(piece)

        thread = threading.Thread(target=exchange, daemon=True)
        thread.start()
        if not joined(thread, self._deadline):
            raise DrawingError(f"no picture within {self._deadline:g} s")
        if not pieces[-1].endswith(b"\n"):
            raise DrawingError(_ending(process))
        return b"".join(pieces)

    def _wait(self, descriptor: int, event: int, until: float) -> None:
        if sys.platform == "win32":
            raise NotImplementedError  # there a thread waits: see WAITS
        poll = select.poll()
        poll.register(descriptor, event)
        while not poll.poll(max(0.0, min(until - time.monotonic(), LOOK)) * 1000):
            look()
            if time.monotonic() >= until:
                raise DrawingError(f"no picture within {self._deadline:g} s")


def _ending(process: subprocess.Popen[bytes]) -> str:
    """How a process ended that has closed its end of a pipe."""
    try:
        code = process.wait(1)
    except subprocess.TimeoutExpired:
        return "the process that draws them stopped answering"
    check_not_ours(-code)
    if code >= 0:
        return f"the process that draws them ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"the process that draws them was ended by {signal.Signals(-code).name}"
    return f"the process that draws them was ended by signal {-code}"


@lru_cache(maxsize=1)
def _drawer_of(process_id: int) -> Drawer:
    drawer = Drawer()
    atexit.register(drawer.close)
    return drawer


def drawer() -> Drawer:
    """The drawer of this process; a forked process has its own."""
    return _drawer_of(os.getpid())


def drawn(specification: str) -> str | None:
    """The picture of a specification, drawn once for all the reports of a run; None where it cannot be drawn."""
    with _drawing:
        return _drawn(specification)


@lru_cache(KEPT)
def _drawn(specification: str) -> str | None:
    return drawer()(specification)


def expects_charts(words: Sequence[str]) -> bool:
    """Whether a run of these overrides is likely to draw: no flag, and no word that leaves out the page."""
    reports = [word for word in words if word.partition("=")[0].strip("+~") == "report"]
    flagged = any(word.startswith("-") or "hydra.mode" in word for word in words)
    return not flagged and all("html" in word and word[0] != "~" for word in reports) and installed()


def can_draw() -> bool:
    """Whether the extra `charts` is installed, and drawing has not failed in this process."""
    return installed() and not drawer().failed


def installed() -> bool:
    """Whether the extra `charts` is installed."""
    return find_spec("vl_convert") is not None
