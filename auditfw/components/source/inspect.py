"""The logs of Inspect AI: their trials, their scores as judgements, their epochs as recorded attempts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from auditfw.components.files.file_settings import PLACE
from auditfw.core.errors import UsageError, nearest
from auditfw.core.records import Batch
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.first_look import FirstLook
from auditfw.kinds.registry import declare

from .inspect_log.head import LogHead
from .inspect_log.logs import HEADER, START
from .inspect_log.rows import LogStart
from .inspect_log.samples import ATTEMPT, PROBLEM, epoch_name
from .inspect_log.scorers import inspect_scorers
from .inspect_log.source import InspectLogs


@declare("source", "inspect")
class Inspect(InspectLogs):
    """Reads the logs of Inspect AI, .eval and .json: a row for each sample and epoch.

    - `path`: a log, a list of logs, a folder with all logs below it, or a pattern;
    - `scorer`: the one whose scores are the stored labels (null: the first of each log); if several scorers have one
      name, the second is NAME1;
    - `partial`: the number that the score P stands for; `threshold`: the smallest number that counts as right; `key`:
      which value counts if a score has several;
    - `max_decoded`: how many bytes a member of an .eval file may unpack to (null: 512 MB).

    It has the settings of all file sources. Columns: id (`ID#EPOCH`, preceded by task and model if the logs differ in
    them), item, epoch, question, choices, ground_truth, raw_text, parsed_text (of pattern, answer, choice and math),
    stored, explanation, reasoning, error, scorer, model, task, temperature, stop, tokens_in, tokens_out, limit, reason,
    planned, unscored, and the samples' metadata.
    """

    logs = "logs of Inspect AI"
    chooses = ("scorer",)
    scorers_of = staticmethod(inspect_scorers)

    @staticmethod
    def recognises(look: FirstLook) -> bool:
        """Whether a path is a log."""
        if look.format == "zip":
            return any(name in look.names for name in (HEADER, START))
        return look.format == "object" and {"version", "status", "eval"} <= set(look.names)


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


@declare("source", "inspect_raters")
class InspectRaters(InspectLogs):
    """Reads the scores in logs of Inspect AI as judgements: each scorer, or each epoch, is a rater.

    - `each`: what a rater is, `scorer` or `epoch`;
    - `scorers`: the scorers that are raters (null: all); the labels of epochs are those of `scorer`.

    Labels are C, I, P and N as Inspect writes them; a number of `threshold` or more is C, else I; an unscored sample
    has no label. Everything else is as in `source=inspect`.
    """

    each: Literal["scorer", "epoch"] = "scorer"
    scorers: tuple[str, ...] | None = None

    def raters(self) -> tuple[str, ...]:
        """The scorers that have scores, or the epochs; () where only the samples tell how many of these there are."""
        if self.each == "scorer":
            return tuple(dict.fromkeys(name for one in self._rules for name in one.raters))
        names = [name for log in self._logs for name in log.names or ("",)]
        epochs = {name.rpartition("_epoch_")[2] for name in names}
        known = all(epoch.isdecimal() for epoch in epochs)
        return tuple(epoch_name(epoch) for epoch in sorted(epochs, key=int)) if known else ()

    def _judging(self, head: LogHead, start: LogStart) -> dict[str, Any]:
        if self.each == "epoch":
            return {"epochs": True}
        known = start.scorers(head)
        for name in self.scorers or ():
            if name not in known:
                listed = f"its scorers are {', '.join(known)}"
                where = self.keys.of("scorers")
                raise UsageError(where, f"no scorer '{name}' in {head.path}", listed, nearest(name, known))
        return {"raters": self.scorers or tuple(known)}
