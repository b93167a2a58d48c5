"""What runs in a worker process: it does one piece of work for its whole life, and ends with the command."""

from __future__ import annotations

import _thread
import gc
import importlib
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from auditfw.core import interrupts
from auditfw.core.errors import UsageError
from auditfw.core.imports import add_folders, search_path, user_folders
from auditfw.core.interrupts import look, raising
from auditfw.core.processes import TERMINAL, follow_parent

COLLECT_AFTER = 200_000  # batches make no circles; looking for them at the usual pace costs 4 %
PATIENCE = 1.0  # seconds that a task has to end once the worker is asked to
TERMINATED = 128 + signal.SIGTERM

_work: Callable[[Any], Any] | None = None
_busy = False


def begin(packed: bytes, path: list[str], folders: tuple[str, ...]) -> None:
    """Readies a new worker: the modules it finds, what it does, and how it ends."""
    global _work  # noqa: PLW0603 - a worker process does one piece of work for its whole life
    for one in TERMINAL:
        signal.signal(one, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end_on_signal)
    sys.path[:] = path
    add_folders(folders)
    follow_parent()
    _leave_fork_server()
    _die_with_command()
    gc.set_threshold(COLLECT_AFTER)
    _work = pickle.loads(packed)  # noqa: S301 - written by the parent process a moment ago


def do(task: Any) -> Any:
    """One task; where a signal ends it, this process ends."""
    global _busy  # noqa: PLW0603 - of the one task at a time
    if _work is None:
        raise RuntimeError("a worker was given a task before its work")
    _busy = True
    try:
        interrupts.look()
        return _work(task)
    except interrupts.Interrupted:
        _busy = False
        _end()
    finally:
        _busy = False


def _leave_fork_server() -> None:
    """Lets the fork server end with the command, not with its last worker: workers follow it, whatever they do."""
    forkserver = sys.modules.get("multiprocessing.forkserver")
    server: Any = getattr(forkserver, "_forkserver", None)
    handle = getattr(server, "_forkserver_alive_fd", None)
    if handle is not None:
        os.close(handle)
        server._forkserver_alive_fd = None


def _die_with_command() -> None:
    """Ends this worker with the command, also where there is no fork server to follow."""
    import multiprocessing

    command = multiprocessing.parent_process()

    def follow() -> None:
        if command is not None:
            command.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _end_on_signal(came: int, _frame: object) -> None:
    """SIGTERM: the task under way ends where it looks, or is given up."""
    interrupts.set_flag(came)
    _thread.start_new_thread(_end, ())


def _end() -> None:
    until = time.monotonic() + PATIENCE
    while _busy and time.monotonic() < until:
        time.sleep(0.02)
    from multiprocessing.util import _run_finalizers  # type: ignore[attr-defined]

    if not _busy:
        _run_finalizers(0)  # simulators end their processes, and clear away their folders
    os._exit(TERMINATED)


# What the engines on clusters share: the same work over the same partitions, in other processes or on other machines.

Parcel = tuple[bytes, tuple[str, ...], tuple[str, ...]]

_unpacked: dict[bytes, Callable[[Any], Any]] = {}


def parcel_of(work: bytes) -> Parcel:
    """Packed work with the places where a worker finds its modules."""
    return work, tuple(search_path()), user_folders()


def apply_work(parcel: Parcel, task: Any) -> Any:
    """One task in a worker: the work is unpacked once in each process."""
    work, path, folders = parcel
    if work not in _unpacked:
        sys.path += [place for place in path if place not in sys.path]
        add_folders(folders)
        _unpacked.clear()
        _unpacked[work] = pickle.loads(work)  # noqa: S301 - written by the process that gave the task
    return _unpacked[work](task)


@dataclass(frozen=True)
class ClusterSettings:
    """Where a cluster is, or how many processes a new one has; each engine says how its addresses look."""

    address: str | None = None
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError("workers", "expected a whole number of 1 or more", self.workers)
        if self.workers is not None and self.address is not None:
            do = "set only one of the two"
            raise UsageError("workers", "a cluster at an address has its own", self.workers, do)

    @property
    def starts(self) -> str:
        """The cluster the work is sent to, where there is one already."""
        return "" if self.address is None else f"sends the work to {self.address}"


def waited(wait: Callable[..., Any], *what: Any) -> Any:
    """What a cluster gives, which does not look for signals while it waits."""
    with raising():
        return wait(*what)


def imported(module: str, extra: str) -> Any:
    """A module of an extra. Raises UsageError where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UsageError("engine", f"needs the extra {extra}", None, f"pip install 'auditfw[{extra}]'") from None


# Results in the order of their tasks, whoever does these.

S = TypeVar("S")
T = TypeVar("T")


def one_by_one(work: Callable[[S], T], tasks: Iterable[S]) -> Iterator[T]:
    """The results of the tasks, each done here and now."""
    for task in tasks:
        look()
        yield work(task)


def in_order(tasks: Iterable[S], submit: Callable[[S], Any], result: Callable[[Any], Any], ahead: int) -> Iterator[Any]:
    """The results in the order of the tasks, at most `ahead` of them under way."""
    rest = iter(tasks)
    waiting = deque(map(submit, islice(rest, ahead)))
    while waiting:
        done = result(waiting.popleft())
        waiting.extend(map(submit, islice(rest, 1)))
        yield done
