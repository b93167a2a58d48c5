"""Tables: Parquet files, and frames or records already in Python."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import isnan
from typing import Any

from auditfw.components.files.column_rows import ColumnRows
from auditfw.components.files.file_settings import PEEKED, Glance, Records, RowBlock
from auditfw.components.files.file_source import ROWS, FileSource
from auditfw.components.files.files import File, looks_like, most_decoded, too_much
from auditfw.core.errors import AuditError, DataError, UsageError, kind_of_value
from auditfw.core.inputs import FilePart, Watched, watch

from .footers import decoded, table_parts

SLICE = 4_096
FREE_TEXTS, FREE_TOTAL = 256 << 20, 64 << 30


@dataclass(frozen=True)
class FrameSlice:
    """Some rows of a Parquet file."""

    file: File
    columns: tuple[str, ...]
    start: int
    count: int

    def file_parts(self) -> list[FilePart]:
        """What another process reads of the file."""
        return table_parts(self.file.path, self.start, self.count)

    def __call__(self) -> Records:
        import polars as pl

        with legible(self.file.path):
            lazy = pl.scan_parquet(self.file.path, glob=False).select(self.columns)
            frame = lazy.slice(self.start, self.count).collect()
        n, most = sum(map(text_bytes, frame.iter_columns())), most_decoded(self.file, FREE_TEXTS)
        if n > most:
            raise too_much(self.file, f"the texts of {len(frame):,} rows are longer than is plausible", n, most)
        rows: Sequence[Mapping[str, Any]] = [{}] * self.count
        if self.columns:
            rows = _columns(frame) if all(map(_is_plain, frame.dtypes)) else plain_rows(frame.to_dicts())
        return Records(rows, range(self.start + 1, self.start + 1 + len(rows)), unfinite=_unfinite(frame))


@dataclass(frozen=True)
class Parquet(FileSource):
    """A Parquet file, read slice by slice."""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of the files that are read of a folder."""
        return ("*.parquet",)

    def glance(self, file: File) -> Glance:
        import polars as pl

        if looks_like(file.path) != "parquet":
            do = f"check {self.keys.of('path')}, or choose another source"
            raise DataError(file.path, "is not a Parquet file", None, do)
        with legible(file.path):
            check_decoded(file)
            lazy = pl.scan_parquet(file.path, glob=False)
            names = tuple(lazy.collect_schema().names())
            count = int(lazy.select(pl.len()).collect().item())
        rows = FrameSlice(file, names, 0, min(count, PEEKED))().rows if count else []
        return Glance(rows, names, count, exact=True)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        import polars as pl

        with legible(file.path):
            lazy = pl.scan_parquet(file.path, glob=False)
            names = tuple(n for n in lazy.collect_schema().names() if columns is None or n in columns)
            count = int(lazy.select(pl.len()).collect().item())
        for start in range(0, count, SLICE):
            yield FrameSlice(file, names, start, min(SLICE, count - start))


@contextmanager
def legible(path: str) -> Iterator[None]:
    """Raises DataError that names the file where Polars cannot read it."""
    import polars as pl

    try:
        yield
    except AuditError:
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        raise _unreadable(path, error) from None


def check_decoded(file: File) -> None:
    """Refuses a Parquet file that says it comes to more in memory than is plausible for its size. Raises DataError."""
    size = decoded(file.path)
    if size is None:
        return
    bounds = (most_decoded(file), most_decoded(file, FREE_TOTAL))
    for what, n, most in zip(("a row group", "all of it"), size, bounds, strict=True):
        if n > most:
            raise too_much(file, f"{what} decodes to more than is plausible", n, most)


def text_bytes(column: Any) -> int:
    """The bytes of the texts in a column of a frame, nested ones too; equal texts are counted each time."""
    import polars as pl

    kind = column.dtype
    if kind == pl.String:
        return int(column.str.len_bytes().sum())
    if kind == pl.Binary:
        return int(column.bin.size().sum())
    if isinstance(kind, pl.List | pl.Array):
        return text_bytes(column.explode())
    if isinstance(kind, pl.Struct):
        return sum(text_bytes(column.struct.field(field.name)) for field in kind.fields)
    return 0


