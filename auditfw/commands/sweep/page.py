"""The page of a sweep: its jobs with their numbers and links to their pages, and a chart of each metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import Literal

from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.suite.decision import SuiteDecision, table_of
from auditfw.components.report.html import FILE, HtmlReport
from auditfw.components.report.page.content import Folded, HtmlPage, Items, Linked, PagePart
from auditfw.components.report.screen.picture import gated
from auditfw.components.report.wording import number, title
from auditfw.core.document import FEW, Chart, Matrix, Note, Series, Table, some
from auditfw.core.records import Estimate, MetricStyle, shortened
from auditfw.core.result_json import finite, write_whole

from .columns import chosen, differs, is_count, shown
from .comparable import comparable, counted_of, estimate_of, value_of, why_not_comparable
from .jobs import Job, Swept, overrides_of, styles_in, swept_keys, with_own_choices, worst
from .models import ModelOrders
from .screen import SweepScreen
from .table import SweepSummary, column_title, state_of

WORDS = {0: ("pass", "PASS"), 1: ("fail", "FAIL")}
TONES = {"pass": "good", "fail": "bad", "error": "bad-hatched", "inconclusive": "open"}
STATES = ("pass", "none", "inconclusive", "fail", "error", "not run")
WORDS_SHOWN = 160  # characters of a job's overrides; its own page has them all
LONG = 40  # rows of a table above which it is folded
FAILED = "×"
MARKED = f"{FAILED} marks jobs that failed a gate. A dashed line is the bound of a gate on the metric shown."


def write_page(
    sweep: Path, jobs: Sequence[Job], settings: SweepTable, summary: SweepSummary, screen: SweepScreen
) -> None:
    """Writes report.html into the folder of a sweep."""
    from auditfw.components.report.page.page import page_text

    page = replace(page_of(sweep, jobs, settings, summary, screen.models), answer=screen.as_answer)
    if screen.release is not None:
        code = worst([screen.release.exit_code, *(job.exit_code for job in jobs)])
        lines = list(_lines(with_own_choices(jobs, settings), settings, code))
        page = replace(page, parts=[_release(screen.release), *page.parts], lines=lines)
    write_whole(str(sweep), FILE, page_text(page, HtmlReport().max_bytes))


def _release(release: SuiteDecision) -> PagePart:
    """What a suite over the jobs decides, and the table of its entries."""
    reasons = [Items(release.because)] if release.because else []
    notes = [Items(release.notes)] if release.notes else []
    return PagePart(
        f"Release: {release.decision}", [Note(release.headline), *reasons, table_of(release.entries), *notes]
    )


def page_of(
    sweep: Path, jobs: Sequence[Job], settings: SweepTable, summary: SweepSummary, models: ModelOrders | None = None
) -> HtmlPage:
    """The content of the page below its answer: what failed, the jobs, the charts by metric, where the jobs differ."""
    jobs = with_own_choices(jobs, settings)
    code = worst([job.exit_code for job in jobs])
    status, word = WORDS.get(code, ("error", "ERROR"))
    if {job.verdict for job in jobs} == {"none"}:
        status, word = "none", "no gates"
    states = Counter(state_of(job) for job in jobs)
    links = [f"{row[0]}/{FILE}" if (sweep / row[0] / FILE).is_file() else "" for row in summary.jobs.rows]
    jobs_table = _numbers_first(summary.jobs)
    table = Linked(jobs_table.columns, jobs_table.rows, jobs_table.align, targets=links)
    common = [Note(f"In every job: {summary.common}")] if summary.common else []
    parts = [PagePart("Failures", [Items(summary.failures, "warning")])] if summary.failures else []
    parts.append(PagePart("Jobs", [*common, table, *([Items(summary.feet)] if summary.feet else [])]))
    parts += (
        [] if models is None else [PagePart(models.title, [models.table(len(models.scorings)), Note(models.sentence)])]
    )
    parts += _charts(jobs, settings)
    parts += [PagePart("Where the Jobs Differ", [_long(summary.numbers)])] if summary.numbers.rows else []
    return HtmlPage(
        "Sweep",
        status,
        word,
        list(_lines(jobs, settings, code)),
        parts,
        sorted(states.items(), key=_place),
        tones=TONES,
    )


def _place(count: tuple[str, int]) -> int:
    return STATES.index(count[0])


def _lines(jobs: Sequence[Job], settings: SweepTable, code: int) -> Iterator[str]:
    """What the head of the page says: how it ended, between which ends the numbers of the jobs lie."""
    keys = ", ".join(key.name for key in swept_keys(jobs))
    yield f"exit code {code}, {some(len(jobs), 'job')}{f' over {keys}' if keys else ''}"
    able = [job for job in jobs if job.measurements]
    if len(able) > 1 and all(job.measurements == able[0].measurements for job in able):
        yield "every number is the same in all jobs"
    for name in shown(jobs, settings)[:1]:
        known = [(value, job) for job in jobs if (value := finite(value_of(name, job))) is not None]
        if len({value for value, _ in known}) > 1 and comparable(name, jobs):
            (low, least), (high, most) = (pick(known, key=lambda pair: pair[0]) for pick in (min, max))
            metric, styles = name.partition("@")[0], styles_in(jobs)
            ends = (f"{number(value, metric, styles)} (job {job.job})" for value, job in ((low, least), (high, most)))
            yield f"{column_title(name, styles)}: {' to '.join(ends)}"


def _charts(jobs: Sequence[Job], settings: SweepTable) -> Iterator[PagePart]:
    """A part for each metric, with its charts; the first says what their marks are."""
    marks = [Note(MARKED)] if any(job.verdict == "fail" for job in jobs) else []
    for metric, names in charted(jobs, settings).items():
        blocks = charts_of(jobs, metric, names)
        if blocks:
            yield PagePart(title(metric, styles_in(jobs)), [*marks, *blocks])
            marks = []


def _numbers_first(table: Table) -> Table:
    """The table of jobs with answers and numbers where a narrow page shows them, and of long overrides the start."""
    first, last = ("job", "answer", "status", "overrides"), ("n", "exit")
    at = {name: place for place, name in reversed(list(enumerate(table.columns))) if name in (*first, *last)}
    numbers = [place for place in range(len(table.columns)) if place not in at.values()]
    order = [*(at[name] for name in first if name in at), *numbers, *(at[name] for name in last if name in at)]
    rows = [[shortened(row[place], WORDS_SHOWN) for place in order] for row in table.rows]
    return Table([table.columns[place] for place in order], rows, "".join(table.align[place] for place in order))


def _long(table: Table) -> Table | Folded:
    return table if len(table.rows) <= LONG else Folded(some(len(table.rows), "row"), table)


# The charts of a sweep: a metric over one swept key, a grid over two, several grids over three, else by job.

MOST_METRICS, MOST_READINGS, MOST_GRIDS = 4, 8, 8
MOST_ROWS = 40  # jobs that have a row of their own in a chart
MOST_GATES = 4  # gates drawn into a chart
UNORDERED = frozenset({"seed"})  # numbers that are but names
SHOWN = Chart | Matrix | Note


@dataclass(frozen=True)
class Axis:
    """Where jobs stand along the x axis, by their numbers."""

    name: str
    xs: Mapping[int, float | str]
    kind: Literal["points", "line"] = "points"


def charted(jobs: Sequence[Job], settings: SweepTable) -> dict[str, list[str]]:
    """The columns that charts show, by metric: those in the settings, else the first in which the jobs differ."""
    columns = chosen(jobs, settings)
    if not columns:
        metrics = dict.fromkeys(name.partition("@")[0] for job in jobs for name in job.measurements)
        every = {metric: chosen(jobs, SweepTable((metric,))) for metric in metrics if not is_count(metric, jobs)}
        moving = {metric: [name for name in names if differs(name, jobs)] for metric, names in every.items()}
        columns = [name for names in [names for names in moving.values() if names][:MOST_METRICS] for name in names]
    by_metric: dict[str, list[str]] = {}
    for name in columns:
        by_metric.setdefault(name.partition("@")[0], []).append(name)
    return by_metric


def charts_of(jobs: Sequence[Job], metric: str, names: Sequence[str]) -> list[SHOWN]:
    """What a page shows of one metric: its columns over the swept keys."""
    keys, blocks = swept_keys(jobs), list[SHOWN]()
    known = [job for job in jobs if any(finite(value_of(name, job)) is not None for name in names)]
    if not keys or not known:
        return blocks
    if len(keys) == 1 and (len(keys[0].values) <= MOST_ROWS or _ordered(keys[0])):
        blocks.append(_over_key(jobs, keys[0], metric, names))
    else:
        blocks.append(_by_job(known, keys, metric, names))
    if len(keys) in (2, 3):
        grids = [grid for name in names for grid in _grids(jobs, keys, name)]
        blocks += grids[:MOST_GRIDS]
        if len(grids) > MOST_GRIDS:
            more = some(len(grids) - MOST_GRIDS, "more grid")
            blocks.append(Note(f"{more}: choose with sweep.metrics; all numbers are in sweep.parquet."))
    titled = [(name, column_title(name, styles_in(jobs))) for name in names]
    blocks += [Note(text) for text in why_not_comparable(titled, jobs)]
    lost = [f"{job.job} ({state_of(job)})" for job in jobs if job not in known]
    if lost:
        blocks.append(Note(f"Without a number: {'job' if len(lost) == 1 else 'jobs'} {', '.join(lost)}."))
    return blocks


def _ordered(key: Swept) -> bool:
    return key.numeric and key.name not in UNORDERED


def _over_key(jobs: Sequence[Job], key: Swept, metric: str, names: Sequence[str]) -> Chart:
    """A metric over the values of a key, a series a column; points where the values are names or have several jobs."""
    xs: dict[int, float | str] = {}
    for value in key.values:
        own = [job for job in jobs if overrides_of(job).get(key.name, "") == value]
        xs |= {job.job: float(value) if key.numeric else value or "not set" for job in own}
    crowded = len(set(xs.values())) < len(xs)
    ordered = [job for number in xs for job in jobs if job.job == number]
    axis = Axis(key.name, xs, "line" if _ordered(key) and not crowded else "points")
    return _chart(ordered, axis, metric, names)


def _by_job(jobs: Sequence[Job], keys: Sequence[Swept], metric: str, names: Sequence[str]) -> Chart:
    """A metric by job: a row each, named by its values of the keys; of many jobs a point over its number."""
    if len(jobs) > MOST_ROWS:
        return _chart(jobs, Axis("job", {job.job: float(job.job) for job in jobs}), metric, names)
    words = {job.job: ", ".join(overrides_of(job).get(key.name, "") or "not set" for key in keys) for job in jobs}
    taken = list(words.values())
    xs = {n: word if taken.count(word) == 1 else f"{word} (job {n})" for n, word in words.items()}
    return _chart(jobs, Axis(", ".join(key.name for key in keys), xs), metric, names)


def _chart(jobs: Sequence[Job], axis: Axis, metric: str, names: Sequence[str]) -> Chart:
    """A chart of some columns of a metric, with the bounds of the jobs' gates; jobs that failed one are marked."""
    head = title(metric, styles_in(jobs))
    series = [one for name in names[:MOST_READINGS] if (one := _series(jobs, axis, name, head)).x]
    more = f", {len(names) - MOST_READINGS} more in sweep.parquet" if len(names) > MOST_READINGS else ""
    chart = Chart(f"{head} by {axis.name}{more}", axis.name, head, series, axis.kind, metric=metric)
    if axis.kind == "points" and len(series) == 1 and _counts_up(series[0]):
        chart = replace(chart, kind="bars")
    judged = gated(chart, [gate for job in jobs for gate in job.gates])
    return judged if len(judged.bounds) <= MOST_GATES else chart


