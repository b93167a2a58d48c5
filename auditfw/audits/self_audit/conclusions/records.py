"""What records of attempts say came of them, held against what the audit computes: score and success of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from auditfw.audits.self_audit.trials import true_or_false
from auditfw.audits.written_numbers import written_as
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.errors import brief
from auditfw.kinds.ledger import Ledger, Tried
from auditfw.kinds.solving import RecordedResult

TITLE = "Recorded and Recomputed Scores"
UNKNOWN = "nothing to evaluate"
KEPT = 1_000
ROOM = 1e-6  # beyond the range of scores: what rounding may leave
WHOLE = ("0", "1")  # as a score from 0 to 1 they are the ends: no rounding of any other


@dataclass(frozen=True)
class RecordDifference:
    """A recorded score or success that is not what the audit computes."""

    place: str
    problem: str
    attempt: int | None
    what: str
    recorded: str
    computed: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class RecordCheck:
    """How many recorded values of a problem could be held against computed ones, and those that differ.

    `scores` are the recorded scores among them that are numbers, `outside` those beyond what the scoring gives.
    """

    compared: int = 0
    differing: Sequence[RecordDifference] = ()
    scores: int = 0
    outside: Sequence[float] = ()


def check_records(
    problem: str, records: Iterable[RecordedResult], ledger: Ledger, on_scale: Callable[[float], float] = float
) -> RecordCheck:
    """Holds the records of a problem against its loop.

    An attempt that the loop did not ask for is not compared, and what is recorded of the whole problem only where all
    attempts were asked for, or one of them solved it. A score is the same within half a unit of the last digit as
    written, as the audit computes it or on the scale of the records.
    """
    compared, differing, scores = 0, [], list[float]()
    for record in records:
        one = _attempt_of(record, ledger)
        if one is None:
            continue
        scores += _numbers(record.score)
        for what, written, value in (("score", record.score, one.score), ("success", record.success, one.exact)):
            compared += written is not None
            if written is not None and not _same(written, value, on_scale):
                differing.append(_difference(problem, record, one, what))
    low, high = sorted((on_scale(0.0), on_scale(1.0)))
    outside = [score for score in scores if not low - ROOM <= score <= high + ROOM]
    return RecordCheck(compared, differing, len(scores), outside)


def _numbers(written: Any) -> list[float]:
    """A recorded score where it is a finite number, or the text of one."""
    try:
        number = math.nan if isinstance(written, bool) else float(str(written).strip().removesuffix("%"))
    except ValueError:
        return []
    return [number] if math.isfinite(number) else []


def _attempt_of(record: RecordedResult, ledger: Ledger) -> Tried | None:
    """The attempt that a record is about: the best one for a record of all of them."""
    if record.attempt is None:
        return ledger.best("earliest") if ledger.exact or ledger.iterations >= record.attempts else None
    return next((one for one in ledger.tried if one.number == record.attempt), None)


def _difference(problem: str, record: RecordedResult, one: Tried, what: str) -> RecordDifference:
    written, value = (record.score, one.score) if what == "score" else (record.success, one.exact)
    words = str(written).lower() if isinstance(written, bool) else brief(written, 40)
    shown = UNKNOWN if value is None else fixed(value, 4) if what == "score" else str(value).lower()
    remark = "an output of another shape" if one.misshapen else brief(one.why, 60) if one.why else ""
    return RecordDifference(record.place, problem, record.attempt, what, words, shown, remark)


def _same(written: Any, value: float | bool | None, on_scale: Callable[[float], float]) -> bool:
    if isinstance(value, bool):
        return true_or_false(written) is value
    if value is None or isinstance(written, bool):
        return False
    text = str(written).strip().removesuffix("%")
    other = on_scale(value)
    if other != value and math.isfinite(other) and written_as(text, other):
        return True
    return written_as(f"{text}.0" if text in WHOLE else text, value)


@dataclass
class RecordCounts:
    """The records of a run: how many values were compared, how many differ, the first of these.

    Of the `scores` so many are `outside` of what the scoring gives, from the `least` to the `largest` of these.
    """

    compared: int = 0
    differing: int = 0
    shown: Sequence[RecordDifference] = ()
    scores: int = 0
    outside: int = 0
    least: float = math.inf
    largest: float = -math.inf

    def add(self, check: RecordCheck) -> None:
        """Counts the records of a problem."""
        self.compared += check.compared
        self.differing += len(check.differing)
        self.shown = [*self.shown, *check.differing][:KEPT]
        self.scores += check.scores
        self.outside += len(check.outside)
        self.least = min([self.least, *check.outside])
        self.largest = max([self.largest, *check.outside])

    def sentence(self) -> str:
        """How many recorded values differ, with the first of them."""
        values = some(self.compared, "recorded score or success", "recorded scores and successes")
        differ = verb(self.differing, "differs", "differ")
        text = f"{self.differing:,} of {values} {differ} from what the scoring computes"
        return f"{text}; first {_line(self.shown[0])}." if self.shown else f"{text}."


def _line(one: RecordDifference) -> str:
    attempt = "" if one.attempt is None else f", attempt {one.attempt}"
    why = f" ({one.remark})" if one.remark else ""
    return f"{one.place}, problem {one.problem}{attempt}: {one.what} {one.recorded} recorded, {one.computed} here{why}"


def records_section(records: RecordCounts, most: int) -> Section:
    """The recorded values that differ, each with its place."""
    section = Section(TITLE, console=records.differing > 0)
    if not records.compared:
        return section
    section.blocks.append(Note(records.sentence()))
    if records.shown:
        columns = ["where", "problem", "attempt", "what", "recorded", "here", "remark"]
        rows = [
            [one.place, one.problem, str(one.attempt or "all"), one.what, one.recorded, one.computed, one.remark]
            for one in records.shown[:most]
        ]
        section.blocks.append(Table(columns, rows, "<<><<<<", left_out=records.differing - len(rows)))
    return section
