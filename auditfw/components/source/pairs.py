"""Merged judgements: JSON Lines with what every rater said about one item in one record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, cast

from auditfw.components.files.batches import BatchTask
from auditfw.components.files.file_settings import Row
from auditfw.components.files.file_source import since
from auditfw.components.files.files import File, is_compressed
from auditfw.components.files.formats.jsonl import JsonLines, LineRange, Lines
from auditfw.components.files.formats.scanned_cells import (
    NEVER,
    NOT_LIST,
    NOT_NULL,
    OBJECT_OR_NOTHING,
    OTHER,
    TEXT_OR_NUMBER,
    Kinds,
    Path,
    Scanner,
    as_path,
    is_utf8,
)
from auditfw.components.files.judgement_lines import JudgedFile, JudgedLines, Malformed, raters_of
from auditfw.core.errors import DataError
from auditfw.core.native import kernel_name, native_kernel
from auditfw.core.native.columns import TextSlices, joined
from auditfw.core.notes import Places
from auditfw.core.records import Batch
from auditfw.kinds.context import Task
from auditfw.kinds.evidence import Evidence
from auditfw.kinds.judgements import (
    ANSWER,
    CITED,
    CLAIM,
    CLAIMED,
    FAULT,
    GIVEN_FLAGS,
    LABEL,
    PARTS,
    PLACE,
    QID,
    REASON,
    claim,
)
from auditfw.kinds.registry import declare


@declare("source", "pairs")
class PairsSource(JsonLines):
    """Reads merged judgements: one JSON object per line, with an object for each rater that holds its label.

    `{"qid": "A1", "scholar": {"label": "VALID", "reason": "..."}, "auditor": {...}, "answer_json": {"citations":
    [...]}, "retrieved_ids": [...], "flags": {"provenance_violation": false}}`; any number of raters. It has the
    settings of all file sources; a column named in `columns` replaces the one with the usual name; `id` is `qid`.
    `titles` says who the raters are: `{scholar: GPT-4, auditor: human annotators}`.
    """

    columns: dict[str, str] = field(default_factory=dict)
    malformed: Malformed = "error"
    missing_qid: Literal["error", "line"] = "error"
    titles: dict[str, str] = field(default_factory=dict)

    def lines(self, file: File) -> Lines:
        key = self.columns.get("id", "")
        return JudgedLines(file, self.encoding, self.tolerate_torn_tail, key, (), self.malformed, self.missing_qid)

    def raters(self) -> tuple[str, ...]:
        """The raters of the file's first records, further ones where these have one: objects that hold a label."""
        raters: dict[str, None] = {}
        for glance in map(self.glance, self.located()):
            raters.update(dict.fromkeys(name for row in glance.rows for name in raters_of(row)))
        for row in self._every([LABEL]) if len(raters) < 2 else ():
            raters.update(dict.fromkeys(raters_of(row)))
            if len(raters) > 1:
                break
        return tuple(raters)

    def open(self, required: Sequence[str], optional: Sequence[str] | None) -> Evidence:
        """Finds the file and its columns; those of a rater are found in the rater's object.

        Raters are those whose reasons are asked for too, and those of the first records.
        """
        watched = self.watch()
        seen = [self.glance(file) for file in self.located()]
        rows = [row for one in seen for row in one.rows]
        whole = all(one.whole for one in seen)
        begun = {name for row in rows for name in raters_of(row)}
        wanted = [name for name in dict.fromkeys((*required, *(optional or ()))) if name != "id"]
        names = [name for name in wanted if name in begun or f"{name}.{REASON}" in wanted]
        there = self._there((QID, *names), rows, whole)
        keyed = QID in there or (rows and self.missing_qid == "line")
        raters = tuple(name for name in names if name in there)
        columns = {"id": QID} if keyed else {}
        for rater in raters:
            parts = [part for part in PARTS if not whole or any(part in _object(row, rater) for row in rows)]
            columns |= {rater: _in(rater, LABEL), **{f"{rater}.{part}": _in(rater, part) for part in parts}}
        file = JudgedFile(
            **{name: getattr(self, name) for name in _SHARED},
            columns={**columns, **self.columns},
            raters=raters,
            watched=bool(raters) and not whole and begun <= set(raters),
        ).placed(self.keys)
        evidence = since(watched, file.open(required, optional))
        return replace(evidence, tasks=Quickly(evidence.tasks)) if self._bare else evidence

    def _there(self, names: Sequence[str], rows: Sequence[Row], whole: bool) -> set[str]:
        """Those of some names that are keys of a record; where none of the records seen is sound, all of them."""
        if rows and whole and all(FAULT in row for row in rows):
            return set(names)
        present = {name for name in names if any(name in row for row in rows)}
        left = set(names) - present
        for row in self._every(left) if left and not whole else ():
            present |= left & row.keys()
            if present.issuperset(names):
                break
        return present

    def _every(self, names: Collection[str]) -> Iterator[Row]:
        """The records of all files that may have one of these keys, and others."""
        return (row for file in self.located() for row in self.holding(file, names) or ())

    @property
    def scanned(self) -> bool:
        """Whether lines are read by the native scanner, which leaves the interpreter to others."""
        return self._bare and is_utf8(self.encoding) and kernel_name() == "native"

    @property
    def summed(self) -> bool:
        """Whether the files' checksums are known when their records are read."""
        return self.scanned and not any(map(is_compressed, self.located()))

    @property
    def _bare(self) -> bool:
        """Whether records become rows as they are."""
        return not (self.unpivot or self.join or self.where or self.nulls or self.bins or self.limit)


