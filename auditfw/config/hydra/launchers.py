"""Launchers of others start Python by themselves, which would look for its modules in the current folder first."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from auditfw.core.imports import refuse_if_safe
from auditfw.core.processes import SAFE_PATH, safe_path

LOCAL = ("AuditfwLauncher", "BasicLauncher")  # they run every job in this process
JOBLIB = "JoblibLauncher"


@contextmanager
def started_safely(launcher: str) -> Iterator[None]:
    """Within, the processes of a launcher, named by its class, do not see it. Raises UsageError in safe mode.

    That is for launchers whose processes would see it.
    """
    name = launcher.rpartition(".")[2]
    if name not in (*LOCAL, JOBLIB):
        refuse_if_safe(f"the launcher {name} starts Python where modules of the current folder come first")
    if name != JOBLIB:
        yield
        return
    module: Any = importlib.import_module("joblib.externals.loky.backend.fork_exec")
    start = module.fork_exec  # of Unix; on Windows loky asks multiprocessing for the words
    module.fork_exec = lambda words, *rest, **named: start([words[0], SAFE_PATH, *words[1:]], *rest, **named)
    try:
        with safe_path():
            yield
    finally:
        module.fork_exec = start
