"""What a reply is worth: its program run or its outputs taken as they are, and each scored on a training example."""

from __future__ import annotations

import json
import math
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from auditfw.core.errors import DataError, UsageError, brief
from auditfw.core.escaping import HASH, disarmed
from auditfw.core.masking import masked, masked_data
from auditfw.core.shapes import shaped
from auditfw.kinds.capabilities import capability
from auditfw.kinds.ledger import Spent, StopReason, Tried
from auditfw.kinds.solving import Execution, Executor, Problem, Reply, Scoring

FEEDBACK = 6_000
SHOWN = 900
ROOM = 1e-6  # beyond 0 and 1: what rounding may leave of a score
NO_EXECUTOR = "choose one: executor=sandlock or executor=subprocess (auditfw list executor)"


@dataclass(frozen=True)
class Evaluation:
    """The mean score over the training examples, whether all are right, and the feedback for the next attempt.

    `score` is None where there was nothing to evaluate. `outputs` are one for each training and then each test input;
    `tests` says whether all test outputs that are known are right, None where none is known.
    """

    score: float | None
    exact: bool = False
    feedback: str = ""
    why: str = ""
    misshapen: int = 0
    tests: bool | None = None
    outputs: Sequence[Any] | None = None


def evaluate(problem: Problem, reply: Reply, scoring: Scoring, executor: Executor | None = None) -> Evaluation:
    """Evaluates a reply on the training examples; the tests' answers decide nothing.

    Raises UsageError for a program without an executor, and DataError for a score that is none.
    """
    executions = _executions(problem, reply, scoring, executor)
    if executions is None:
        return Evaluation(None, why=reply.why or "the reply holds nothing to run")
    n = len(problem.train)
    scores, feedback, misshapen = [], [], 0
    for number, (example, execution) in enumerate(zip(problem.train, executions[:n], strict=True), 1):
        score = 0.0 if execution.error else _score(scoring, execution.output, example.output)
        wrong_shape = score < 1.0 and not execution.error and misshaped(execution.output, example.output)
        misshapen += wrong_shape
        scores.append(score)
        feedback.append(_feedback(number, example.output, execution, score, scoring))
    known = [(e, execution) for e, execution in zip(problem.test, executions[n:], strict=True) if e.output is not None]
    right = [not execution.error and _score(scoring, execution.output, e.output) == 1.0 for e, execution in known]
    return Evaluation(
        score=math.fsum(scores) / len(scores) if scores else 1.0,
        exact=all(score == 1.0 for score in scores),
        feedback="\n".join(feedback)[:FEEDBACK],
        why=next((execution.error for execution in executions[:n] if execution.error), ""),
        misshapen=misshapen,
        tests=all(right) if right else None,
        outputs=[execution.output for execution in executions],
    )


def _executions(
    problem: Problem, reply: Reply, scoring: Scoring, executor: Executor | None
) -> Sequence[Execution] | None:
    """What came for each example, texts read as the scoring reads them."""
    executions = _ran(problem, reply, executor)
    read = capability(scoring, "read")
    return (
        executions
        if executions is None or read is None
        else [replace(one, output=read(one.output)) for one in executions]
    )


def _ran(problem: Problem, reply: Reply, executor: Executor | None) -> Sequence[Execution] | None:
    examples = (*problem.train, *problem.test)
    if reply.outputs is not None:
        outputs = list(reply.outputs)[: len(examples)]
        executions = [Execution(one) if one is not None else Execution(error="no output") for one in outputs]
        return executions + [Execution(error="no output")] * (len(examples) - len(executions))
    if not reply.program:
        return None
    if executor is None:
        raise UsageError("executor", "the solver returns programs, and nothing runs them", None, NO_EXECUTOR)
    ran = list(executor(reply.program, [one.input for one in examples]))
    return ran + [Execution(error="no output")] * (len(examples) - len(ran))


def _score(scoring: Scoring, output: Any, expected: Any) -> float:
    score = scoring(output, expected)
    if not isinstance(score, int | float) or not -ROOM <= score <= 1.0 + ROOM:
        raise DataError("audit.scoring", "a score must be between 0 and 1", brief(score))
    return min(1.0, max(0.0, float(score)))


def _feedback(number: int, expected: Any, one: Execution, score: float, scoring: Scoring) -> str:
    """One example's part of the feedback."""
    if score == 1.0:
        return f"Example {number}: right."
    if one.error:
        return f"Example {number}: failed: {brief(one.error, 400)}"
    remark = capability(scoring, "remark")
    text = remark(one.output, expected) if remark is not None else f"found {brief(one.output)}"
    return f"Example {number}: wrong, score {score:.4f}. {text[: 4 * SHOWN]}".rstrip()


def misshaped(output: Any, expected: Any) -> bool:
    """Whether an output is not of the shape of the expected grid; False where that is no grid."""
    truth = shape(expected)
    return truth is not None and shape(output) != truth


def shape(grid: Any) -> tuple[int, int] | None:
    """Rows and columns of a list of equally long lists or an array, None for anything else."""
    grid = grid.tolist() if hasattr(grid, "tolist") else grid
    if not isinstance(grid, list | tuple) or not all(isinstance(row, list | tuple) for row in grid):
        return None
    widths = {len(row) for row in grid}
    return (len(grid), widths.pop()) if len(widths) == 1 else None


def as_json(value: Any, most: int = 200_000) -> str | None:
    """A value as strict JSON, tuples and arrays as lists, non-finite numbers as null; None where it is too long."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        try:
            text = json.dumps(plain(value), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            return None
    except RecursionError:
        return None
    return text if len(text) <= most else None


def plain(value: Any) -> Any:
    """A value made of JSON's own kinds."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return value


# The lines of attempts.jsonl: what each kind holds, how they are sealed, and which lines are refused.

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
