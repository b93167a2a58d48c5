"""The jobs of a sweep as read from their folders, and the exit code of the whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.run_folder import ERROR_FILE, read_document, read_run
from auditfw.commands.stored_run import overall_estimates, read_measurements, read_styles
from auditfw.config.stored import read_words
from auditfw.core.errors import AuditError, DataError
from auditfw.core.files import present
from auditfw.core.records import Estimate, GateResult, Measurement, MetricStyle
from auditfw.core.result_json import RESULT, finite
from auditfw.core.tables import pieces

from .folder import is_job, job_folders, read_plan

if TYPE_CHECKING:
    import polars as pl

SEVERITY = (70, 4, 3, 2, 5, 1, 0)
LOG = "auditfw.log"
UNFIT = "unfit"  # the rule on a reading that finds no answers of the kind of the truths, and does not decide
LOSSY = "lossy"  # the rule on a reading that accepts wrong answers and does not decide
FIRST = "first_number"  # the rule on a reading that takes the first of several numbers, where the last is right
RATE = "error_rate"  # the metric that is read by cell
ERROR_SHAPE: Mapping[str, Any] = {"exit_code": (int, type(None)), "error": str}
UNFINISHED, UNSTARTED = "the job did not finish", "the job was not started"


@dataclass(frozen=True)
class Job:
    """One job: its number and overrides, what it came to, its overall measurements as metric@reading and their styles.

    `exit_code` is None for a job that was left out because others had failed (on_error); `log` is its log as a path
    within the sweep, None where it has none; `answer` what it concludes; `estimates` are the measurements with their
    intervals; `audited` is how many trials it judged, `data` the SHA-256 of every file that it read. `unsound` are the
    measurements of readings that are never the best: those that accept wrong answers (LOSSY), that find none (UNFIT) or
    take the first of several numbers (FIRST); `write` is what to write instead, where that is known. `cells` are the
    error rates of the cells; `readings` the readings of measurements that have a common name.
    """

    job: int
    overrides: Sequence[str]
    verdict: str | None
    exit_code: int | None
    error: str | None
    folder: str
    measurements: Mapping[str, float | None] = field(default_factory=dict)
    log: str | None = None
    styles: Mapping[str, MetricStyle] = field(default_factory=dict)
    answer: Mapping[str, Any] | None = None
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    gates: Sequence[GateResult] = ()
    audited: int | None = None
    data: Sequence[str] = ()
    unsound: Mapping[str, str] = field(default_factory=dict)
    write: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    cells: Mapping[str, Sequence[Measurement]] = field(default_factory=dict)

    @property
    def reads_none(self) -> bool:
        """Whether all its candidates find no answers of the kind of the truths."""
        own = [name for name in self.measurements if name.partition("@")[0] == RATE and name != f"{RATE}@stored"]
        return bool(own) and all(self.unsound.get(name) == UNFIT for name in own)

    @property
    def failed(self) -> bool:
        """Whether it came to no verdict."""
        return self.exit_code not in (0, 1, None)


def finished(folder: Path) -> bool:
    """Whether a job's folder says what the job came to."""
    return (folder / RESULT).exists() or (folder / ERROR_FILE).exists()


def worst(codes: Sequence[int | None]) -> int:
    """The first of 70, 4, 3, 2, 5, 1, 0 that any job had."""
    known = [code for code in codes if code is not None]
    return next((code for code in SEVERITY if code in known), max(known, default=5))


def gather(sweep: Path) -> list[Job]:
    """Reads the jobs of a sweep folder, in the order of their numbers. Raises DataError when it holds none."""
    if not sweep.is_dir():
        raise DataError(str(sweep), "no such sweep folder")
    plan = read_plan(sweep)
    planned = dict(enumerate(plan.jobs)) if plan is not None else {}
    folders = job_folders(sweep)
    numbered = {number for number, folder in folders.items() if plan is None or is_job(folder)}
    if not numbered and not planned:
        do = "name the folder of a sweep: outputs/sweeps/<date>/<time>"
        raise DataError(str(sweep), "holds no job folder", None, do)
    return [
        _read(number, sweep, folders.get(number, sweep / str(number)), planned.get(number))
        for number in sorted(numbered | planned.keys())
    ]


