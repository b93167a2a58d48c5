"""The tables of a run: rows come in part by part and end as one Parquet file, written while the next rows are made."""

from __future__ import annotations

import os
import shutil
import sys
from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .background import BackgroundTask
from .files import guarded, scratch_in
from .masking import hidden, masked_frame
from .notes import Places
from .results.parquet_stream import ParquetStream

if TYPE_CHECKING:
    import polars as pl

PART_ROWS = 65_536
NO_CODE = 255  # in a column of a byte a row: null
SCHEMA = "auditfw.schema"  # the key of a file's footer under which it says which table it is
VERSION = 1
TRIALS = "trials"


def footer(name: str) -> dict[str, str]:
    """What the footer of a table's file says: its name and the version of its columns, `auditfw.trials/1`."""
    return {SCHEMA: f"auditfw.{name}/{VERSION}"}


def pieces(file: Path) -> list[Path]:
    """The files of a table, in order: its own, or those of the folder that is in place of one."""
    if not file.is_dir() or file.is_symlink():
        return [file]
    return sorted(file.glob("*.parquet"), key=lambda one: (len(one.name), one.name))


def typeless(schema: pl.Schema) -> list[pl.Expr]:
    """The columns of a table that hold no value and so have no type of their own, as columns of text."""
    import polars as pl

    return [pl.col(name).cast(pl.String) for name, kind in schema.items() if kind == pl.Null]


def cell_names(by: Sequence[str], own: Collection[str]) -> dict[str, str]:
    """For each column of cells what it is called in a table: its name, which is not that of one of the table's own."""
    return {name: f"cell.{name}" if name in own else name for name in by}


def numbers_of(name: str, data: bytes | bytearray | array[Any]) -> pl.Series:
    """Numbers, of a byte each or as an array has them, as a column."""
    import polars as pl

    kinds = {"B": pl.UInt8, "I": pl.UInt32, "Q": pl.UInt64, "d": pl.Float64}
    kind = kinds[data.typecode if isinstance(data, array) else "B"]
    packed = pl.Series(name, [bytes(data)], pl.Binary)
    return packed.bin.reinterpret(dtype=pl.Array(kind, len(data)), endianness=sys.byteorder).explode()


class TextColumn(list[str | None]):
    """Texts of a column that holds nothing else, even where all are null."""


class PackedRows(NamedTuple):
    """Rows of a table as a Parquet file in memory, made where the rows were; perhaps they are `masked` already."""

    names: Sequence[str]
    height: int
    data: bytes
    masked: bool = False

    @classmethod
    def of(cls, parts: Sequence[Mapping[str, Sequence[Any]]], shown: Sequence[pl.Expr] | None = None) -> PackedRows:
        """The rows of several calls of `TrialTable.add`, whose names are the same, or the columns `shown` of them."""
        import polars as pl

        frame = masked_frame(pl.DataFrame([_series(name, [part[name] for part in parts]) for name in parts[0]]))
        frame = frame if shown is None else frame.select(shown)
        buffer, metadata = BytesIO(), None if shown is None else footer(TRIALS)
        frame.write_parquet(buffer, compression="lz4" if shown is None else "zstd", metadata=metadata)
        return cls(frame.columns, frame.height, buffer.getvalue())

    def packed(self) -> PackedRows:
        """The rows themselves: they are here."""
        return self


