"""How the rows of a file or a frame become scenarios: what was intended, with which parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditfw.components.files.file_settings import PLACE, ROW_NUMBER
from auditfw.components.files.file_source import FileSource, since
from auditfw.components.files.keys import Keys
from auditfw.components.files.labels import (
    LABEL,
    TOLERANCE,
    Labelled,
    Layout,
    check_unique,
    label_of,
    labels,
    layout,
    names_of,
)
from auditfw.core.errors import DataError, Faults, UsageError
from auditfw.core.records import Batch
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.scenarios import OURS, PLACED, checked, group_text, outcomes

KEYS = Keys(PLACED)
UNIQUE = "give each scenario a label of its own (scenarios.duplicates=all allows it)"


@dataclass(frozen=True)
class Scenes:
    """How the rows of a source become scenarios; `sparse` where an empty or null value means that there is none.

    `actual` are recorded outcomes that are in columns of their own, None where there are no such.
    """

    intended: Layout
    params: Layout
    actual: Layout | None
    labelled: bool
    grouped: bool
    sparse: bool
    further: tuple[str, ...]

    def batch(self, got: Batch) -> Batch:
        """The scenarios of a batch of rows. Raises DataError with file and line."""
        columns = got.columns
        places = columns[PLACE]
        batch_columns: dict[str, Any] = {
            "label": labels(columns[LABEL] if self.labelled else None, columns["id"], places),
            "intended": self._values(self.intended, columns, places),
            "params": self._values(self.params, columns, places),
            "group": [group_text(value) for value in columns["group"]] if self.grouped else [None] * len(places),
            "place": places,
        }
        batch_columns |= {name: columns[name] for name in self.further}
        if self.actual is not None:
            batch_columns["actual"] = [outcomes(one) or None for one in self.actual.values(columns)]
        return Batch(batch_columns, got.dropped, got.notes)

    def _values(self, where: Layout, columns: Mapping[str, Sequence[Any]], places: Sequence[str]) -> list[Any]:
        values = where.values(columns)
        sparse = self.sparse or bool(where.flat)
        rows, faults = [], Faults()
        banded = where.kind == "intended" and any(name.endswith(TOLERANCE) for name in where.flat.values())
        for value, place in zip(values, places, strict=True):
            try:
                rows.append(checked(_banded(value) if banded else value, where.kind, place, sparse))
            except DataError as error:
                faults.add(error)
        faults.refuse()
        return rows


def _banded(cells: Mapping[str, Any]) -> dict[str, Any]:
    """The intended outcomes of a table's row, those with a tolerance in a column of its own as bands."""
    made = {name: cell for name, cell in cells.items() if not name.endswith(TOLERANCE)}
    widths = {name.removesuffix(TOLERANCE): cell for name, cell in cells.items() if name.endswith(TOLERANCE)}
    return made | {n: outcomes({"value": made[n], "tolerance": width}) for n, width in widths.items() if n in made}


@dataclass(frozen=True)
class SceneTask:
    """A task of the source, and how its rows become scenarios."""

    task: Task
    scenes: Scenes

    def __call__(self) -> Batch:
        return self.scenes.batch(self.task())


@dataclass(frozen=True)
class SceneTasks:
    """The tasks of a scenario set, created again for each pass."""

    evidence: Evidence
    scenes: Scenes

    def __iter__(self) -> Iterator[Task]:
        for task in self.evidence.tasks:
            yield SceneTask(task, self.scenes)


def scenario_evidence(source: FileSource, sparse: bool) -> Evidence:
    """The scenarios that a source holds: batches with label, intended, params, group, place and the other columns."""
    if source.duplicates not in ("error", "all"):
        raise UsageError(f"{PLACED}.duplicates", "is error or all here", source.duplicates, UNIQUE)
    watched = source.watch()
    names = names_of(source)
    intended, params = layout("intended", names), layout("params", names)
    params = replace(params, absent=not params.flat and "params" not in names)
    recorded = layout("actual", names)
    named = label_of(names)
    columns = {**source.columns, "id": ROW_NUMBER}
    if named == "id":
        columns[LABEL] = source.columns.get("id", "id")
    own = {*OURS, *intended.columns, *params.columns, "id", source.columns.get("id", "id")}
    further = tuple(name for name in names if name not in own)
    numbered = source.changed(columns=columns, duplicates="all")
    labelled = named != ROW_NUMBER
    grouped = "group" in names
    if source.duplicates == "error" and labelled:
        check_unique(lambda: _labels(numbered), UNIQUE)
    optional = [*intended.columns, *params.columns, PLACE, *further]
    optional += [LABEL] if labelled else []
    optional += ["group"] if grouped else []
    required = [each.kind for each in (intended, params) if not each.flat and not each.absent]
    evidence = numbered.opened(required, optional, unfinite=True)
    actual = recorded if recorded.flat else None
    scenes = Scenes(intended, params, actual, labelled, grouped, sparse, further)
    evidence = since(watched, evidence)
    held = (*OURS, *further, *(["actual"] if actual is not None else []))
    return replace(evidence, tasks=SceneTasks(evidence, scenes), columns=held)


def _labels(source: FileSource) -> Labelled:
    for task in source.opened([], [LABEL, PLACE], unfinite=True).tasks:
        columns = task().columns
        yield labels(columns[LABEL], columns["id"], columns[PLACE]), columns[PLACE]


def as_source(cls: type[FileSource], made: FileSource) -> FileSource:
    """The same settings as a source."""
    return cls(**{name: getattr(made, name) for name in cls.__dataclass_fields__}).placed(made.keys)
