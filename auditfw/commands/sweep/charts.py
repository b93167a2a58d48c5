"""The charts of a sweep: a metric over one swept key, a grid over two, several grids over three, else by job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

from auditfw.audits.sweep_settings import SweepTable
from auditfw.components.report.screen.picture import gated
from auditfw.components.report.wording import number, title
from auditfw.core.document import FEW, Chart, Matrix, Note, Series, some
from auditfw.core.records import Estimate, MetricStyle
from auditfw.core.result_json import finite

from .columns import chosen, differs, is_count
from .comparable import counted_of, estimate_of, value_of, why_not_comparable
from .jobs import Job, styles_in
from .overrides import Swept, overrides_of, swept_keys
from .table import column_title, state_of

MOST_METRICS, MOST_READINGS, MOST_GRIDS = 4, 8, 8
MOST_ROWS = 40  # jobs that have a row of their own in a chart
MOST_GATES = 4  # gates drawn into a chart
UNORDERED = frozenset({"seed"})  # numbers that are but names
FAILED = "×"
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
