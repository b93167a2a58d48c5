"""Processes that a run starts: they leave to the command what a terminal sends, and end with their starter.

Of this one: how much memory its libraries may map (`ulimit -v`, batch systems); without enough they end it silently.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from .errors import IncompleteError, UsageError
from .files import remove
from .imports import search_path

END = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows ends a process by either
TERMINAL: set[int] = {signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)}  # to all of a terminal; Windows has one
AMPLE = 2_500_000_000  # bytes; with less, libraries are kept to one thread and one arena each
LEAST = 450_000_000
SPARING = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
QUIET = "ignore:resource_tracker"  # what its process says of a run that was ended


def need_groups(where: str, what: str, do: str) -> None:
    """Raises UsageError where processes cannot be ended as a group, nor their pipes be waited for: on Windows."""
    if not (hasattr(os, "killpg") and hasattr(select, "poll")):
        raise UsageError(where, f"{what} needs Linux or macOS", f"this is {system()}", do)


def system() -> str:
    """The name of this system, as its makers write it."""
    import platform

    return platform.system() or sys.platform


SAFE_PATH = "-P"  # the current folder's modules stay out; as a variable it would reach users' own programs, too


def python(*words: str) -> list[str]:
    """The words that start Python for us: no module of the current folder is imported there."""
    return [sys.executable, SAFE_PATH, *words]


def python_code(code: str, *words: str) -> list[str]:
    """The words that start Python for code of ours, which finds the modules that this process finds."""
    return python("-c", f"import sys; sys.path[:] = {search_path()!r}; {code}", *words)


_within: list[None] = []  # an entry for each thread, or level, that is within `safe_path`
_patching = threading.Lock()


@contextmanager
def safe_path() -> Iterator[None]:
    """Within, what multiprocessing starts (fork server, resource tracker, spawned processes) gets `-P` as well."""
    import subprocess
    from multiprocessing import util

    module: Any = util
    flags: Any = subprocess._args_from_interpreter_flags  # type: ignore[attr-defined]
    with _patching:
        _within.append(None)
        module._args_from_interpreter_flags = lambda: [*flags(), SAFE_PATH]
    try:
        yield
    finally:
        with _patching:
            _within.pop()
            if not _within:
                module._args_from_interpreter_flags = flags


class shielded:
    """Processes started within never hear what a terminal sends: it is for the command, which ends them.

    `tracked` ones are started by multiprocessing.
    """

    def __init__(self, tracked: bool = False) -> None:
        self._tracked, self._safe = tracked, ExitStack()

    def __enter__(self) -> None:
        self._before = _block_terminal()
        if self._tracked:
            self._safe.enter_context(safe_path())
            _start_tracker()
            _block_terminal()  # the tracker's start lets Ctrl-C in again

    def __exit__(self, *_: object) -> None:
        self._safe.close()
        if sys.platform != "win32" and self._before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def _block_terminal() -> set[int | signal.Signals] | None:
    """Keeps back what a terminal sends to all its processes: Ctrl-C, and that it was closed. Gives the mask before."""
    if sys.platform == "win32" or not hasattr(signal, "pthread_sigmask"):
        return None
    return signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL)


def _start_tracker() -> None:
    """Starts what multiprocessing keeps its books with."""
    from multiprocessing import resource_tracker

    sys.warnoptions.append(QUIET)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(QUIET)


def follow_parent() -> None:
    """Asks Linux to end this process when the thread that started it ends, however that happens."""
    _prctl(1, END)  # PR_SET_PDEATHSIG


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value)


def following(command: Sequence[str]) -> list[str]:
    """A program's words, led by those that have Linux end it with this process, where such a program is installed."""
    setpriv = shutil.which("setpriv") if sys.platform == "linux" and in_main_thread() else None
    return [*command] if setpriv is None else [setpriv, "--pdeathsig", "KILL", "--", *command]


def in_main_thread() -> bool:
    """Whether what is started here lives as long as this process does, if it follows its parent."""
    return threading.current_thread() is threading.main_thread()


def end_all() -> None:
    """Ends every process that this one started, and what those started, and removes their temporary folders."""
    ended: set[int] = set()
    while fresh := [pid for pid in descendants(os.getpid()) if pid not in ended]:  # they may start others meanwhile
        for pid in fresh:
            with suppress(OSError):
                os.kill(pid, END)
        ended.update(fresh)
    _remove_scratch({os.getpid(), *ended})


def scratch_prefix(what: str) -> str:
    """What a temporary folder's name begins with, which says who removes it at the latest: of a worker the command."""
    multiprocessing = sys.modules.get("multiprocessing")
    parent = multiprocessing.parent_process() if multiprocessing is not None else None
    return f"auditfw-{os.getpid() if parent is None else parent.pid}-{what}-"


def _remove_scratch(owners: set[int]) -> None:
    """Removes the temporary folders of processes that have ended, and of this one: it is about to."""
    folder, owned = tempfile.gettempdir(), tuple(f"auditfw-{pid}-" for pid in owners)
    with suppress(OSError):
        remove([Path(folder, name) for name in os.listdir(folder) if name.startswith(owned)])
    process = sys.modules.get("multiprocessing.process")
    if process is not None and (sockets := process.current_process()._config.get("tempdir")):
        remove([Path(sockets)])


def adopt() -> None:
    """Has Linux hand processes to this one whose parent ends: so `end_all` finds them."""
    _prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def descendants(root: int) -> list[int]:
    """The processes below one, parents first; where there is no /proc those that multiprocessing knows."""
    try:
        parents = dict(_parents())
    except OSError:
        multiprocessing = sys.modules.get("multiprocessing")
        children = multiprocessing.active_children() if multiprocessing is not None else []
        return [child.pid for child in children if child.pid is not None]
    below, seen = [root], {root}
    for one in below:
        mine = [pid for pid, parent in parents.items() if parent == one and pid not in seen]
        seen.update(mine)
        below += mine
    return below[1:]


def _parents() -> list[tuple[int, int]]:
    pairs = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        pairs.append((int(name), int(fields[1])))
    return pairs


def start_sparingly() -> None:
    """Starts this very command again, with `SPARING`, where the address space is bounded; else does nothing.

    Libraries read these once, at their start; so this comes before all else.
    """
    allowed = _allowed()
    if allowed is None or not LEAST <= allowed < AMPLE or SPARING.keys() <= os.environ.keys():
        return
    os.execve(sys.executable, python(*sys.orig_argv[1:]), {**SPARING, **os.environ})  # noqa: S606 - ourselves


def check_address_space() -> None:
    """Raises IncompleteError where even that cannot be enough."""
    allowed = _allowed()
    if allowed is not None and allowed < LEAST:
        what = f"{allowed // 1_000_000:,} MB of address space is too little: libraries map {LEAST // 1_000_000:,} MB"
        raise IncompleteError("ulimit -v", what, None, "raise it; half of that is enough as actual memory")


def _allowed() -> int | None:
    if sys.platform == "win32":  # it knows no such bound
        return None
    try:
        import resource
    except ImportError:
        return None
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if allowed == resource.RLIM_INFINITY else allowed
