"""The page of a sweep: its jobs with links to their pages, and charts of its numbers over one or two swept keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Literal

from auditfw.audits.sweep_settings import SweepTable
from auditfw.components.report.html import FILE, HtmlReport
from auditfw.components.report.page.content import HtmlPage, Items, Linked, PagePart
from auditfw.components.report.wording import number, title
from auditfw.core.document import Chart, Matrix, Note, Series, some
from auditfw.core.result_json import finite, write_whole

from .jobs import Job, styles_in, worst
from .table import SweepSummary, chosen, overrides_of, value_of

MOST_METRICS, MOST_READINGS, MOST_MATRICES = 4, 8, 8
WORDS: Mapping[int, tuple[str, str]] = {0: ("pass", "PASS"), 1: ("fail", "FAIL")}


@dataclass(frozen=True)
class Swept:
    """A key that jobs differ in: its values as texts, in the order in which they are shown."""

    name: str
    values: Sequence[str]

    @property
    def numeric(self) -> bool:
        """Whether all of its values are finite numbers."""
        return all(_number(value) is not None for value in self.values)


def write_page(sweep: Path, jobs: Sequence[Job], settings: SweepTable, summary: SweepSummary) -> None:
    """Writes report.html into the folder of a sweep."""
    from auditfw.components.report.page.page import page_text

    write_whole(str(sweep), FILE, page_text(page_of(sweep, jobs, settings, summary), HtmlReport().max_bytes))


def page_of(sweep: Path, jobs: Sequence[Job], settings: SweepTable, summary: SweepSummary) -> HtmlPage:
    """The content of the page: what failed, the jobs, the charts, the numbers in which the jobs differ."""
    code = worst([job.exit_code for job in jobs])
    status, word = WORDS.get(code, ("error", "ERROR"))
    if {job.verdict for job in jobs} == {"none"}:
        status, word = "none", "no gates"
    counts = Counter(job.verdict or ("not run" if job.exit_code is None else "error") for job in jobs)
    links = [f"{row[0]}/{FILE}" if (sweep / row[0] / FILE).is_file() else "" for row in summary.jobs.rows]
    table = Linked(summary.jobs.columns, summary.jobs.rows, summary.jobs.align, targets=links)
    common = [Note(f"In every job: {summary.common}")] if summary.common else []
    lines = [f"exit code {code}, {some(len(jobs), 'job')}"]
    parts = [PagePart("Failures", [Items(summary.failures, "warning")])] if summary.failures else []
    parts.append(PagePart("Jobs", [*common, table]))
    charts = list(_charts(jobs, settings))
    parts += [PagePart("Charts", charts)] if charts else []
    parts += [PagePart("Where the Jobs Differ", [summary.numbers])] if summary.numbers.rows else []
    return HtmlPage("Sweep", status, word, lines, parts, list(counts.items()))


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


def charted(jobs: Sequence[Job], settings: SweepTable) -> dict[str, list[str]]:
    """The columns that charts show, by metric: those in the settings, else the first in which the jobs differ."""
    columns = chosen(jobs, settings)
    if not columns:
        metrics = dict.fromkeys(name.partition("@")[0] for job in jobs for name in job.measurements)
        every = {metric: chosen(jobs, SweepTable(metrics=(metric,))) for metric in metrics}
        moving = {metric: [name for name in names if _differs(name, jobs)] for metric, names in every.items()}
        columns = [name for names in [names for names in moving.values() if names][:MOST_METRICS] for name in names]
    by_metric: dict[str, list[str]] = {}
    for name in columns:
        by_metric.setdefault(name.partition("@")[0], []).append(name)
    return by_metric


def _differs(name: str, jobs: Sequence[Job]) -> bool:
    return len({value for job in jobs if (value := value_of(name, job)) is not None}) > 1


def _charts(jobs: Sequence[Job], settings: SweepTable) -> Iterator[Chart | Matrix | Note]:
    keys, metrics = swept_keys(jobs), charted(jobs, settings)
    if not metrics:
        return
    if len(keys) == 1:
        for metric, names in metrics.items():
            yield _curve(jobs, keys[0], metric, names)
    elif len(keys) == 2:
        every = [name for names in metrics.values() for name in names]
        for name in every[:MOST_MATRICES]:
            yield _heat(jobs, keys[0], keys[1], name)
        if left := max(0, len(every) - MOST_MATRICES):
            yield Note(f"{left} more {'is' if left == 1 else 'are'} in sweep.parquet; choose with sweep.metrics.")
    elif keys:
        yield Note(f"{len(keys)} keys are swept: {', '.join(key.name for key in keys)}. Charts show one or two.")


def _curve(jobs: Sequence[Job], key: Swept, metric: str, names: Sequence[str]) -> Chart:
    """A metric over the values of a key, a series a column; points where a value has several jobs."""
    series, crowded, head = [], False, title(metric, styles_in(jobs))
    for name in names[:MOST_READINGS]:
        points = [
            (value, y)
            for value in key.values
            for job in jobs
            if overrides_of(job).get(key.name, "") == value and (y := finite(value_of(name, job))) is not None
        ]
        crowded |= len({value for value, _ in points}) < len(points)
        xs = [float(value) if key.numeric else value or "not set" for value, _ in points]
        series.append(Series(name.partition("@")[2] or head, xs, [y for _, y in points]))
    known = [one for one in series if one.x]
    kind: Literal["points", "line"] = "points" if crowded or not key.numeric else "line"
    more = f", {len(names) - MOST_READINGS} more in sweep.parquet" if len(names) > MOST_READINGS else ""
    return Chart(f"{head} by {key.name}{more}", key.name, head, known, kind)


def _heat(jobs: Sequence[Job], down: Swept, across: Swept, name: str) -> Matrix:
    """A column by the values of two keys, the mean where several jobs have both."""
    by_place: dict[tuple[str, str], list[float]] = {}
    for job in jobs:
        value, overrides = finite(value_of(name, job)), overrides_of(job)
        if value is not None:
            by_place.setdefault((overrides.get(down.name, ""), overrides.get(across.name, "")), []).append(value)
    means = {place: fsum(values) / len(values) for place, values in by_place.items()}
    values = [[means.get((row, column)) for column in across.values] for row in down.values]
    (metric, _, reading), styles = name.partition("@"), styles_in(jobs)
    shown = [["" if value is None else number(value, metric, styles) for value in row] for row in values]
    known = list(means.values())
    both = bool(known) and min(known) < 0 < max(known)
    corner = f"{down.name} \\ {across.name}"
    head = title(metric, styles) + (f" of {reading}" if reading else "")
    return Matrix(head, corner, down.values, across.values, values, shown, both)


def _number(text: str) -> float | None:
    try:
        return finite(float(text))
    except ValueError:
        return None
