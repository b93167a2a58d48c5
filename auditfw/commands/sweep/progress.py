"""One line on the terminal while a sweep runs: jobs done, failed, time left."""

from __future__ import annotations

import logging
import os
import re
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from auditfw.audits import spine
from auditfw.audits.claim_report import kept_for
from auditfw.audits.spine import Measured, Progress, Run, Stamp
from auditfw.commands.error_output import message_and_code, print_error, redraws, warn
from auditfw.commands.run_folder import note_error, read_run, save_hydra
from auditfw.commands.trust import may_start, remember
from auditfw.components.files.run_tables import check_tables
from auditfw.config import build as bridge
from auditfw.config.hydra.sweep_configs import Composed, as_yaml
from auditfw.core.background import in_thread, report_regularly
from auditfw.core.errors import SHOWN, AuditError, DataError, UsageError
from auditfw.core.files import append, present, read_text, refusals, refuse_link
from auditfw.core.inputs import digest
from auditfw.core.masking import masked, masks
from auditfw.core.memo import Distinct
from auditfw.core.remote.addresses import addresses, is_remote
from auditfw.core.remote.places import actual
from auditfw.core.results.table_files import copied
from auditfw.core.tables import TrialTable
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Outcome

from .folder import failed_so_far, note_failed
from .jobs import LOG, finished

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


# Which jobs of an interrupted sweep are kept: those whose config, inputs and code are still the same.

DONE = (0, 1, 5)


def check_same_jobs(before: Sequence[Sequence[str]], now: Sequence[Sequence[str]], new_keys: Sequence[str]) -> None:
    """Raises UsageError where the words of the command make different jobs than the sweep had."""

    def bare(job: Sequence[str]) -> list[str]:
        return [word for word in job if word.partition("=")[0].lstrip("+~") not in new_keys]

    if [bare(job) for job in before] != [bare(job) for job in now]:
        counts = f"{len(before)} before, {len(now)} now"
        raise UsageError(
            "resume", "these overrides make different jobs than the sweep had", counts, "start a new sweep"
        )


def kept(sweep: Path, job: Composed) -> bool:
    """Whether a job's result still holds: finished, by the same config, of the same inputs."""
    if job.error is not None:
        return False
    try:
        result = read_run(sweep / job.folder)
        check_tables(sweep / job.folder, result)
    except DataError:
        return False
    if result["exit_code"] not in DONE:
        return False
    settings = bridge.settings_of(job.config)
    if result["config_hash"] != bridge.config_hash(settings):
        return False
    named = [re.split(r"[*?{\[]", one)[0] for one in addresses(settings)]
    return all(_digest(one["path"], named) == one["sha256"] for one in result["inputs"])


def _digest(place: str, named: Sequence[str]) -> str | None:
    """The checksum of a regular file, None for anything else: the path is what a folder says.

    Nothing is fetched but from addresses that the settings name.
    """
    if is_remote(place) and not place.startswith(tuple(named)):
        return None
    path = actual(place)
    return digest(path) if os.path.isfile(path) else None


# A job's own folder: its `.hydra` files, its log, and that this user made it.


def settings_of(job: Composed) -> dict[str, Any]:
    """The settings of a job, every interpolation resolved. Raises UsageError naming the key."""
    return dict(job.raw) if job.plain else bridge.settings_of(job.config)


def keep_origin(folder: Path, settings: Mapping[str, Any]) -> None:
    """Records that this user made a run that may start code."""
    if may_start(settings):
        remember([folder / ".hydra" / name for name in ("config.yaml", "overrides.yaml")])


def mask_hydra(folder: Path) -> None:
    """Masks what the files that Hydra wrote show of the environment."""
    inside = folder / ".hydra"
    if masks() and inside.is_dir():
        save_hydra(folder, {file.name: read_text(file) for file in sorted(inside.iterdir()) if present(file)})


def save(folder: Path, files: Mapping[str, Any]) -> None:
    """Writes a job's `.hydra` files."""
    save_hydra(folder, {name: as_yaml(content) for name, content in files.items()})


