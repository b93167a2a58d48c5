"""Problems with recorded attempts in the logs of Inspect AI."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.components.files.file_settings import PLACE
from auditfw.core.records import Batch
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare

from .inspect_log.attempts import ATTEMPT, PROBLEM
from .inspect_log.head import LogHead
from .inspect_log.source import InspectLogs
from .inspect_log.start import LogStart

EPOCH, QUESTION = "epoch", "question"
MADE = ("id", PLACE, "input", "output", "attempts")
READ = (PROBLEM, EPOCH, ATTEMPT, QUESTION, "stored")  # the last is the label of one epoch, of no problem


@declare("source", "inspect_attempts")
class InspectAttempts(InspectLogs):
    """Reads each sample in logs of Inspect AI as a problem, and its epochs as recorded attempts, for `solver=replay`.

    Columns: id, input (the question), output (1, the right score), and `attempts`: for each epoch, in order, its score
    as the output, seconds and tokens. The score is that of `scorer`; a right one is 1, a number below `threshold` stays
    as it is. An epoch without a score is a failed attempt. Further columns are those of the first epoch. Everything
    else is as in `source=inspect`.
    """

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Opens the logs; all epochs are read by one task."""
        wanted = [name for name in required if name not in MADE]
        further = None if optional is None else [PLACE, *(name for name in optional if name not in (*MADE, *READ))]
        evidence = super().open([*READ[:-1], *wanted], further)
        columns = (*MADE, *(name for name in evidence.columns if name not in (*MADE, *READ)))
        return replace(
            evidence, tasks=(AttemptTask(evidence, columns),), columns=columns, size=None, filled=frozenset()
        )

    def _judging(self, head: LogHead, start: LogStart) -> dict[str, Any]:
        return {"attempts": True}


@dataclass(frozen=True)
class AttemptTask:
    """Reads all samples of the logs, and makes a problem of those that are epochs of one."""

    evidence: Evidence
    columns: tuple[str, ...]

    def __call__(self) -> Batch:
        notes, dropped = Counter[str](), Counter[str]()
        problems: dict[str, list[dict[str, Any]]] = {}
        for row in self._rows(notes, dropped):
            problems.setdefault(row[PROBLEM], []).append(row)
        for bucket, n in dropped.items():
            notes[f"epochs that do not count as attempts ({bucket})"] += n
        rows = [_problem(sorted(epochs, key=lambda one: one[EPOCH]), notes) for epochs in problems.values()]
        return Batch({name: [row.get(name) for row in rows] for name in self.columns}, Counter(), notes)

    def _rows(self, notes: Counter[str], dropped: Counter[str]) -> Iterator[dict[str, Any]]:
        tasks: Sequence[Task] = list(self.evidence.tasks)
        for task in tasks:
            batch = task()
            notes.update(batch.notes)
            dropped.update(batch.dropped)
            for values in zip(*batch.columns.values(), strict=True):
                yield dict(zip(batch.columns, values, strict=True))


def _problem(epochs: Sequence[dict[str, Any]], notes: Counter[str]) -> dict[str, Any]:
    """The problem that the epochs of a sample are attempts at."""
    first = epochs[0]
    if [one[EPOCH] for one in epochs] != list(range(1, len(epochs) + 1)):
        notes["samples with missing epochs: only their existing epochs are attempts"] += 1
    made = {"id": first[PROBLEM], "input": first[QUESTION], "output": 1.0}
    return {**first, **made, "attempts": [one[ATTEMPT] for one in epochs]}
