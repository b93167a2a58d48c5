"""Scenarios of a Parquet file whose values are whole columns of numbers: never taken apart into rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from auditfw.components.files.file_source import FileSource
from auditfw.components.files.formats.frames import check_decoded, legible
from auditfw.components.files.labels import LABEL, TOLERANCE, layout
from auditfw.core.notes import Places, Size
from auditfw.core.records import Batch
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.scenarios import OURS
from auditfw.kinds.simulation import Columns

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
