"""The words that name a table and map its columns, as far as they can be guessed."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from auditfw.audits.parsing.trials import SUSPECT
from auditfw.commands.paths.truths import Truths
from auditfw.components.files.file_settings import PEEKED
from auditfw.components.files.files import File, is_compressed, open_bytes
from auditfw.components.files.formats.json import JsonArray
from auditfw.components.files.formats.scanned_array import records_at
from auditfw.components.files.logs.versions import whole_object
from auditfw.components.files.looks.attempts import GAP, cells, table_words
from auditfw.components.files.looks.column_names import values_at
from auditfw.components.files.looks.guessed import NEEDED, OURS, guessed, label_words, left_over, rivals
from auditfw.core.errors import AuditError
from auditfw.core.escaping import value
from auditfw.core.memo import remembered
from auditfw.formulas.budget.ended import is_ending
from auditfw.kinds.first_look import FirstLook

# Which columns of a table are likely to say how completions ended, by their names and their values.

KNOWN = 0.95  # the least share of values that are known endings: `status: failed` may be a test's
WITHIN = ("", "choices[0].", "response.body.choices[0].", "output[0].", "candidates[0].")
REASONS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")
ENDS = (
    *(f"{place}{name}" for name in REASONS for place in WITHIN),
    "incomplete_details.reason",
    *(f"{place}status" for place in WITHIN),
)
TOKENS_OUT = ("usage.completion_tokens", "usage.output_tokens", "output_tokens", "eval_count")
LIMITS = ("max_tokens", "max_new_tokens", "max_completion_tokens", "num_predict")


def ending_columns(
    columns: Sequence[str], records: Sequence[Mapping[str, Any]], taken: Collection[str]
) -> dict[str, str]:
    """The columns stop, tokens_out and limit with the addresses of theirs, as far as one is likely."""
    mapped: dict[str, str] = {}
    for ours, addresses, fits in (
        ("stop", ENDS, _endings),
        ("tokens_out", TOKENS_OUT, _whole),
        ("limit", LIMITS, _some),
    ):
        if ours in columns:
            continue
        for at in addresses:
            if at not in taken and fits(_values(columns, records, at)):
                mapped[ours] = at
                break
    return mapped


def _values(columns: Sequence[str], records: Sequence[Mapping[str, Any]], at: str) -> list[Any]:
    try:
        return [value for value in values_at(records, columns, at) if value is not None]
    except AuditError:
        return []


def _endings(values: Sequence[Any]) -> bool:
    return bool(values) and sum(map(is_ending, values)) >= KNOWN * len(values)


def _whole(values: Sequence[Any]) -> bool:
    return bool(values) and all(type(value) is int and value >= 0 for value in values)


def _some(values: Sequence[Any]) -> bool:
    return _whole(values) and min(values) > 0


# A second look at what a file holds: the records inside an object, and its last record.

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


NUMBERED = "source.columns.id='#'"
SEARCHED = "audit.baseline=search"


def cell_words(look: FirstLook) -> list[str]:
    return [f"by=[{','.join(cells(look.columns, look.records, last_record(look)))}]"]


class GuessedColumns:
    """Our columns as they are guessed in a table, and the words that map them."""

    def __init__(self, look: FirstLook, own_names: Mapping[str, str] = MappingProxyType({})) -> None:
        """Guesses the columns of a table; `own_names`, ours with theirs ("": none), are known."""
        self.look, self.own_names = look, own_names
        last = last_record(look)
        seen = cells(look.columns, look.records)
        again = last is not None and seen != cells(look.columns, look.records, last)  # sorted: ids may come again
        seen_so = guessed(look.columns, look.records, again)
        others = {ours: at for ours, at in seen_so.items() if ours not in own_names and at not in own_names.values()}
        self.ours = {**others, **{ours: at for ours, at in own_names.items() if at}}
        several = rivals(look.columns, look.records, self.ours)
        self.rivals = {ours: columns for ours, columns in several.items() if ours not in own_names}

    @property
    def complete(self) -> bool:
        """Whether nothing that an audit needs is missing."""
        return set(NEEDED) <= set(self.ours)

    def values(self, ours: str) -> list[Any]:
        """What is in one of our columns."""
        return values_at(self.look.records, self.look.columns, self.ours[ours])

    @cached_property
    def truths(self) -> Truths:
        """The truths, beside them what is likely to be the answers."""
        answers = next((self.values(ours) for ours in ("parsed_text", "raw_text") if ours in self.ours), [])
        choices = self.values("choices") if "choices" in self.ours else []
        return Truths(self.values("ground_truth") if "ground_truth" in self.ours else [], answers, choices)

    def words(self) -> list[str]:
        """The words that map the columns, with a gap for each that is missing, and for the readings that compete."""
        gaps = [name for name in NEEDED if name not in self.ours]
        there = (*self.ours, *gaps)
        mapped = {name: self.ours.get(name, GAP) for name in OURS if name in there and self.ours.get(name) != name}
        mapped |= ending_columns(self.look.columns, self.look.records, self.ours.values())
        words = [*table_words(self.look), *column_words(mapped)]
        words += [] if "id" in self.ours else [NUMBERED]
        words += cell_words(self.look)
        if "ground_truth" in self.ours:
            words += null_words(self.values("ground_truth")) + self.truths.words("parsed_text" in self.ours)
        return [*words, *(self._label_words() if "stored" in self.ours else [])]

    def _label_words(self) -> list[str]:
        """The words for stored labels: their texts where these are others than 1, 0, true and false."""
        right, wrong = label_words(self.values("stored"))
        texts = {"audit.stored_true": right, "audit.stored_false": wrong}
        words = [f"{key}=[{','.join(map(value, listed))}]" for key, listed in texts.items() if listed]
        return [*words, SEARCHED]


def column_words(mapped: Mapping[str, str]) -> list[str]:
    """The words that map columns: ours to theirs."""
    listed = ", ".join(f"{name}: {value(theirs)}" for name, theirs in mapped.items())
    return [f"source.columns={{{listed}}}"] if mapped else []


def null_words(truths: Sequence[Any]) -> list[str]:
    """The words for texts among truths that are likely to mean that there is none."""
    texts = sorted({truth for truth in truths if isinstance(truth, str)} & (SUSPECT | {""}))
    listed = ",".join(f"'{text}'" if text else '""' for text in texts)
    return [f"source.nulls={{ground_truth: [{listed}]}}"] if texts else []


def unused(look: FirstLook, ours: Mapping[str, str]) -> str:
    """The columns of yes and no that are none of ours, as a message says it."""
    names = left_over(look.columns, look.records, ours)
    return f"; yes or no, and not used: {', '.join(names)}" if names else ""
