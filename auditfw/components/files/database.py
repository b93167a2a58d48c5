"""SQLite databases, opened so that nothing is written, created or run that was not asked for."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from auditfw.components.files.files import check_regular, looks_like, missing
from auditfw.components.files.formats.strict_json import Reader, RefusedError
from auditfw.core.errors import DataError, NothingAudited, UsageError, brief, kind_of_value
from auditfw.core.inputs import FilePart, file_part

T = TypeVar("T")

PATIENCE = 30.0
DEADLINE = 60.0
TICKS, INTERRUPTED = 20_000, "interrupted"  # steps of SQLite's machine between two looks at the clock
LONGEST = 1 << 28
WAL_FORMAT = 2
HEADER, LARGEST_PAGE = 100, 65_536
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE}
_SCHEMA, UNSAFE = "SELECT 1 FROM sqlite_master", "unsafe use of"
_UNREAD = re.compile(r"malformed database schema \((.*)\) - (.*(?:near|unsafe|unknown|no such|unsupported).*)")
_KEYS = """SELECT 1 FROM pragma_index_list(?) AS l WHERE l."unique" AND NOT l.partial
AND (SELECT group_concat(name || ' ' || coll) FROM pragma_index_xinfo(l.name) WHERE key) = ?"""
_CAUSES = (
    (("locked", "busy"), "is locked", "wait for the process that writes to it"),
    (("malformed JSON",), "holds a text that is not JSON where the query expects JSON", "add WHERE json_valid(COLUMN)"),
    (("malformed", "not a database"), "is damaged", "copy it again, with its -wal file, or recover it with sqlite3"),
    (("prohibited", "not authorized"), "a view is where a table is expected", "write the view's rows into a table"),
    (
        ("unknown function",),
        "a column is computed by a function that SQLite does not have",
        "name other columns in the query",
    ),
    (
        ("no such collation",),
        "needs a collation (an order of texts) that SQLite does not have",
        "write COLLATE BINARY after the column, or NOT INDEXED after the table",
    ),
    (("unable to open",), "cannot be opened", "copy it, with its -wal file, into a folder that can be written to"),
)
_REFUSED_FUNCTIONS = {"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"}


class Budget:
    """The seconds that may pass inside SQLite, over all that one query is asked for (None: any number).

    The setting is the one that says how many they are.
    """

    def __init__(self, seconds: float | None, setting: str) -> None:
        self.seconds, self._setting, self._spent, self._since = seconds, setting, 0.0, 0.0

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._spent += time.monotonic() - self._since

    def over(self) -> bool:
        """Whether they have passed, while SQLite is at work."""
        return self.seconds is not None and self._spent + time.monotonic() - self._since > self.seconds

    def refusal(self, path: str) -> DataError:
        """The error for a query that takes longer."""
        do = f"simplify it, or give it more time with {self._setting}=SECONDS"
        return DataError(path, "the query takes too long", f"over {self.seconds:g} s", do)


def connect(path: str, budget: Budget | None = None) -> sqlite3.Connection:
    """Opens a database read-only, for SELECT alone, within a budget of time. Raises DataError naming the file.

    A database in WAL mode without its log is opened as unchanging: any other way SQLite would write a new log
    beside it.
    """
    db = _opened(path)
    views = set(_names(db, path, "view"))

    def allow(action: int, first: str | None, second: str | None, _base: str | None, inner: str | None) -> int:
        if inner in views:
            return sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_FUNCTION:
            return sqlite3.SQLITE_DENY if (second or "").lower() in _REFUSED_FUNCTIONS else sqlite3.SQLITE_OK
        return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY

    db.set_authorizer(allow)
    if budget is not None:
        db.set_progress_handler(budget.over, TICKS)
    return db


def tables(db: sqlite3.Connection, path: str) -> list[str]:
    """The names of a database's tables. Raises DataError."""
    return _names(db, path, "table")


def _names(db: sqlite3.Connection, path: str, kind: str) -> list[str]:
    rows = asking(path, lambda: db.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,)).fetchall())
    return [name for (name,) in rows]


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
    asking(path, lambda: _load_schema(db))
    return db


def _load_schema(db: sqlite3.Connection) -> None:
    """Reads the schema, trusting it with SQLite's own functions only where it cannot be read otherwise.

    Several versions of SQLite take their JSON functions for unsafe, and refuse the whole schema where an index or a
    generated column uses one. Trusting the schema allows it what SQLite has built in, and no more: nothing is loaded
    or registered here, and what reaches beyond the database (`load_extension`, `fts3_tokenizer`) is refused in schemas
    in any case. Views, which could hold whole queries, stay forbidden.
    """
    try:
        db.execute(_SCHEMA)
    except sqlite3.DatabaseError as error:
        if UNSAFE not in str(error):
            raise
        db.execute("PRAGMA trusted_schema = ON")
        db.execute(_SCHEMA)


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
        sizes = f"{os.path.getsize(path):,} of {max(size, HEADER):,} bytes"
        raise DataError(path, "is damaged: the end of the file is missing", sizes, "copy it again")


def lacks_log(path: str) -> bool:
    """Whether the header says write-ahead log and there is none."""
    with open(path, "rb") as stream:
        header = stream.read(20)
    return header[18:20] == bytes([WAL_FORMAT] * 2) and not os.path.exists(f"{path}-wal")


def logs(path: str) -> tuple[str, ...]:
    """The paths of the write-ahead log and the rollback journal that a database may have: rows may be there too."""
    return f"{path}-wal", f"{path}-journal"


def log_warnings(path: str) -> tuple[str, ...]:
    """What to say where a log may be missing."""
    if not lacks_log(path):
        return ()
    return (
        f"{path}: the write-ahead log (-wal) is not there; if the file was copied without it, recent rows are missing",
    )


