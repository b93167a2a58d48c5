"""The outputs of one conformity run, read range by range into batches."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import Any

from auditfw.components.files.database import ConformityRun, asking, connect, is_key
from auditfw.core.errors import DataError
from auditfw.core.inputs import Stamp, stamp
from auditfw.core.notes import Remark
from auditfw.core.records import Batch
from auditfw.kinds.conditions import Condition

COLUMNS = {
    "id": "text",
    "trial_id": "text",
    "temperature": "float",
    "variant": "text",
    "condition": "text",
    "dataset": "text",
    "item_id": "text",
    "item": "text",
    "model_id": "text",
    "question": "text",
    "raw_text": "text",
    "parsed_text": "text",
    "ground_truth": "text",
    "stored": "int",
    "refusal": "int",
}
# What the database answers for a stored parse that is the raw text to the letter, as most are: the text is then neither
# decoded nor kept twice.
SAME = b"\0raw_text"
_DIRECT = {
    "id": "o.output_id",
    "trial_id": "o.trial_id",
    "variant": "t.variant",
    "item_id": "t.item_id",
    "model_id": "t.model_id",
    "condition": "t.condition_id",
    # Opinions are never read as text: leaving theirs in the database saves a sixth of the reading.
    "raw_text": "CASE WHEN t.item_id IN (SELECT item_id FROM conformity_items WHERE ground_truth_text IS NULL)"
    " THEN NULL ELSE o.raw_text END",
    "parsed_text": f"CASE WHEN o.parsed_answer_text = o.raw_text THEN x'{SAME.hex()}' ELSE o.parsed_answer_text END",
    "stored": "o.is_correct",
    "refusal": "o.refusal_flag",
}
_OF_ITEM = ("dataset", "question", "ground_truth")
_TEXTS = ("id", "trial_id", "variant", "item_id", "condition", "raw_text", "parsed_text", "model_id")
_JOIN = """FROM conformity_outputs o CROSS JOIN conformity_trials t
WHERE o.rowid BETWEEN ? AND ? AND t.trial_id = o.trial_id"""
# As a rule trials and outputs are written in one order: then a trial is found by its place, without its id's index.
_BESIDE = """FROM conformity_outputs o LEFT JOIN conformity_trials t ON t.rowid = o.rowid AND t.trial_id = o.trial_id
WHERE o.rowid BETWEEN ? AND ?"""


@dataclass(frozen=True)
class Wanted:
    """What is asked of every run: columns, conditions, whether labels may be null, which rows to keep."""

    names: tuple[str, ...]
    conditions: tuple[str, ...]
    unlabelled: bool
    test: Condition | None
    nulls: Mapping[str, frozenset[str]]

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns to make: the ones yielded, and those of the condition."""
        return tuple(dict.fromkeys((*self.names, *(self.test.names if self.test else ()))))


