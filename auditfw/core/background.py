"""What goes on beside the work of this process: a thread that computes, a child process that answers over pipes."""

from __future__ import annotations

import atexit
import math
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import TIMEOUT_MAX, Event, Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from .errors import UsageError
from .escaping import log_line
from .interrupts import check_not_ours, joined, look
from .masking import masked
from .processes import END

if TYPE_CHECKING:
    import subprocess

T = TypeVar("T")

LOOK = 0.05  # seconds between two looks for a signal
PIECE = 1 << 16  # bytes: what a pipe holds
TAIL = 4_096
EVERY, MINUTE = "AUDITFW_PROGRESS", 60.0
POLL: Any = getattr(select, "poll", None)  # Windows has none: there pipes are read and written by threads
READABLE, WRITABLE = getattr(select, "POLLIN", 0), getattr(select, "POLLOUT", 0)


@contextmanager
def report_regularly(how_far: Callable[[], str]) -> Iterator[None]:
    """Reports on standard error how far the work is: a line a minute, or every AUDITFW_PROGRESS seconds (0: never)."""
    every = _interval()
    if not every:
        yield
        return

    def report(over: Event) -> None:
        while not over.wait(every):
            with suppress(OSError, ValueError):
                print(f"auditfw: {log_line(masked(how_far()))}", file=sys.stderr, flush=True)

    with in_thread(report):
        yield


