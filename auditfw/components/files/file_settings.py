"""The settings that all file sources share, and the vocabulary between a source and what reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, Self

from auditfw.core.errors import IncompleteError, UsageError, nearest
from auditfw.core.remote.places import actual
from auditfw.kinds.evidence import Source
from auditfw.kinds.text import Normalizer
from auditfw.kinds.text import Step as TextStep

from .files import File, check_regular, is_encoding
from .keys import SOURCE, Keys
from .paths import instead, paths_of

PEEKED = 1_000
ROW_NUMBER = "#"
PLACE = "#place"
ERROR = "error"  # the column that says that a sample ended in an error

Duplicates = Literal["error", "first", "last", "all"]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class FileSet:
    """One of several files, and columns that have one value throughout it."""

    path: str
    set: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class FileEntry(FileSet):
    """One of several files, or a folder or pattern of files, with settings of its own.

    `columns` and `nulls` are added to those of the source and replace those of the same name; `where` is a further
    condition.
    """

    columns: dict[str, str] = field(default_factory=dict)
    where: str | None = None
    nulls: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Unpivot:
    """Makes several rows of each record, one a value.

    - `into`: the column that says which value a row is for;
    - `values`: the values, in the order of the rows;
    - `columns`: {ours: theirs} where `{value}` in theirs stands for the value, as in `{value}.solution`.
    Ids end in `.VALUE` unless `columns` has its own `id`.
    """

    into: str
    values: tuple[str, ...]
    columns: dict[str, str]


@dataclass(frozen=True)
class JoinSettings:
    """A second file that adds columns to each row.

    - `source`: the second file, a file source with settings of its own, as in `{use: csv, path: b.csv}`;
    - `on`: {ours: theirs}, the columns that must be equal, compared as texts;
    - `columns`: {ours: theirs}, the columns added;
    - `otherwise`: {ours: value}, what is put in a row without a partner in place of null;
    - `normalizer`: a name or a list of steps, applied to the keys of rows that have no partner as they are.
    """

    source: Source
    on: dict[str, str]
    columns: dict[str, str]
    otherwise: dict[str, Any] = field(default_factory=dict)
    normalizer: Normalizer | tuple[TextStep, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("on", "columns"):
            if not getattr(self, name):
                raise UsageError(name, "expected at least one column", "none", "write {OURS: THEIRS}")
        for name in self.columns:
            if name == "id" or name in self.on:
                raise UsageError(f"columns.{name}", "cannot be a joined column too", None, "give it another name")
        for name in self.otherwise:
            if name not in self.columns:
                raise UsageError(f"otherwise.{name}", "no such joined column", None, nearest(name, list(self.columns)))

    def normalised(self, text: str, where: str) -> str:
        """A key as the normalizer, which is the setting `where`, makes it. Raises IncompleteError where that fails."""
        try:
            if callable(self.normalizer):
                return self.normalizer(text)
            for step in self.normalizer or ():
                text = step(text)
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            raise IncompleteError(where, "failed on a key", message, "fix or change it") from None
        return text


@dataclass
class Records:
    """A slice of records as read: their numbers in the file, from 1, and their lines where those differ.

    `unfinite` says that some may hold a number that is not finite; where one record gives several rows, `parts` are
    their places among these.
    """

    rows: Sequence[Row]
    numbers: Sequence[int]
    lines: Sequence[int] | None = None
    dropped: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    unfinite: bool = False
    parts: Sequence[int] | None = None

    def first(self, n: int) -> Records:
        """Only the first n."""
        lines = None if self.lines is None else self.lines[:n]
        return replace(self, rows=self.rows[:n], numbers=self.numbers[:n], lines=lines)


class NarrowError(Exception):
    """All columns of the records are needed."""


class RowMaker(Protocol):
    """Makes the rows of a file out of its records; picklable.

    `reads(names, known)` are the columns of the records that it needs for these of the rows (None: all), where rows at
    the start of the file have the `known` ones. With `names` it may be called with these columns of the records alone,
    has to make these columns of the rows alone, and raises NarrowError where that takes all columns of the records.
    """

    def __call__(self, got: Records, file: File, names: frozenset[str] | None = None) -> Records: ...

    def reads(self, names: frozenset[str], known: frozenset[str] = frozenset()) -> frozenset[str] | None: ...


class RowBlock(Protocol):
    """A picklable slice of a file; `count` is its number of records (for lines: at most, unless counted)."""

    @property
    def count(self) -> int: ...

    def __call__(self) -> Records: ...


class NarrowBlock(RowBlock, Protocol):
    """A block that may give some columns of its records alone; `whole` gives all."""

    @property
    def whole(self) -> RowBlock: ...


@dataclass(frozen=True)
class Glance:
    """The start of a file: its first records, all columns known by then, a rough number of rows.

    `whole` says that no later record has a further column, `exact` that the number of rows is no estimate.
    """

    rows: Sequence[Row]
    columns: tuple[str, ...]
    estimate: int | None
    advice: str = ""
    whole: bool = True
    exact: bool = False


@dataclass(frozen=True)
class FileSettings:
    """The settings of every file source.

    - `path`: the file, a list of files, a folder, or a pattern, in which names in braces become columns, as in
      `runs/{model}-{temperature}.csv`; or `files`: several, as `{path: ..., set: {column: value}}`, each also with
      `columns`, `where` and `nulls` of its own;
    - `columns`: {ours: theirs}; theirs may reach inside (`configs.temperature`, `output[0]`, `a["b.c"]`), `#` is the
      row number (the line number in JSONL), which is also the id where there is no column `id`, and `#place` is
      FILE:LINE; names in braces are put together, as in `id: "{model}/{doc_id}"`;
    - `explode`: one row for each element of a list or an object inside the record: `{repeat: "resps[0]"}`; the element
      stands at the address then, and the column holds its index or key; several, in their order, reach lists in lists;
    - `split`: {column: separator}: a text becomes the list of its parts, as in `{ground_truth: "/"}`;
    - `unpivot`: several rows of each record: `{into: model, values: [a, b], columns: {raw_text: "{value}.solution"}}`;
    - `join`: columns of a second file, held in memory: `{source: {use: csv, path: b.csv}, on: {question: Question},
      columns: {stored: Grade}, normalizer: squad}`; a row without a partner stays, with null in these columns;
    - `where`: SQL condition over our columns and all others of the record; rows it drops count as `filtered`;
    - `nulls`: {column: [texts that mean null]}; `bins`: {column: [numbers]}, whose numbers become labels by range;
    - `duplicates`: of ids, as text, over all files: `error`, keep the `first` or `last`, or keep `all` unchecked;
    - `encoding`: of text; bytes that do not fit are replaced and counted;
    - `limit`: only the first so many records;
    - `max_decoded`: the bytes that a compressed or a Parquet file may decode to (null: what is plausible for its size);
    - `max_remote`: the bytes that an address (`s3://BUCKET/…`) may fetch (null: 4 GiB);
    - `by`: the columns by which its rows are grouped, unless the run's own `by` names others.
    """

    keys = SOURCE  # no setting: what messages call the settings

    path: str | tuple[str, ...] | None = None
    files: tuple[FileEntry, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    unpivot: Unpivot | None = None
    join: JoinSettings | None = None
    where: str | None = None
    nulls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    duplicates: Duplicates = "error"
    encoding: str = "utf-8"
    limit: int | None = None
    max_decoded: int | None = None
    max_remote: int | None = None
    by: tuple[str, ...] = ()
    explode: dict[str, str] = field(default_factory=dict)
    split: dict[str, str] = field(default_factory=dict)
    bins: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", tuple(map(_entry, self.files)))
        if isinstance(self.unpivot, Mapping):
            object.__setattr__(self, "unpivot", Unpivot(**self.unpivot))
        if isinstance(self.join, Mapping):
            object.__setattr__(self, "join", JoinSettings(**self.join))
        if self.path is not None and self.files:
            raise UsageError("files", "path and files are both set", None, instead(self.path, self.keys))
        for name, separator in self.split.items():
            if not separator:
                raise UsageError(f"split.{name}", "expected the text between the parts", "''", 'write for example "/"')
        if self.duplicates not in ("error", "first", "last", "all"):
            raise UsageError("duplicates", "expected error, first, last or all", repr(self.duplicates))
        if self.limit is not None and self.limit < 1:
            raise UsageError("limit", "expected a whole number of 1 or more", self.limit)
        for name in ("max_decoded", "max_remote"):
            if (most := getattr(self, name)) is not None and most < 1:
                raise UsageError(name, "expected a whole number of 1 or more", most)
        if self.unpivot is not None and not self.unpivot.values:
            raise UsageError("unpivot.values", "expected at least one value", "none", "list the values")
        if not is_encoding(self.encoding):
            raise UsageError("encoding", "expected an encoding such as utf-8 or latin-1", repr(self.encoding))

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of the files that are read of a folder."""
        return ()

    def fits(self, path: str) -> bool:
        """Whether a file of a folder whose name matches is read."""
        return True

    def placed(self, keys: Keys) -> Self:
        """The same settings where they have these names in messages."""
        same = copy(self)
        vars(same).pop("_located", None)  # whose files have the keys of this one
        object.__setattr__(same, "keys", keys)
        return same

    def changed(self, **settings: Any) -> Self:
        """The same with other values of some settings, at the same place."""
        return replace(self, **settings).placed(self.keys)

    def located(self) -> tuple[File, ...]:
        """The configured files. Raises UsageError when none is configured, DataError when one is missing."""
        return self._located

    def described(self, file: File) -> File:
        """A configured file with the columns that its name, or a file beside it, says."""
        return file

    @cached_property
    def _located(self) -> tuple[File, ...]:
        if self.path in (None, ()) and not self.files:
            where = self.keys.of("path")
            raise UsageError(where, "not set", None, f"write {where}=FILE")
        where, most, keys = self.keys.of("path"), self.max_decoded, self.keys
        paths = [
            (one, *pair)
            for one in self.entries()
            for pair in paths_of(self.actual(one.path), self.patterns, where, self.fits)
        ]
        for _, path, _ in paths:
            check_regular(path)
        return tuple(
            self.described(
                File(path, i, len(paths) > 1, {**columns, **one.set}, most, keys, one.columns, one.where, one.nulls)
            )
            for i, (one, path, columns) in enumerate(paths, 1)
        )

    def actual(self, path: str) -> str:
        """The local path that one of the configured stands for. Raises AuditError."""
        return actual(path, self.max_remote, self.keys.of("max_remote"))

    def entries(self) -> tuple[FileEntry, ...]:
        """The files as configured: a path may stand for several."""
        if self.files:
            return self.files
        paths = self.path if isinstance(self.path, tuple | list) else (self.path or "",)
        return tuple(map(FileEntry, paths))

    def of(self, file: File) -> Self:
        """The settings of one file: its own, and those of all."""
        if not (file.columns or file.where or file.nulls):
            return self
        tests = [test for test in (self.where, file.where) if test]
        where = " AND ".join(f"({test})" for test in tests) if len(tests) > 1 else next(iter(tests), None)
        return self.changed(columns={**self.columns, **file.columns}, where=where, nulls={**self.nulls, **file.nulls})

    def row_maker(self, file: File) -> RowMaker | None:
        """What makes rows out of the records of a file; None where each is a row as it is."""
        return None

    def glance(self, file: File) -> Glance:
        """Reads the start of a file. Raises DataError."""
        raise NotImplementedError

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        """The blocks of a file; `columns` are the top-level names needed (None: all)."""
        raise NotImplementedError

    def holding(self, file: File, names: Iterable[str]) -> Iterator[Row] | None:
        """The records that may have one of these keys, and others; None where looking for them takes long."""
        return None

    def quick_ids(self, file: File, column: str) -> Iterator[tuple[Sequence[int], Sequence[Any]]] | None:
        """The record numbers and ids of a file without reading the rest; None where there is no such way."""
        return None


def _entry(one: Any) -> FileEntry:
    """A file with its own settings, of whichever form."""
    if isinstance(one, FileEntry):
        return one
    return FileEntry(one.path, one.set) if isinstance(one, FileSet) else FileEntry(**one)
