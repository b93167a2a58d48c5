"""Stored trials of conformity experiments: a folder of runs, one SQLite database each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from auditfw.components.files.database import ConformityRun, asking, completed, connect, log_warnings, logs
from auditfw.components.files.outputs import COLUMNS, Outputs, Wanted
from auditfw.core import interrupts
from auditfw.core.document import some
from auditfw.core.errors import AuditError, DataError, Findings, NothingAudited, UsageError, near
from auditfw.core.inputs import watch
from auditfw.core.notes import Size, folded, total
from auditfw.core.remote.places import actual
from auditfw.kinds.conditions import Condition, condition
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare

WHERE = "source.where"
SPAN = 2_048
SPARSE = 8
FEW = 12
FEW_RUNS = 3  # that are not worth several threads
THREADS = 4
_TRIALS = "FROM conformity_trials"
_OUTPUTS = """SELECT count(*) FROM conformity_outputs o JOIN conformity_trials t ON t.trial_id = o.trial_id
JOIN conformity_conditions c ON c.condition_id = t.condition_id WHERE t.run_id = ? AND c.name IN ({})"""
PAPER = ("control", "asch_history_5", "authoritative_bias")


@dataclass(frozen=True)
class Survey:
    """What a run's database holds: its outputs, and its trials by run and condition."""

    run: ConformityRun
    first: int
    last: int
    count: int
    trials: tuple[tuple[str, str | None, int], ...]

    @property
    def dense(self) -> bool:
        return self.last - self.first < SPARSE * max(self.count, SPAN)

    def outputs(self, conditions: tuple[str, ...]) -> Size:
        """How many outputs have a trial of this run and one of these conditions."""
        marks = ", ".join("?" * len(conditions))
        with closing(connect(self.run.path)) as db:
            values = (self.run.run_id, *conditions)
            [(count,)] = asking(self.run.path, lambda: db.execute(_OUTPUTS.format(marks), values).fetchall())
        return Size.exactly(count)


@declare("source", "conformity")
class Conformity:
    """Reads a folder of conformity runs, one SQLite database each; a row for each output.

    - `metadata`: the JSON file that lists the runs by temperature; only completed ones are read;
    - `runs_dir`: the folder with the runs' folders, each with its `simulation.db`;
    - `conditions`: the conditions read, by name; trials of others are left out with a warning;
    - `outside`: whether the metadata may name folders outside `runs_dir`;
    - `null_labels`: whether a missing label of a factual trial is an `error` or counts as `missing`;
    - `where`: a SQL condition over the columns; rows that it drops count as `filtered`;
    - `nulls`: {column: [texts that mean null]};
    - `by`: the columns whose values make the cells (subgroups), unless the run's own `by` names others.

    Columns: id (of the output), trial_id, temperature, variant, condition, dataset, item_id (also as item), model_id,
    question, raw_text (null for opinions), parsed_text, ground_truth, stored, refusal.
    """

    metadata: str | None = None
    runs_dir: str | None = None
    conditions: tuple[str, ...] = PAPER
    outside: bool = False
    null_labels: Literal["error", "missing"] = "error"
    where: str | None = None
    nulls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    by: tuple[str, ...] = ("temperature", "variant", "condition")

    def __post_init__(self) -> None:
        if not self.conditions:
            raise UsageError("conditions", "expected at least one condition", "none", "name the conditions to read")
        if self.null_labels not in ("error", "missing"):
            raise UsageError("null_labels", "expected error or missing", repr(self.null_labels))

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Finds the runs and looks each database over; the outputs are read by the evidence's tasks."""
        metadata, runs_dir = (None if path is None else actual(path) for path in (self.metadata, self.runs_dir))
        listed = watch([] if metadata is None else [metadata])
        runs = completed(metadata, runs_dir, self.outside)
        databases = [run.path for run in runs]
        watched = listed.joined(watch(databases, [log for path in databases for log in logs(path)]))
        names = self._names(required, optional)
        test = self._condition()
        surveys = _surveyed(runs)
        conditions = {name for one in surveys for _, name, _ in one.trials if name is not None}
        if not conditions:
            raise NothingAudited(self.metadata or "", "the completed runs hold no trial")
        if not conditions & set(self.conditions):
            do = f"write source.conditions=[{', '.join(sorted(conditions))}]"
            raise DataError("source.conditions", "no run has any of the conditions", ", ".join(self.conditions), do)
        nulls = {name: frozenset(texts) for name, texts in self.nulls.items()}
        wanted = Wanted(names, self.conditions, self.null_labels == "missing", test, nulls)
        return Evidence(
            tasks=Ranges(tuple(surveys), wanted),
            columns=names,
            rows=sum(one.count for one in surveys),
            inputs=watched.inputs,
            check=watched.check,
            unsummed=lambda: watched.unsummed,
            warnings=folded(self._warnings(surveys)),
            size=partial(_sized, tuple(surveys), self.conditions),
            filled=frozenset({"stored"} if self.where is None and self.null_labels == "error" else ()),
        )

    def _names(self, required: Sequence[str], optional: Sequence[str] | None) -> tuple[str, ...]:
        errors: list[AuditError] = [
            DataError(
                self.runs_dir or "", f"no column '{name}'", f"found: {', '.join(COLUMNS)}", near(name, list(COLUMNS))
            )
            for name in required
            if name not in COLUMNS
        ]
        errors += [
            UsageError(f"source.nulls.{name}", f"no column '{name}'", None, near(name, list(COLUMNS)))
            for name in self.nulls
            if name not in COLUMNS
        ]
        if errors:
            raise errors[0] if len(errors) == 1 else Findings(errors)
        names = COLUMNS if optional is None else [name for name in optional if name in COLUMNS]
        return tuple(dict.fromkeys(("id", *required, *names)))

    def _condition(self) -> Condition | None:
        if self.where is None:
            return None
        test = condition(self.where, WHERE)
        for name in test.names:
            if name not in COLUMNS:
                raise UsageError(
                    WHERE, f"no column '{name}'", f"found: {', '.join(COLUMNS)}", near(name, list(COLUMNS))
                )
        kinds = {name: COLUMNS[name] for name in test.names}
        test = Condition(test.sql, WHERE, test.names, kinds)
        test.keep({name: [None] for name in test.names}, 1, WHERE)
        return test

    def _warnings(self, surveys: Sequence[Survey]) -> Iterator[str]:
        left_out: dict[str, int] = {}
        paths: dict[str, float] = {}
        for one in surveys:
            yield from log_warnings(one.run.path)
            if one.run.path in paths:
                yield f"{one.run.path}: read for two temperatures, {paths[one.run.path]} and {one.run.temperature}"
            paths[one.run.path] = one.run.temperature
            others = sum(n for run_id, _, n in one.trials if run_id != one.run.run_id)
            if others:
                yield f"{one.run.path}: {some(others, 'trial')} of other runs than '{one.run.run_id}' left out"
            for run_id, name, n in one.trials:
                if run_id == one.run.run_id and name is not None and name not in self.conditions:
                    left_out[name] = left_out.get(name, 0) + n
        for name, n in sorted(left_out.items()):
            yield f"condition '{name}' left out: {some(n, 'trial')} (source.conditions)"
        held = {name for one in surveys for _, name, _ in one.trials}
        for name in self.conditions:
            if name not in held:
                yield f"condition '{name}' of source.conditions is in no run"


