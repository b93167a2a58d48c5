"""How the rows of a file or a frame become scenarios: what was intended, with which parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from auditfw.components.files.file_settings import PLACE, ROW_NUMBER
from auditfw.components.files.file_source import FileSource, since
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.footers import table_parts
from auditfw.components.files.formats.frames import HeldFrame, Parquet, check_decoded, legible
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
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
from auditfw.core.inputs import FilePart
from auditfw.core.notes import Places, Size
from auditfw.core.records import Batch
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.registry import declare
from auditfw.kinds.scenarios import OURS, PLACED, checked, group_text, outcomes
from auditfw.kinds.simulation import Columns

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


# Scenarios of a Parquet file whose values are whole columns of numbers: never taken apart into rows.

SLICE = 16_384
KINDS = ("intended", "params", "actual")
PLAIN = {"path", "files", "duplicates", "encoding"}  # settings that leave the columns as they are


@dataclass(frozen=True)
class TableRange:
    """A task: some rows of the file; `kinds` gives for intended, params and actual their columns with the names."""

    path: str
    start: int
    count: int
    kinds: Mapping[str, Mapping[str, str]]
    texts: tuple[str, ...]

    def file_parts(self) -> list[FilePart]:
        """What another process reads of the file."""
        return table_parts(self.path, self.start, self.count)

    def __call__(self) -> Batch:
        import polars as pl

        wanted = [*(column for columns in self.kinds.values() for column in columns), *self.texts]
        with legible(self.path):
            frame = pl.scan_parquet(self.path, glob=False).select(wanted).slice(self.start, self.count).collect()
        numbers = range(self.start + 1, self.start + self.count + 1)
        scenarios: dict[str, Any] = {
            "label": frame[LABEL].to_list() if LABEL in self.texts else list(map(str, numbers)),
            "intended": self._columns(frame, "intended"),
            "params": self._columns(frame, "params"),
            "group": frame["group"].to_list() if "group" in self.texts else [None] * self.count,
            "place": Places(f"{self.path}:", numbers),
        }
        if "actual" in self.kinds:
            scenarios["actual"] = self._columns(frame, "actual")
        return Batch(scenarios)

    def _columns(self, frame: Any, kind: str) -> Columns:
        return Columns({name: frame[column].to_numpy() for column, name in self.kinds[kind].items()}, self.count)


@dataclass(frozen=True)
class TableTasks:
    """The tasks of a file, created again for each pass."""

    whole: TableRange

    def __iter__(self) -> Iterator[Task]:
        one = self.whole
        for start in range(0, one.count, SLICE):
            yield TableRange(one.path, start, min(SLICE, one.count - start), one.kinds, one.texts)


def whole_columns(source: FileSource, names: Sequence[str]) -> Evidence | None:
    """The scenarios of one file of finite numbers in flat columns; None where a row may need a look of its own."""
    import polars as pl

    kinds = {kind: dict(facts.flat) for kind in KINDS for facts in [layout(kind, names)] if facts.flat}
    texts = tuple(name for name in (LABEL, "group") if name in names)
    known = {*texts, *(column for columns in kinds.values() for column in columns)}
    changed = {name for name in source.__dataclass_fields__ if getattr(source, name) != type(source)().__dict__[name]}
    if changed - PLAIN or source.files or kinds.keys() < {"intended", "params"} or set(names) - known:
        return None
    if any(name.endswith(TOLERANCE) for name in kinds.get("intended", {}).values()):
        return None
    watched = source.watch()
    file, *others = source.located()
    if others or file.set:
        return None
    check_decoded(file)
    path = file.path
    with legible(path):
        lazy = pl.scan_parquet(path, glob=False)
        schema = lazy.collect_schema()
    numbers = [column for columns in kinds.values() for column in columns]
    if not all(_is_plain(schema[name]) for name in numbers) or any(schema[name] != pl.String for name in texts):
        return None
    tests = [(pl.col(name).is_null() | ~pl.col(name).cast(pl.Float64).is_finite()).any() for name in numbers]
    tests += [(pl.col(name).is_null() | (pl.col(name) == "")).any() for name in texts if name == LABEL]
    tests += [pl.col(LABEL).is_duplicated().any()] if LABEL in texts and source.duplicates == "error" else []
    with legible(path):
        facts = lazy.select(pl.len().alias("rows"), pl.any_horizontal(tests).alias("odd")).collect()
    count = int(facts["rows"][0])
    if not count or facts["odd"][0]:
        return None
    columns = (*OURS, *(["actual"] if "actual" in kinds else []))
    tasks = TableTasks(TableRange(path, 0, count, kinds, texts))
    size = partial(Size.exactly, count)
    return Evidence(tasks, columns, count, watched.inputs, watched.check, size=size)


def _is_plain(kind: Any) -> bool:
    """Whether NumPy has such numbers: floats, and integers of at most 64 bits."""
    import polars as pl

    return bool(kind.is_float() or (kind.is_integer() and kind not in (pl.Int128, pl.UInt128)))


@declare("scenarios", "csv")
class DelimitedScenarios(DelimitedText):
    """Reads scenarios from delimited text with the columns `label`, `group`, `intended.KEY` and `params.NAME`.

    A column `intended.KEY.tolerance` makes bands of the numbers. An empty cell means no value. The settings are those
    of the source `csv`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(DelimitedText, self), sparse=True)


@declare("scenarios", "frame")
class FrameScenarios(HeldFrame):
    """Takes scenarios from Python: a list of records as in JSON Lines, or a frame with columns as in Parquet.

    The settings are those of the source `frame`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(HeldFrame, self), sparse=True)


@declare("scenarios", "json")
class JsonScenarios(JsonArray):
    """Reads scenarios from one JSON text: an array of records as in JSON Lines, or the array at `records`.

    Settings are those of the source `json`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(JsonArray, self), sparse=False)


@declare("scenarios", "jsonl")
class JsonLinesScenarios(JsonLines):
    """Reads scenarios from JSON Lines: {"label": …, "intended": {key: number}, "params": {name: number}, "group": …}.

    `group` and `label` may be left out; the label is then that in `id`, or the number of the line. Other columns may
    be named in `by`. Settings are those of the source `jsonl`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        return scenario_evidence(as_source(JsonLines, self), sparse=False)


@declare("scenarios", "parquet")
class ParquetScenarios(Parquet):
    """Reads scenarios from a Parquet file: structs `intended` and `params`, or columns `intended.KEY`, `params.NAME`.

    Null means no value; flat columns without nulls are by far the fastest. The settings are those of the source
    `parquet`, under `scenarios`.
    """

    keys = KEYS

    def open(self, required: Sequence[str] = (), optional: Sequence[str] | None = None) -> Evidence:
        source = as_source(Parquet, self)
        return whole_columns(source, names_of(source)) or scenario_evidence(source, sparse=True)
