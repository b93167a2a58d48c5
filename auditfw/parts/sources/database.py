"""SQLite databases, opened so that nothing is written, created or run that was not asked for."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar
from urllib.parse import quote

from auditfw.errors import DataError

from .files import check_regular, looks_like

T = TypeVar("T")

PATIENCE = 30.0
LONGEST = 1 << 28
WAL_FORMAT = 2
HEADER, LARGEST_PAGE = 100, 65_536
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_KEYS = """SELECT 1 FROM pragma_index_list(?) AS l WHERE l."unique" AND NOT l.partial
AND (SELECT group_concat(name || ' ' || coll) FROM pragma_index_xinfo(l.name) WHERE key) = ?"""
_REFUSED_FUNCTIONS = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"}


def connect(path: str) -> sqlite3.Connection:
    """Opens a database read-only, for SELECT alone. Raises DataError naming the file.

    A database in WAL mode without its log is opened as unchanging: any other way SQLite would write a new log
    beside it.
    """
    db = _opened(path)
    views = {
        name
        for (name,) in asking(path, lambda: db.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall())
    }

    def allow(action: int, first: str | None, second: str | None, _base: str | None, inner: str | None) -> int:
        if inner in views:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION:
            return sqlite3.SQLITE_DENY if (second or "").lower() in _REFUSED_FUNCTIONS else sqlite3.SQLITE_OK
        return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY

    db.set_authorizer(allow)
    return db


def is_key(path: str, table: str, column: str) -> bool:
    """Whether the database itself sees to it that no two rows of a table have the same text in a column."""
    with closing(_opened(path)) as db:
        return asking(path, lambda: db.execute(_KEYS, (table, f"{column} BINARY")).fetchone()) is not None


def _opened(path: str) -> sqlite3.Connection:
    check_regular(path)
    if looks_like(path) != "sqlite":
        raise DataError(path, "is not an SQLite database", None, "check the path")
    _check_whole(path)
    calm = "&immutable=1" if lacks_log(path) else ""
    location = f"file:{quote(os.path.abspath(path))}?mode=ro{calm}"
    try:
        db = sqlite3.connect(location, uri=True, timeout=PATIENCE, check_same_thread=False)
    except sqlite3.Error as error:
        raise unreadable(path, error) from None
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "mmap_size = 0"):
        asking(path, lambda pragma=pragma: db.execute(f"PRAGMA {pragma}"))  # type: ignore[misc]
    return db


def _check_whole(path: str) -> None:
    """Raises DataError for a file shorter than its header says: SQLite reads what is missing as zeros."""
    if os.path.exists(f"{path}-wal") or os.path.exists(f"{path}-journal"):
        return
    with open(path, "rb") as stream:
        header = stream.read(HEADER)
    page = int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32]) if header[24:28] == header[92:96] else 0
    size = (LARGEST_PAGE if page == 1 else page) * pages
    if os.path.getsize(path) < max(size, HEADER):
        found = f"{os.path.getsize(path):,} of {max(size, HEADER):,} bytes"
        raise DataError(path, "is damaged: the end of the file is missing", found, "copy it again")


def lacks_log(path: str) -> bool:
    """Whether the header says write-ahead log and there is none."""
    with open(path, "rb") as stream:
        header = stream.read(20)
    return header[18:20] == bytes([WAL_FORMAT] * 2) and not os.path.exists(f"{path}-wal")


def logs(path: str) -> tuple[str, ...]:
    """The paths of the write-ahead log and the rollback journal that a database may have: rows may stand there too."""
    return f"{path}-wal", f"{path}-journal"


def log_warnings(path: str) -> tuple[str, ...]:
    """What to say where a log may be missing."""
    if not lacks_log(path):
        return ()
    return (
        f"{path}: the write-ahead log (-wal) is not there; if the file was copied without it, recent rows are missing",
    )


def asking(path: str, ask: Callable[[], T]) -> T:
    """Asks a database, waiting for a writer to finish. Raises DataError naming the file."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return ask()
        except sqlite3.OperationalError as error:
            busy = "locked" in str(error) or "busy" in str(error)
            if not busy or time.monotonic() > deadline:
                raise unreadable(path, error) from None
            time.sleep(0.05)
        except sqlite3.Error as error:
            raise unreadable(path, error) from None


def unreadable(path: str, error: sqlite3.Error) -> DataError:
    """The error for a database that cannot be read."""
    said = str(error)
    if "locked" in said or "busy" in said:
        return DataError(path, "is locked", said, "wait for the process that writes to it")
    if "malformed" in said or "not a database" in said:
        return DataError(path, "is damaged", said, "copy it again, with its -wal file, or recover it with sqlite3")
    if "no such table" in said or "no such column" in said:
        return DataError(path, said, None, "check that this is the database meant")
    if "prohibited" in said or "not authorized" in said:
        return DataError(path, "a view stands where a table is expected", said, "write the view's rows into a table")
    return DataError(path, "cannot be read", said)
