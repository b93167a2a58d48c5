"""What runs in a worker process: it does one piece of work for its whole life, and ends with the command."""

from __future__ import annotations

import _thread
import gc
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from auditfw.core import interrupts
from auditfw.core.imports import add_folders
from auditfw.core.interrupts import look
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