@dataclass(frozen=True)
class Outputs:
    """A task: the outputs of one range of rowids; `whole` where no trial of the run is left out."""

    run: ConformityRun
    wanted: Wanted
    whole: bool
    first: int
    last: int

    def __call__(self) -> Batch:
        batch = Batch({})
        base = _base(self.run.path, stamp(self.run.path))
        fetched = self._fetched(base, batch.notes)
        columns = self._columns(base, fetched)
        self._check_labels(fetched, base)
        for name in [name for name in self.wanted.nulls if name in columns]:
            texts = self.wanted.nulls[name]
            changed = [None if value in texts else value for value in columns[name]]
            count = changed.count(None) - columns[name].count(None)
            if count:
                batch.notes[Remark(f"texts that mean missing (source.nulls.{name})", name)] += count
            columns[name] = changed
        test = self.wanted.test
        if test is None:
            batch.columns = {name: columns[name] for name in self.wanted.names}
            return batch
        size = len(columns["id"])
        keep = test.keep(columns, size, self.run.path)
        batch.dropped.update({"filtered": size - sum(keep)} if not all(keep) else {})
        batch.columns = {n: [v for v, kept in zip(columns[n], keep, strict=True) if kept] for n in self.wanted.names}
        return batch

    def _fetched(self, base: ConformityDatabase, notes: Counter[str]) -> dict[str, list[Any]]:
        """The columns as the database has them, without rows whose item or dataset is not there."""
        needed = self.wanted.needed
        always = {"id", "item_id", "stored", *(["raw_text"] if "parsed_text" in needed else [])}
        names = [name for name in _DIRECT if name in needed or name in always]
        columns = self._beside(names, base) or self._joined(names, base)
        if "parsed_text" in columns:
            both = zip(columns["parsed_text"], columns["raw_text"], strict=True)
            columns["parsed_text"] = [raw if parsed == SAME else parsed for parsed, raw in both]
        for name in [name for name in _TEXTS if name in columns]:
            if not {str, type(None)}.issuperset(map(type, columns[name])):
                columns[name] = self._as_text(name, columns, notes)
        items = base.items["ground_truth"]
        if not items.keys() >= set(columns["item_id"]):
            known = [item in items for item in columns["item_id"]]
            columns = {n: [v for v, there in zip(vs, known, strict=True) if there] for n, vs in columns.items()}
        return columns

    def _beside(self, names: Sequence[str], base: ConformityDatabase) -> dict[str, list[Any]]:
        """The columns, where each output's trial is at the same place as the output; else nothing."""
        if not (self.whole and base.beside):
            return {}
        sql = f"SELECT {', '.join(_DIRECT[name] for name in names)} {_BESIDE} ORDER BY o.rowid"
        try:
            columns = _columns_of(names, base.db.execute(sql, (self.first, self.last)).fetchall())
        except sqlite3.Error:
            return {}
        base.beside = None not in columns["item_id"]
        return columns if base.beside else {}

    def _joined(self, names: Sequence[str], base: ConformityDatabase) -> dict[str, list[Any]]:
        sql, values = self._query(names, base)
        try:
            rows = base.db.execute(sql, values).fetchall()
        except sqlite3.Error:
            # Not UTF-8 (or locked): once more, as bytes and with patience.
            rows = self._as_bytes(sql, values, base)
        return _columns_of(names, rows)

    def _query(self, names: Sequence[str], base: ConformityDatabase) -> tuple[str, tuple[Any, ...]]:
        sql = f"SELECT {', '.join(_DIRECT[name] for name in names)} {_JOIN}"
        values: tuple[Any, ...] = (self.first, self.last)
        if not self.whole:
            taken = [key for key, name in base.conditions.items() if name in self.wanted.conditions]
            sql += f" AND t.run_id = ? AND t.condition_id IN ({', '.join('?' * len(taken))})"
            values += (self.run.run_id, *taken)
        return f"{sql} ORDER BY o.rowid", values

    def _as_bytes(self, sql: str, values: tuple[Any, ...], base: ConformityDatabase) -> list[tuple[Any, ...]]:
        base.db.text_factory = bytes
        try:
            return asking(self.run.path, lambda: base.db.execute(sql, values).fetchall())
        finally:
            base.db.text_factory = str

    def _as_text(self, name: str, columns: Mapping[str, list[Any]], notes: Counter[str]) -> list[Any]:
        """The values as text; bytes that are not UTF-8 are replaced and counted."""
        texts: list[Any] = []
        for i, value in enumerate(columns[name]):
            if not isinstance(value, bytes):
                texts.append(value if value is None else str(value))
                continue
            text = value.decode("utf-8", "replace")
            if "\ufffd" in text and text.encode() != value:
                of = columns["id"][i]
                shown = of.decode("utf-8", "replace") if isinstance(of, bytes) else of
                notes[Remark("text that is not UTF-8, read with U+FFFD", self.run.path, f"{name} of '{shown}'")] += 1
            texts.append(text)
        return texts

    def _columns(self, base: ConformityDatabase, fetched: dict[str, list[Any]]) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {}
        for name in self.wanted.needed:
            if name == "temperature":
                columns[name] = [self.run.temperature] * len(fetched["id"])
            elif name in _OF_ITEM:
                columns[name] = list(map(base.items[name].__getitem__, fetched["item_id"]))
            elif name == "condition":
                columns[name] = list(map(base.conditions.__getitem__, fetched[name]))
            else:
                columns[name] = fetched["item_id" if name == "item" else name]
        return columns

    def _check_labels(self, fetched: Mapping[str, list[Any]], base: ConformityDatabase) -> None:
        """Raises DataError for a label that is none of 0, 1, NULL, and for a factual trial without one."""
        labels, ids = fetched["stored"], fetched["id"]
        if not ({int, type(None)}.issuperset(map(type, labels)) and {0, 1, None}.issuperset(labels)):
            i = next(
                i for i, label in enumerate(labels) if type(label) not in (int, type(None)) or label not in (0, 1, None)
            )
            raise DataError(
                self._place(ids[i]), "expected is_correct to be 0, 1 or NULL", repr(labels[i]), "correct the label"
            )
        if self.wanted.unlabelled or None not in labels:
            return
        bare = [label is None for label in labels]
        for output, item in zip(compress(ids, bare), compress(fetched["item_id"], bare), strict=True):
            if base.items["ground_truth"][item] is not None:
                do = "write source.null_labels=missing to count such trials as missing"
                raise DataError(self._place(output), "a factual trial has no stored label", "is_correct is NULL", do)

    def _place(self, output: str) -> str:
        return f"{self.run.path}: output '{output}'"


def _columns_of(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)) if rows else {name: [] for name in names}


@dataclass
class ConformityDatabase:
    """An open database and its small tables: conditions by id; by item its dataset, question and truth.

    `beside`: as far as is known, every output's trial is at the output's own place in its table.
    """

    db: sqlite3.Connection
    conditions: Mapping[Any, str]
    items: Mapping[str, Mapping[Any, str | None]]
    beside: bool


@lru_cache(maxsize=2)
def _base(path: str, _stamp: Stamp) -> ConformityDatabase:
    """Opens a database once in each process, and again when the file has changed."""
    db = connect(path)

    def ask(sql: str) -> list[Any]:
        try:
            return db.execute(sql).fetchall()
        except sqlite3.Error:
            # Not UTF-8 (or locked): once more, with what is wrong replaced and with patience.
            db.text_factory = _text
            return asking(path, lambda: db.execute(sql).fetchall())

    conditions = dict(ask("SELECT condition_id, name FROM conformity_conditions"))
    datasets = dict(ask("SELECT dataset_id, name FROM conformity_datasets"))
    rows = ask("SELECT item_id, dataset_id, question, ground_truth_text FROM conformity_items")
    facts = [(item, (datasets[home], question, truth)) for item, home, question, truth in rows if home in datasets]
    items = {name: {item: facts_of_item[at] for item, facts_of_item in facts} for at, name in enumerate(_OF_ITEM)}
    db.text_factory = str
    return ConformityDatabase(db, conditions, items, is_key(path, "conformity_trials", "trial_id"))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
