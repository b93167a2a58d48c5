"""Signals of a command: SIGINT, SIGTERM, SIGHUP set a flag that loops look at; what does not end in time is abandoned.

Only the command installs this. In a library the flag is never set: KeyboardInterrupt is what it always was. The first
line of the command imports this module, so it imports little.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Future
    from threading import Thread
    from types import FrameType, ModuleType
    from typing import TypeVar

    T = TypeVar("T")


HANGUP = getattr(signal, "SIGHUP", None)  # the terminal was closed; Windows has no such signal
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"} | ({HANGUP: "hung up"} if HANGUP else {})
GRACE = 1.4  # seconds from the first signal after which what still blocks is abandoned
LATE = 0.9  # after these also what was paid for is given up, so that its files are cleared away
HELD = 1.7  # after these the process ends even where the interpreter is held by something that never gives it back
LOOK = 0.1  # between two looks of what waits
BEHIND = 0.2  # by which a signal to all processes may reach this one later than another
NOTHING_BEGUN = "nothing was left half written"
BY_FORCE = "it was ended by force, and may have left temporary files"
CLEAR = b"\r\x1b[2K\x1b[?25h"  # a progress bar is wiped off, and the cursor shown


class Interrupted(BaseException):
    """A signal has come; raised by `look` alone, where nothing is half done."""


class _State:
    """What is known of signals in this process."""

    def __init__(self) -> None:
        self.installed, self.raising, self.handled = False, False, False
        self.ending, self.written = False, False
        self.first, self.pending, self.since = 0, 0, 0.0
        self.next = NOTHING_BEGUN
        self.folder: str | None = None
        self.outlet = self.guarded = self.ender = -1
        self.waking: ModuleType | None = None


_state = _State()
_writing = _thread.allocate_lock()  # is held while the one line is written
_abandoning = _thread.allocate_lock()  # is held by the thread that ends the process


# Looking


def look(late: float = 0.0) -> None:
    """Raises Interrupted, once, where a signal came `late` seconds ago or earlier; costs an attribute else."""
    if _state.pending:
        hold()
        if time.monotonic() - _state.since >= late:
            _state.pending = 0
            raise Interrupted


def hold() -> None:
    """Waits for the end where the process is being ended: what fails now, fails for that, and is not written down."""
    while _state.ending:
        time.sleep(LOOK)


def number() -> int:
    """The signal that came first, 0 as long as none has."""
    return _state.first


def pause(seconds: float, late: float = 0.0) -> None:
    """Sleeps, looking. Raises Interrupted."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        look(late)
        time.sleep(min(left, LOOK))
    look(late)


def result(future: Future[T]) -> T:
    """The value of a future, or what it raises; looks while it waits. Raises Interrupted."""
    while True:
        look()
        try:
            return future.result(timeout=LOOK)
        except TimeoutError:
            if future.done():
                return future.result()


def joined(thread: Thread, seconds: float | None = None, late: float = 0.0) -> bool:
    """Waits for the end of a thread, looking; says whether it came within these seconds. Raises Interrupted."""
    until = None if seconds is None else time.monotonic() + seconds
    while thread.is_alive():
        look(late)
        left = LOOK if until is None else until - time.monotonic()
        if left <= 0:
            return False
        thread.join(min(left, LOOK))
    return True


def check_not_ours(came: int | None) -> None:
    """Raises Interrupted where the signal that ended another process was for this one as well, if somewhat later."""
    if came in WORDS:
        pause(BEHIND)


def keeps(folder: str | os.PathLike[str]) -> None:
    """Says which folder keeps what is finished, for `resume`; the first one holds: a sweep's, not those of its jobs."""
    if _state.next == NOTHING_BEGUN:
        from shlex import quote

        from .escaping import log_line

        try:
            near = os.path.relpath(folder)
        except ValueError:  # on another drive of Windows
            near = os.path.abspath(folder)
        word = quote(str(folder) if near.startswith("..") else near)
        _state.folder = os.path.abspath(folder)
        _state.next = f"finished work is kept - run the rest with: auditfw resume={log_line(word)}"
        _notify_guard()


class raising:
    """Within, a signal raises Interrupted at once: for code of others that waits and never looks."""

    def __enter__(self) -> None:
        look()
        _state.raising = True

    def __exit__(self, *_: object) -> None:
        _state.raising = False


# The command


def install() -> None:
    """Has these signals set the flag, and what still blocks some time later abandoned. In the main thread only."""
    if _state.installed or not hasattr(os, "register_at_fork"):  # Windows has no such signals
        return
    _state.installed = True
    inlet, _state.outlet = _pipe()
    try:
        _thread.start_new_thread(_watch, (inlet,))
    except RuntimeError:  # where no thread can be had, a second signal ends what blocks
        os.close(inlet)
    else:
        signal.set_wakeup_fd(_state.outlet, warn_on_full_buffer=False)
    listen()
    os.register_at_fork(after_in_child=_forget)
    import atexit

    atexit.register(_leave)  # the first to be registered is the last to be called


def listen() -> None:
    """Takes the signals, also after code of others has; SIGINT and SIGHUP stay ignored where they were (nohup)."""
    if not _state.installed:
        return
    for one in WORDS:
        if one == signal.SIGTERM or signal.getsignal(one) != signal.SIG_IGN:
            signal.signal(one, _note)


