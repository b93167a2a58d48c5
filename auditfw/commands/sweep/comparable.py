"""Which jobs of a sweep judged the same trials: only their numbers can be ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from auditfw.core.document import some
from auditfw.core.records import Estimate

from .jobs import Job
from .overrides import overrides_of

EVIDENCE = ("source", "scenarios")  # the groups that say which trials there are
READ_ONLY = ("source.columns",)  # how a trial is read, not which one
LISTED = 6


def names_of(column: str, job: Job) -> list[str]:
    """A job's measurements of a column; of a metric those of its candidates, where it has several readings."""
    if "@" in column:
        return [column] if column in job.measurements else []
    names = {name.partition("@")[2]: name for name in job.measurements if name.partition("@")[0] == column}
    return [name for reading, name in names.items() if reading != "stored" or len(names) == 1]


def value_of(column: str, job: Job) -> float | None:
    """A job's number of a column."""
    return next((job.measurements[name] for name in names_of(column, job)), None)


def is_lossy(column: str, job: Job) -> bool:
    """Whether a job's number of a column is that of a reading that accepts wrong answers."""
    return next(iter(names_of(column, job)), "") in job.lossy


def estimate_of(column: str, job: Job) -> Estimate | None:
    """A job's number of a column with its interval, None where it has none."""
    name = next(iter(names_of(column, job)), None)
    if name is None:
        return None
    return job.estimates.get(name) or Estimate(job.measurements[name])


def counted_of(column: str, job: Job) -> int | None:
    """How many trials a job's number of a column counts, None where that is not known."""
    name = next(iter(names_of(column, job)), "")
    return job.estimates[name].counted if name in job.estimates else None


def comparable(column: str, jobs: Sequence[Job]) -> bool:
    """Whether all numbers of a column are of the same trials: as many, of the same files, chosen alike."""
    return len({_trials(column, job) for job in jobs if value_of(column, job) is not None}) < 2


def _trials(column: str, job: Job) -> tuple[Any, ...]:
    words = overrides_of(job)
    chosen = [(key, value) for key, value in words.items() if _chooses_trials(key)]
    drawn = "" if job.data else words.get("seed", "")  # trials of no file may be drawn by the seed
    return counted_of(column, job), tuple(job.data), tuple(sorted(chosen)), drawn


def _chooses_trials(key: str) -> bool:
    return key.partition(".")[0] in EVIDENCE and not key.startswith(READ_ONLY)


def why_not_comparable(columns: Sequence[tuple[str, str]], jobs: Sequence[Job]) -> list[str]:
    """A sentence for the columns, each with its title, whose numbers are not of the same trials."""
    by_reason: dict[str, list[str]] = {}
    for column, title in columns:
        if not comparable(column, jobs):
            by_reason.setdefault(_reason(column, jobs), []).append(title)
    return [f"Not comparable between jobs: {', '.join(titles)} ({why})." for why, titles in by_reason.items()]


def _reason(column: str, jobs: Sequence[Job]) -> str:
    """Which jobs have how many trials; that they are of other data where the numbers do not tell."""
    by_count: dict[int | None, list[str]] = {}
    for job in jobs:
        if value_of(column, job) is not None:
            by_count.setdefault(counted_of(column, job), []).append(str(job.job))
    if len(by_count) < 2:
        return "the jobs judged different trials"
    parts = [f"n {_count(n)} in {_listed(numbers)}" for n, numbers in sorted(by_count.items(), key=_by_size)]
    return f"different trials: {'; '.join(parts)}"


def _by_size(pair: tuple[int | None, list[str]]) -> int:
    return -(pair[0] or 0)


def _count(n: int | None) -> str:
    return "unknown" if n is None else f"{n:,}"


def _listed(numbers: Sequence[str]) -> str:
    if len(numbers) > LISTED:
        return some(len(numbers), "job")
    return f"{'job' if len(numbers) == 1 else 'jobs'} {', '.join(numbers)}"


def counted_text(columns: Sequence[str], job: Job) -> str:
    """How many trials a job's numbers count: the least and the most of them where they differ."""
    known = [n for column in columns if (n := counted_of(column, job)) is not None]
    if not known:
        return "" if job.audited is None else f"{job.audited:,}"
    return f"{min(known):,}" if min(known) == max(known) else f"{min(known):,}–{max(known):,}"
