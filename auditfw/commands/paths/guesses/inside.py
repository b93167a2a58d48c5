"""A second look at what a file holds: the records inside an object, and its last record."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from auditfw.components.files.file_settings import PEEKED
from auditfw.components.files.files import File, is_compressed, open_bytes
from auditfw.components.files.formats.arrays import records_at
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.logs.whole_object import whole_object
from auditfw.core.errors import AuditError
from auditfw.core.memo import remembered
from auditfw.kinds.first_look import FirstLook

LARGEST = 1 << 25  # bytes of an object that is looked through, and of a compressed file that is read to its end
TAIL = 1 << 16  # bytes at the end of a file
TRIED = 400  # places at which the last record may begin


@remembered
def with_records(look: FirstLook) -> FirstLook:
    """The look at an object with the likeliest records inside it; as it was where it has none, or is too large."""
    if look.format != "object" or os.path.getsize(look.path) > LARGEST:
        return look
    try:
        at = records_at(whole_object(look.path))
        glance = JsonArray(path=look.path, records=at).glance(File(look.path)) if at is not None else None
    except AuditError:
        return look
    if at is None or glance is None:
        return look
    return replace(look, format="json", records=list(glance.rows), columns=glance.columns, records_at=at)


@remembered
def last_record(look: FirstLook) -> Mapping[str, Any] | None:
    """The last record of a table that was not seen to its end; None where that takes long, or is not known."""
    if len(look.records) < PEEKED:
        return None
    if look.format == "parquet":
        import polars

        last = polars.scan_parquet(look.path).tail(1).collect().to_dicts()
        return last[0] if last else None
    text = _tail(look.path)
    if look.format == "csv":
        rows = list(csv.reader(io.StringIO(text), delimiter=look.delimiter or ","))
        return dict(zip(look.columns, rows[-1], strict=True)) if rows and len(rows[-1]) == len(look.columns) else None
    record: Mapping[str, Any] | None = None
    at = len(text)
    for _ in range(TRIED):
        at = text.rfind("{", 0, at)
        if at < 0:
            break
        record = _record(text[at:], look) or record
        if record is not None and look.format == "jsonl":
            break
    return record


def _record(text: str, look: FirstLook) -> Mapping[str, Any] | None:
    """The record that a text begins with, behind which others may close; None where it is none of the table."""
    try:
        record, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    known = isinstance(record, dict) and 2 * len(set(record) & set(look.columns)) >= len(look.columns)
    return record if known and not text[end:].strip(" \t\r\n]},") else None


def _tail(path: str) -> str:
    """The end of a file as text; "" of a compressed one that is large."""
    if not is_compressed(File(path)):
        with open(path, "rb") as stream:
            stream.seek(max(0, os.path.getsize(path) - TAIL))
            return stream.read().decode("utf-8", "replace")
    with open_bytes(File(path)) as stream:
        data = stream.read(LARGEST)
        return data[-TAIL:].decode("utf-8", "replace") if len(data) < LARGEST else ""