def asking(path: str, ask: Callable[[], T], budget: Budget | None = None) -> T:
    """Asks a database within a budget, waiting for a writer to finish. Raises DataError naming the file."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            with budget or nullcontext():
                return ask()
        except sqlite3.OperationalError as error:
            if budget is not None and INTERRUPTED in str(error):
                raise budget.refusal(path) from None
            busy = "locked" in str(error) or "busy" in str(error)
            if not busy or time.monotonic() > deadline:
                raise unreadable(path, error) from None
            time.sleep(0.05)
        except sqlite3.Error as error:
            raise unreadable(path, error) from None


def unreadable(path: str, error: sqlite3.Error) -> DataError:
    """The error for a database that cannot be read."""
    message = str(error)
    schema = _UNREAD.search(message)
    if schema is not None:
        what = f"SQLite {sqlite3.sqlite_version} cannot read the definition of '{schema[1]}' in it"
        return DataError(path, what, schema[2], "write the tables needed into a new database")
    for words, what, do in _CAUSES:
        if any(word in message for word in words):
            return DataError(path, what, message, do)
    if "no such table" in message or "no such column" in message:
        return DataError(path, message, None, "check that this is the right database")
    return DataError(path, "cannot be read", message)


# A folder of conformity runs: which databases there are, by the metadata that lists them.

DATABASE = "simulation.db"
COMPLETED = "completed"


@dataclass(frozen=True)
class ConformityRun:
    """One completed run: its temperature, its id, its database."""

    temperature: float
    run_id: str
    path: str

    def file_parts(self) -> list[FilePart]:
        """What another process reads of the database, and of what is beside it."""
        return [file_part(path) for path in (self.path, *logs(self.path)) if os.path.exists(path)]


def completed(metadata: str | None, folder: str | None, outside: bool = False) -> tuple[ConformityRun, ...]:
    """The completed runs, by temperature. Raises DataError, or NothingAudited when there is none.

    `outside` lets the metadata name folders that are not within `folder`.
    """
    if metadata is None:
        raise UsageError("source.metadata", "not set", None, "write source.metadata=FILE, the list of runs")
    if folder is None:
        raise UsageError("source.runs_dir", "not set", None, "write source.runs_dir=FOLDER")
    listed = _listed(metadata)
    if not os.path.isdir(folder):
        raise missing(folder) if not os.path.exists(folder) else DataError(folder, "is not a folder")
    statuses = {key: entry.get("status") for key, entry in listed.items()}
    done = {key: entry for key, entry in listed.items() if statuses[key] == COMPLETED}
    if not done:
        summary = brief(", ".join(f"{key}: {status}" for key, status in statuses.items())) if statuses else "no run"
        raise NothingAudited(
            metadata, "lists no completed run", summary, f'only runs with status "{COMPLETED}" are read'
        )
    keys: dict[float, str] = {}
    for key in done:
        number = _temperature(metadata, key)
        if number in keys:
            raise DataError(
                metadata, f"two runs have the temperature {number}", f"keys '{keys[number]}' and '{key}'", "keep one"
            )
        keys[number] = key
    runs = tuple(_run(metadata, folder, keys[number], number, done[keys[number]]) for number in sorted(keys))
    for run in () if outside else runs:
        _check_inside(metadata, folder, run)
    for run in runs:
        check_regular(run.path)
    return runs


def _check_inside(metadata: str, folder: str, run: ConformityRun) -> None:
    """Raises DataError for a run whose database is not within the folder of runs, links followed."""
    home = os.path.realpath(folder)
    if os.path.commonpath([home, os.path.realpath(run.path)]) != home:
        do = "write source.outside=true to read it anyway"
        raise DataError(metadata, f"the run '{run.run_id}' is outside source.runs_dir", run.path, do)


def _listed(metadata: str) -> Mapping[str, Mapping[str, Any]]:
    check_regular(metadata)
    shape = 'write {"experiments": {"0.0": {"run_id": ..., "run_dir": ..., "status": "completed"}}}'
    with open(metadata, "rb") as stream:
        data = stream.read()
    try:
        whole = Reader().parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise DataError(metadata, "is not UTF-8", str(error)) from None
    except RefusedError as error:
        line = data[: error.at or 0].count(b"\n") + 1
        raise error.as_error(f"{metadata}:{line}") from None
    listed = whole.get("experiments") if isinstance(whole, dict) else None
    if not isinstance(listed, dict):
        raise DataError(metadata, "holds no 'experiments'", None, shape)
    for key, entry in listed.items():
        if not isinstance(entry, dict):
            raise DataError(metadata, f"expected an object for the run '{key}'", kind_of_value(entry), shape)
    return listed


def _temperature(metadata: str, key: str) -> float:
    try:
        number = float(key)
    except ValueError:
        number = float("nan")
    if number - number != 0:  # NaN and infinities
        raise DataError(metadata, "expected a temperature as the key", f"'{key}'", 'write it as in "0.5"')
    return number + 0.0


def _run(metadata: str, folder: str, key: str, number: float, entry: Mapping[str, Any]) -> ConformityRun:
    for name in ("run_id", "run_dir"):
        if not isinstance(entry.get(name), str) or not entry[name]:
            raise DataError(metadata, f"the run '{key}' has no {name}", f"found: {', '.join(entry)}", f'add "{name}"')
        try:
            unusable = b"\0" in os.fsencode(entry[name])
        except UnicodeEncodeError:  # half a surrogate pair
            unusable = True
        if unusable:
            raise DataError(metadata, f"the {name} of the run '{key}' has characters that no name has", entry[name])
    return ConformityRun(number, entry["run_id"], os.path.join(folder, entry["run_dir"], DATABASE))