def _counts_up(series: Series) -> bool:
    """Whether bars show a series: names with numbers from 0 and no intervals."""
    return isinstance(series.x[0], str) and not any(one is not None for one in series.low) and min(series.y) >= 0


def _series(jobs: Sequence[Job], axis: Axis, name: str, head: str) -> Series:
    pairs = [(job, estimate) for job in jobs if (estimate := estimate_of(name, job)) and _known(estimate)]
    return Series(
        name.partition("@")[2] or head,
        [axis.xs[job.job] for job, _ in pairs],
        [estimate.value for _, estimate in pairs if estimate.value is not None],
        low=[finite(estimate.low) for _, estimate in pairs],
        high=[finite(estimate.high) for _, estimate in pairs],
        failed=[job.verdict == "fail" for job, _ in pairs],
    )


def _known(estimate: Estimate) -> bool:
    return finite(estimate.value) is not None


def _grids(jobs: Sequence[Job], keys: Sequence[Swept], name: str) -> Iterator[Matrix]:
    """A column by two keys: one grid, or one for each value of the third key, all shaded alike."""
    known = [value for job in jobs if (value := finite(value_of(name, job))) is not None]
    if not known:
        return
    ends, styles = (min(known), max(known)), styles_in(jobs)
    (metric, _, reading) = name.partition("@")
    head = title(metric, styles) + (f" of {reading}" if reading else "")
    if len(keys) == 2:
        yield _grid(jobs, (keys[0], keys[1]), name, head, ends)
        return
    third = min(reversed(keys), key=lambda key: len(key.values))
    first, second = (key for key in keys if key is not third)
    for word in third.values:
        own = [job for job in jobs if overrides_of(job).get(third.name, "") == word]
        where = f"{third.name}={word}" if word else f"{third.name} not set"
        yield _grid(own, (first, second), name, f"{head}, {where}", ends)


