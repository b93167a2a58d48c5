"""The solver that replays recorded attempts, by problem and number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from auditfw.components.files.file_settings import PLACE, ROW_NUMBER
from auditfw.components.files.file_source import FileSource
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.components.files.keys import Keys
from auditfw.components.files.paths import bare
from auditfw.core.errors import DataError, UsageError, brief
from auditfw.core.inputs import stamp
from auditfw.core.remote.places import actual
from auditfw.kinds.registry import declare
from auditfw.kinds.solving import Ask, Clock, Problem, RecordedResult, Reply, TraceEndError

from .recorded_cells import as_expected, cell_value

KEYS = Keys("solver", ("path", "columns", "where"))
MOST = 10**15  # seconds, tokens or cost: more is a mistake, and many such could not be added up
FIELDS = ("outputs", "output", "program", "why", "seconds", "tokens", "cost")
RESULTS = ("score", "success", "exact")  # what came of an attempt; the last is what a journal calls a success
ATTEMPTS = "attempts"
OWN = ("problem", "attempt", ATTEMPTS, *FIELDS, *RESULTS)
DELIMITED = (".csv", ".tsv")
MARKS = ("journal", "started")
PastEnd = Literal["error", "null", "stop"]


@dataclass
class Trace:
    """The recorded attempts of a problem by number, and what is recorded of all of them together."""

    attempts: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    whole: Mapping[str, Any] | None = None

    def results(self) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
        """The records that may say what came of an attempt, the one of all first, under None."""
        if self.whole is not None:
            yield None, self.whole
        yield from sorted(self.attempts.items())


@declare("solver", "replay")
class Replay:
    """Answers from recorded attempts and never touches the network; seconds, tokens and cost are the recorded ones.

    - `path`: JSON Lines, a JSON array, or .csv and .tsv with a header, plain or compressed. A record is one attempt
      with `problem`, `attempt` (its number, from 1, or from 0 in the whole file; without it they are numbered in the
      order of the file) and `outputs` (one for each training and then each test input), `output` (of a single example)
      or `program`; or a record is one problem with the list `attempts`, each an output or such a record. The
      `attempts.jsonl` of any run can be read. Without `path` the attempts are in the column `attempts` of the problems,
      as such a list. A cell of a .csv holds a number, a text, or a JSON list;
    - `columns`: {ours: theirs}, also one composed of several (`problem: "{task}/{run}"`), `seconds`, `tokens`, `cost`;
      with a list `attempts` these are divided equally among the attempts. A recorded `score` or `success` is compared
      with what the audit computes; with a list `attempts` it is the best score and the success of all of them;
    - `where`: a SQL condition over the records' columns;
    - `past_end`: the answer to a request beyond the recorded attempts: an `error` that names it, `null` (the reading is
      null there), or `stop` (there was no other attempt: the loop ends as if out of iterations).
    """

    clock: ClassVar[Clock] = "work"
    light: ClassVar[bool] = True

    path: str | None = None
    columns: dict[str, str] = field(default_factory=dict)
    where: str | None = None
    past_end: PastEnd | None = "error"

    def __post_init__(self) -> None:
        for name in self.columns:
            if name not in OWN and self.where is None:
                raise UsageError(f"columns.{name}", "no such column", None, f"known: {', '.join(OWN)}")

    @property
    def facts(self) -> Mapping[str, str]:
        """The column that the problems must have where no file is named, and what to do where they lack it."""
        return {} if self.path is not None else {ATTEMPTS: "write solver.path=FILE with recorded attempts"}

    def check(self) -> None:
        """Reads the records. Raises DataError for a missing file, a record without problem, an attempt twice."""
        if self.path is not None:
            self._traces()

    def reads(self) -> list[str]:
        """The path of the file that it reads."""
        return [] if self.path is None else [actual(self.path)]

    def __call__(self, ask: Ask) -> Reply:
        trace = self._trace(ask.problem)
        if trace is None:
            do = "leave the problem out, or map solver.columns.problem to the column that holds the problems' ids"
            raise DataError(str(self.path), f"no recorded attempt of problem '{ask.problem.id}'", None, do)
        if ask.iteration not in trace.attempts:
            return self._past(ask, len(trace.attempts))
        record = trace.attempts[ask.iteration]
        return Reply(
            program=record.get("program") or "",
            outputs=self._typed(_outputs(record), ask.problem),
            why=record.get("why") or "",
            seconds=record.get("seconds"),
            tokens=record.get("tokens"),
            cost=record.get("cost"),
        )

    def _typed(self, outputs: list[Any] | None, problem: Problem) -> list[Any] | None:
        """Outputs of delimited text, which says no type, as what is expected of them."""
        if outputs is None or not bare(str(self.path)).endswith(DELIMITED) or not problem.train:
            return outputs
        return [as_expected(outputs[0], problem.train[0].output), *outputs[1:]] if outputs else outputs

    def recorded(self, problem: Problem) -> list[RecordedResult]:
        """What the records say came of the attempts, those of the whole problem first."""
        trace = self._trace(problem) or Trace()
        return [one for one in (_result(trace, *result) for result in trace.results()) if one is not None]

    def outputs(self, problem: Problem) -> Iterator[tuple[str, list[Any]]]:
        """The recorded outputs of each attempt at a problem, and where they are written."""
        trace = self._trace(problem) or Trace()
        for number, record in sorted(trace.attempts.items()):
            place = str(record[PLACE])
            named = place if place.startswith("problem ") else f"{place}, problem '{problem.id}'"
            yield f"{named}, attempt {number}", _outputs(record) or []

    def place_of(self, problem: Problem, number: int) -> str | None:
        """Where an attempt at a problem is written; None where it stands with the problem itself."""
        trace = None if self.path is None else self._trace(problem)
        return None if trace is None or number not in trace.attempts else str(trace.attempts[number][PLACE])

    def _trace(self, problem: Problem) -> Trace | None:
        """The recorded attempts of a problem; None where the file has none of it."""
        return self._own(problem) if self.path is None else self._traces().get(problem.id)

    def _own(self, problem: Problem) -> Trace:
        """The attempts that the problem itself holds."""
        where, attempts = f"problem '{problem.id}'", problem.facts.get(ATTEMPTS)
        if attempts is None:
            raise DataError(where, "no recorded attempts", None, "leave the problem out, or write solver.path=FILE")
        traces: dict[str, Trace] = {}
        _take(traces, {"problem": problem.id, ATTEMPTS: attempts, PLACE: where})
        return traces[problem.id]

    def _past(self, ask: Ask, known: int) -> Reply:
        if self.past_end == "error":
            raise DataError(
                str(self.path or "source"),
                f"no recorded attempt {ask.iteration} of problem '{ask.problem.id}'",
                f"{known} recorded",
                f"write stop.max_iterations={known}, or solver.past_end=stop (there was no other) or null (not known)",
            )
        raise TraceEndError(f"{known} recorded attempts", known=self.past_end == "stop")

    def _traces(self) -> Mapping[str, Trace]:
        """The attempts by problem and number, read once in each process, and again when the file has changed."""
        path = actual(str(self.path))
        try:
            key = f"{self!r} {stamp(path)}"
        except OSError:
            key = ""
        if key not in _held:
            _held.clear()
            _held[key] = self._read()
        return _held[key]

    def _read(self) -> dict[str, Trace]:
        source, cells = self._source(), bare(str(self.path)).endswith(DELIMITED)
        traces: dict[str, Trace] = {}
        for task in source.opened(["problem"], [*OWN, *MARKS, PLACE], unfinite=True).tasks:
            batch = task().columns
            for values in zip(*batch.values(), strict=True):
                record = dict(zip(batch, values, strict=True))
                if cells:
                    place = str(record[PLACE])
                    record = {name: cell_value(name, value, place) for name, value in record.items()}
                _take(traces, record)
        first = 0 if any(0 in trace.attempts for trace in traces.values()) else 1
        self._check_whole(traces, first)
        for trace in traces.values() if first == 0 else ():
            trace.attempts = {number + 1: record for number, record in trace.attempts.items()}
        return traces

    def _source(self) -> FileSource:
        """The file as what its name says: a JSON array, delimited text, else JSON Lines."""
        name = bare(str(self.path))
        columns = {"problem": "problem", **self.columns, "id": ROW_NUMBER}
        settings: dict[str, Any] = {"path": self.path, "columns": columns, "where": self.where, "duplicates": "all"}
        if name.endswith(DELIMITED):
            return DelimitedText(delimiter="tab" if name.endswith(".tsv") else ",", **settings).placed(KEYS)
        return (JsonArray if name.endswith(".json") else JsonLines)(**settings).placed(KEYS)

    def _check_whole(self, traces: Mapping[str, Trace], first: int) -> None:
        """Refuses a trace with a gap: the attempts behind it could never be asked for."""
        for problem, trace in traces.items():
            numbers = trace.attempts
            gap = next((number for number in range(first, first + len(numbers)) if number not in numbers), None)
            if gap is not None:
                do = f"attempt {max(numbers)} exists: number the attempts from {first} without gaps"
                if first == 0:
                    do += " (an attempt in this file has the number 0)"
                raise DataError(str(self.path), f"attempt {gap} of problem '{problem}' is missing", None, do)


_held: dict[str, dict[str, Trace]] = {}


def _take(traces: dict[str, Trace], record: Mapping[str, Any]) -> None:
    """Puts a record's attempts with their problem."""
    place = str(record[PLACE])
    if any(record.get(mark) is not None for mark in MARKS):
        return
    if record["problem"] is None:
        raise DataError(place, "the record names no problem", None, "map solver.columns.problem")
    trace = traces.setdefault(str(record["problem"]), Trace())
    several = record.get(ATTEMPTS)
    if several is None:
        own = {name: value for name in (*FIELDS, *RESULTS) if (value := record.get(name)) is not None}
        _put(trace, record.get("attempt"), own, place)
        return
    if not isinstance(several, list):
        raise DataError(place, "expected a list as 'attempts'", brief(several))
    for at, one in enumerate(several):
        entry = dict(one) if isinstance(one, Mapping) else {"output": one}
        shares = {name: _share(name, record.get(name), at, len(several)) for name in ("seconds", "tokens", "cost")}
        own = {name: entry[name] for name in (*FIELDS, *RESULTS) if name in entry}
        _put(trace, None, {**shares, **own}, place)
    if any(record.get(name) is not None for name in RESULTS):
        trace.whole = {PLACE: place, **{name: record.get(name) for name in RESULTS}}


