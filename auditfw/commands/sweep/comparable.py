"""Which jobs of a sweep judged the same trials: only their numbers can be ranked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from auditfw.core.document import some, verb
from auditfw.core.records import Estimate

from .jobs import FIRST, Job, overrides_of

EVIDENCE = ("source", "scenarios")  # the groups that say which trials there are
READ_ONLY = ("source.columns",)  # how a trial is read, not which one
LISTED = 6
_BARE = re.compile(r"\[(\w+)\]")  # a list of one


def names_of(column: str, job: Job) -> list[str]:
    """A job's measurements of a column; of a metric those of its candidates, where it has several readings."""
    if "@" in column:
        return [column] if column in job.measurements else []
    names = {name.partition("@")[2]: name for name in job.measurements if name.partition("@")[0] == column}
    return [name for reading, name in names.items() if reading != "stored" or len(names) == 1]


def value_of(column: str, job: Job) -> float | None:
    """A job's number of a column."""
    return next((job.measurements[name] for name in names_of(column, job)), None)


def reading_of(column: str, job: Job) -> str:
    """The reading of a job's number of a column, as the job itself calls it."""
    name = next(iter(names_of(column, job)), "")
    return job.readings.get(name, name.partition("@")[2])


def unsound_of(column: str, job: Job) -> str:
    """Why a job's number of a column is never the best: the rule on its reading; "" where it may be."""
    return job.unsound.get(next(iter(names_of(column, job)), ""), "")


def first_numbers(column: str, jobs: Sequence[Job]) -> list[str]:
    """A sentence on the jobs whose only fault is that they take the first of several numbers; none without any."""
    taking = [job for job in jobs if unsound_of(column, job) == FIRST]
    if not taking:
        return []
    take = f"{listed([str(job.job) for job in taking])} {verb(len(taking), 'takes', 'take')} it of an answer"
    return [f"first number: {take} where the last is right; write {_instead(column, taking, jobs)}"]


def _instead(column: str, taking: Sequence[Job], jobs: Sequence[Job]) -> str:
    """What to write in the sweep: a setting where it is the same for all jobs, as one matcher is; else a parser."""
    write = {job.write.get(names_of(column, job)[0], "") for job in taking}
    matchers = {overrides_of(job).get("matcher") for job in jobs}
    if len(write) == len(matchers) == 1 and "" not in write:
        return str(_BARE.sub(r"\1", next(iter(write))))
    parsers = dict.fromkeys(_BARE.sub(r"\1", overrides_of(job).get("parser", "")) for job in taking)
    other = ",".join(filter(None, parsers))
    return f"parser=last_number{f' instead of parser={other}' if other else ''}"


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
    parts = [f"n {_count(n)} in {listed(numbers)}" for n, numbers in sorted(by_count.items(), key=_by_size)]
    return f"different trials: {'; '.join(parts)}"


def _by_size(pair: tuple[int | None, list[str]]) -> int:
    return -(pair[0] or 0)


def _count(n: int | None) -> str:
    return "unknown" if n is None else f"{n:,}"


def listed(numbers: Sequence[str]) -> str:
    """`jobs 1, 3, 5`; of many how many they are."""
    if len(numbers) > LISTED:
        return f"{some(len(numbers), 'job')} ({', '.join(numbers[:LISTED])} …)"
    return f"{'job' if len(numbers) == 1 else 'jobs'} {', '.join(numbers)}"


def counted_text(columns: Sequence[str], job: Job) -> str:
    """How many trials a job's numbers count: the least and the most of them where they differ."""
    known = [n for column in columns if (n := counted_of(column, job)) is not None]
    if not known:
        return "" if job.audited is None else f"{job.audited:,}"
    return f"{min(known):,}" if min(known) == max(known) else f"{min(known):,}–{max(known):,}"