@dataclass(frozen=True)
class Quickly:
    """Tasks that have the kernel read their lines."""

    tasks: Iterable[Task]

    def __iter__(self) -> Iterator[Task]:
        for task in self.tasks:
            quick = isinstance(task, BatchTask) and isinstance(task.block, LineRange) and not task.skip
            yield Quick(task) if quick else task  # type: ignore[arg-type]  # `quick` says it is a Reading


@dataclass(frozen=True)
class Quick:
    """A slice of lines, read by the kernel where there is one and it gives the same as reading them strictly."""

    reading: BatchTask

    def __call__(self) -> Batch:
        shape, lines = self.reading.shape, cast(LineRange, self.reading.block).lines
        routes = shape.routes[0]
        wanted = {name: as_path(routes[name].address) for name in shape.names if routes[name].address}
        kernel = native_kernel()
        if (
            kernel is None
            or None in wanted.values()
            or any(routes[name].numbered or routes[name].parts or name in shape.file.set for name in shape.names)
            or not is_utf8(lines.encoding)
        ):
            return self.reading()
        columns = self._columns(kernel, cast(dict[str, Path], wanted))
        ids = None if columns is None else as_ids(columns["id"])
        if columns is None or ids is None:
            return self.reading()
        return Batch(cast(Any, {**columns, "id": ids}))

    def _columns(self, kernel: Any, wanted: Mapping[str, Path]) -> dict[str, Sequence[Any]] | None:
        """The columns with ids as written; None where the slice must be read strictly as a whole."""
        shape, line_range = self.reading.shape, cast(LineRange, self.reading.block)
        path, data = shape.file.path, line_range.piece.content()
        torn = line_range.start + data.count(b"\n") if line_range.last and not data.endswith(b"\n") else -1
        read = partial(self._strictly, torn)
        raters = getattr(line_range.lines, "raters", ())
        texts = [name for rater in raters for name in (rater, f"{rater}.{REASON}") if name in wanted]
        inside = {CITED: "citations", CLAIMED: CLAIM} if ANSWER in wanted else {}
        more = {name: (*wanted[ANSWER], part) for name, part in inside.items()}
        usual: dict[Path, Kinds] = {(rater,): OBJECT_OR_NOTHING for rater in raters}
        usual |= {wanted[name]: NOT_LIST for name in texts}
        usual |= {wanted["id"]: TEXT_OR_NUMBER, (GIVEN_FLAGS,): NOT_NULL}
        if getattr(line_range.lines, "watched", False):
            usual[OTHER, LABEL] = NEVER
        count = line_range.count if line_range.piece.near is not None and line_range.piece.data is None else None
        scanned = Scanner(kernel, {**wanted, **more}, usual).columns(data, line_range.start, read, count)
        if scanned is None:
            return None
        columns, numbers = scanned
        return {**columns, PLACE: Places(f"{path}:", numbers)}

    def _strictly(self, torn: int, line: bytes, number: int) -> dict[str, Any] | None:
        """The values of one line, None where there is more to say of it; the line `torn` has no end."""
        shape, lines = self.reading.shape, cast(LineRange, self.reading.block).lines
        try:
            got = lines.records(line, number, number == torn)
            if len(got.rows) != 1 or got.notes or got.dropped:
                return None
            columns = shape.columns(got, got.notes)
        except DataError:
            return None  # whoever reads the whole slice reports it
        if got.notes:
            return None
        row = {name: values[0] for name, values in columns.items()}
        own = {"id": shape.routes[0]["id"].values(got, shape.file)[0], CLAIMED: claim(row.get(ANSWER))}
        return row | own


def _object(row: Row, name: str) -> Row:
    value = row.get(name)
    return value if isinstance(value, dict) else {}


def _in(rater: str, part: str) -> str:
    """The address of a part of a rater's object."""
    return f'["{rater}"].{part}' if set(rater) & set(".[]") else f"{rater}.{part}"


def as_ids(column: Sequence[Any]) -> Sequence[str] | None:
    """A column as ids; None where they must be looked at one by one: not all of one sort, or empty."""
    texts = joined(column) if isinstance(column, TextSlices) else None
    if texts is not None:
        return texts
    ids = list(column)
    kinds = set(map(type, ids))
    if kinds not in ({str}, {int}) or "" in ids:
        return None
    return ids if kinds == {str} else list(map(str, ids))


_SHARED = (
    "path", "files", "unpivot", "join", "where", "nulls", "bins", "duplicates", "encoding", "limit",
    "tolerate_torn_tail", "malformed", "missing_qid", "max_decoded",
)  # fmt: skip
