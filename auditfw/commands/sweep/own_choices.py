"""Readings that are named by a swept choice: each job's own, under one name, so that jobs stand side by side.

Where `normalizer=v1,v2` is swept, `stored+v1` of one job and `stored+v2` of the other are both `stored+*`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TypeVar

from auditfw.audits.sweep_settings import SweepTable

from .jobs import Job
from .overrides import overrides_of, swept_keys

GROUPS = ("parser", "normalizer", "matcher")  # in the order in which a reading names them
OWN = "*"
V = TypeVar("V")


def with_own_choices(jobs: Sequence[Job], settings: SweepTable) -> list[Job]:
    """The jobs, where a number that not all of them have under its name is one that all have under the common one.

    A column that was asked for keeps its name.
    """
    swept = {key.name for key in swept_keys(jobs)}.intersection(GROUPS)
    able = [job for job in jobs if job.measurements]
    if not swept or len(able) < 2:
        return list(jobs)
    kept = set.intersection(*(set(job.measurements) for job in able)) | {*settings.metrics, settings.sort_by or ""}
    common = {job.job: {old: _common(old, job, swept) for old in job.measurements if old not in kept} for job in able}
    shared = set.intersection(*(set(names.values()) for names in common.values()))
    return [
        _with_names(job, {old: new for old, new in common.get(job.job, {}).items() if new in shared}) for job in jobs
    ]


def is_common(column: str) -> bool:
    """Whether a column is that of each job's own choice."""
    return OWN in column.partition("@")[2].split("+")


def _common(name: str, job: Job, swept: Collection[str]) -> str:
    """A measurement's name, with a star for each swept part of its reading that is the job's only choice."""
    metric, at, reading = name.partition("@")
    words = overrides_of(job)
    own = [words.get(group, "").strip("[]'\"") if group in swept else "" for group in GROUPS]
    parts = [
        OWN if part == choice else part for part, choice in zip_longest(reading.split("+"), own) if part is not None
    ]
    return f"{metric}{at}{'+'.join(parts)}" if len(parts) > 1 else name


def _with_names(job: Job, names: Mapping[str, str]) -> Job:
    def under(numbers: Mapping[str, V]) -> dict[str, V]:
        return {names.get(name, name): number for name, number in numbers.items()}

    if not names:
        return job
    lossy = frozenset(names.get(name, name) for name in job.lossy)
    return replace(job, measurements=under(job.measurements), estimates=under(job.estimates), lossy=lossy)