def _surveyed(runs: Sequence[ConformityRun]) -> list[Survey]:
    """The surveys of the runs, in order; SQLite leaves the interpreter to other threads while it counts."""
    if len(runs) < FEW_RUNS:
        return list(map(survey, runs))
    pool = ThreadPoolExecutor(THREADS)
    try:
        return list(map(interrupts.result, [pool.submit(survey, run) for run in runs]))
    finally:
        pool.shutdown(cancel_futures=True)  # after a signal or an error no further run is begun


def survey(run: ConformityRun) -> Survey:
    """Looks a database over without reading its texts. Raises DataError for one that is no run's."""
    with closing(connect(run.path)) as db:

        def ask(sql: str, *values: Any) -> list[Any]:
            return asking(run.path, lambda: db.execute(sql, values).fetchall())

        first, last = ask("SELECT min(rowid), (SELECT max(rowid) FROM conformity_outputs) FROM conformity_outputs")[0]
        count = ask("SELECT count(*) FROM conformity_outputs")[0][0]
        trials = _by_condition(run, ask)
        ask("SELECT 1 FROM conformity_items i JOIN conformity_datasets d ON d.dataset_id = i.dataset_id LIMIT 1")
    named = ((run_id, name if name is None else str(name), n) for run_id, name, n in trials)  # a blob, a number
    return Survey(run, first or 0, last or 0, count, tuple(named))


def _by_condition(run: ConformityRun, ask: Callable[..., list[Any]]) -> tuple[tuple[str, str | None, int], ...]:
    """The trials by run and condition: counted in one go where all are of this run and few conditions, else sorted."""
    conditions = ask("SELECT condition_id, name FROM conformity_conditions")
    if 0 < len(conditions) <= FEW and len(dict(conditions)) == len(conditions):
        each = ", ".join(["count(CASE WHEN run_id = ? AND condition_id = ? THEN 1 END)"] * len(conditions))
        values = [value for key, _ in conditions for value in (run.run_id, key)]
        ((whole, *numbers),) = ask(f"SELECT count(*), {each} {_TRIALS}", *values)
        counts: list[int] = numbers
        if sum(counts) == whole:
            return tuple((run.run_id, name, n) for (_, name), n in zip(conditions, counts, strict=True) if n)
    return tuple(
        ask(
            "SELECT t.run_id, c.name, t.n FROM (SELECT run_id, condition_id, count(*) AS n FROM conformity_trials"
            " GROUP BY run_id, condition_id) t LEFT JOIN conformity_conditions c ON c.condition_id = t.condition_id"
        )
    )


def _sized(surveys: Sequence[Survey], conditions: tuple[str, ...]) -> Size:
    """The number of outputs that are read."""
    return total(one.outputs(conditions) for one in surveys)


@dataclass(frozen=True)
class Ranges:
    """The tasks: each database's outputs in ranges of rowids."""

    surveys: tuple[Survey, ...]
    wanted: Wanted

    def __iter__(self) -> Iterator[Task]:
        for one in self.surveys:
            whole = all(run_id == one.run.run_id and name in self.wanted.conditions for run_id, name, _ in one.trials)
            for first, last in self._spans(one):
                yield Outputs(one.run, self.wanted, whole, first, last)

    def _spans(self, one: Survey) -> Iterator[tuple[int, int]]:
        if not one.count:
            return
        if one.dense:
            for first in range(one.first, one.last + 1, SPAN):
                yield first, min(first + SPAN - 1, one.last)
            return
        with closing(connect(one.run.path)) as db:
            rows = asking(one.run.path, lambda: db.execute("SELECT rowid FROM conformity_outputs").fetchall())
        numbers = sorted(number for (number,) in rows)
        for start in range(0, len(numbers), SPAN):
            yield numbers[start], numbers[min(start + SPAN, len(numbers)) - 1]
