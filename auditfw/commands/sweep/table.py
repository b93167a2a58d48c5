"""The one table of a sweep: a row a job, its chosen numbers with the best and the worst marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from auditfw.audits.sweep_settings import SweepTable
from auditfw.components.report.wording import number, title
from auditfw.core.document import Table, some
from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import MetricStyle

from .jobs import Job, styles_in, worst


@dataclass(frozen=True)
class SweepSummary:
    """What is shown of a sweep: the table of its jobs, what all have in common, the failures, where the jobs differ."""

    title: str
    common: str
    jobs: Table
    failures: Sequence[str]
    numbers: Table


def build_summary(jobs: Sequence[Job], settings: SweepTable) -> SweepSummary:
    """Everything that is shown of a sweep. Raises UsageError for a column that no job has."""
    columns, styles = chosen(jobs, settings), styles_in(jobs)
    alike = in_common(jobs)
    rows = [
        [str(job.job), " ".join(w for w in job.overrides if w not in alike), job.verdict or _state(job), _code(job)]
        for job in jobs
    ]
    drawn = any(job.answer for job in jobs)
    if drawn:
        rows = [
            [*row[:2], job.answer["status"] if job.answer else "", *row[2:]]
            for row, job in zip(rows, jobs, strict=True)
        ]
    cells = [_column(name, jobs, settings.best, styles) for name in columns]
    order = _order(jobs, settings, columns)
    names = [title(metric, styles) + (f" {at}{reading}" if at else "") for metric, at, reading in map(_split, columns)]
    table = Table(
        ["job", "overrides", *(["answer"] if drawn else []), "status", "exit", *names],
        [[*rows[i], *(cell[i] for cell in cells)] for i in order],
        f"><{'<' if drawn else ''}<>" + ">" * len(columns),
    )
    failures = [f"job {job.job}: {job.error}{f' (log: {job.log})' if job.log else ''}" for job in jobs if job.error]
    head = f"Sweep: {some(len(jobs), 'job')}, exit code {worst([j.exit_code for j in jobs])}"
    numbers = Table([], []) if settings.metrics else compared(jobs)
    return SweepSummary(head, " ".join(alike), table, failures, numbers)


def in_common(jobs: Sequence[Job]) -> list[str]:
    """The overrides that all jobs share, where there are several jobs."""
    if len(jobs) < 2:
        return []
    return [word for word in jobs[0].overrides if all(word in job.overrides for job in jobs)]


def _state(job: Job) -> str:
    return "not run" if job.exit_code is None else "error"


def _code(job: Job) -> str:
    return "" if job.exit_code is None else str(job.exit_code)


def _split(name: str) -> tuple[str, str, str]:
    return name.partition("@")


def chosen(jobs: Sequence[Job], settings: SweepTable) -> list[str]:
    """The columns: each a `metric@reading`, or a metric of which every job has one candidate.

    Raises UsageError for one that no finished job has.
    """
    known = list(dict.fromkeys(name for job in jobs for name in job.measurements))
    metrics = list(dict.fromkeys(name.partition("@")[0] for name in known))
    columns: list[str] = []
    sorting = [settings.sort_by] if settings.sort_by is not None and _is_number(settings.sort_by, known) else []
    for name in dict.fromkeys([*settings.metrics, *sorting]):
        if known and name not in known and name not in metrics:
            raise UsageError("sweep.metrics", f"no measurement '{name}'", None, nearest(name, [*metrics, *known]))
        if name in metrics and any(len(_numbers_of(name, job)) > 1 for job in jobs):
            columns += [one for one in known if one.partition("@")[0] == name]
        else:
            columns.append(name)
    return list(dict.fromkeys(columns))


def check_columns(settings: SweepTable, metrics: Collection[str], swept: Collection[str]) -> None:
    """Raises UsageError for a column of a metric that no job takes, before one is run.

    Readings are known only afterwards: of `metric@reading` only the metric is checked.
    """
    for name in settings.metrics:
        if name.partition("@")[0] not in metrics:
            raise UsageError(
                "sweep.metrics", f"no job computes the metric '{name}'", None, nearest(name, sorted(metrics))
            )
    sort = settings.sort_by
    if sort is not None and sort not in swept and sort.partition("@")[0] not in metrics:
        do = nearest(sort, [*sorted(metrics), *swept])
        raise UsageError("sweep.sort_by", "neither a metric of the jobs nor a swept key", sort, do)


def _is_number(name: str, known: Sequence[str]) -> bool:
    return any(name in (one, one.partition("@")[0]) for one in known)


def _numbers_of(name: str, job: Job) -> list[float | None]:
    """A job's numbers of a column; of a metric those of its candidates, where it has several readings."""
    if "@" in name:
        return [job.measurements[name]] if name in job.measurements else []
    numbers = {key.partition("@")[2]: value for key, value in job.measurements.items() if key.partition("@")[0] == name}
    return list({reading: v for reading, v in numbers.items() if reading != "stored" or len(numbers) == 1}.values())


