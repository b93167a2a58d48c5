"""A batch of scenarios as the alignment audit reads it: labels, what was meant, parameters that fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from auditfw.core.errors import UsageError
from auditfw.formulas.bounds import OutOfBounds, fitted
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.simulation import ScenarioBatch

from .intended import Meaning, meaning
from .seeds import Seeds

OWN = ("label", "intended", "params", "id")


@dataclass(frozen=True)
class Numbered:
    """A task with the number of its first scenario, where that is known already."""

    task: Task
    start: int


@dataclass(frozen=True)
class ReadScenarios:
    """The scenarios of a batch: labels, what was meant, parameters that fit, and which of them are the baseline.

    `moved` is how many values of parameters were moved to their bounds.
    """

    labels: list[str | None]
    meant: Meaning
    params: Sequence[Mapping[str, Any]]
    moved: int
    baseline: Any

    @property
    def repeated(self) -> int:
        """The place of the scenario that runs again: the first that is not the baseline."""
        return int(np.argmin(self.baseline))


@dataclass(frozen=True)
class Names(Sequence[str]):
    """The labels of scenarios, the number of one that has none; `quoted` as messages name them, with their `places`."""

    labels: Sequence[str | None]
    start: int
    quoted: bool = False
    places: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, at: Any) -> Any:
        label = self.labels[at]
        if label is None:
            return str(self.start + range(len(self.labels))[at])
        return f"'{label}'{f' ({self.places[at]})' if self.places else ''}" if self.quoted else label


@dataclass(frozen=True)
class ScenarioRules:
    """What the scenarios of a batch are read by.

    - `baseline` is the label of the scenario that others are compared with (None: there is none);
    - `limits` are the bounds of the simulator's parameters, `optional` those that it can do without;
    - `no_data_is_zero` says that a scenario may give nothing.
    """

    baseline: str | None
    no_data_is_zero: bool
    limits: Mapping[str, tuple[float, float]] | None
    optional: frozenset[str]
    out_of_bounds: OutOfBounds

    def read(self, columns: Mapping[str, Sequence[Any]], start: int) -> ReadScenarios:
        """The scenarios of a batch.

        Raises DataError for what cannot be meant and for parameters that do not fit, UsageError for a missing baseline.
        """
        size = len(columns["intended"])
        labels = list(columns.get("label") or [None] * size)
        if labels.count(None) != size and not {str, type(None)}.issuperset(map(type, labels)):
            labels = [None if label is None else str(label) for label in labels]
        baseline = np.zeros(size, dtype=bool)
        if self.baseline is not None:
            baseline[:] = [label == self.baseline for label in labels]
        names = Names(labels, start, quoted=True, places=columns.get("place", ()))
        meant = meaning(columns["intended"], names, baseline | self.no_data_is_zero)
        if self.baseline is None and any(aims.change is not None for aims in meant.aims.values()):
            key = next(key for key, aims in meant.aims.items() if aims.change is not None)
            what = f"is not set, but scenarios intend '{key}' to change, or not to change, from a baseline"
            raise UsageError("audit.baseline", what, None, "write audit.baseline=LABEL of a scenario")
        params_column: Any = columns.get("params")
        rows = [{}] * size if params_column is None else params_column
        params, moved = fitted(Names(labels, start), rows, self.limits, self.out_of_bounds, self.optional)
        return ReadScenarios(labels, meant, params, moved, baseline)


def batch_of(
    seed: int,
    columns: Mapping[str, Sequence[Any]],
    read: ReadScenarios,
    start: int,
    run: tuple[int, Sequence[int] | None],
) -> ScenarioBatch:
    """The scenarios of a batch as a simulator gets them in `run`: which replicate, and which of them (None: all).

    `further` are the set's own columns.
    """
    replicate, rows = run
    further = {name: column for name, column in columns.items() if name not in OWN}
    labels: Any = Names(read.labels, start) if None in read.labels else read.labels
    numbers = range(start, start + len(read.labels))
    whole = ScenarioBatch(numbers, labels, read.params, Seeds(seed, replicate, read.labels, start), further)
    if rows is None:
        return whole
    return ScenarioBatch(
        [whole.numbers[i] for i in rows],
        [labels[i] for i in rows],
        [dict(whole.params[i]) for i in rows],
        [whole.seeds[i] for i in rows],
        {name: [column[i] for i in rows] for name, column in further.items()},
    )


def numbered(evidence: Evidence, starts: Sequence[int] | None) -> Iterator[Numbered]:
    """The tasks with the numbers of their first scenarios where known."""
    for place, task in enumerate(evidence.tasks):
        yield Numbered(task, 0 if starts is None else starts[place])
