"""How far a run is: a bar on standard error where that is a terminal, else a line a minute."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from auditfw.components.report.console import terminal_settings
from auditfw.core.background import report_regularly
from auditfw.core.document import some

from .error_output import minutes, redraws

WRITING = "writing reports"


class RunProgress:
    """How many trials are done, and whether the reports are being written, as a line of text."""

    def __init__(self) -> None:
        self.known: tuple[int, int | None] = (0, None)
        self.writes = False
        self.start = time.monotonic()

    def __call__(self, done: int, total: int | None) -> None:
        self.known = done, total

    def write(self) -> None:
        """The trials are done: what follows is the writing of reports."""
        self.writes = True

    def text(self) -> str:
        """`200 of 1,080 trials done after 2:05`, or `writing reports after 2:05`."""
        spent = f"after {minutes(time.monotonic() - self.start)}"
        if self.writes:
            return f"{WRITING} {spent}"
        done, total = self.known
        return f"{f'{done:,} of {max(total, done):,} trials' if total else some(done, 'trial')} done {spent}"


@contextmanager
def show_run() -> Iterator[RunProgress]:
    """Shows how far a run is while the work within goes on."""
    if redraws():
        with _bar() as progress:
            yield progress
        return
    progress = RunProgress()
    with report_regularly(progress.text):
        yield progress


@contextmanager
def _bar() -> Iterator[RunProgress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    class ProgressBar(RunProgress):
        def __call__(self, done: int, total: int | None) -> None:
            super().__call__(done, total)
            bar.update(task, completed=done, total=max(total, done) if total else None)

        def write(self) -> None:
            super().write()
            bar.columns = (TextColumn(WRITING), BarColumn())
            bar.update(task, total=None)
            bar.refresh()

    columns = (TextColumn("trials"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True, _environ=terminal_settings()), transient=True) as bar:
        task = bar.add_task("trials", total=None)
        yield ProgressBar()
