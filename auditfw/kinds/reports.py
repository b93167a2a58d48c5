"""The kind of component that reports a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from auditfw.core.records import Result


class Report(Protocol):
    """Presents a result: on the terminal, or into files of the run folder. Returns the names of files written.

    One with `prints = True` uses standard output, and is called when all files are written; `alone = True` says that
    nothing else may be printed there. An optional `announce(result)` is called then too, for reports that do not print.
    `locates = True` asks the audit for the places (FILE:LINE) of what it found.
    """

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]: ...
