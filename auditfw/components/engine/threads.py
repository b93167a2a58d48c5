"""Work done by threads of this process: for work that leaves the interpreter to others while it computes."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from auditfw.core.interrupts import result

from .order import in_order

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
