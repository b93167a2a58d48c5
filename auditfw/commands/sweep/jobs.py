"""The jobs of a sweep as read from their folders, and the exit code of the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auditfw.commands.run_folder import ERROR_FILE, read_document, read_run
from auditfw.commands.stored_run import overall_estimates, read_styles
from auditfw.config.stored import read_words
from auditfw.core.errors import AuditError, DataError
from auditfw.core.files import present
from auditfw.core.records import Estimate, GateResult, MetricStyle
from auditfw.core.result_json import RESULT

from .folder import is_job, job_folders, read_plan

SEVERITY = (70, 4, 3, 2, 5, 1, 0)
LOG = "auditfw.log"
UNFIT = "unfit"  # the rule on a reading that finds no answers of the kind of the truths, and does not decide
LOSSY = "lossy"  # the rule on a reading that accepts wrong answers and does not decide
ERROR_SHAPE: Mapping[str, Any] = {"exit_code": (int, type(None)), "error": str}
UNFINISHED, UNSTARTED = "the job did not finish", "the job was not started"


@dataclass(frozen=True)
class Job:
    """One job: its number and overrides, what it came to, its overall measurements as metric@reading and their styles.

    `exit_code` is None for a job that was left out because others had failed (on_error); `log` is its log as a path
    within the sweep, None where it has none; `answer` what it concludes; `estimates` are the measurements with their
    intervals; `audited` is how many trials it judged, `data` the SHA-256 of every file that it read. `lossy` are the
    measurements of readings that accept wrong answers, which are never the best.
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
    lossy: frozenset[str] = frozenset()

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
            return _with_numbers(job, result, read_styles(folder))
        if document is not None:
            return Job(number, overrides, None, document["exit_code"], document["error"], name, log=log)
    except AuditError as error:
        return Job(number, overrides, None, DataError.exit_code, str(error), name, log=log)
    return Job(number, overrides, None, 4, UNFINISHED if folder.is_dir() else UNSTARTED, name, log=log)


def _with_numbers(job: Job, result: Mapping[str, Any], styles: Mapping[str, MetricStyle]) -> Job:
    """A job with what its result.json holds."""
    estimates = overall_estimates(result)
    rules = (result["answer"] or {}).get("rules", ())
    lossy = {rule["reading"] for rule in rules if rule["rule"] in (LOSSY, UNFIT) and rule["fired"]}
    return replace(
        job,
        lossy=frozenset(name for name in estimates if name.partition("@")[2] in lossy),
        measurements={name: estimate.value for name, estimate in estimates.items()},
        styles=styles,
        answer=result["answer"],
        estimates=estimates,
        gates=result["gates"],
        audited=result["counts"].get("audited"),
        data=sorted(one["sha256"] for one in result["inputs"]),
    )


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
