"""The tables of a finished run: read as its result vouches for them, or refused."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from auditfw.core.errors import DataError
from auditfw.core.files import TABLE_BYTES, check, opened, present
from auditfw.core.result_json import RESULT
from auditfw.core.tables import pieces

from .formats.footers import PLAUSIBLE, check_table

RUN = "name the folder of a finished run"
FIRST_SCHEMA = "auditfw.result/1"
_TABLE = re.compile(r"[A-Za-z0-9_-]+\.parquet(/part-\d+\.parquet)?")
MOST_READ, MOST_SCANNED = 32 << 20, 256 << 20  # bytes in memory that a table may come to whatever its size
READ_TABLES = ("trials", "measurements", "disagreements", "items", "places", "scenarios", "texts")  # verbs read them


def check_tables(folder: Path, result: Mapping[str, Any]) -> None:
    """Compares the tables beside a result.json with the SHA-256 it names. Raises DataError for the first that differs.

    A result of the first schema names none, and is believed.
    """
    if result["schema"] == FIRST_SCHEMA:
        return
    for name, digest in result["digests"].items():
        if not _TABLE.fullmatch(name):
            raise DataError(str(folder / RESULT), "names a file that is not a table of a run", name, RUN)
        check_digest(folder / name, digest, RESULT, "the file was changed after the run: restore it, or run again")
    for table in READ_TABLES:
        for file in pieces(folder / f"{table}.parquet"):
            if file.relative_to(folder).as_posix() not in result["digests"] and present(file):
                do = "it does not belong to this run: remove it"
                raise DataError(str(file), f"is a table that {RESULT} does not list", None, do)


def has_table(file: Path) -> bool:
    """Whether there is a table of this name, in one file or in parts. Raises DataError where it is anything else."""
    return any(map(present, pieces(file)))


def check_digest(file: Path, digest: str, named_in: str, do: str) -> None:
    """Raises DataError where a file does not have the SHA-256 that another one beside it names."""
    if digest_of(file, named_in) != digest:
        raise DataError(str(file), f"does not match its SHA-256 in {named_in}", None, do)


def digest_of(file: Path, named_in: str = RESULT) -> str:
    """The SHA-256 of a table that a file beside it lists. Raises DataError."""
    try:
        with opened(file, TABLE_BYTES) as stream:
            return hashlib.file_digest(cast(Any, stream), "sha256").hexdigest()
    except FileNotFoundError:
        raise DataError(str(file), "no such file", f"{named_in} lists it with its SHA-256", "restore it") from None


@contextmanager
def table_errors(where: str, what: str = "holds a table that cannot be read") -> Iterator[None]:
    """Reports a table of a run that cannot be read. Raises DataError."""
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise DataError(where, what, str(error).partition("\n")[0], RUN) from None
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # Polars gave up on bytes that are no Parquet
            raise
        raise DataError(where, what, "its bytes are damaged", RUN) from None


def read_table(file: Path, wanted: Callable[[Sequence[str]], list[str]] | None = None) -> Any:
    """A table of a finished run as a frame, or those of its columns that are `wanted`.

    Raises DataError where there is none, or it cannot be read.
    """
    import polars as pl

    parts = pieces(file)
    try:
        with table_errors(str(file)):
            if not parts:
                raise FileNotFoundError(file)
            for part in parts:
                check_table(str(check(part)), MOST_READ, RUN)
            columns = None if wanted is None else wanted(list(pl.read_parquet_schema(parts[0])))
            frames = [_read_part(part, columns) for part in parts]
            return frames[0] if len(frames) == 1 else pl.concat(frames)
    except FileNotFoundError:
        raise DataError(str(file), "no such file", None, RUN) from None


def _read_part(file: Path, columns: list[str] | None) -> Any:
    import polars as pl

    frame = pl.read_parquet(file, columns=columns, glob=False)
    texts = frame.select(pl.col(pl.String).str.len_bytes().sum())  # equal texts are one until they are read
    _check_texts(file, sum(map(int, texts.row(0))))
    return frame


def _check_texts(file: Path, size: int) -> None:
    most = max(MOST_SCANNED, PLAUSIBLE * file.stat().st_size)
    if size > most:
        raise DataError(str(file), "holds longer texts than is plausible", f"{size:,} bytes, not {most:,}", RUN)
