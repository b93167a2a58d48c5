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
def show_progress(sweep: Path, numbers: Sequence[int]) -> Iterator[None]:
    """Shows on standard error how far the jobs are, wherever they run: one line on a terminal, else a line a minute."""
    if not redraws():
        with report_regularly(_HowFar(sweep, numbers)):
            yield
        return
    try:
        with in_thread(partial(_watch, sweep, list(numbers))):
            yield
    finally:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()


class _HowFar:
    """Looks how many jobs of a sweep are finished each time it is called."""

    def __init__(self, sweep: Path, numbers: Sequence[int]) -> None:
        self.sweep, self.jobs, self.left, self.start = sweep, len(numbers), set(numbers), time.monotonic()

    def __call__(self) -> str:
        self.left -= {number for number in self.left if finished(self.sweep / str(number))}
        seconds = time.monotonic() - self.start
        return progress(self.jobs - len(self.left), self.jobs, failed_so_far(self.sweep), seconds)


def _watch(sweep: Path, numbers: list[int], over: threading.Event) -> None:
    how_far = _HowFar(sweep, numbers)
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