def _read(number: int, sweep: Path, folder: Path, planned: Sequence[str] | None) -> Job:
    overrides, name = list(planned or ()), folder.relative_to(sweep).as_posix()
    log = f"{name}/{LOG}" if (folder / LOG).is_file() else None
    try:
        overrides = overrides if planned is not None else _overrides(folder)
        failed, document = folder / ERROR_FILE, None
        if present(failed):
            document = read_document(failed, None, ERROR_SHAPE)
        if present(folder / RESULT):
            result = read_run(folder)
            code, why = result["exit_code"], _cause(result)
            if document is not None:
                code, why = worst([code, document["exit_code"]]), document["error"]
            job = Job(number, overrides, result["verdict"], code, why, name, log=log)
            return replace(_with_numbers(job, result, read_styles(folder)), cells=_cells(folder))
        if document is not None:
            return Job(number, overrides, None, document["exit_code"], document["error"], name, log=log)
    except AuditError as error:
        return Job(number, overrides, None, DataError.exit_code, str(error), name, log=log)
    return Job(number, overrides, None, 4, UNFINISHED if folder.is_dir() else UNSTARTED, name, log=log)


def _with_numbers(job: Job, result: Mapping[str, Any], styles: Mapping[str, MetricStyle]) -> Job:
    """A job with what its result.json holds."""
    estimates = overall_estimates(result)
    rules = (result["answer"] or {}).get("rules", ())
    fired = {
        name: {r["reading"]: r for r in rules if r["rule"] == name and r["fired"]} for name in (FIRST, LOSSY, UNFIT)
    }
    readings = {name: name.partition("@")[2] for name in estimates}
    return replace(
        job,
        unsound={name: rule for rule, by in fired.items() for name, of in readings.items() if of in by},
        write={name: fired[FIRST][of]["setting"] for name, of in readings.items() if of in fired[FIRST]},
        measurements={name: estimate.value for name, estimate in estimates.items()},
        styles=styles,
        answer=result["answer"],
        estimates=estimates,
        gates=result["gates"],
        audited=result["counts"].get("audited"),
        data=sorted(one["sha256"] for one in result["inputs"]),
    )


def _cells(folder: Path) -> dict[str, list[Measurement]]:
    """The error rates of a run's cells by name, as its table of measurements has them; {} where there is none."""
    cells: dict[str, list[Measurement]] = {}
    try:
        _, measurements = read_measurements(folder / "measurements.parquet", RATE)
    except AuditError:
        return cells
    for one in measurements:
        if one.cell:
            cells.setdefault(one.name, []).append(one)
    return cells


def styles_in(jobs: Sequence[Job]) -> dict[str, MetricStyle]:
    """How the metrics of the jobs print; where they do not agree, as in the first."""
    return {name: style for job in reversed(jobs) for name, style in job.styles.items()}


def _cause(result: Mapping[str, Any]) -> str | None:
    """Why a job that has a result did not come to a verdict."""
    if result["exit_code"] == 4:
        return str((result["warnings"] or ["incomplete"])[-1])
    return "nothing was audited" if result["exit_code"] == 5 else None


def _overrides(folder: Path) -> list[str]:
    file = folder / ".hydra" / "overrides.yaml"
    return read_words(file)[0] if present(file) else []


def codes_of(folder: Path, reading: str, *more: str) -> pl.DataFrame | None:
    """The codes of the labels of a reading, sorted by id: `id`, `item`, `code`, further columns; None without any."""
    import polars as pl

    code = pl.col(f"code.{reading}")
    try:
        parts = pieces(folder / "trials.parquet")
        known = pl.scan_parquet(parts, glob=False).collect_schema()
        item = pl.coalesce(pl.col("row.item"), pl.col("id")) if "row.item" in known else pl.col("id")
        table = pl.scan_parquet(parts, glob=False).filter(code.is_not_null())
        columns = (*(pl.col(name).alias(f"of.{name}") for name in more), code.alias("code"))
        return table.select("id", item.alias("item"), *columns).sort("id", maintain_order=True).collect()
    except (OSError, AuditError, pl.exceptions.PolarsError):
        return None