class TrialTable:
    """Collects rows column by column; `close()` gives the whole as a polars LazyFrame or DataFrame.

    With a folder the rows go to `<name>.parquet` in it, whole or not at all; without one they stay in memory. Columns
    that are null in one part take their type from the others, and are texts where they are null in all; those of
    `types` have that type whatever they hold. `group_rows` is the most rows of a row group of the file (None: usual),
    `most_joined` the most rows of one file: of more there is a folder of parts in its place.
    """

    def __init__(self, folder: str | None, name: str = TRIALS, group_rows: int | None = None) -> None:
        self.folder = Path(folder) if folder is not None else None
        self.name = name
        self.types: Mapping[str, Any] = {}  # of Polars, by column
        self.most_joined: int | None = None
        self._group_rows = PART_ROWS if group_rows is None else group_rows
        self._columns: dict[str, list[Any]] = {}  # of each the chunks that were added
        self._taken: dict[str, None] = {}  # the columns of frames that were taken
        self._parts: list[Any] = []
        self._rows = self.height = 0  # that wait, and all that came
        self._stream: ParquetStream | None = None
        self._streamed = False  # whether the first part is such that it may be the file
        self._shown: Sequence[pl.Expr] | None = None  # what is written of the rows, None: all as they came
        self._scratch: Path | None = None
        self._joining: BackgroundTask[Path | None] | None = None

    @property
    def names(self) -> list[str]:
        """The columns that were added."""
        return list(self._columns or self._taken)

    @property
    def shown(self) -> list[str]:
        """The columns that are written."""
        return self.names if self._shown is None else [one.meta.output_name() for one in self._shown]

    def show(self, columns: Sequence[pl.Expr], of: TrialTable) -> None:
        """Has these columns written, of its own rows or of all that another table has."""
        of._end_rows()
        self._shown, self._parts, self.height, self.most_joined = columns, of._parts, of.height, of.most_joined

    def add(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Adds equally long columns; every call brings the same names.

        A column of small numbers may be bytes, with NO_CODE for null, one of larger ones an array.
        """
        for name, values in columns.items():
            self._columns.setdefault(name, []).append(values)
        self.height += (n := max(map(len, columns.values()), default=0))
        self._rows += n
        if self._rows >= PART_ROWS:
            self._spill()

    def add_packed(self, rows: PackedRows) -> None:
        """Adds rows that are a file already; they come packed all, or none."""
        self._taken |= dict.fromkeys(rows.names)
        self.height += rows.height
        if self.folder is None or (hidden() and not rows.masked):
            import polars as pl

            self._keep(pl.read_parquet(BytesIO(rows.data)))
            return
        with self._guarded(self.folder):
            self._next_part(self.folder).write_bytes(rows.data)

    def take(self, frame: pl.DataFrame) -> None:
        """Adds the rows of a frame, written while further ones come; a table is filled so or by columns, not both.

        A column that some frames lack is null in their rows; one of several types gets a type that holds all values.
        """
        self._taken |= dict.fromkeys(frame.columns)
        self.height += frame.height
        if self.folder is None:
            self._parts.append(frame)
            return
        if self._stream is not None and self._stream.schema != frame.schema:
            import polars as pl

            frame = pl.concat([pl.DataFrame(schema=self._stream.schema), frame], how="diagonal_relaxed")
        if self._stream is None or self._stream.schema != frame.schema:
            self._end_stream()
            part = self._next_part(self.folder)
            self._stream = ParquetStream(part, frame.schema, self._group_rows, footer(self.name))
            self._streamed = not typeless(frame.schema)
        self._stream.put(frame)

    def _end_stream(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _spill(self) -> None:
        import polars as pl

        frame = pl.DataFrame([_series(name, values, self.types.get(name)) for name, values in self._columns.items()])
        self._columns = {name: [] for name in self._columns}
        self._rows = 0
        self._keep(frame)

    def _keep(self, frame: pl.DataFrame) -> None:
        if self.folder is None:
            self._parts.append(frame)
            return
        with self._guarded(self.folder):
            masked_frame(frame).write_parquet(self._next_part(self.folder), compression="lz4")

    def _guarded(self, folder: Path) -> AbstractContextManager[None]:
        return guarded(folder / f"{self.name}.parquet")

    def _scratch_in(self, folder: Path) -> Path:
        self._scratch = self._scratch or scratch_in(folder, f".parts-{self.name}")
        return self._scratch

    def _next_part(self, folder: Path) -> Path:
        part = self._scratch_in(folder) / f"{len(self._parts):06}.parquet"
        self._parts.append(part)
        return part

    def end(self) -> None:
        """Says that no row comes any more: the file is written while other work goes on, and `close` waits for it."""
        self._end_rows()
        if self.folder is not None:
            self._joining = BackgroundTask(self._joined, stop=lambda: None)

    def _end_rows(self) -> None:
        self._end_stream()
        if self._rows or (self._columns and not self._parts):
            self._spill()

    def _all(self) -> pl.LazyFrame:
        """The rows of all parts, with the columns that are shown."""
        import polars as pl

        if self._joining is not None and self._joining.done and (joined := self._joining()) is not None:
            return pl.scan_parquet(pieces(joined), glob=False)
        return self._written([pl.scan_parquet(part, glob=False) for part in self._parts])

    def _written(self, parts: Sequence[pl.LazyFrame]) -> pl.LazyFrame:
        """The rows of some parts as they are written."""
        import polars as pl

        rows = pl.concat(parts, how="diagonal_relaxed")
        rows = rows if self._shown is None else rows.select(self._shown)
        return rows.with_columns(typeless(rows.collect_schema()))

    def _held(self, shown: Sequence[pl.Expr] | None) -> pl.DataFrame:
        """The same in memory, by this thread alone: others end where a process is forked."""
        import polars as pl

        parts = [pl.read_parquet(part, glob=False) if isinstance(part, Path) else part for part in self._parts]
        rows: pl.DataFrame = pl.concat(parts, how="diagonal_relaxed")
        rows = rows if shown is None else rows.select_seq(shown)
        return rows.with_columns_seq(typeless(rows.schema))

    def read(self, columns: Sequence[str]) -> pl.DataFrame:
        """Some of the columns that are written, of the rows so far; a table that is closed has no rows any more."""
        if self.folder is not None:
            return self._all().select(columns).collect()
        shown = None if self._shown is None else [one for one in self._shown if one.meta.output_name() in columns]
        return self._held(shown).select_seq(columns)

    def rows(self, columns: Sequence[str], numbers: Sequence[int]) -> Iterator[tuple[Any, ...]]:
        """These rows of some of the columns that are written, by their numbers, which ascend; no others are held."""
        import polars as pl

        if self.folder is not None:
            picked = self._all().select(columns).with_row_index("#").filter(pl.col("#").is_in(list(numbers)))
            frame = picked.drop("#").collect(engine="streaming")
            return frame.iter_rows()
        return zip(*(column.gather(list(numbers)) for column in self.read(columns)), strict=True)

    def _apart(self, folder: Path) -> Path:
        """A folder of all parts, each of which has the columns and types of all."""
        import polars as pl

        apart = self._scratch_in(folder) / "apart"
        apart.mkdir()
        whole = self._all().collect_schema()
        came = pl.concat([pl.scan_parquet(one, glob=False) for one in self._parts], how="diagonal_relaxed")
        none = pl.LazyFrame(schema=came.collect_schema())
        for number, part in enumerate(self._parts):
            target = apart / f"part-{number:05}.parquet"
            if SCHEMA in pl.read_parquet_metadata(part) and pl.read_parquet_schema(part) == whole:
                os.replace(part, target)  # the worker wrote it as it is to be
            else:
                self._sink(self._written([none, pl.scan_parquet(part, glob=False)]).cast(whole), target)
        return apart

    def _sink(self, rows: pl.LazyFrame, file: Path) -> None:
        rows.sink_parquet(
            file,
            compression="zstd",
            row_group_size=self._group_rows,
            maintain_order=True,
            metadata=footer(self.name),
        )

    def _joined(self) -> Path | None:
        """One file of all parts, or a folder of these; None where there is none."""
        if self._streamed and len(self._parts) == 1:
            part: Path = self._parts[0]
            return part
        if not self._parts or self.folder is None:
            return None
        if self.most_joined is not None and self.height > self.most_joined:
            with self._guarded(self.folder):
                return self._apart(self.folder)
        joined = self._scratch_in(self.folder) / "joined.parquet"
        with self._guarded(self.folder):
            self._sink(self._all(), joined)
        return joined

    def close(self) -> pl.LazyFrame | pl.DataFrame | None:
        """Joins the parts. Returns None when there is no row."""
        import polars as pl

        if self._joining is None:
            self._end_rows()
        if not self._parts:
            return None
        if self.folder is None:
            return self._held(self._shown)
        joined, scratch = self._joined() if self._joining is None else self._joining(), self._scratch
        assert joined is not None
        assert scratch is not None
        target = self.folder / f"{self.name}.parquet"
        os.replace(joined, target)
        shutil.rmtree(scratch)
        return pl.scan_parquet(pieces(target), glob=False)


def _series(name: str, chunks: Sequence[Any], kind: Any = None) -> pl.Series:
    """A column of all its chunks, of a type of Polars where one is wanted."""
    import polars as pl

    if chunks and isinstance(chunks[0], bytes | bytearray):
        codes = numbers_of(name, b"".join(chunks))
        return codes.set(codes == NO_CODE, None)
    if chunks and isinstance(chunks[0], array):
        return numbers_of(name, array(chunks[0].typecode, b"".join(chunks)))
    if any(isinstance(chunk, Places | TextColumn) for chunk in chunks):
        return pl.concat([text_column(name, chunk) for chunk in chunks])
    return pl.Series(name, list(chain.from_iterable(chunks)), kind, strict=False)


def text_column(name: str, chunk: Any) -> pl.Series:
    """A column of texts; places are made at once."""
    import polars as pl

    if not isinstance(chunk, Places):
        return pl.Series(name, chunk, pl.String)
    numbers = pl.Series(name, chunk.numbers)
    return pl.select(pl.concat_str(pl.lit(chunk.start), numbers).alias(name)).to_series()