def _put(trace: Trace, number: Any, record: Mapping[str, Any], place: str) -> None:
    if number is None:
        number = len(trace.attempts) + 1
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise DataError(place, "expected the number of the attempt, a whole number of 0 or more", brief(repr(number)))
    if number in trace.attempts:
        raise DataError(place, f"duplicate attempt {number} of this problem", None, "keep one record of each attempt")
    if isinstance(record.get("tokens"), float) and record["tokens"].is_integer():
        record = {**record, "tokens": int(record["tokens"])}
    for name in ("seconds", "tokens", "cost"):
        value = record.get(name)
        good = value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST)
        if not good or (name == "tokens" and isinstance(value, float)):
            raise DataError(
                place, f"expected a number of 0 or more as '{name}'", brief(repr(value)), "write a number, or null"
            )
    trace.attempts[number] = {**record, PLACE: place}


def _result(trace: Trace, number: int | None, record: Mapping[str, Any]) -> RecordedResult | None:
    """What a record says came of its attempt; None where it says nothing."""
    score, success = record.get("score"), record.get("success")
    success = record.get("exact") if success is None else success
    if score is None and success is None:
        return None
    return RecordedResult(number, len(trace.attempts), score, success, str(record[PLACE]))


def _share(name: str, total: Any, at: int, n: int) -> Any:
    """The equal share of one attempt in a total; the shares add up to it, tokens stay whole."""
    if isinstance(total, bool) or not isinstance(total, int | float) or not -MOST <= total <= MOST:
        return total
    if name == "tokens" and isinstance(total, int):
        return total * (at + 1) // n - total * at // n
    each = total / n
    return each if at < n - 1 else total - (n - 1) * each


def _outputs(record: Mapping[str, Any]) -> list[Any] | None:
    outputs = record.get("outputs")
    if outputs is not None:
        return outputs if isinstance(outputs, list) else [outputs]
    output = record.get("output")
    return None if output is None else [output]
