"""The one table of a sweep: a row a job, its numbers with their intervals, the best and the worst marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from auditfw.audits.sweep_settings import SweepTable
from auditfw.components.report.wording import NONE, estimate_text, number, title
from auditfw.core.document import NumberText, Table, some
from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import MetricStyle
from auditfw.core.result_json import finite

from .answers import doubts_of, reasoned
from .columns import best_first, chosen, ranking_column, shown
from .comparable import (
    comparable,
    counted_text,
    estimate_of,
    first_numbers,
    listed,
    unsound_of,
    value_of,
    why_not_comparable,
)
from .jobs import FIRST, LOSSY, UNFIT, Job, in_common, is_common, overrides_of, styles_in, with_own_choices, worst

NAMED = 5  # reasons that are listed
BETWEEN = "In brackets: the interval of the number. n: the trials that it counts."
MARKS = {LOSSY: "lossy", UNFIT: "reads none", FIRST: "first number"}
NOT_BEST = {
    LOSSY: "lossy: the reading accepts wrong answers and is never the best (auditfw help parsing).",
    UNFIT: "reads none: the reading finds no answers of the kind of the truths and is never the best.",
}
STARRED = "*: what the job chose, as its overrides say."


@dataclass(frozen=True)
class SweepSummary:
    """What is shown of a sweep: the table of its jobs, what all have in common, the failures, where the jobs differ.

    `feet` say how to read the table, and which of its numbers cannot be compared.
    """

    title: str
    common: str
    jobs: Table
    failures: Sequence[str]
    numbers: Table
    feet: Sequence[str] = ()
    numbered: int = 0  # columns of numbers that were not asked for: a terminal shows those that it has room for

    def narrowed(self, columns: int) -> Table:
        """The table of jobs with so many of those columns."""
        kept = len(self.jobs.columns) - self.numbered + columns
        rows = [row[:kept] for row in self.jobs.rows]
        return replace(self.jobs, columns=self.jobs.columns[:kept], rows=rows, align=self.jobs.align[:kept])


def build_summary(jobs: Sequence[Job], settings: SweepTable) -> SweepSummary:
    """Everything that is shown of a sweep. Raises UsageError for a column that no job has."""
    given, jobs = jobs, with_own_choices(jobs, settings)
    columns, styles = shown(jobs, settings), styles_in(jobs)
    alike = in_common(jobs)
    drawn = any(job.answer for job in jobs)
    rows = [[*_state(job, alike, drawn), counted_text(columns, job)] for job in jobs]
    cells = [_column(name, jobs, settings.best, styles) for name in columns]
    names = [column_title(name, styles) for name in columns]
    table = Table(
        ["job", "overrides", *(["answer"] if drawn else []), "status", "exit", "n", *names],
        [[*rows[i], *(cell[i] for cell in cells)] for i in _order(jobs, settings, columns)],
        f"><{'<' if drawn else ''}<>>" + ">" * len(columns),
    )
    head = headed(jobs)
    numbers = Table([], []) if settings.metrics else compared(given)
    feet = [BETWEEN] if any("[" in text for cell in cells for text in cell) else []
    feet += [STARRED] if any(map(is_common, columns)) else []
    unsound = {unsound_of(name, job) for name in columns for job in jobs}
    feet += [text for rule, text in NOT_BEST.items() if rule in unsound]
    feet += list(dict.fromkeys(f"{name}: {what}" for job in jobs for name, what in doubts_of(job).items()))
    feet += first_numbers(ranking_column(jobs, settings), jobs)
    feet += why_not_comparable(list(zip(columns, names, strict=True)), jobs)
    feet += _known_in_part(list(zip(columns, names, strict=True)), jobs)
    free = 0 if chosen(jobs, settings) else len(columns)
    return SweepSummary(head, " ".join(alike), table, _failures(jobs), numbers, feet, free)


def headed(jobs: Sequence[Job], codes: Sequence[int] = ()) -> str:
    """The head of a sweep, with the exit code of its jobs and of what was asked of them together."""
    return f"Sweep: {some(len(jobs), 'job')}, exit code {worst([*codes, *(job.exit_code for job in jobs)])}"


def _failures(jobs: Sequence[Job]) -> list[str]:
    """Each error once, with the jobs that failed by it and the log of the first."""
    by_error: dict[str, list[Job]] = {}
    for job in jobs:
        if job.error:
            by_error.setdefault(job.error, []).append(job)
    return [
        f"{listed([str(job.job) for job in same])}: {error}{f' (log: {same[0].log})' if same[0].log else ''}"
        for error, same in by_error.items()
    ]


def _known_in_part(columns: Sequence[tuple[str, str]], jobs: Sequence[Job]) -> list[str]:
    """Which numbers of jobs that audited something are not shown, and why."""
    reasons: dict[str, list[str]] = {}
    for column, name in columns:
        for job in jobs:
            estimate = estimate_of(column, job)
            if estimate is not None and finite(estimate.value) is None and estimate.undefined:
                reasons.setdefault(f"{name}: {estimate.undefined}", []).append(str(job.job))
    return [f"{NONE} {why} (job {', '.join(numbers)})." for why, numbers in list(reasons.items())[:NAMED]]


def column_title(column: str, styles: Mapping[str, MetricStyle]) -> str:
    """The title of a column: that of its metric, and the reading where it names one."""
    metric, at, reading = column.partition("@")
    return title(metric, styles) + (f" {at}{reading}" if at else "")


def _state(job: Job, alike: Sequence[str], drawn: bool) -> list[str]:
    """What a row says of a job before its numbers."""
    words = " ".join(word for word in job.overrides if word not in alike)
    answer = [reasoned(job)] if drawn else []
    return [str(job.job), words, *answer, state_of(job), "" if job.exit_code is None else str(job.exit_code)]


def state_of(job: Job) -> str:
    """A job's verdict, or why it has none, in a word."""
    return job.verdict or ("not run" if job.exit_code is None else "error")