@contextmanager
def in_thread(watch: Callable[[Event], None]) -> Iterator[None]:
    """Has a thread watch while the work within goes on; it is given the event that says when that is over."""
    over = Event()
    thread = Thread(target=watch, args=(over,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _interval() -> float:
    text = os.environ.get(EVERY, "")
    try:
        seconds = float(text or MINUTE)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise UsageError(EVERY, "is not a number of seconds", text, "write for example 60, or 0 for no progress")
    return min(seconds, TIMEOUT_MAX)


class BackgroundTask(Generic[T]):
    """Computes in a thread of its own; calling it waits, and gives the value or raises the error of the computation.

    Worth it for what leaves the interpreter to others meanwhile, as checksums do. A run that ends early does not wait;
    the end of the interpreter does where there is a `stop`, which it calls before: code in Rust that came back to an
    interpreter that has ended would abort the process.
    """

    def __init__(self, compute: Callable[[], T], stop: Callable[[], object] | None = None) -> None:
        self._compute = compute
        self._value: list[T] = []
        self._error: BaseException | None = None
        self._thread = Thread(target=self._run, daemon=True)
        if stop is not None:
            _awaited[self._thread] = stop
        self._thread.start()

    def _run(self) -> None:
        try:
            self._value.append(self._compute())
        except BaseException as error:
            self._error = error
        _awaited.pop(self._thread, None)

    @property
    def done(self) -> bool:
        """Whether the computation has ended, with a value or an error."""
        return not self._thread.is_alive()

    def __call__(self) -> T:
        joined(self._thread)
        if self._error is not None:
            raise self._error
        return self._value[0]


_awaited: dict[Thread, Callable[[], object]] = {}  # the threads that the interpreter waits for, with what stops them


@atexit.register
def _wait() -> None:
    for thread, stop in list(_awaited.items()):
        if thread.is_alive():
            stop()
            thread.join()


class EndedError(Exception):
    """A child process has ended, or closed its standard output; `Child.code` says how."""


class FloodError(Exception):
    """A child process has sent more than it may."""


class Child:
    """A started process: what it still has to be sent, what it has written, and its end.

    `output` are bytes of its standard output that nobody has taken yet, at most `most` of them; `tail` is the end of
    its standard error. `written` and `printed` are the bytes that came from the two in all.
    """

    def __init__(self, process: Any, most: int = sys.maxsize) -> None:
        self.process, self.pid, self._most, self._starter = process, process.pid, most, os.getpid()
        self.output, self.tail, self.written, self.printed = bytearray(), b"", 0, 0
        self._outgoing, self._last, self._looked = memoryview(b""), False, 0
        self._in, self._out = process.stdin.fileno(), process.stdout.fileno()
        self._poll, self._came = POLL and POLL(), SimpleQueue[tuple[int, bytes]]()
        for number in (self._out, *([process.stderr.fileno()] if process.stderr else ())):
            if self._poll is None:
                Thread(target=_read_all, args=(number, self._came.put), daemon=True).start()
            else:
                _never_wait(number)
                self._poll.register(number, READABLE)
        if self._poll is not None:
            _never_wait(self._in)

    def send(self, data: bytes, last: bool = False) -> None:
        """Sends data behind what is still to be sent, now or by `pump`; behind the `last` its standard input ends."""
        waiting = bytes(self._outgoing)
        self._outgoing, self._last = memoryview(waiting + data if waiting else data), last
        if self._poll is None:
            Thread(target=_write_all, args=(self._in, data), daemon=True).start()
            self._outgoing = memoryview(b"")
        elif not waiting:
            self._poll.register(self._in, WRITABLE)
            self._write()

    def pump(self, wait: float, late: float = 0.0) -> None:
        """Sends and receives what can be, waiting for at most so many seconds.

        Raises EndedError and FloodError, and Interrupted where a signal came `late` seconds ago or earlier.
        """
        look(late)
        over = False
        for number, data in self._arrived(wait):
            if number == self._out:
                self.output += data
                self.written += len(data)
                over = not data
            else:
                self.tail = (self.tail + data)[-TAIL:]
                self.printed += len(data)
                if not data:
                    self._poll.unregister(number)
        if len(self.output) > self._most:
            raise FloodError
        if over:
            raise EndedError

    def take(self) -> bytes | None:
        """The next line of its output without its end, taken away; None where there is no whole one yet."""
        end = self.output.find(b"\n", self._looked)
        self._looked = len(self.output) if end < 0 else 0
        if end < 0:
            return None
        line = bytes(self.output[:end])
        del self.output[: end + 1]
        return line

    def line(self, seconds: float) -> bytes:
        """The next line of its output. Raises TimeoutError, and what `pump` does."""
        until = time.monotonic() + seconds
        while (line := self.take()) is None:
            if (left := until - time.monotonic()) <= 0:
                raise TimeoutError
            self.pump(min(left, LOOK))
        return line

    def code(self, seconds: float = 1.0) -> int | None:
        """The exit code of what has ended, below 0 the signal that did it; None where it goes on for these seconds.

        Raises Interrupted where the signal was for this process as well.
        """
        code = self.wait(seconds)
        check_not_ours(-code if code is not None else None)
        return code

    def wait(self, seconds: float | None) -> int | None:
        """Waits for its end, and gives its exit code; None where it does not come."""
        from subprocess import TimeoutExpired

        try:
            code: int = self.process.wait(seconds)
        except TimeoutExpired:
            return None
        return code

    def kill(self) -> None:
        """Kills it, with all that it started in its group."""
        if not hasattr(os, "killpg"):
            self.process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, END)

    @property
    def mine(self) -> bool:
        """Whether it is this process that started it, and not the one that this is a fork of."""
        return os.getpid() == self._starter

    def end(self) -> None:
        """Kills it and closes its pipes, if it is `mine`."""
        if not self.mine:
            return
        self.kill()
        self.wait(None)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _arrived(self, wait: float) -> Sequence[tuple[int, bytes]]:
        """What came from which of its streams, nothing at the end of one."""
        if self._poll is None:
            with suppress(Empty):
                return [self._came.get(timeout=wait)]
            return []
        ready = [number for number, _ in self._poll.poll(wait * 1000)]
        if self._in in ready:
            self._write()
        return [(number, os.read(number, PIECE)) for number in ready if number != self._in]

    def _write(self) -> None:
        try:
            self._outgoing = self._outgoing[os.write(self._in, self._outgoing) :]
        except BlockingIOError:
            return
        except OSError:
            self._outgoing = memoryview(b"")  # it has ended, or its silence will show it
        if not self._outgoing:
            self._poll.unregister(self._in)
            if self._last:
                self.process.stdin.close()


def _never_wait(number: int) -> None:
    if sys.platform != "win32":
        os.set_blocking(number, False)


def _read_all(number: int, put: Callable[[tuple[int, bytes]], None]) -> None:
    data = b" "
    while data:
        data = os.read(number, PIECE)
        put((number, data))


def _write_all(number: int, data: bytes) -> None:
    left = memoryview(data)
    with suppress(OSError):
        while left:
            left = left[os.write(number, left[:PIECE]) :]


def started(command: Sequence[str], errors: bool = True, **options: Any) -> subprocess.Popen[bytes]:
    """Starts a process for a `Child`, in a session of its own: Ctrl-C is for the command, which ends it.

    Without `errors` what it writes to standard error goes nowhere. Raises OSError.
    """
    from subprocess import DEVNULL, PIPE, Popen

    error = PIPE if errors else DEVNULL
    return Popen(command, stdin=PIPE, stdout=PIPE, stderr=error, bufsize=0, start_new_session=True, **options)


def signal_name(number: int) -> str:
    """A signal as the system's manual has it."""
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


class Ends(Protocol):
    """What is ended by its method."""

    def end(self) -> None: ...


E = TypeVar("E", bound=Ends)


class Running(Generic[E]):
    """Things that are made when they are first asked for, kept, and ended with this process; the oldest goes first.

    A forked process makes its own. They are ended by their method `end`.
    """

    def __init__(self, most: int) -> None:
        self._most, self._things, self._lock = most, dict[Hashable, E](), Lock()

    def get(self, key: Hashable, make: Callable[[], E]) -> E:
        """The thing of a key, made where there is none in this process."""
        mine = (os.getpid(), key)
        with self._lock:
            if mine not in self._things:
                from multiprocessing.util import Finalize

                while len(self._things) >= self._most:
                    self._things.pop(next(iter(self._things))).end()
                self._things[mine] = thing = make()
                Finalize(thing, thing.end, exitpriority=10)
            return self._things[mine]

    def end(self, key: Hashable) -> None:
        """Ends the thing of a key, if there is one; the next time it is made anew."""
        if (thing := self._things.pop((os.getpid(), key), None)) is not None:
            thing.end()