@dataclass(frozen=True)
class FrameRows:
    """Some records at hand."""

    rows: tuple[Mapping[str, Any], ...]
    start: int

    @property
    def count(self) -> int:
        return len(self.rows)

    def __call__(self) -> Records:
        unfinite = any(type(value) is float and value - value != 0 for row in self.rows for value in row.values())
        return Records(self.rows, range(self.start, self.start + len(self.rows)), unfinite=unfinite)


@dataclass(frozen=True)
class HeldFrame(FileSource):
    """A frame or records already in Python."""

    frame: Any = None

    def located(self) -> tuple[File, ...]:
        where = self.keys.of("frame")
        if self.path is not None or self.files:
            raise UsageError(self.keys.of("path"), "a frame has no file", self.path, "choose another source")
        if self.frame is None:
            raise UsageError(where, "not set", None, "pass frame=a frame or a list of records, from Python")
        return (File(where, keys=self.keys),)

    def watch(self) -> Watched:
        return watch(())

    def glance(self, file: File) -> Glance:
        size = len(self.frame)
        rows = self._rows(0, min(PEEKED, size))
        named = list(getattr(self.frame, "columns", ()))
        columns = named or list(dict.fromkeys(name for row in rows for name in row))
        return Glance(rows, tuple(map(str, columns)), size, whole=bool(named) or size <= PEEKED, exact=True)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        for start in range(0, len(self.frame), ROWS):
            rows = self._rows(start, start + ROWS)
            kept = [{k: v for k, v in row.items() if columns is None or k in columns} for row in rows]
            yield FrameRows(tuple(kept), start + 1)

    def _rows(self, start: int, end: int) -> list[dict[str, Any]]:
        frame = self.frame
        if hasattr(frame, "to_dicts"):
            return plain_rows(frame[start:end].to_dicts())
        if hasattr(frame, "iloc"):
            records = frame.iloc[start:end].to_dict("records")
            return plain_rows([{str(k): None if _is_na(v) else v for k, v in row.items()} for row in records])
        if (
            isinstance(frame, Sequence)
            and not isinstance(frame, str)
            and all(isinstance(r, Mapping) for r in frame[start:end])
        ):
            return plain_rows([dict(row) for row in frame[start:end]])
        where = self.keys.of("frame")
        raise UsageError(where, "expected a frame or a list of records", kind_of_value(frame))


def _is_plain(kind: Any) -> bool:
    """Whether the values of a column are texts, numbers or truth values."""
    import polars as pl

    return kind in (pl.String, pl.Boolean, pl.Null) or kind.is_integer() or kind.is_float()


def _columns(frame: Any) -> ColumnRows:
    """The rows of a frame whose values are plain."""
    return ColumnRows({column.name: column.to_list() for column in frame.iter_columns()}, len(frame))


def _unfinite(frame: Any) -> bool:
    """Whether a column of numbers has NaN or an infinity."""
    return any(column.dtype.is_float() and not column.is_finite().all() for column in frame.iter_columns())


def plain_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with plain values only."""
    simple = (str, int, float, bool, type(None))
    for row in rows:
        for name, value in row.items():
            if type(value) not in simple:
                row[name] = _plain(value)
    return rows


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | datetime.timedelta):
        return str(value)
    for tool in ("tolist", "to_list"):
        if hasattr(value, tool):
            return _plain(getattr(value, tool)())
    return value if isinstance(value, str | int | float | None) else str(value)


def _is_na(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (type(value) is float and isnan(value))


def _unreadable(path: str, error: BaseException) -> DataError:
    broken = type(error).__name__ == "PanicException"  # its message is about the code of Polars, not the file
    cause = "it is damaged" if broken else str(error).strip().split("\n")[0]
    return DataError(path, "cannot be read as Parquet", cause, "write the file again")
