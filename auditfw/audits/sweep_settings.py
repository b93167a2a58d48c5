"""The settings that only a sweep reads: its table, when it stops, how many jobs it may have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from auditfw.core.errors import UsageError

MOST_JOBS = 1_000
ONCE = ("on_error", "max_jobs", "resume")
_AFTER = re.compile(r"stop_after_([1-9][0-9]*)")


@dataclass(frozen=True)
class SweepTable:
    """What the table of a sweep shows.

    `metrics` are its columns, each `metric` or `metric@reading` (none: the numbers in which the jobs differ);
    `sort_by` one of them, or a swept key; `best` says which end of a column is the better one, `best_of` whether the
    worth of the best job is shown. `suite` is the file of a suite over the jobs (`auditfw help ci`).
    """

    metrics: tuple[str, ...] = ()
    sort_by: str | None = None
    best: Literal["min", "max"] | None = None
    best_of: bool = True
    suite: str | None = None


def failures_borne(on_error: str) -> int | None:
    """How many failed jobs a sweep bears before it stops; None for any number. Raises UsageError."""
    if on_error == "continue":
        return None
    if on_error == "stop":
        return 1
    after = _AFTER.fullmatch(on_error)
    if after is None:
        raise UsageError(
            "on_error", "expected continue, stop or stop_after_N", repr(on_error), "write for example stop_after_3"
        )
    return int(after[1])


def check_not_swept(swept: Iterable[tuple[str, str]]) -> None:
    """Raises UsageError where a swept override, given as key and words, sets what the whole sweep has but once."""
    for key, words in swept:
        if key in ONCE or key.partition(".")[0] == "sweep":
            raise UsageError(key, "is a setting of the whole sweep and cannot be swept", words, "give it one value")


def check_count(jobs: int, most: int | None) -> None:
    """Raises UsageError for a sweep of more jobs than `max_jobs` allows."""
    if most is not None and jobs > most:
        do = f"narrow it, or allow it with max_jobs={jobs}"
        raise UsageError("max_jobs", f"a sweep of {jobs:,} jobs", f"at most {most:,} are allowed", do)