@contextmanager
def logged(file: Path) -> Iterator[None]:
    """What components log goes into the job's own file."""
    refuse_link(file)
    handler = logging.FileHandler(file, delay=True, encoding="utf-8")
    handler.setFormatter(logging.Formatter("[%(asctime)s][%(name)s][%(levelname)s] - %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


class Failures:
    """What jobs of one process failed by: an error is printed once, of further jobs with it where their log is."""

    def __init__(self) -> None:
        self.printed: Counter[str] = Counter()

    def report(self, sweep: Path, folder: Path, number: int, overrides: Sequence[str], error: Exception | str) -> None:
        """Leaves in its folder why a job failed, and prints it; what the disk refuses of that is a warning."""
        work: list[Callable[[], object]] = []
        text = error
        if isinstance(error, Exception):
            message, code = message_and_code(error)
            text, trace = str(message), masked("".join(traceback.format_exception(error)))
            work.append(lambda: append(folder / LOG, trace))
            work.append(lambda: note_error(folder, code, str(message), overrides=list(overrides)))
        line = f"{' '.join(overrides)}: {text}"
        work.append(lambda: append(folder / LOG, masked(f"{line}\n")))
        work.append(lambda: note_failed(sweep, str(number)))
        before = self.printed[str(text)]
        self.printed[str(text)] += 1
        if before < SHOWN:
            shown = f"{' '.join(overrides)}: the same error" if before else line
            print_error(f"{shown} (log: {folder / LOG})")
        for refusal in filter(None, refusals(folder, work)):
            warn(str(refusal))


# Jobs of a sweep in one process that do the same work on the same trials: they share it where their audit knows how.


@dataclass
class SharedWork:
    """An audit that several jobs ask for: the first job runs it, the others take over what it came to.

    `jobs` counts those that are still to ask: what nobody will ask for again is not held. `check` raises where the
    input has changed since the first.
    """

    check: Callable[[], None]
    jobs: int = 0
    _outcome: Outcome | None = None
    _tables: dict[str, Path] = field(default_factory=dict)
    _measured: list[tuple[dict[str, Any], Measured]] = field(default_factory=list)

    def __call__(self, plan: Run, stamp: Stamp, progress: Progress) -> Measured:
        """Audits and measures for one job. Raises AuditError."""
        self.jobs -= 1
        if stamp.folder is None:
            return spine.measured(plan, stamp, progress)
        if self._outcome is None or not all(table.is_file() for table in self._tables.values()):
            outcome, trials = spine.observed(plan, stamp, progress)
            self._keep(outcome, Path(stamp.folder))
        else:
            spine.check_plan(plan)
            self.check()
            outcome, trials = self._taken_over(self._outcome, stamp.folder)
        measured = self._measure(plan, outcome, trials)
        if not self.jobs:
            self._outcome = None
            self._measured.clear()
        return measured

    def _keep(self, outcome: Outcome, folder: Path) -> None:
        self._outcome, self._measured = outcome, []
        files = {name: folder / f"{name}.parquet" for name in ("trials", *outcome.tables)}
        self._tables = {name: file for name, file in files.items() if file.exists()}

    def _taken_over(self, outcome: Outcome, folder: str) -> tuple[Outcome, Any]:
        """The outcome with tables of its own: those of the first job, copied into this one's folder."""
        tables = {name: copied(file, folder, name) for name, file in self._tables.items()}
        trials: Any = tables.pop("trials", None)
        return replace(outcome, tables={**outcome.tables, **tables}), trials

    def _measure(self, plan: Run, outcome: Outcome, trials: Any) -> Measured:
        """The measurements and sections, made once for the same metrics."""
        for metrics, known in self._measured:
            if list(metrics.items()) == list(plan.metrics.items()):
                return replace(known, outcome=replace(known.outcome, tables=outcome.tables), trials=trials)
        measured = spine.measured_by(plan, outcome, trials)
        if self.jobs:
            self._measured.append((plan.metrics, measured))
        return measured


def share(runs: Mapping[int, Run], scratch: Path) -> dict[int, tuple[Run, SharedWork]]:
    """Those of the runs, by number, that share work, with what they share; their results are the same bytes.

    `scratch` is a folder for what they share; the caller removes it.
    """
    keys, groups = Distinct[Any](), dict[int, list[int]]()
    for number, run in runs.items():
        if capability(run.audit, "share_work") is None:
            continue
        key = (type(run.audit), capability(run.audit, "work_key"), run.cells, run.engine)
        groups.setdefault(keys.number(key), []).append(number)
    shared: dict[int, tuple[Run, SharedWork]] = {}
    for place, numbers in groups.items():
        if len(numbers) > 1:
            shared |= _share_work(keys[place][0], {n: runs[n] for n in numbers}, scratch / str(place))
    return shared


def _share_work(audit: Any, runs: Mapping[int, Run], scratch: Path) -> dict[int, tuple[Run, SharedWork]]:
    contexts = [
        Context(
            run.engine,
            run.cells,
            run.seed,
            run.limits,
            TrialTable(None),
            claims=run.claims,
            keeps=kept_for(run.reports, run.metrics),
        )
        for run in runs.values()
    ]
    pairs = [(run.audit, context) for run, context in zip(runs.values(), contexts, strict=True)]
    try:
        audits = audit.share_work(pairs, scratch)
    except AuditError:
        return {}  # each run meets the error itself, and reports it
    works: dict[int, SharedWork] = {}
    for one in audits:
        works.setdefault(id(one), SharedWork(one.check)).jobs += 1
    return {n: (replace(run, audit=one), works[id(one)]) for (n, run), one in zip(runs.items(), audits, strict=True)}
