"""The engine on this machine: one process, or several."""

from __future__ import annotations

import os
import pickle
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain
from typing import Any, Literal, TypeVar

from auditfw.core import interrupts
from auditfw.core.errors import IncompleteError, UsageError
from auditfw.core.imports import search_path, user_folders
from auditfw.core.locks import between_threads
from auditfw.core.processes import safe_path
from auditfw.kinds.registry import declare

from .server import context
from .workers import begin, do, in_order, one_by_one

S = TypeVar("S")
T = TypeVar("T")

WORTH_A_POOL = 20_000
AHEAD = 3
_renaming = between_threads()


@declare("engine", "local")
class Local:
    """Runs the work on this machine, in one process or several; the results are the same bytes.

    Work that releases the interpreter lock is done by threads. `workers: null` starts one process for small inputs, and
    one per core for inputs of 20,000 rows or more.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None and self.workers < 1:
            raise UsageError("workers", "expected a whole number of 1 or more", self.workers)

    def prepare(self, *classes: type) -> None:
        """Starts the process that workers are forked from: it loads its modules while the source is looked over.

        `classes` are those whose modules the work needs; without any, all that hold components are loaded.
        """
        if (self.workers or 1) > 1:
            context([cls.__module__ for cls in classes] or list(sys.modules))

    def map(self, work: Callable[[S], T], tasks: Iterable[S], rows: int | None) -> Iterator[T]:
        """Yields `work(task)` for each task, in the order of the tasks."""
        workers = self._workers(rows)
        pickled = packed(work) if workers > 1 else None
        if pickled is None:
            yield from one_by_one(work, tasks)
            return
        rest = iter(tasks)
        if (free := getattr(work, "left_free", None)) is not None:
            from .server import in_threads

            yield from in_threads(pickled, rest, workers, free)
        yield from _in_processes(pickled, rest, workers)

    def _workers(self, rows: int | None) -> int:
        return self.workers or (_cores() if (rows or 0) >= WORTH_A_POOL else 1)


def _cores() -> int:
    """How many cores this process may use; all of the machine where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def packed(work: Callable[[Any], Any]) -> bytes | None:
    """The work as bytes for other processes, or None where it holds something only this process knows."""
    try:
        packed = pickle.dumps(work)
    except Exception:
        return None
    return None if b"__main__" in packed else packed


def named_in(packed: bytes) -> list[str]:
    """The modules that packed work may name."""
    names = {name.decode() for name in re.findall(rb"auditfw(?:\.\w+)+", packed)}
    return sorted(names & sys.modules.keys())


def _in_processes(packed: bytes, rest: Iterator[Any], workers: int) -> Iterator[Any]:
    first = next(rest, None)
    if first is None:
        return
    tasks = chain((first,), rest)
    pool = process_pool(packed, workers)

    def submit(task: Any) -> Future[Any]:
        with safe_path(), nameless_main():
            return pool.submit(do, task)

    try:
        yield from in_order(tasks, submit, interrupts.result, workers * AHEAD)
    except (KeyboardInterrupt, interrupts.Interrupted):
        end_workers(pool, "terminate")
        raise
    except BrokenProcessPool:
        interrupts.pause(interrupts.BEHIND)
        end_workers(pool, "kill")
        raise IncompleteError("engine.workers", "a worker process died", None, "try engine.workers=1") from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def end_workers(pool: ProcessPoolExecutor, how: Literal["terminate", "kill"]) -> None:
    """Ends the workers: what they are at is not waited for."""
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        getattr(process, how)()


def process_pool(packed: bytes, workers: int) -> ProcessPoolExecutor:
    """Processes that do this packed work, by `do`, for their whole life."""
    server, arguments = context(named_in(packed)), (packed, search_path(), user_folders())
    return ProcessPoolExecutor(workers, mp_context=server, initializer=begin, initargs=arguments)


@contextmanager
def nameless_main() -> Iterator[None]:
    """Keeps new workers from importing the caller's script again, and what is beside it: they need neither."""
    with _renaming:
        main, path = sys.modules["__main__"], sys.path
        sys.modules["__main__"], sys.path = types.ModuleType("__main__"), search_path()
        try:
            yield
        finally:
            sys.modules["__main__"], sys.path = main, path