def _column(name: str, jobs: Sequence[Job], best: str | None, styles: Mapping[str, MetricStyle]) -> list[str]:
    """The cells of a column; the ends are marked where not all are equal and all are of the same trials."""
    values = [None if unsound_of(name, job) else value_of(name, job) for job in jobs]
    known = [value for value in values if value is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    words = {"min": ("best", "worst"), "max": ("worst", "best")}.get(best or "", ("min", "max"))
    marks = {low: words[0], high: words[1]} if low < high and comparable(name, jobs) else {}
    metric = name.partition("@")[0]
    cells = []
    for job, value in zip(jobs, values, strict=True):
        estimate = estimate_of(name, job)
        mark = MARKS.get(unsound_of(name, job)) or (marks.get(value) if value is not None else None)
        cells.append("" if estimate is None else _marked(estimate_text(estimate, metric, styles), mark))
    return cells


def _marked(text: str, mark: str | None) -> str:
    """A number with a word behind it, before its interval."""
    if mark is None:
        return text
    if isinstance(text, NumberText):
        return NumberText(f"{text.shown} {mark}", text.ends, text.value, text.low, text.high)
    return f"{text} {mark}"


def _order(jobs: Sequence[Job], settings: SweepTable, columns: Sequence[str]) -> list[int]:
    """The places of the jobs in the order shown: by `sort_by`, else by the first column, the better end first."""
    order = list(range(len(jobs)))
    if settings.sort_by is None:
        return best_first(jobs, ranking_column(jobs, settings), settings)
    swept = {word.partition("=")[0].lstrip("+") for job in jobs for word in job.overrides}
    if settings.sort_by in swept:
        return sorted(order, key=lambda i: _swept(jobs[i], settings.sort_by or ""))
    names = [name for name in columns if settings.sort_by in (name, name.partition("@")[0])]
    if not names:
        if any(job.measurements for job in jobs):
            do = nearest(settings.sort_by, [*columns, *swept])
            raise UsageError("sweep.sort_by", "neither a measurement nor a swept key", settings.sort_by, do)
        return order
    return best_first(jobs, names[0], settings)


def _swept(job: Job, key: str) -> tuple[bool, float, str]:
    text = overrides_of(job).get(key, "")
    try:
        return (False, float(text), text)
    except ValueError:
        return (True, 0.0, text)


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
    marks = {(job.job, name.partition("@")[2]): MARKS[rule] for job in jobs for name, rule in job.unsound.items()}
    alike = Counter((reading, *map(numbers.get, metrics)) for (_, reading), numbers in by_reading.items())
    rows = [
        [
            str(job),
            f"{marks[job, reading]} ({reading})" if (job, reading) in marks else reading,
            *(number(numbers[m], m, styles) if m in numbers else "" for m in metrics),
        ]
        for (job, reading), numbers in by_reading.items()
        if any(m in numbers for m in metrics) and (able == 1 or alike[reading, *map(numbers.get, metrics)] < able)
    ]
    return Table(["job", "reading", *(title(metric, styles) for metric in metrics)], rows, "><" + ">" * len(metrics))
