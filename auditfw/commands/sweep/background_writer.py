"""The files of finished jobs, written in a process beside this one, which goes on with the next job meanwhile."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from auditfw.audits.spine import Run
from auditfw.commands.run import Finish, at_once, finish, writing
from auditfw.commands.stored_run import table
from auditfw.core import interrupts
from auditfw.core.errors import IncompleteError
from auditfw.core.records import Result
from auditfw.kinds.capabilities import capability
from auditfw.kinds.reports import Report

OURS = "auditfw.components."
UNDER_WAY = 6  # jobs whose files are being written, or wait for that, at most
KEPT = 8  # sections of earlier jobs that both sides keep: jobs that differ in gates alone have the same


@dataclass(frozen=True)
class WriteJob:
    """What the other process gets of a job: its tables are in its folder; its sections have a number."""

    folder: Path
    result: Result
    tables: tuple[str, ...]
    reports: list[Report]
    manifest: dict[str, Any]
    number: int
    sections: bytes | None


@dataclass
class Writer:
    """The work of the other process."""

    known: dict[int, list[Any]] = field(default_factory=dict)

    def __call__(self, job: WriteJob) -> None:
        """Writes the files of a job. Raises AuditError."""
        if job.sections is not None:
            self.known[job.number] = pickle.loads(job.sections)  # noqa: S301 - written by the parent process
            _keep(self.known)
        tables = {name: table(job.folder, name) for name in job.tables}
        trials = table(job.folder, "trials")
        result = replace(job.result, sections=self.known[job.number], trials=trials, tables=tables)
        finish(job.folder, result, job.reports, job.manifest)


def _keep(known: dict[int, Any]) -> None:
    for number in list(known)[:-KEPT]:
        del known[number]


class BackgroundWriter:
    """Writes the files of jobs in a side process where an engine has one; a failure is reported to its job.

    Reports that are not ours are left to this process: the other one may not know them.
    """

    def __init__(self) -> None:
        self._process: Any = None
        self._asked = False
        self._sections: dict[int, list[Any]] = {}
        self._waiting: deque[tuple[Future[None], Callable[[Exception], None]]] = deque()
        self._count = 0

    def __enter__(self) -> BackgroundWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        try:
            self._wait(0 if kind is None else len(self._waiting))
        finally:
            if self._process is not None:
                self._process.close()

    def finishing_of(self, failed: Callable[[Exception], None]) -> Finish:
        """Finishes one job; `failed` is called with the error, where that fails."""

        def finishing(folder: Path, result: Result, plan: Run, manifest: dict[str, Any]) -> None:
            future = self._begun(folder, result, plan, manifest)
            if future is None:
                at_once(folder, result, plan, manifest)
            else:
                self._waiting.append((future, failed))
                self._wait(UNDER_WAY)

        return finishing

    def _begun(self, folder: Path, result: Result, plan: Run, manifest: dict[str, Any]) -> Future[None] | None:
        """A job handed to the other process; None where there is none, or one that has died."""
        reports = writing(plan.reports.values())
        if not self._has_process(plan, result) or not all(map(_is_ours, reports)):
            return None
        number, sections = self._numbered(result.sections)
        bare = replace(result, sections=[], trials=None, tables={})
        job = WriteJob(folder, bare, tuple(result.tables), reports, manifest, number, sections)
        try:
            future: Future[None] = self._process.submit(job)
        except BrokenProcessPool:
            self._process.close()
            self._process = None
            return None
        return future

    def _has_process(self, plan: Run, result: Result) -> bool:
        if not self._asked and (beside := capability(plan.engine, "beside")):
            self._process = beside(Writer(), result.counts.get("read"))
            self._asked = True
        return self._process is not None

    def _numbered(self, sections: Iterable[Any]) -> tuple[int, bytes | None]:
        """The number of these sections, and their bytes where the other process does not have them."""
        own = list(sections)
        for number, known in self._sections.items():
            if len(known) == len(own) and all(one is other for one, other in zip(known, own, strict=True)):
                return number, None
        self._count += 1
        self._sections[self._count] = own
        _keep(self._sections)
        return self._count, pickle.dumps(own, pickle.HIGHEST_PROTOCOL)

    def _wait(self, most: int) -> None:
        """Waits until at most so many jobs are under way, and reports those that failed."""
        while self._waiting and (len(self._waiting) > most or self._waiting[0][0].done()):
            future, failed = self._waiting.popleft()
            try:
                interrupts.result(future)
            except (BrokenProcessPool, CancelledError):
                interrupts.pause(interrupts.BEHIND)
                do = "try engine.workers=1"
                failed(
                    IncompleteError("engine.workers", "the process that writes the files ended unexpectedly", None, do)
                )
            except Exception as error:
                failed(error)


def _is_ours(report: Report) -> bool:
    return type(report).__module__.startswith(OURS)
