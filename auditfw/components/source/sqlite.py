"""Rows of an SQLite database by a query."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from auditfw.components.files.database import (
    DEADLINE,
    INTERRUPTED,
    UNSAFE,
    Budget,
    asking,
    connect,
    log_warnings,
    logs,
    tables,
    unreadable,
)
from auditfw.components.files.file_settings import PEEKED, Glance, Records, RowBlock
from auditfw.components.files.file_source import ROWS, FileSource
from auditfw.components.files.files import File
from auditfw.core.errors import AuditError, NothingAudited, UsageError, nearest
from auditfw.core.notes import Remark
from auditfw.kinds.registry import declare


@dataclass(frozen=True)
class QueryRows:
    """Some rows of a query's answer, texts still as bytes."""

    path: str
    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    start: int

    @property
    def count(self) -> int:
        return len(self.rows)

    def __call__(self) -> Records:
        notes: Counter[str] = Counter()
        rows = []
        for number, row in enumerate(self.rows, self.start):
            values = [value.decode("utf-8", "replace") if isinstance(value, bytes) else value for value in row]
            bad = sum(
                1
                for old, new in zip(row, values, strict=True)
                if isinstance(old, bytes) and "\ufffd" in new and new.encode() != old
            )
            if bad:
                notes[Remark("text that is not UTF-8, read with U+FFFD", self.path, f"row {number}")] += bad
            rows.append(dict(zip(self.names, values, strict=True)))
        return Records(rows, range(self.start, self.start + len(rows)), notes=notes)


@declare("source", "sqlite")
class Sqlite(FileSource):
    """Reads the rows of one SELECT from an SQLite database, which is opened read-only.

    It has the settings of all file sources, and:
    - `query`: the SELECT, over tables (views are refused);
    - `deadline`: the seconds that it may take inside SQLite (null: no limit).
    """

    query: str | None = None
    deadline: float | None = DEADLINE

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.deadline is not None and self.deadline <= 0:
            raise UsageError("deadline", "expected a number above 0", self.deadline, "write null for no limit")

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names of the files that are read of a folder."""
        return ("*.sqlite", "*.sqlite3", "*.db")

    def glance(self, file: File) -> Glance:
        budget = Budget(self.deadline, self.keys.of("deadline"))
        with closing(connect(file.path, budget)) as db:
            cursor = self._asked(db, file.path, budget)
            names = self._names(cursor)
            rows = asking(file.path, lambda: cursor.fetchmany(PEEKED), budget)
        size = sum(len(value) if isinstance(value, bytes) else 4 for row in rows for value in row)
        estimate = len(rows) if len(rows) < PEEKED else round(os.path.getsize(file.path) * len(rows) / size)
        if not rows:
            tests = f" with {self.where}" if self.where else ""
            raise NothingAudited(file.path, "the query returns no rows", f"{self.query}{tests}")
        exact = len(rows) < PEEKED
        return Glance(QueryRows(file.path, names, tuple(rows), 1)().rows, names, estimate, exact=exact)

    def blocks(self, file: File, columns: frozenset[str] | None, counted: bool) -> Iterator[RowBlock]:
        budget = Budget(self.deadline, self.keys.of("deadline"))
        with closing(connect(file.path, budget)) as db:
            cursor = self._asked(db, file.path, budget)
            names, start = self._names(cursor), 1
            while rows := asking(file.path, lambda: cursor.fetchmany(ROWS), budget):
                yield QueryRows(file.path, names, tuple(rows), start)
                start += len(rows)

    def beside(self, file: File) -> tuple[str, ...]:
        return logs(file.path)

    def warnings(self) -> tuple[str, ...]:
        return tuple(text for file in self.located() for text in log_warnings(file.path))

    def _asked(self, db: sqlite3.Connection, path: str, budget: Budget) -> sqlite3.Cursor:
        """The cursor of the query. Raises UsageError for what is not one SELECT."""
        where = self.keys.of("query")
        there = tables(db, path)
        if not (self.query or "").strip():
            listed = f"the tables are {', '.join(sorted(there))}" if there else ""
            raise UsageError(where, "not set", None, f"write a SELECT; {listed}".rstrip("; "))
        db.text_factory = bytes
        try:
            with budget:
                cursor = db.execute(self.query or "")
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            if INTERRUPTED in str(error):
                raise budget.refusal(path) from None
            raise self._refusal(error, there, path) from None
        if cursor.description is None:
            raise UsageError(where, "is not a SELECT", self.query, "write one SELECT")
        return cursor

    def _refusal(self, error: Exception, tables: list[str], path: str) -> AuditError:
        message, where = str(error), self.keys.of("query")
        if any(word in message for word in ("not authorized", "prohibited", UNSAFE, "one statement")):
            return UsageError(
                where, "only one SELECT over tables is allowed", message, "no ATTACH, PRAGMA, view or second statement"
            )
        if "no such table" in message:
            return UsageError(where, message, path, nearest(message.rpartition(": ")[2], tables))
        own = any(
            word in message for word in ("locked", "disk", "malformed", "unknown function", "collation", "unable")
        )
        if isinstance(error, sqlite3.OperationalError) and not own:
            return UsageError(where, "cannot be run", message, "see the SQL of SQLite")
        return (
            unreadable(path, error) if isinstance(error, sqlite3.Error) else UsageError(where, "cannot be run", message)
        )

    def _names(self, cursor: sqlite3.Cursor) -> tuple[str, ...]:
        names = tuple(column[0] for column in cursor.description)
        twice = next((name for name, n in Counter(names).items() if n > 1), None)
        if twice is not None:
            where = self.keys.of("query")
            raise UsageError(where, "returns two columns of the same name", twice, "name one of them with AS")
        return names
