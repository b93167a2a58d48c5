"""The columns of a sweep's table: those that were asked for, else the numbers that tell the jobs apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from auditfw.audits.sweep_settings import SweepTable
from auditfw.config.hydra.sweep_configs import Composed
from auditfw.core.errors import UsageError, nearest
from auditfw.core.result_json import finite

from .comparable import names_of, value_of
from .jobs import Job

MOST_METRICS, MOST_COLUMNS = 2, 3  # that are shown without being asked for


def chosen(jobs: Sequence[Job], settings: SweepTable) -> list[str]:
    """The columns asked for: each a `metric@reading`, or a metric of which every job has one candidate.

    Raises UsageError for one that no finished job has.
    """
    known = list(dict.fromkeys(name for job in jobs for name in job.measurements))
    metrics = list(dict.fromkeys(name.partition("@")[0] for name in known))
    columns: list[str] = []
    sorting = [settings.sort_by] if settings.sort_by is not None and _is_number(settings.sort_by, known) else []
    for name in dict.fromkeys([*settings.metrics, *sorting]):
        if known and name not in known and name not in metrics:
            raise UsageError("sweep.metrics", f"no measurement '{name}'", None, nearest(name, [*metrics, *known]))
        if name in metrics and any(len(names_of(name, job)) > 1 for job in jobs):
            columns += [one for one in known if one.partition("@")[0] == name]
        else:
            columns.append(name)
    return list(dict.fromkeys(columns))


def shown(jobs: Sequence[Job], settings: SweepTable) -> list[str]:
    """The columns of the table; without any asked for a few that tell most. Raises UsageError."""
    asked = chosen(jobs, settings)
    return asked if settings.metrics else list(dict.fromkeys([*asked, *telling(jobs, MOST_COLUMNS)]))


def telling(jobs: Sequence[Job], most: int) -> list[str]:
    """The columns of the first metrics by `_rank`; those in which the jobs differ come before the others."""
    metrics = list(dict.fromkeys(name.partition("@")[0] for job in jobs for name in job.measurements))
    ranked = sorted((metric for metric in metrics if not is_count(metric, jobs)), key=lambda one: _rank(one, jobs))
    moving = [metric for metric in ranked if _moves(metric, jobs)]
    columns = [name for metric in (moving or ranked)[:MOST_METRICS] for name in chosen(jobs, SweepTable((metric,)))]
    return sorted(columns, key=lambda name: not differs(name, jobs))[:most]


def differs(column: str, jobs: Sequence[Job]) -> bool:
    """Whether the jobs' numbers of a column are not all equal."""
    return len({value for job in jobs if (value := value_of(column, job)) is not None}) > 1


def _moves(metric: str, jobs: Sequence[Job]) -> bool:
    return any(differs(name, jobs) for name in chosen(jobs, SweepTable((metric,))))


def _rank(metric: str, jobs: Sequence[Job]) -> tuple[bool, bool]:
    """Metrics that a gate is on, then those with intervals, come first."""
    ruled = any(gate.metric == metric for job in jobs for gate in job.gates)
    spans = any(finite(job.estimates[name].low) is not None for job in jobs for name in _own(metric, job))
    return not spans, not ruled


def is_count(metric: str, jobs: Sequence[Job]) -> bool:
    """Whether a metric is but the number of trials, which every row shows."""
    every = [job.estimates[name] for job in jobs for name in _own(metric, job)]
    return bool(every) and all(one.value == one.counted for one in every)


def _own(metric: str, job: Job) -> list[str]:
    return [name for name in job.estimates if name.partition("@")[0] == metric]


def check_table(table: SweepTable, jobs: Sequence[Composed]) -> None:
    """Raises UsageError for a column of the table that no job can have."""
    metrics = dict.fromkeys(str(name) for job in jobs if job.config is not None for name in job.config.metrics or ())
    if metrics:
        check_columns(table, metrics, [word.partition("=")[0].lstrip("+") for job in jobs for word in job.overrides])


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
