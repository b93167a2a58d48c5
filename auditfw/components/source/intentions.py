"""Problems for a refine loop out of scenarios: find the parameters under which what was intended comes about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.components.files.file_settings import PLACE
from auditfw.core.errors import AuditError, DataError, nearest, refuse
from auditfw.core.records import Batch
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare
from auditfw.kinds.scenarios import ScenarioSet, intention

MADE = ("id", PLACE, "train")


@dataclass(frozen=True)
class IntentionsSource:
    """How scenarios become problems: which parameters are held fixed, which columns go along."""

    fixed: tuple[str, ...]
    columns: tuple[str, ...]

    def batch(self, got: Batch) -> Batch:
        """The problems of a batch of scenarios. Raises DataError or Findings with the place of what cannot be read."""
        columns = got.columns
        errors: list[AuditError] = []
        train = []
        numbered = [f"scenario {number}" for number in range(1, len(columns["label"]) + 1)]
        places = list(columns.get("place", numbered))
        for place, meant, params in zip(places, columns["intended"], columns["params"], strict=True):
            try:
                train.append([{"input": self._held(params, place), "output": _checked(meant, place)}])
            except DataError as error:
                errors.append(error)
        refuse(errors)
        ids = [place if label is None else label for label, place in zip(columns["label"], places, strict=True)]
        problems: dict[str, list[Any]] = {"id": ids, PLACE: places, "train": train}
        problems |= {name: list(columns[name]) for name in self.columns if name not in problems}
        return Batch(problems, got.dropped, got.notes)

    def _held(self, params: Mapping[str, float], place: str) -> dict[str, float]:
        for name in self.fixed:
            if name not in params:
                do = f"{nearest(name, sorted(params))}; see source.fixed"
                raise DataError(place, f"no parameter '{name}' to hold fixed", None, do)
        return {name: params[name] for name in self.fixed}


@dataclass(frozen=True)
class AimTask:
    """A task of the scenario set, and how its scenarios become problems."""

    task: Task
    aims: IntentionsSource

    def __call__(self) -> Batch:
        return self.aims.batch(self.task())


@dataclass(frozen=True)
class AimTasks:
    """The tasks of the problems, created again for each pass."""

    evidence: Evidence
    aims: IntentionsSource

    def __iter__(self) -> Iterator[Task]:
        for task in self.evidence.tasks:
            yield AimTask(task, self.aims)


@declare("source", "intentions")
class Intentions:
    """Makes one problem from each scenario: find parameters with which the simulator gives the intended outcomes.

    The scenarios are those chosen under `scenarios`. A problem's id is the label, its one training example expects the
    intended outcomes, and its input holds the parameters named in `fixed` at the scenario's own values. The columns
    `label`, `group`, `params` and all further ones may be used in `by` and `audit.facts`; with `audit.facts=[params]`
    a solver such as `tune` begins at the scenario's parameters.
    """

    scenarios: ScenarioSet
    fixed: tuple[str, ...] = ()

    @property
    def by(self) -> tuple[str, ...]:
        """The scenario set's own."""
        return tuple(capability(self.scenarios, "by", ()))

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Opens the scenarios. Raises DataError for a column that they do not have."""
        evidence = self.scenarios.open()
        known = (*MADE, *evidence.columns)
        for name in required:
            if name not in known:
                raise DataError("scenarios", f"no column '{name}'", None, nearest(name, known))
        wanted = evidence.columns if optional is None else (*required, *optional)
        further = tuple(dict.fromkeys(name for name in wanted if name in evidence.columns and name not in MADE))
        return replace(
            evidence, tasks=AimTasks(evidence, IntentionsSource(self.fixed, further)), columns=(*MADE, *further)
        )


def _checked(meant: Any, place: str) -> dict[str, Any]:
    """The intended outcomes as they are. Raises DataError for none, or one that needs a baseline."""
    if not isinstance(meant, Mapping) or not meant:
        raise DataError(place, "nothing is intended", None, "write intended: {KEY: NUMBER}")
    for key, value in meant.items():
        try:
            change = intention(value).change
        except ValueError as error:
            raise DataError(place, f"'intended.{key}' {error}") from None
        if change:
            do = "write a number or a band (between, at_least, at_most)"
            raise DataError(place, f"'intended.{key}' needs a baseline, which a loop does not have", change, do)
    return dict(meant)
