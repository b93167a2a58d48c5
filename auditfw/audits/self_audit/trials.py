"""Rows of a source as problems: training examples that decide success, tests that do not; all are read first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os.path import realpath
from typing import Any

from auditfw.core.document import some
from auditfw.core.errors import DataError, Faults, NothingAudited, UsageError, and_more, brief
from auditfw.core.records import Batch, Value
from auditfw.core.remote.places import actual
from auditfw.kinds.capabilities import capability, files_read
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.solving import Example, Problem, Scoring, Solver

from .readings import TRIAL_COLUMNS
from .settings import SelfAuditSettings

PLACE = "#place"
ITEM = "item"
COLUMNS = ("id", PLACE, ITEM, "train", "test", "input", "output", "stored")
FAR = 10**18  # more is no score on any scale
RIGHT, WRONG = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")


@dataclass(frozen=True, slots=True)
class StoredProblem:
    """One problem with its cell, its recorded label (None where there is none), and where it is written.

    `item` names what several problems are trials of, None where that is not known.
    """

    problem: Problem
    cell: tuple[Value, ...]
    stored: bool | None
    place: str = ""
    item: str | None = None


def problems_of(
    batch: Batch, by: Sequence[str], facts: Sequence[str], empty: bool, faults: Faults | None = None
) -> Iterator[StoredProblem]:
    """The problems of a batch. Raises DataError or Findings that name file and line of what is no problem.

    `train` is a list of {input, output}; `input` and `output` make one training example where there is no `train`.
    With `empty` a problem may have no training example. What is no problem goes into `faults` where there are some.
    """
    columns = batch.columns
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    kept = Faults() if faults is None else faults
    problems: list[StoredProblem] = []
    for row in rows:
        try:
            problems.append(_problem_of(row, by, facts, empty))
        except DataError as error:
            kept.add(error)
    if faults is None:
        kept.refuse()
    yield from problems


def _problem_of(row: Mapping[str, Any], by: Sequence[str], facts: Sequence[str], empty: bool) -> StoredProblem:
    name = str(row["id"])
    place = str(row.get(PLACE) or "source")
    where = f"{place}, problem '{name}'"
    train = _examples(row.get("train"), where, "train", True)
    if not train and row.get("train") is None and row.get("output") is not None:
        train = (Example(row.get("input"), _output(row["output"], where, "output")),)
    if not train and not empty:
        raise DataError(
            where,
            "has no training example",
            None,
            "without one every attempt would count as solved; give it some, or write audit.empty_training=success",
        )
    test = _examples(row.get("test"), where, "test", False)
    facts_shown = {fact: row.get(fact) for fact in facts}
    cell, label = tuple(_cell(row[b]) for b in by), _label(row.get("stored"), where)
    item = None if row.get(ITEM) is None else str(row[ITEM])
    return StoredProblem(Problem(name, train, test, facts_shown), cell, label, place, item)


def _examples(values: Any, where: str, name: str, must: bool) -> tuple[Example, ...]:
    if values is None:
        return ()
    if not isinstance(values, list | tuple):
        raise DataError(where, f"expected a list of {{input, output}} as '{name}'", brief(values))
    examples = []
    for number, one in enumerate(values, 1):
        at = f"{name} example {number}"
        if not isinstance(one, Mapping) or "input" not in one:
            raise DataError(where, f"expected {{input, output}} as {at}", brief(one))
        examples.append(Example(one["input"], _output(one.get("output"), where, at, must)))
    return tuple(examples)


def _output(output: Any, where: str, at: str, must: bool = True) -> Any:
    if output is None and must:
        raise DataError(where, f"{at} has no output", None, "a training example needs the expected output")
    if output in ([], "") or (isinstance(output, list) and all(row == [] for row in output)):
        raise DataError(
            where, f"{at} expects an empty output", brief(output), "every attempt of that shape would be right"
        )
    return output


def _cell(value: Any) -> Value:
    return value if value is None or isinstance(value, str | int | float | bool) else brief(value)


def _label(value: Any, where: str) -> bool | None:
    if value is None:
        return None
    label = true_or_false(value)
    if label is None:
        do = "map another column to stored"
        raise DataError(where, "the recorded label is neither true nor false", brief(value), do)
    return label


def true_or_false(value: Any) -> bool | None:
    """What a recorded word or number says of a success; None where it says neither."""
    word = str(value).strip().lower()
    return True if word in RIGHT else False if word in WRONG else None


def check_names(by: Sequence[str], rules: Sequence[str], taken: Sequence[str]) -> None:
    """Refuses a cell column or a stop rule whose name another column of the trials has."""
    for name in by:
        if name in taken:
            raise UsageError(
                "by", f"'{name}' is a column of the trials already", None, "map the column to another name"
            )
    for name in rules:
        if name in taken or name in by:
            raise UsageError(
                f"audit.stop_rules.{name}", "is the name of another column", None, "give the rule another name"
            )


def as_scored(one: StoredProblem, scoring: Scoring) -> StoredProblem:
    """A problem with its inputs and outputs as the scoring reads them, where it reads any (grids written as texts)."""
    read = capability(scoring, "read")
    if read is None:
        return one

    def examples(originals: Sequence[Example]) -> tuple[Example, ...]:
        return tuple(Example(read(example.input), read(example.output)) for example in originals)

    problem = one.problem
    return replace(one, problem=replace(problem, train=examples(problem.train), test=examples(problem.test)))


def check_outputs(problems: Sequence[StoredProblem], scoring: Scoring) -> None:
    """Refuses expected outputs against which every attempt would fail, the first with the number of others."""
    refusal = capability(scoring, "refusal")
    if refusal is None:
        return
    refused = (
        (*output_at, what, do) for output_at in _outputs(problems) for what, do in [refusal(output_at[-1])] if what
    )
    first = next(refused, None)
    if first is None:
        return
    where, output, what, do = first
    more = sum(1 for _ in refused)
    shown = f"{brief(output)}; {some(more, 'further output')} too" if more else brief(output)
    raise DataError(where, f"the expected output {what}", shown, do)


def _outputs(problems: Sequence[StoredProblem]) -> Iterator[tuple[str, Any]]:
    """Every expected output that is known, and where it is."""
    for one in problems:
        for name, examples in (("train", one.problem.train), ("test", one.problem.test)):
            for number, example in enumerate(examples, 1):
                if name == "train" or example.output is not None:
                    yield f"{one.place}, problem '{one.problem.id}', {name} example {number}", example.output


def check_recorded(problems: Sequence[StoredProblem], solver: Solver, scoring: Scoring) -> None:
    """Refuses recorded outputs that the scoring cannot read: of each kind the first, and the number of others."""
    unreadable, recorded = capability(scoring, "unreadable"), capability(solver, "outputs")
    if unreadable is None or recorded is None:
        return
    refused = [
        (place, what, output, do)
        for one in problems
        for place, outputs in recorded(one.problem)
        for output in outputs
        for what, do in [unreadable(output) if output is not None else ("", "")]
        if what
    ]
    ends, faults = _ends([output for _, _, output, _ in refused]), Faults()
    for place, what, output, do in refused:
        faults.add(DataError(place, what, output, f"{do}{ends}"))
    faults.refuse()


def _ends(refused: Sequence[Any]) -> str:
    """From where to where several numbers go, as the end of a sentence on what to do."""
    numbers = [one for one in refused if isinstance(one, float) or (type(one) is int and abs(one) < FAR)]
    return f" (those refused go from {min(numbers):g} to {max(numbers):g})" if len(numbers) > 1 else ""


def check_unique(problems: Sequence[StoredProblem]) -> None:
    """Refuses two problems of one id, whatever the source allows: attempts are kept by it."""
    times = Counter(one.problem.id for one in problems)
    repeated = [name for name, n in times.items() if n > 1]
    for name in repeated[:1]:
        do = "write source.columns.id='#' for the row number, or source.duplicates=first"
        raise and_more(DataError("source", f"duplicate problem id '{name}'", None, do), len(repeated) - 1)


def same_files(evidence: Evidence, solver: Solver) -> bool:
    """Whether problems and recorded attempts are the rows of the same files."""
    problems, attempts = [one.path for one in evidence.inputs()], files_read(solver)
    return {realpath(actual(one)) for one in problems} == {realpath(actual(one)) for one in attempts}


@dataclass(frozen=True)
class StoredProblems:
    """All problems of a run, and how many rows were read and dropped on the way."""

    evidence: Evidence
    problems: list[StoredProblem]
    counts: Counter[str]
    notes: Counter[str]

    @property
    def labelled(self) -> bool:
        return "stored" in self.evidence.columns


def gather(audit: SelfAuditSettings, by: Sequence[str]) -> StoredProblems:
    """Reads every problem before the first request is sent. Raises DataError naming file and line."""
    check_names(by, tuple(audit.stop_rules), tuple(TRIAL_COLUMNS))
    needed: Mapping[str, str] = capability(audit.solver, "facts", {})
    facts = tuple(dict.fromkeys([*audit.facts, *needed]))
    evidence = audit.source.open(list(dict.fromkeys([*by, *audit.facts])), list(dict.fromkeys([*COLUMNS, *facts])))
    for name, do in needed.items():
        if name not in evidence.columns:
            raise UsageError("solver", f"needs the column '{name}' of the problems", evidence.lacks(name), do)
    counts, notes = Counter[str](), Counter[str]()
    problems: list[StoredProblem] = []
    faults = Faults()
    for task in evidence.tasks:
        batch = task()
        counts.update(batch.dropped)
        notes.update(batch.notes)
        batch_problems = problems_of(batch, by, facts, audit.empty_training == "success", faults)
        problems += [as_scored(one, audit.scoring) for one in batch_problems]
    faults.refuse()
    if counts["duplicate"] and same_files(evidence, audit.solver):
        del counts["duplicate"]  # each is a further attempt
    counts["read"] = counts.total() + len(problems)
    check_unique(problems)
    if not problems:
        raise NothingAudited("source", "has no problem", None, "look at the path, the query and the filters")
    check_outputs(problems, audit.scoring)
    check_recorded(problems, audit.solver, audit.scoring)
    return StoredProblems(evidence, problems, counts, notes)
