"""One line on the terminal while a sweep runs: jobs done, failed, time left."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from .jobs import finished
from .plan import failed_so_far

EVERY = 0.5
CLEAR = "\r\x1b[2K"


@contextmanager
def jobs_line(sweep: Path, numbers: Sequence[int]) -> Iterator[None]:
    """Tells on standard error, where that is a terminal, how far the jobs are, wherever they run."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_watch, args=(sweep, list(numbers), over), daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        sys.stderr.write(CLEAR)
        sys.stderr.flush()


def _watch(sweep: Path, numbers: list[int], over: threading.Event) -> None:
    left, start = set(numbers), time.monotonic()
    while True:
        left -= {number for number in left if finished(sweep / str(number))}
        said = progress(len(numbers) - len(left), len(numbers), failed_so_far(sweep), time.monotonic() - start)
        sys.stderr.write(f"{CLEAR}{said}")
        sys.stderr.flush()
        if over.wait(EVERY):
            return


def progress(done: int, jobs: int, failed: int, seconds: float) -> str:
    """`jobs 3 of 12 done, 1 failed, about 0:42 left`."""
    said = f"jobs {done} of {jobs} done, {failed} failed"
    if not done or done == jobs:
        return said
    left = round(seconds / done * (jobs - done))
    hours, rest = divmod(left, 3600)
    clock = f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
    return f"{said}, about {clock} left"
