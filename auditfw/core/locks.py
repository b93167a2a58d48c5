"""Locks on files: of a folder that one command holds, and of a file that several processes append to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import IncompleteError, UsageError
from .files import shared_handle

try:
    import fcntl
except ImportError:  # not on Windows: there nothing is locked
    fcntl = None  # type: ignore[assignment]


def lock(handle: int, *names: str) -> None:
    """Locks an open file; `names` are the flags of `flock`, as in "LOCK_EX". Raises OSError where another has it."""
    if fcntl is not None:
        fcntl.flock(handle, sum(getattr(fcntl, name) for name in names))


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
            raise UsageError("hydra.run.dir", "another run is at work in this folder", str(folder), do) from None
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
    path = folder / name
    try:
        handle = shared_handle(path, os.O_RDWR)
    except OSError as error:
        raise IncompleteError(str(path), "cannot write", f"{error.strerror}, errno {error.errno}") from None
    try:
        try:
            lock(handle, "LOCK_EX", "LOCK_NB")
        except OSError:
            holder = os.pread(handle, 200, 0).decode("utf-8", "replace").strip()
            raise UsageError(str(folder), "is in use", f"lock held by {holder}", "wait for it, or end it") from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"process {os.getpid()} on host {os.uname().nodename}\n".encode(), 0)
        yield
    finally:
        os.close(handle)
