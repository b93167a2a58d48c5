"""A first look at a path: by magic bytes, member names and first records, never by the name alone."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from auditfw.components.files.database import connect, tables
from auditfw.components.files.files import LARGEST_RECORD, SUFFIXES, File, looks_like, open_bytes
from auditfw.components.files.formats.csv import DelimitedText
from auditfw.components.files.formats.frames import Parquet
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.jsonl import JsonLines
from auditfw.core.errors import AuditError, DataError, NothingAudited
from auditfw.kinds.first_look import FirstLook

START, GLIMPSE = 1 << 20, 1 << 16  # bytes of a file that are looked at, and at first
BY_SOURCE = "the source: auditfw source=... (auditfw list source; auditfw help logs)"
MEMBERS = 1_000  # names of a folder or an archive
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)("(\s*:)?)?|[{}\[\]]', re.DOTALL)
_LINES = re.compile(r"\.(?:jsonl|ndjson)(?:\.\w+)?$", re.IGNORECASE)
_LOCAL = struct.Struct("<4s22xHH")  # before the name of the first member of a zip file


def glimpse(path: str) -> FirstLook | None:
    """What the first bytes of a file tell: keys of an object or of the first record, the first member of an archive.

    None where they tell nothing.
    """
    with open(path, "rb") as stream:
        start = stream.read(GLIMPSE)
    if start.startswith(b"PK\3\4") and len(start) > _LOCAL.size:
        length = _LOCAL.unpack_from(start)[1]
        return FirstLook(path, "zip", [start[_LOCAL.size : _LOCAL.size + length].decode("utf-8", "replace")])
    text = start.decode("utf-8-sig", "replace").lstrip()
    if not text.startswith("{"):
        return None
    if _is_whole_line(text, path):
        return FirstLook(path, "jsonl", (), (), top_level(text.partition("\n")[0]))
    return FirstLook(path, "object", top_level(text))


def first_look(path: str) -> FirstLook:
    """Looks at a file or folder. Raises AuditError for what cannot be read."""
    place = Path(path)
    if place.is_dir():
        inside = [f"{one.relative_to(place)}{'/' * one.is_dir()}" for each in ("*", "*/*") for one in place.glob(each)]
        return FirstLook(path, "folder", sorted(inside)[:MEMBERS])
    if not place.stat().st_size:
        raise NothingAudited(path, "is empty")
    magic = looks_like(path)
    if magic == "zip":
        return FirstLook(path, "zip", _members(path))
    if magic == "sqlite":
        return FirstLook(path, "sqlite", _tables(path))
    if magic == "parquet":
        return _records(path, "parquet")
    start = _start(path) if magic is None or magic in SUFFIXES else ""
    if _is_model(place.suffix.lower(), start):
        return FirstLook(path, "model")
    if start.startswith("["):
        return _records(path, "json")
    if start.startswith("{") and not (_is_whole_line(start, path) or _goes_on(path, start)):
        return FirstLook(path, "object", top_level(start))
    form = "jsonl" if start.startswith("{") or ".json" in place.name else "csv"
    return _records(path, form, _delimiter(start.partition("\n")[0]))


def readable(paths: Iterable[str]) -> Iterator[FirstLook]:
    """A look at each of some files that can be read."""
    for path in paths:
        with suppress(AuditError, OSError, UnicodeError):
            yield first_look(path)


def _delimiter(header: str) -> str:
    """What separates the columns of a table; "" for a comma."""
    if "\t" in header:
        return "\t"
    return ";" if header.count(";") > header.count(",") else ""


def _is_model(ending: str, start: str) -> bool:
    """Whether a text is code of Python, or a model as Vensim and Stella write it."""
    if ending == ".mdl":
        return "~" in start and "|" in start
    return (ending in (".xmile", ".stmx") and "<xmile" in start) or (ending == ".py" and "def " in start)


def _members(path: str) -> list[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()[:MEMBERS]
    except zipfile.BadZipFile as error:
        raise DataError(path, "is a zip archive that cannot be read", str(error), "copy it again") from None


def tables_in(path: str) -> list[str]:
    """The names of a database's tables. Raises DataError."""
    with closing(connect(path)) as db:
        return tables(db, path)


def _tables(path: str) -> list[str]:
    """The names of a database's tables; none of one that cannot be read, which its source reports."""
    try:
        return tables_in(path)
    except DataError:
        return []


def _start(path: str) -> str:
    """The first text of a file, decompressed. Raises DataError."""
    with open_bytes(File(path)) as stream:
        return stream.read(START).decode("utf-8-sig", "replace").lstrip()


def _is_whole_line(start: str, path: str) -> bool:
    """Whether the first line is an object by itself, as in JSON Lines; the only line is where the name says so."""
    line = start.partition("\n")[0].rstrip()
    several = start.count("\n") > 1 or len(line) < len(start.rstrip())
    return line.endswith("}") and (several or bool(_LINES.search(path)))


def _goes_on(path: str, start: str) -> bool:
    """Whether a first line of more than what was looked at is an object by itself, with other lines behind it."""
    if "\n" in start:
        return False
    read, last = 0, b""
    with open_bytes(File(path)) as stream:
        while read <= LARGEST_RECORD and (piece := stream.read(START)):
            line, end, rest = piece.partition(b"\n")
            last, read = line.rstrip()[-1:] or last, read + len(piece)
            if end:
                return last == b"}" and bool((rest or stream.read(START)).strip())
    return False


def top_level(start: str) -> list[str]:
    """The keys of the object that a text begins, as far as the text goes."""
    keys, depth = [], 0
    for token in _TOKEN.finditer(start):
        if token[1] is None:
            depth += 1 if token[0] in "{[" else -1
        elif token[3] is not None and depth == 1:
            keys.append(token[1])
    return keys


def _records(path: str, form: str, delimiter: str = "") -> FirstLook:
    """The first records of a table, where quotes mean nothing if they make it unreadable. Raises AuditError."""
    reader: Any = {"json": JsonArray, "jsonl": JsonLines, "csv": DelimitedText, "parquet": Parquet}[form]
    more = {"delimiter": delimiter} if form == "csv" and delimiter else {}
    try:
        glance = reader(path=path, **more).glance(File(path))
    except AuditError as error:
        if form == "csv" and (bare := _unquoted(path, more)) is not None:
            return bare
        inside = form != "csv" and error.where.startswith(f"{path}:")  # a file of any text may be read as CSV
        where = error.where if inside else path
        do = error.do or f"mend that place, or name {BY_SOURCE}"
        raise DataError(where, "not recognised as a log", f"read as {form}: {error.what}", do) from error
    return FirstLook(path, form, (), list(glance.rows), glance.columns, more.get("delimiter", ""))


def _unquoted(path: str, more: Mapping[str, Any]) -> FirstLook | None:
    """The first records of a table of tabs whose quotes mean nothing; None of any other."""
    if more.get("delimiter") != "\t":
        return None
    try:
        glance = DelimitedText(path=path, **more, quote=None).glance(File(path))
    except AuditError:
        return None
    return FirstLook(path, "csv", (), list(glance.rows), glance.columns, "\t", quoted=False)
