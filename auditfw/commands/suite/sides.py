"""The sides of an entry: finished runs by their folders, or jobs of a sweep by a condition; or why there is none."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from auditfw.commands.comparison.label_changes import read_accepted
from auditfw.commands.comparison.logs import is_log
from auditfw.commands.comparison.sides import LogSide, audited, log_side, new_folder, with_all_rules
from auditfw.commands.run_folder import ERROR_FILE, read_document
from auditfw.commands.stored_run import StoredRun, read_measurements, stored
from auditfw.commands.sweep.folder import job_folders
from auditfw.commands.sweep.jobs import ERROR_SHAPE, Job, gather, overrides_of
from auditfw.core.document import some
from auditfw.core.errors import AuditError, DataError, UsageError, near, nearest
from auditfw.core.files import present
from auditfw.core.result_json import RESULT, finite
from auditfw.core.tables import pieces
from auditfw.kinds.conditions import Condition, condition

from .settings import EntrySettings

ABSENT, FAILED = "was not run", "failed"
BROKEN = 2  # the first exit code of a run that came to no verdict


@dataclass(frozen=True)
class SuiteSide:
    """One side of an entry: its run, or None and `why`; `place` is where it is, or was looked for.

    `absence` is a verb for headlines: "was not run" or "failed", then with the `exit_code` of what failed.
    """

    place: str
    run: StoredRun | None = None
    absence: str = ""
    why: str = ""
    exit_code: int = 0
    job: int | None = None


def run_side(place: str, where: str, baseline: bool) -> SuiteSide:
    """The side of a folder, or of the file of an accepted run. Raises UsageError for what can be neither."""
    path = Path(place)
    if not path.exists():
        return SuiteSide(place, None, ABSENT, f"no run at {place}{_like(path)}")
    if path.is_file():
        return _accepted(path, where, baseline)
    if present(path / RESULT):
        return _finished(path, place)
    if present(path / ERROR_FILE):
        return _failed(path, place)
    if job_folders(path):
        do = f"write jobs: CONDITION and {where.rpartition('.')[2]}: CONDITION, and sweep: {place}"
        raise UsageError(where, "is a sweep, not a run", place, do)
    return SuiteSide(place, None, ABSENT, f"no finished run in {place}")


def _like(path: Path) -> str:
    """The nearest name in the last folder of a path that is there: ` (did you mean 'new'?)`; "" where none is near."""
    folder = next((one for one in path.parents if one.is_dir()), None)
    try:
        close = "" if folder is None else near(path.relative_to(folder).parts[0], os.listdir(folder))
    except OSError:
        return ""
    return f" ({close})" if close else ""


def _accepted(path: Path, where: str, baseline: bool) -> SuiteSide:
    """An accepted run as the baseline. Raises UsageError for another file."""
    try:
        if baseline and path.suffix == ".json":
            return SuiteSide(str(path), read_accepted(path))
    except DataError as error:
        raise UsageError(where, "is no accepted run", str(error), "name a run folder") from None
    do = f"audit it first: auditfw {path} hydra.run.dir=FOLDER, and name FOLDER"
    raise UsageError(where, "is a file, not the folder of a run", str(path), do)


def _finished(folder: Path, place: str, job: int | None = None) -> SuiteSide:
    try:
        run = stored(folder)
    except AuditError as error:
        return SuiteSide(place, None, FAILED, str(error), error.exit_code, job)
    code = int(run.result["exit_code"])
    if code >= BROKEN:
        return SuiteSide(place, None, FAILED, f"{place} ended with exit code {code}", code, job)
    return SuiteSide(place, run, job=job)


def _failed(folder: Path, place: str) -> SuiteSide:
    try:
        document = read_document(folder / ERROR_FILE, None, ERROR_SHAPE)
    except AuditError as error:
        return SuiteSide(place, None, FAILED, str(error), error.exit_code)
    code = document["exit_code"] or 0
    return SuiteSide(place, None, FAILED, f"{place}: {document['error']}", code if code >= BROKEN else 0)


@dataclass(frozen=True)
class SweepJobs:
    """The jobs of a sweep as a table that conditions are asked of."""

    folder: Path

    @cached_property
    def jobs(self) -> Sequence[Job]:
        return gather(self.folder)

    @cached_property
    def columns(self) -> Mapping[str, Sequence[Any]]:
        """As in sweep.parquet, and under their last words; of a job with one model, or one value of a column, that."""
        jobs = self.jobs
        columns: dict[str, Sequence[Any]] = {
            "job": [job.job for job in jobs],
            "answer": [job.answer["status"] if job.answer else None for job in jobs],
            "verdict": [job.verdict for job in jobs],
            "exit_code": [job.exit_code for job in jobs],
            "error": [job.error for job in jobs],
            "folder": [job.folder for job in jobs],
        }
        words = [overrides_of(job) for job in jobs]
        for key in dict.fromkeys(key for one in words for key in one):
            values = [one.get(key) for one in words]
            columns[f"override.{key}" if key in columns else key] = values
            columns.setdefault(key.rpartition(".")[2], values)
        for name in dict.fromkeys(name for job in jobs for name in job.measurements):
            columns[name] = [finite(job.measurements.get(name)) for job in jobs]
        facts = [_facts(self.folder / job.folder) for job in jobs]
        for name in dict.fromkeys(name for one in facts for name in one):
            columns.setdefault(name, [one.get(name) for one in facts])
        return columns

    def side(self, conditions: Sequence[tuple[str, str]]) -> SuiteSide:
        """The one job for which all conditions hold, each with the key it is written at. Raises UsageError of two."""
        kept = [True] * len(self.jobs)
        for where, sql in conditions:
            asked = self._known(condition(sql, where))
            rows = asked.keep(self.columns, len(self.jobs), str(self.folder))
            kept = [one and other for one, other in zip(kept, rows, strict=True)]
        jobs = [job for job, keep in zip(self.jobs, kept, strict=True) if keep]
        text = " and ".join(sql for _, sql in conditions)
        if len(jobs) > 1:
            numbers = ", ".join(str(job.job) for job in jobs)
            do = "narrow it to one"
            raise UsageError(conditions[-1][0], f"{len(jobs)} jobs match: {numbers}", text, do)
        if not jobs:
            why = f"none of {some(len(self.jobs), 'job')} of {self.folder} matches {text}"
            return SuiteSide(text, None, ABSENT, why)
        [job] = jobs
        place = str(self.folder / job.folder)
        if job.exit_code is None:
            return SuiteSide(place, None, ABSENT, f"job {job.job}: {job.error}", job=job.job)
        if job.exit_code >= BROKEN:
            return SuiteSide(place, None, FAILED, f"job {job.job}: {job.error}", job.exit_code, job.job)
        return _finished(self.folder / job.folder, place, job.job)

    def _known(self, asked: Condition) -> Condition:
        for name in asked.names:
            if name not in self.columns:
                do = nearest(name, list(self.columns))
                raise UsageError(asked.setting, f"no column '{name}' of the sweep {self.folder}", None, do)
        return asked


def _facts(folder: Path) -> dict[str, Any]:
    """The model of a job, and the values of the columns of its cells, where there is one of each."""
    import polars as pl

    facts: dict[str, Any] = {}
    try:
        by, measurements = read_measurements(folder / "measurements.parquet")
        for name in by:
            values = {one.cell[name] for one in measurements if name in one.cell}
            facts |= {name: values.pop()} if len(values) == 1 else {}
        trials = pl.scan_parquet(pieces(folder / "trials.parquet"), glob=False)
        models = trials.select(pl.col("row.model").unique()).collect()
        known = models["row.model"].drop_nulls().to_list()
        facts |= {"model": known[0]} if len(known) == 1 and "model" not in facts else {}
    except (OSError, AuditError, pl.exceptions.PolarsError):
        return facts
    return facts


def _is_log(place: str | None) -> bool:
    return place is not None and is_log(place) and Path(place).name != RESULT


def _with_logs(entry: EntrySettings, where: str) -> tuple[SuiteSide, SuiteSide | None]:
    """The sides of an entry of which one is a log at least: those are audited now, each with the rules of both."""
    places = {"baseline": entry.baseline, "candidate": entry.candidate}
    logs: dict[str, LogSide] = {}
    known: dict[str, SuiteSide | None] = {"baseline": None}
    for letter, (role, place) in zip("AB", places.items(), strict=True):
        if place is not None and _is_log(place):
            try:
                logs[role] = log_side(letter, [place], [])
            except AuditError as error:
                known[role] = SuiteSide(place, None, FAILED, str(error), error.exit_code)
        elif place is not None:
            known[role] = run_side(place, f"{where}.{role}", baseline=role == "baseline")
    folder = new_folder()
    for role, log in zip(logs, with_all_rules(list(logs.values())), strict=True):
        place = places[role] or ""
        try:
            known[role] = SuiteSide(place, audited(log, folder / role, reuse=True).run)
        except AuditError as error:
            known[role] = SuiteSide(place, None, FAILED, str(error), error.exit_code)
    candidate = known["candidate"]
    assert candidate is not None
    return candidate, known["baseline"]


def sides(entry: EntrySettings, where: str, sweep: SweepJobs | None) -> tuple[SuiteSide, SuiteSide | None]:
    """The candidate and the baseline of an entry. Raises UsageError."""
    candidate, baseline = _sides(entry, where, sweep)
    if (
        baseline is not None
        and candidate.run is not None
        and Path(baseline.place).absolute() == Path(candidate.place).absolute()
    ):
        what = f"both are {candidate.place}: one run against itself"
        raise UsageError(where, what, None, "name another baseline")
    return candidate, baseline


def _sides(entry: EntrySettings, where: str, sweep: SweepJobs | None) -> tuple[SuiteSide, SuiteSide | None]:
    if entry.jobs is None and any(_is_log(place) for place in (entry.candidate, entry.baseline)):
        return _with_logs(entry, where)
    if entry.jobs is None:
        candidate = run_side(entry.candidate, f"{where}.candidate", baseline=False)
        before = entry.baseline
        return candidate, None if before is None else run_side(before, f"{where}.baseline", baseline=True)
    if sweep is None:
        do = "write sweep: FOLDER in the file, or sweep=FOLDER"
        raise UsageError(f"{where}.jobs", "is of the jobs of a sweep, and none is named", None, do)
    first = (f"{where}.jobs", entry.jobs)
    candidate = sweep.side([first, (f"{where}.candidate", entry.candidate)])
    if entry.baseline is None:
        return candidate, None
    return candidate, sweep.side([first, (f"{where}.baseline", entry.baseline)])