def value_of(name: str, job: Job) -> float | None:
    """A job's number of a column."""
    return next(iter(_numbers_of(name, job)), None)


def _column(name: str, jobs: Sequence[Job], best: str | None, styles: Mapping[str, MetricStyle]) -> list[str]:
    """The cells of a column; the ends are marked where not all are equal."""
    values = [value_of(name, job) for job in jobs]
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    words = {"min": ("best", "worst"), "max": ("worst", "best")}.get(best or "", ("min", "max"))
    marks = {low: words[0], high: words[1]} if low < high else {}
    metric = name.partition("@")[0]
    cells = []
    for job, value in zip(jobs, values, strict=True):
        shown = number(value, metric, styles) if _numbers_of(name, job) else ""
        cells.append(f"{shown} {marks[value]}" if value is not None and value in marks else shown)
    return cells


def _order(jobs: Sequence[Job], settings: SweepTable, columns: Sequence[str]) -> list[int]:
    """The places of the jobs in the order shown: by number, or by `sort_by`, the better end first."""
    order = list(range(len(jobs)))
    if settings.sort_by is None:
        return order
    swept = {word.partition("=")[0].lstrip("+") for job in jobs for word in job.overrides}
    if settings.sort_by in swept:
        return sorted(order, key=lambda i: _swept(jobs[i], settings.sort_by or ""))
    names = [name for name in columns if settings.sort_by in (name, name.partition("@")[0])]
    if not names:
        if any(job.measurements for job in jobs):
            do = nearest(settings.sort_by, [*columns, *swept])
            raise UsageError("sweep.sort_by", "neither a measurement nor a swept key", settings.sort_by, do)
        return order
    sign = -1.0 if settings.best == "max" else 1.0

    def key(i: int) -> tuple[bool, float, int]:
        value = value_of(names[0], jobs[i])
        return (value is None, sign * (value or 0.0), i)

    return sorted(order, key=key)


def _swept(job: Job, key: str) -> tuple[bool, float, str]:
    text = overrides_of(job).get(key, "")
    try:
        return (False, float(text), text)
    except ValueError:
        return (True, 0.0, text)


def overrides_of(job: Job) -> Mapping[str, str]:
    """A job's overrides by key."""
    pairs = (word.partition("=") for word in job.overrides)
    return {key.lstrip("+"): value for key, _, value in pairs}


def compared(jobs: Sequence[Job]) -> Table:
    """The overall numbers of every job and reading, for the metrics that are not the same in all of them."""
    by_reading: dict[tuple[int, str], dict[str, float | None]] = {}
    for job in jobs:
        for name, value in job.measurements.items():
            metric, _, reading = name.partition("@")
            by_reading.setdefault((job.job, reading), {})[metric] = value
    values: dict[str, set[float]] = {}
    for numbers in by_reading.values():
        for metric, value in numbers.items():
            values.setdefault(metric, set()).update(() if value is None else (value,))
    metrics = [metric for metric, seen in values.items() if len(seen) > 1]
    styles = styles_in(jobs)
    able = sum(1 for job in jobs if job.measurements)
    alike = Counter((reading, *map(numbers.get, metrics)) for (_, reading), numbers in by_reading.items())
    rows = [
        [str(job), reading, *(number(numbers[m], m, styles) if m in numbers else "" for m in metrics)]
        for (job, reading), numbers in by_reading.items()
        if metrics and (able == 1 or alike[reading, *map(numbers.get, metrics)] < able)
    ]
    return Table(["job", "reading", *(title(metric, styles) for metric in metrics)], rows, "><" + ">" * len(metrics))