def _grid(jobs: Sequence[Job], keys: tuple[Swept, Swept], name: str, head: str, ends: tuple[float, float]) -> Matrix:
    """A column by the values of two keys, the mean where several jobs have both."""
    (down, across), metric, styles = keys, name.partition("@")[0], styles_in(jobs)
    places: dict[tuple[str, str], list[Job]] = {}
    for job in jobs:
        words = overrides_of(job)
        places.setdefault((words.get(down.name, ""), words.get(across.name, "")), []).append(job)
    cells = [[_cell(places.get((row, column), []), name) for column in across.values] for row in down.values]
    shown = [[_text(own, value, metric, styles) for own, value, _ in row] for row in cells]
    return Matrix(
        head,
        f"{down.name} \\ {across.name}",
        down.values,
        across.values,
        [[value for _, value, _ in row] for row in cells],
        shown,
        ends[0] < 0 < ends[1],
        ends,
        counts=[[counted for _, _, counted in row] for row in cells],
    )


def _cell(jobs: Sequence[Job], name: str) -> tuple[Sequence[Job], float | None, int]:
    """The jobs of a cell, the mean of their numbers, and the least number of trials behind one of them."""
    pairs = [(job, value) for job in jobs if (value := finite(value_of(name, job))) is not None]
    counted = [n for job, _ in pairs if (n := counted_of(name, job)) is not None]
    values = [value for _, value in pairs]
    return jobs, fsum(values) / len(values) if values else None, min(counted, default=FEW)


def _text(jobs: Sequence[Job], value: float | None, metric: str, styles: Mapping[str, MetricStyle]) -> str:
    """The number of a cell, marked where a job of it failed a gate; why there is none."""
    if value is None:
        return next((state_of(job) for job in jobs if job.verdict is None), "")
    mark = f" {FAILED}" if any(job.verdict == "fail" for job in jobs) else ""
    return f"{number(value, metric, styles)}{mark}"
