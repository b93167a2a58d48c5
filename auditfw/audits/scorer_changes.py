"""Known changes of the scorers of other programs; the table, made of their changelogs and sources, lies beside this.

A change has an effect on labels: more are right (+), fewer (-), both (+-), or all stay (=). For some of its states a
scorer has a shipped rule, whose `holds` begins where a change of the table is and holds over no other.
"""

from __future__ import annotations

import csv
from collections.abc import Collection
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from packaging.version import Version

from auditfw.core.errors import UsageError, nearest

LAST = {"inspect_ai": "0.3.285", "lm_eval": "0.4.13"}  # the newest version of each program that the table knows
RELEASED = {  # the day of the first version with each change, for logs that name none
    "inspect_ai": {
        "2025-09-07": "0.3.130", "2026-01-09": "0.3.160", "2026-03-18": "0.3.206", "2026-05-16": "0.3.221",
        "2026-08-11": "0.3.253", "2026-08-15": "0.3.256", "2026-08-17": "0.3.259", "2026-08-21": "0.3.261",
        "2026-09-03": "0.3.262", "2026-09-17": "0.3.264", "2026-09-28": "0.3.270", "2026-10-25": "0.3.285",
    },
}  # fmt: skip
TASK_VERSIONS = {  # the first version, as far as it matters, with a version of a task, for logs that name none
    "lm_eval": {
        "gsm8k": {"2.0": "0.4.1", "3.0": "0.4.2"},
        "hendrycks_math*": {"1.0": "0.4.3"},
        "leaderboard_math*": {"1.0": "0.4.5", "2.0": "0.4.6", "3.0": "0.4.9"},
        "longbench_*": {"3.0": "0.4.9", "5.0": "0.4.9.2", "6.0": "0.4.13"},
        "mgsm_direct*": {"2.0": "0.4.2", "3.0": "0.4.8", "4.0": "0.4.11"},
        "minerva_math*": {"1.0": "0.4.2", "2.0": "0.4.8", "3.0": "0.4.9.2", "3.1": "0.4.13"},
        "mmlu_pro*": {"2.1": "0.4.9", "3.0": "0.4.10", "3.1": "0.4.12"},
    },
}  # fmt: skip
NO_LABEL = "="
EFFECTS = {"+": "more right", "-": "fewer right", "+-": "both ways", NO_LABEL: "no label"}


class ScorerChange(NamedTuple):
    """What a version of a program changed in a scorer, in words, and its effect on labels (a key of EFFECTS)."""

    harness: str
    version: str
    scorer: str
    effect: str
    change: str

    @property
    def brief(self) -> str:
        """The first thing that changed."""
        return self.change.partition("; ")[0]


@cache
def scorer_changes() -> tuple[ScorerChange, ...]:
    """The whole table, by program and the newest first."""
    with Path(__file__).with_suffix(".csv").open(encoding="utf-8", newline="") as file:
        return tuple(ScorerChange(**row) for row in csv.DictReader(file))


def changes_between(
    harness: str, scorers: Collection[str], before: str, after: str, labels: bool = True
) -> list[ScorerChange]:
    """The changes after one version up to another, of a scorer by all of its names, the oldest first.

    They are those that turn labels, or those that turn none.
    """
    return [
        one
        for one in reversed(scorer_changes())
        if one.harness == harness
        and one.scorer in scorers
        and (one.effect != NO_LABEL) is labels
        and Version(before) < Version(one.version) <= Version(after)
    ]


def version_at(harness: str, date: str) -> str | None:
    """The newest version of a program on a day (2026-05-20), as far as it matters; None before all that are known."""
    days = RELEASED.get(harness, {})
    return next((days[day] for day in sorted(days, reverse=True) if date and day <= date), None)


def version_with(harness: str, tasks: Collection[str], task_version: str) -> str | None:
    """The version of a program with tasks of a version, as far as it matters; None where they do not tell one."""
    table = TASK_VERSIONS.get(harness, {})
    versions = {table[name].get(task_version) for task in tasks for name in table if fnmatchcase(task, name)}
    return versions.pop() if len(versions) == 1 else None


@dataclass(frozen=True)
class Upgrade:
    """The states of a scorer that readings are: `versions` names them, in their order, by the version each begins with.

    `also` are further names by which the scorer stands in the table of changes.
    """

    scorer: str
    to: str
    versions: dict[str, str] = field(default_factory=dict)
    harness: str = "inspect_ai"
    also: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.harness not in LAST:
            raise UsageError("harness", "no such program", self.harness, nearest(self.harness, list(LAST)))
        if len(self.versions) < 2:
            raise UsageError("versions", "needs two readings or more", len(self.versions), "write auditfw upgrade LOG")

    @property
    def before(self) -> str:
        """The version of the log."""
        return next(iter(self.versions.values()))

    def changes(self, before: str, after: str) -> list[ScorerChange]:
        """What changed between two versions."""
        return changes_between(self.harness, (self.scorer, *self.also), before, after)


@dataclass(frozen=True, kw_only=True)
class UpgradeSettings:
    """The setting of the parsing audit for that."""

    upgrade: Upgrade | None = None
