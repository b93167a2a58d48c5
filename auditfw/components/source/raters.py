"""Judgements a record each: one file per rater, or one long table of items, raters and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from auditfw.components.files.file_settings import FileEntry
from auditfw.components.files.file_source import FileSource, since
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.judgement_lines import JudgedFile, Malformed
from auditfw.components.files.keys import Keys
from auditfw.components.files.paths import bare
from auditfw.core.errors import DataError, UsageError, near
from auditfw.core.notes import Size, folded, total
from auditfw.core.records import Batch, Input
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence, Source
from auditfw.kinds.judgements import GIVEN_FLAGS, LABEL, PARTS, QID, RATER
from auditfw.kinds.registry import declare

KEYS = Keys("source", ("path", "columns", "where", "nulls", "bins", "encoding", "delimiter"))
MOST = 50  # columns that joined records are compared in
TABLES = {".csv": ",", ".tsv": "\t"}


@declare("source", "raters")
class Raters:
    """Reads judgements, one per record: one file per rater, or one table with a column that names the rater.

    - `paths`: `{RATER: FILE}`, two or more; a file is a path (JSON Lines, .json, .csv, .tsv, .parquet) or a file source
      with settings of its own, as in `{use: csv, path: b.csv, columns: {id: item}}`;
    - `path`: one table in long form, with the columns `id`, `rater` and `label`;
    - `columns`: {ours: theirs}: `id` (by default `qid`), `rater`, `label`, `reason`, `answer_json`, `retrieved_ids`,
      `flags`;
    - `where`, `nulls`, `bins`, `encoding`: as in all file sources; `delimiter`: of .csv and .tsv files (null: decided
      by the file name).
    """

    paths: dict[str, str | Source] = field(default_factory=dict)
    path: str | None = None
    columns: dict[str, str] = field(default_factory=dict)
    where: str | None = None
    nulls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bins: dict[str, Any] = field(default_factory=dict)
    encoding: str = "utf-8"
    delimiter: str | None = None
    malformed: Malformed = "error"
    missing_qid: Literal["error", "line"] = "error"

    def raters(self) -> tuple[str, ...]:
        """The raters that files are named for; none where a column names them."""
        return tuple(self.paths)

    def common(self) -> tuple[str, ...]:
        """The further columns that two files have, or of one table all; names that are addresses are left out."""
        names: Counter[str] = Counter()
        sources = self._sources()
        for source in sources:
            columns = {name for _, glance in source.glances() for name in glance.columns}
            names.update(columns - {*source.columns.values(), QID, "id", RATER, LABEL, *PARTS, GIVEN_FLAGS})
        fewest = min(2, len(sources))
        return tuple(sorted(name for name, n in names.items() if n >= fewest and not set(name) & set('.[]"#')))[:MOST]

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Finds the files and their columns; the batches of all files have the same columns. Raises DataError."""
        needed = (LABEL,) if self.paths else (RATER, LABEL)
        wanted = (*required, *(optional or ()))
        opened = [
            since(watched, self._keyed(source).open(needed, wanted))
            for source in self._sources()
            for watched in [source.watch()]
        ]
        names = tuple(dict.fromkeys(name for evidence in opened for name in evidence.columns))
        for name in required:
            if name not in names:
                theirs = [own for own in names if not own.startswith("#")]
                listed = f"found: {', '.join(theirs)}"
                raise DataError("source.paths", f"no column '{name}' in any file", listed, near(name, theirs))
        counts = [evidence.rows for evidence in opened]
        return Evidence(
            tasks=Chain(tuple(opened), names),
            columns=names,
            rows=None if None in counts else sum(filter(None, counts)),
            inputs=partial(_inputs, tuple(opened)),
            check=partial(_check, tuple(opened)),
            warnings=folded(warning for evidence in opened for warning in evidence.warnings),
            size=partial(_size, tuple(opened)),
        )

    def _sources(self) -> list[FileSource]:
        if self.path is not None and self.paths:
            raise UsageError(
                "source.path", "path and paths are both set", self.path, "name one table, or one file per rater"
            )
        if self.path is not None:
            return [self._file(self.path, None).placed(KEYS)]
        if not self.paths:
            raise UsageError("source.paths", "not set", None, "write source.paths={scholar: FILE, auditor: FILE}")
        return [self._of(rater, source) for rater, source in self.paths.items()]

    def _of(self, rater: str, source: str | Source) -> FileSource:
        if isinstance(source, str):
            return self._file(source, rater).placed(KEYS)
        if not isinstance(source, FileSource):
            raise UsageError(
                f"source.paths.{rater}", "is not a file", type(source).__name__, "write a path, or a file source"
            )
        named = tuple(replace(file, set={**file.set, RATER: rater}) for file in source.entries())
        return source.changed(path=None, files=named, duplicates="all").placed(KEYS.below(f"paths.{rater}"))

    def _file(self, path: str, rater: str | None) -> FileSource:
        shared: dict[str, Any] = {
            "files": (FileEntry(path, {} if rater is None else {RATER: rater}),),
            "columns": {n: theirs for n, theirs in self.columns.items() if rater is None or n != RATER},
            "where": self.where,
            "nulls": self.nulls,
            "bins": self.bins,
            "encoding": self.encoding,
            "duplicates": "all",
        }
        name = bare(path)
        ending = next((ending for ending in TABLES if name.endswith(ending)), None)
        if ending is not None:
            return DelimitedText(**shared, delimiter=self.delimiter or TABLES[ending])
        if name.endswith(".parquet"):
            return Parquet(**shared)
        if name.endswith(".json"):
            return JsonArray(**shared)
        return JudgedFile(**shared, malformed=self.malformed)

    def _keyed(self, source: FileSource) -> FileSource:
        """The source with its items' id found, by default in `qid`. Raises DataError where there is none."""
        if "id" in source.columns:
            return source
        seen = [glance for _, glance in source.glances()]
        columns = tuple(dict.fromkeys(name for one in seen for name in one.columns))
        if not any(one.rows for one in seen):
            return source
        key = next((name for name in (QID, "id") if name in columns), None)
        if key is None:
            listed = f"found: {', '.join(columns)}"
            where, setting = source.files[0].path if source.files else "source", source.keys.of("columns.id")
            raise DataError(where, f"no column '{QID}' to join by", listed, f"write {setting}=THEIR_NAME")
        return source.changed(columns={"id": key, **source.columns})


@dataclass(frozen=True)
class Chain:
    """The tasks of several files, one after the other."""

    opened: tuple[Evidence, ...]
    names: tuple[str, ...]

    def __iter__(self) -> Iterator[Task]:
        for evidence in self.opened:
            for task in evidence.tasks:
                yield Filled(task, self.names)


@dataclass(frozen=True)
class Filled:
    """A task whose batch has all columns, null where its file has none."""

    task: Callable[[], Batch]
    names: tuple[str, ...]

    def __call__(self) -> Batch:
        batch = self.task()
        columns = {name: batch.columns.get(name) or [None] * len(batch) for name in self.names}
        return Batch(columns, batch.dropped, batch.notes)


def _size(opened: tuple[Evidence, ...]) -> Size:
    return total(evidence.counted() for evidence in opened)


def _inputs(opened: tuple[Evidence, ...]) -> list[Input]:
    return [file for evidence in opened for file in evidence.inputs()]


def _check(opened: tuple[Evidence, ...]) -> None:
    for evidence in opened:
        evidence.check()
