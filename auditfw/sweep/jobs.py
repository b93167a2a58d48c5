"""The finished jobs of a sweep → one table, one file, one exit code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .document import Table
from .errors import DataError
from .machine import write_whole

SEVERITY = (70, 4, 3, 2, 5, 1, 0)
ERROR_FILE = "error.json"


@dataclass(frozen=True)
class Job:
    """One job: its number and overrides, what it came to, and its overall measurements as metric@reading."""

    job: int
    overrides: Sequence[str]
    verdict: str | None
    exit_code: int
    error: str | None
    folder: str
    measurements: Mapping[str, float | None] = field(default_factory=dict)


def note_error(folder: Path, overrides: Sequence[str], code: int, error: str) -> None:
    """Leaves in a job's folder why it has no result."""
    write_whole(
        str(folder), ERROR_FILE, json.dumps({"exit_code": code, "error": error, "overrides": list(overrides)}) + "\n"
    )


def worst(codes: Sequence[int]) -> int:
    """The first of 70, 4, 3, 2, 5, 1, 0 that any job had."""
    return next((code for code in SEVERITY if code in codes), max(codes, default=5))


def gather(sweep: Path) -> list[Job]:
    """Reads the jobs of a sweep folder, in the order of their numbers. Raises DataError when it holds none."""
    if not sweep.is_dir():
        raise DataError(str(sweep), "no such sweep folder")
    numbered = sorted((int(f.name), f) for f in sweep.iterdir() if f.name.isdigit() and f.is_dir())
    if not numbered:
        raise DataError(
            str(sweep), "holds no job folder", None, "name the folder of a sweep: outputs/sweeps/<date>/<time>"
        )
    return [_read(number, folder) for number, folder in numbered]


def _read(number: int, folder: Path) -> Job:
    overrides = _overrides(folder)
    failed = folder / ERROR_FILE
    if failed.is_file():
        told = json.loads(failed.read_text("utf-8"))
        return Job(number, overrides, None, told["exit_code"], told["error"], folder.name)
    result = folder / "result.json"
    if not result.is_file():
        return Job(number, overrides, None, 4, "the job did not finish", folder.name)
    told = json.loads(result.read_text("utf-8"))
    numbers = {f"{m['metric']}@{m['reading']}": m["value"] for m in told["measurements"] if not m["cell"]}
    return Job(number, overrides, told["verdict"], told["exit_code"], None, folder.name, numbers)


def _overrides(folder: Path) -> list[str]:
    import yaml

    file = folder / ".hydra" / "overrides.yaml"
    return [str(word) for word in yaml.safe_load(file.read_text("utf-8")) or []] if file.is_file() else []


def write(sweep: Path, jobs: Sequence[Job]) -> None:
    """Writes sweep.json."""
    rows: list[dict[str, Any]] = [
        {
            "job": job.job,
            "overrides": list(job.overrides),
            "verdict": job.verdict,
            "exit_code": job.exit_code,
            "error": job.error,
            "folder": job.folder,
            "measurements": dict(job.measurements),
        }
        for job in jobs
    ]
    document = {"schema": "auditfw.sweep/1", "jobs": rows}
    write_whole(str(sweep), "sweep.json", json.dumps(document, ensure_ascii=False, indent=1) + "\n")


def show(sweep: Path, jobs: Sequence[Job]) -> None:
    """Prints what each job came to, then the overall numbers in which the jobs differ, a row a job and reading."""
    from .parts.reports.console import printing

    told = [[str(job.job), " ".join(job.overrides), job.verdict or "error", str(job.exit_code)] for job in jobs]
    with printing() as page:
        page.head(f"Sweep: {len(jobs)} jobs, exit code {worst([job.exit_code for job in jobs])}")
        page.rows(Table(["job", "overrides", "status", "exit"], told, "><<>"), 2)
        page.lines([f"job {job.job}: {job.error}" for job in jobs if job.error])
        numbers = compared(jobs)
        if numbers.rows:
            page.head("Where the jobs differ")
            page.rows(numbers, 2)
        page.console.print(page.text(f"sweep folder: {sweep}"), soft_wrap=True)


def compared(jobs: Sequence[Job]) -> Table:
    """The overall numbers of every job and reading, for the metrics that are not the same in all of them."""
    from .parts.reports.wording import number, title

    found: dict[tuple[int, str], dict[str, float | None]] = {}
    for job in jobs:
        for name, value in job.measurements.items():
            metric, _, reading = name.partition("@")
            found.setdefault((job.job, reading), {})[metric] = value
    values: dict[str, set[float]] = {}
    for numbers in found.values():
        for metric, value in numbers.items():
            values.setdefault(metric, set()).update(() if value is None else (value,))
    metrics = [metric for metric, seen in values.items() if len(seen) > 1]
    alike = Counter((reading, *map(numbers.get, metrics)) for (_, reading), numbers in found.items())
    rows = [
        [str(job), reading, *(number(numbers[m], m) if m in numbers else "" for m in metrics)]
        for (job, reading), numbers in found.items()
        if metrics and (len(jobs) == 1 or alike[reading, *map(numbers.get, metrics)] < len(jobs))
    ]
    return Table(["job", "reading", *map(title, metrics)], rows, "><" + ">" * len(metrics))
