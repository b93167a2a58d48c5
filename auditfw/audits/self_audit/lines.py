"""The lines of attempts.jsonl: what each kind holds, how they are sealed, and which lines are refused."""

from __future__ import annotations

import json
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from auditfw.core.errors import DataError, brief
from auditfw.core.escaping import HASH, disarmed
from auditfw.core.masking import masked, masked_data
from auditfw.core.shapes import shaped
from auditfw.kinds.ledger import Spent, StopReason, Tried
from auditfw.kinds.solving import Problem

from .evaluate import as_json

REPAIR = "the lines before it are intact: copy them to a new folder and resume from there"


@dataclass(frozen=True)
class Begun:
    """A line of the journal about a request that is about to be sent."""

    started: int
    problem: str
    attempt: int
    of: str


@dataclass(frozen=True)
class Header:
    """The first line of the journal."""

    journal: int
    settings: str
    solver: str


@dataclass(frozen=True)
class Line:
    """A line of the journal about a finished attempt."""

    problem: str
    attempt: int
    of: str
    score: float | None
    exact: bool
    tests: bool | None
    requests: int
    seconds: float | None
    timeouts: int
    tokens: int | None
    cost: float | None
    answered: bool
    ended: StopReason | None
    misshapen: int
    why: str
    feedback: str
    program: str
    outputs: Any


def checked(record: Mapping[str, Any], where: str) -> Begun | Header | Line:
    """A record of the journal with everything as it is written. Raises DataError for any other."""
    kind = Header if "journal" in record else Begun if "started" in record else Line
    try:
        line: Any = shaped(kind, record)
        for name in ("started", "requests", "seconds", "timeouts", "tokens", "cost", "misshapen"):
            if (getattr(line, name, 0) or 0) < 0:
                raise DataError(name, "is negative", record[name])
        if getattr(line, "attempt", 1) < 1:
            raise DataError("attempt", "is less than 1", record["attempt"])
        if not _encodable(getattr(line, "problem", "")):
            raise DataError("problem", "cannot be written as text", record["problem"])
    except DataError as error:
        problem = f"{error.where} {error.what}".strip() + (f": {brief(error.found)}" if error.found is not None else "")
        raise DataError(where, "a line of the journal is not valid", problem, REPAIR) from None
    return typing.cast("Begun | Header | Line", line)


def _encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def tried_of(line: Line) -> Tried:
    """The attempt of a line."""
    spent = Spent(line.requests, line.seconds, line.timeouts, line.tokens, line.cost)
    names = ("score", "exact", "answered", "program", "feedback", "why", "misshapen", "tests", "ended")
    return Tried(number=line.attempt, spent=spent, **{name: getattr(line, name) for name in names})


def record_of(problem: Problem, of: str, tried: Tried, outputs: Sequence[Any] | None) -> dict[str, Any]:
    """A finished attempt as a line of the journal; `solver=replay` can read it."""
    spent = tried.spent
    text = None if outputs is None else as_json(list(outputs))
    return {
        "problem": masked(problem.id),
        "attempt": tried.number,
        "of": of,
        "score": tried.score,
        "exact": tried.exact,
        "tests": tried.tests,
        "requests": spent.requests,
        "seconds": spent.seconds,
        "timeouts": spent.timeouts,
        "tokens": spent.tokens,
        "cost": spent.cost,
        "answered": tried.answered,
        "ended": tried.ended,
        "misshapen": tried.misshapen,
        "why": masked(tried.why),
        "feedback": masked(tried.feedback),
        "program": masked(tried.program),
        "outputs": None if text is None else masked_data(json.loads(text)),
    }


def sealed(record: Mapping[str, Any]) -> str:
    """A record as one line with its checksum."""
    text = disarmed(json.dumps(record, ensure_ascii=True, allow_nan=False), HASH)
    return f'{text[:-1]}, "sum": "{_sum(text)}"}}'


def _sum(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def unsealed(line: str) -> dict[str, Any] | None:
    """The record of a line, or None where line and checksum do not agree."""
    head, mark, tail = line.rpartition(', "sum": "')
    if not mark or tail != f'{_sum(head + "}")}"}}':
        return None
    try:
        record: dict[str, Any] = json.loads(head + "}")
    except (ValueError, RecursionError):
        return None
    return record
