"""The process that workers are forked from: it has loaded already what they need."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from auditfw.core.interrupts import result
from auditfw.core.processes import shielded

from .workers import begin, in_order

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext


ALWAYS = (begin.__module__, "concurrent.futures.process", "ctypes")  # what every worker begins with
SOCKET_FOLDER_BYTES = 60  # of a path that has room for "/pymp-…/listener-…" below it
PRELOADED = ("auditfw.audits.", "auditfw.components.")  # imported once, before the workers are forked, where needed

Surroundings = tuple[str, Mapping[str, str]]

_early: list[Surroundings] = []


def context(needed: Iterable[str]) -> BaseContext:
    """What starts workers: from the server, which is started where it does not run yet."""
    import multiprocessing

    if "forkserver" not in multiprocessing.get_all_start_methods():  # Windows: every worker loads its modules itself
        return multiprocessing.get_context("spawn")
    if _early and _early.pop() != _surroundings():
        _stop()  # workers would be in another folder, or lack what the config put into the environment
    return _started(needed)


def start_early(needed: Iterable[str]) -> None:
    """Starts the server before the config is composed; it is started again where that moves the run elsewhere."""
    import multiprocessing

    if "forkserver" in multiprocessing.get_all_start_methods():
        _started(needed)
        _early.append(_surroundings())


def _started(needed: Iterable[str]) -> BaseContext:
    import multiprocessing
    from multiprocessing import forkserver

    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload([*ALWAYS, *(name for name in needed if name.startswith(PRELOADED))])
    with shielded(tracked=True), _short_socket_paths():
        forkserver.ensure_running()
    return server


@contextmanager
def _short_socket_paths() -> Iterator[None]:
    """Within, sockets are made below a short path, as by Python 3.14: the system takes about 100 bytes."""
    before, short = tempfile.gettempdir(), "/tmp"  # noqa: S108 - the folder in it is made for this user alone
    if len(os.fsencode(before)) > SOCKET_FOLDER_BYTES and os.path.isdir(short):
        tempfile.tempdir = short
    try:
        yield
    finally:
        tempfile.tempdir = before


def _surroundings() -> Surroundings:
    """The folder and the environment that a process started now would have."""
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    return folder, dict(os.environ)


def _stop() -> None:
    stop = getattr(_server(), "_stop", None)
    if stop is not None:
        stop()


def _server() -> Any:
    return getattr(sys.modules.get("multiprocessing.forkserver"), "_forkserver", None)


# Work done by threads of this process: for work that leaves the interpreter to others while it computes.

AHEAD = 4  # tasks a thread that are under way: no thread waits while the results of some are written


def in_threads(packed: bytes, tasks: Iterator[Any], workers: int, free: Callable[[Any], bool]) -> Iterator[Any]:
    """The results of the tasks in order, as long as `free` says that threads were no hindrance to each other.

    After the first result of which that is not true no further task is begun; those are left in `tasks`.
    """
    works: SimpleQueue[Callable[[Any], Any]] = SimpleQueue()
    for _ in range(workers):
        works.put(pickle.loads(packed))  # noqa: S301 - made in this process: each thread has a work of its own
    own = threading.local()
    good = True

    def wanted() -> Iterator[Any]:
        while good and (task := next(tasks, None)) is not None:
            yield task

    def begin() -> None:
        own.work = works.get()

    def do(task: Any) -> Any:
        return own.work(task)

    for task in tasks:  # the first alone: it shows how the others will be
        works.put(first := works.get())
        good = free(done := first(task))
        yield done
        break
    with ThreadPoolExecutor(workers, initializer=begin) as pool:
        try:
            for done in in_order(wanted(), lambda task: pool.submit(do, task), result, workers * AHEAD):
                good = good and free(done)
                yield done
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
