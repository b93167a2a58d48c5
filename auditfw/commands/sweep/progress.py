"""One line on the terminal while a sweep runs: jobs done, failed, time left."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from auditfw.commands.error_output import in_thread, redraws, report_regularly

from .folder import failed_so_far
from .jobs import finished

EVERY = 0.5
CLEAR = "\r\x1b[2K"


@contextmanager
def show_progress(sweep: Path, folders: Sequence[str]) -> Iterator[None]:
    """Shows on standard error how far the jobs are, wherever they run: one line on a terminal, else a line a minute."""
    if not redraws():
        with report_regularly(_HowFar(sweep, folders)):
            yield
        return
    try:
        with in_thread(partial(_watch, sweep, list(folders))):
            yield
    finally:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()


class _HowFar:
    """Looks how many jobs of a sweep are finished each time it is called."""

    def __init__(self, sweep: Path, folders: Sequence[str]) -> None:
        self.sweep, self.jobs, self.left, self.start = sweep, len(folders), set(folders), time.monotonic()

    def __call__(self) -> str:
        self.left -= {folder for folder in self.left if finished(self.sweep / folder)}
        seconds = time.monotonic() - self.start
        return progress(self.jobs - len(self.left), self.jobs, failed_so_far(self.sweep), seconds)


def _watch(sweep: Path, folders: list[str], over: threading.Event) -> None:
    how_far = _HowFar(sweep, folders)
    while True:
        sys.stderr.write(f"{CLEAR}{how_far()}")
        sys.stderr.flush()
        if over.wait(EVERY):
            return


def progress(done: int, jobs: int, failed: int, seconds: float) -> str:
    """`jobs 3 of 12 done, 1 failed, about 0:42 left`."""
    text = f"jobs {done} of {jobs} done, {failed} failed"
    if not done or done == jobs:
        return text
    left = round(seconds / done * (jobs - done))
    hours, rest = divmod(left, 3600)
    clock = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{text}, about {clock} left"