def guard(native: ModuleType | None) -> None:
    """Has a thread of the native module `native` watch too: it needs no interpreter to end the process."""
    if native is None or not _state.installed or _state.waking is not None:
        return
    inlet, outlet = _pipe()
    try:
        native.guard(inlet, _state.outlet, int(HELD * 1000))
    except OSError:  # no thread can be had
        return
    _state.waking = native
    _notify_guard()
    signal.set_wakeup_fd(outlet, warn_on_full_buffer=False)
    _state.guarded = outlet


def _notify_guard() -> None:
    if _state.waking is not None:
        _state.waking.last_words(*(_words(one, by_force=True) for one in WORDS))


def end(came: int = signal.SIGINT) -> int:
    """Writes the one line and gives the exit code; what is written to standard error after it goes nowhere."""
    import select
    from contextlib import suppress

    came = _state.first or came
    _writing.acquire(True, LOOK)  # another thread may be at it, or the code that the handler came upon
    if not _state.written:
        _state.written = True
        with suppress(OSError, ValueError):
            if os.name == "nt" or select.select([], [2], [], 0)[1]:  # it does not wait for somebody who reads
                os.write(2, (CLEAR if os.isatty(2) and os.environ.get("TERM") != "dumb" else b"") + _words(came))
        if _state.installed:  # what others write after it goes nowhere
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    if _writing.locked():
        _writing.release()
    return 128 + came


def _words(came: int, by_force: bool = False) -> bytes:
    more = BY_FORCE if by_force and _state.next == NOTHING_BEGUN else _state.next
    return f"auditfw: error: {WORDS[signal.Signals(came)]}; {more}\n".encode("utf-8", "replace")


def _pipe() -> Sequence[int]:
    """A pipe that never waits for its reader, beyond the numbers of the standard streams."""
    if sys.platform == "win32":
        raise NotImplementedError  # nobody asks there: it has no such signals
    import fcntl

    ends = []
    for one in os.pipe():
        ends.append(fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 3))
        os.close(one)
    os.set_blocking(ends[1], False)
    return ends


def set_flag(came: int) -> None:
    """Lets loops know of a signal: the first one."""
    if not _state.first:
        _state.since = time.monotonic()
        _state.first = _state.pending = came


def _note(came: int, _frame: FrameType | None) -> None:
    """The handler: sets the flag. A second signal ends at once."""
    if _state.handled:
        if not _repeated(came, _state.first):
            _abandon(_state.first)
        return
    _state.handled = True
    set_flag(came)
    if _state.raising:
        _state.raising, _state.pending = False, 0
        sys.unraisablehook = lambda _: None  # where it is raised within something that nobody waits for
        raise Interrupted


def _repeated(came: int, first: int) -> bool:
    """Whether it says nothing new: a terminal that is closed sends its signal by the system, and by the shell."""
    return came == first == HANGUP


def _watch(inlet: int) -> None:
    """What a thread of its own does: ends the process at the second signal, or some time after the first."""
    import select

    came, until = 0, 0.0
    while True:
        ready, _, _ = select.select([inlet], [], [], max(0.0, until - time.monotonic()) if came else None)
        for one in os.read(inlet, 64) if ready else ():
            if one not in WORDS or _repeated(one, came):
                continue
            if came:
                _abandon(came)
            else:
                came, until = one, time.monotonic() + GRACE
                set_flag(one)  # also where code of others has taken the signal, or does not come back to Python
        if came and time.monotonic() >= until:
            _abandon(came)


def _abandon(came: int) -> None:
    """Ends the process with all that it started; one thread does that, however many signals come meanwhile."""
    _state.ending = True
    if not _abandoning.acquire(False):
        if _state.ender != _thread.get_ident():
            hold()
        return
    _state.ender = _thread.get_ident()
    _state.pending = _state.first = _state.first or came
    code = end(came)
    try:
        if _state.guarded >= 0:
            os.write(_state.guarded, b"\0")  # asks for a little more time
        _clear_away()
    finally:
        os._exit(code)


def _clear_away() -> None:
    """Ends what this process started, and removes what neither has brought into place."""
    from .processes import end_all

    end_all()
    files = sys.modules.get("auditfw.core.files")  # what is not imported has written nothing
    if files is not None:
        files.remove_temporary(_state.folder)
    parts = sys.modules.get("auditfw.core.remote.parts")
    if parts is not None:
        parts.remove_open()


def _forget() -> None:
    """A process that is forked off, by code of others, has Python's own handlers."""
    signal.set_wakeup_fd(-1)
    for one in WORDS:
        if signal.getsignal(one) != signal.SIG_IGN:
            signal.signal(one, signal.default_int_handler if one == signal.SIGINT else signal.SIG_DFL)
    _state.installed, _state.first, _state.pending = False, 0, 0


def _leave() -> None:
    """The work is done, and its code stands: what is left is the end of the interpreter."""
    if not _state.installed:
        return
    for one in WORDS:
        signal.signal(one, signal.SIG_IGN)
    if _state.first:
        _clear_away()
