"""Locks on files, of a folder that one command holds or one that several processes append to; and between threads."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import IncompleteError, UsageError
from .files import shared_handle

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]
try:
    import msvcrt
except ImportError:  # anywhere else
    msvcrt = None  # type: ignore[assignment]

FAR = 0x7FFF_0000  # a byte behind all that is written: on Windows nobody else can read one that is locked
SOON = 0.01


def between_threads() -> threading.RLock:
    """A lock that no process begins with: who forks waits until no other thread has it."""
    made = threading.RLock()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=made.acquire, after_in_parent=made.release, after_in_child=made.release)
    return made


def lock(handle: int, *names: str) -> None:
    """Locks an open file; `names` are the flags of `flock`, as in "LOCK_EX". Raises OSError where another has it."""
    if fcntl is not None and hasattr(fcntl, "flock"):
        fcntl.flock(handle, sum(getattr(fcntl, name) for name in names))
    elif msvcrt is not None and hasattr(msvcrt, "locking"):
        before = os.lseek(handle, 0, os.SEEK_CUR)
        os.lseek(handle, FAR, os.SEEK_SET)
        try:
            _lock_byte(handle, names)
        finally:
            os.lseek(handle, before, os.SEEK_SET)


def _lock_byte(handle: int, names: Sequence[str]) -> None:
    """The same as `flock` does, on Windows."""
    how = "LK_UNLCK" if "LOCK_UN" in names else "LK_NBLCK"
    while True:
        try:
            getattr(msvcrt, "locking")(handle, getattr(msvcrt, how), 1)  # noqa: B009 - none of it is known elsewhere
            return
        except PermissionError:
            if "LOCK_EX" not in names or "LOCK_NB" in names:
                raise
            time.sleep(SOON)


def lock_span(handle: int, start: int, length: int) -> None:
    """Waits for some bytes of an open file (0: all from the start on) that another process holds, where a system can.

    They are held until this process closes any handle of the file.
    """
    if fcntl is not None and hasattr(fcntl, "lockf"):
        with suppress(OSError):  # a file system that locks nothing
            fcntl.lockf(handle, getattr(fcntl, "LOCK_EX"), length, start)  # noqa: B009 - Windows does not know it


def read_at(handle: int, size: int, at: int) -> bytes:
    """Some bytes of an open file, from a place on."""
    os.lseek(handle, at, os.SEEK_SET)
    return os.read(handle, size)


@contextmanager
def holding_folder(folder: Path) -> Iterator[None]:
    """Holds a folder without a file in it, where the system can, so that no second command begins a run there.

    Raises UsageError where another has it.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            lock(handle, "LOCK_EX", "LOCK_NB")
        except BlockingIOError:
            do = "wait for it, or name a new folder"
            raise UsageError("hydra.run.dir", "another run is using this folder", str(folder), do) from None
        except OSError:
            pass  # a file system that locks no folders
        yield
    finally:
        os.close(handle)


@contextmanager
def holding(folder: Path, name: str) -> Iterator[None]:
    """Holds a folder by the lock file of this name, so that no second command writes or goes on with what is in it.

    Raises UsageError that says who has it, DataError where the lock is a link.
    """
    from socket import gethostname

    path = folder / name
    try:
        handle = shared_handle(path, os.O_RDWR)
    except OSError as error:
        raise IncompleteError(str(path), "cannot write", f"{error.strerror}, errno {error.errno}") from None
    try:
        try:
            lock(handle, "LOCK_EX", "LOCK_NB")
        except OSError:
            holder = read_at(handle, 200, 0).decode("utf-8", "replace").strip()
            raise UsageError(str(folder), "is in use", f"lock held by {holder}", "wait for it, or end it") from None
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, f"process {os.getpid()} on host {gethostname()}\n".encode())
        yield
    finally:
        os.close(handle)
