"""The columns of a sweep's table, those asked for or that tell the jobs apart, and the order of its jobs by one.

The better end is the first; jobs with equal numbers go together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path

from auditfw.audits.claims import side_of
from auditfw.audits.sweep_settings import SweepTable
from auditfw.commands.suite.settings import read_suite
from auditfw.config.hydra.sweep_configs import Composed
from auditfw.core.errors import AuditError, UsageError, nearest
from auditfw.core.result_json import finite

from .comparable import comparable, names_of, unsound_of, value_of
from .jobs import FIRST, Job

Group = Sequence[Job]  # jobs with equal numbers
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
    moving = [metric for metric in ranked if any(differs(name, jobs) for name in chosen(jobs, SweepTable((metric,))))]
    columns = [name for metric in (moving or ranked)[:MOST_METRICS] for name in chosen(jobs, SweepTable((metric,)))]
    return sorted(columns, key=lambda name: not differs(name, jobs))[:most]


def differs(column: str, jobs: Sequence[Job]) -> bool:
    """Whether the jobs' numbers of a column are not all equal."""
    return len({value for job in jobs if (value := value_of(column, job)) is not None}) > 1


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
    """Raises UsageError for a column of the table that no job can have, and for a suite that cannot be read."""
    if table.suite is not None:
        read_suite(Path(table.suite))
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


def ranking_column(jobs: Sequence[Job], settings: SweepTable) -> str:
    """The column that ranks the jobs: the one to sort by, else the first shown; "" without any. Raises UsageError."""
    columns = shown(jobs, settings)
    asked = [name for name in columns if settings.sort_by in (name, name.partition("@")[0])]
    return next(iter([*asked, *columns]), "")


def ranked(jobs: Sequence[Job], column: str, settings: SweepTable) -> list[Group]:
    """The jobs that may be the best by a column, the better end first; those with equal numbers together."""
    metric = column.partition("@")[0]
    sign = {"max": -1.0, "min": 1.0}.get(settings.best or "", _sign(metric))
    able = [job for job in jobs if column and value_of(column, job) is not None]
    fair = [job for job in able if not unsound_of(column, job)]
    fair = fair or [job for job in able if unsound_of(column, job) == FIRST]  # all that there is to compare
    groups: dict[tuple[object, ...], list[Job]] = {}
    for job in sorted(fair, key=lambda one: (sign * (value_of(column, one) or 0.0), one.job)):
        groups.setdefault(_numbers(column, job), []).append(job)
    return list(groups.values())


def best_jobs(jobs: Sequence[Job], settings: SweepTable) -> Group:
    """The equally best of jobs that judged the same trials; none where there is no worse one. Raises UsageError."""
    column = ranking_column(jobs, settings)
    groups = ranked(jobs, column, settings) if comparable(column, jobs) else []
    return groups[0] if len(groups) > 1 else ()


def best_first(jobs: Sequence[Job], column: str, settings: SweepTable) -> list[int]:
    """The places of all jobs in that order, those that may not be the best behind, those without a number last."""
    place = {job.job: at for at, job in enumerate(jobs)}
    first = [place[job.job] for group in ranked(jobs, column, settings) for job in group]
    rest = [at for at in range(len(jobs)) if at not in {*first}]
    return first + sorted(rest, key=lambda at: value_of(column, jobs[at]) is None)


def _sign(metric: str) -> float:
    """1 where less is better, or nothing is known of a metric."""
    with suppress(AuditError):
        return -1.0 if side_of(metric) == "higher" else 1.0
    return 1.0


def _numbers(column: str, job: Job) -> tuple[object, ...]:
    """What two jobs with the same labels have in common: every number of the reading that ranks them."""
    reading = column.partition("@")[2]
    own = {name: value for name, value in job.measurements.items() if name.partition("@")[2] == reading or not reading}
    return value_of(column, job), *sorted((name.partition("@")[0], str(value)) for name, value in own.items())


def kept(groups: Sequence[Group], most: int) -> list[tuple[Group, int]]:
    """The first `most` groups and the last, each with how many jobs are left out before it."""
    if len(groups) <= most + 1:
        return [(group, 0) for group in groups]
    return [*((group, 0) for group in groups[:most]), (groups[-1], sum(map(len, groups[most:-1])))]


def numbers_of(jobs: Sequence[Job], most: int) -> str:
    """`12, 16, 17 +2`: the numbers of jobs, at most so many."""
    more = f" +{len(jobs) - most}" if len(jobs) > most else ""
    return ", ".join(str(job.job) for job in jobs[:most]) + more


def equal_jobs(group: Group) -> str:
    """`jobs 3, 7 and 11 are equal`; "" for one."""
    *first, last = [str(job.job) for job in group]
    return f"jobs {', '.join(first)} and {last} are equal" if first else ""