# The words of a sweep's jobs: by key, which all share, in which keys they differ.


@dataclass(frozen=True)
class Swept:
    """A key that jobs differ in: its values as texts, in the order in which they are shown."""

    name: str
    values: Sequence[str]

    @property
    def numeric(self) -> bool:
        """Whether all of its values are finite numbers."""
        return all(_number(value) is not None for value in self.values)


def overrides_of(job: Job) -> Mapping[str, str]:
    """A job's overrides by key."""
    pairs = (word.partition("=") for word in job.overrides)
    return {key.lstrip("+"): value for key, _, value in pairs}


def in_common(jobs: Sequence[Job]) -> list[str]:
    """The overrides that all jobs share, where there are several jobs."""
    if len(jobs) < 2:
        return []
    return [word for word in jobs[0].overrides if all(word in job.overrides for job in jobs)]


def swept_keys(jobs: Sequence[Job]) -> list[Swept]:
    """The keys in which the jobs differ; numbers from the least to the largest, names as they come."""
    names = dict.fromkeys(key for job in jobs for key in overrides_of(job))
    keys = []
    for name in names:
        values = list(dict.fromkeys(overrides_of(job).get(name, "") for job in jobs))
        if len(values) > 1:
            key = Swept(name, values)
            keys.append(Swept(name, sorted(values, key=float)) if key.numeric else key)
    return keys


def _number(text: str) -> float | None:
    try:
        return finite(float(text))
    except ValueError:
        return None


# Readings that are named by a swept choice: each job's own, under one name, so that jobs stand side by side.

GROUPS = ("parser", "normalizer", "matcher")  # in the order in which a reading names them
OWN = "*"
V = TypeVar("V")


def with_own_choices(jobs: Sequence[Job], settings: SweepTable) -> list[Job]:
    """The jobs, where a number that not all of them have under its name is one that all have under the common one.

    A column that was asked for keeps its name.
    """
    swept = {key.name for key in swept_keys(jobs)}.intersection(GROUPS)
    able = [job for job in jobs if job.measurements]
    if not swept or len(able) < 2:
        return list(jobs)
    kept = set.intersection(*(set(job.measurements) for job in able)) | {*settings.metrics, settings.sort_by or ""}
    common = {job.job: {old: _common(old, job, swept) for old in job.measurements if old not in kept} for job in able}
    shared = set.intersection(*(set(names.values()) for names in common.values()))
    return [
        _with_names(job, {old: new for old, new in common.get(job.job, {}).items() if new in shared}) for job in jobs
    ]


def is_common(column: str) -> bool:
    """Whether a column is that of each job's own choice."""
    return OWN in column.partition("@")[2].split("+")


def _common(name: str, job: Job, swept: Collection[str]) -> str:
    """A measurement's name, with a star for each swept part of its reading that is the job's only choice."""
    metric, at, reading = name.partition("@")
    words = overrides_of(job)
    own = [words.get(group, "").strip("[]'\"") if group in swept else "" for group in GROUPS]
    parts = [
        OWN if part == choice else part for part, choice in zip_longest(reading.split("+"), own) if part is not None
    ]
    return f"{metric}{at}{'+'.join(parts)}" if len(parts) > 1 else name


def _with_names(job: Job, names: Mapping[str, str]) -> Job:
    def under(numbers: Mapping[str, V]) -> dict[str, V]:
        return {names.get(name, name): number for name, number in numbers.items()}

    if not names:
        return job
    return replace(
        job,
        measurements=under(job.measurements),
        estimates=under(job.estimates),
        unsound=under(job.unsound),
        write=under(job.write),
        cells=under(job.cells),
        readings={new: old.partition("@")[2] for old, new in names.items()},
    )
