"""The words of a sweep's jobs: by key, which all share, in which keys they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditfw.core.result_json import finite

from .jobs import Job


@dataclass(frozen=True)
class Swept:
    """A key that jobs differ in: its values as texts, in the order in which they are shown."""

    name: str
    values: Sequence[str]

    @property
    def numeric(self) -> bool:
        """Whether all of its values are finite numbers."""
        return all(_number(value) is not None for value in self.values)


def overrides_of(job: Job) -> Mapping[str, str]:
    """A job's overrides by key."""
    pairs = (word.partition("=") for word in job.overrides)
    return {key.lstrip("+"): value for key, _, value in pairs}


def in_common(jobs: Sequence[Job]) -> list[str]:
    """The overrides that all jobs share, where there are several jobs."""
    if len(jobs) < 2:
        return []
    return [word for word in jobs[0].overrides if all(word in job.overrides for job in jobs)]


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


def _number(text: str) -> float | None:
    try:
        return finite(float(text))
    except ValueError:
        return None
