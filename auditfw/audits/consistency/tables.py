"""The tables of a run, written while batches come in: one row a trial, and the disagreements with their decisions."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from auditfw.core.background import BackgroundTask
from auditfw.core.native.columns import Words
from auditfw.kinds.context import Context
from auditfw.kinds.judgements import FLAGS, QID
from auditfw.samples import shown

from .counts import ConsistencyCounts, UndeclaredRow
from .decisions import FINAL, WHY, Decider, decisions
from .rules import Pattern, is_unknown

if TYPE_CHECKING:
    import polars as pl

DISAGREEMENTS, PLACES = "disagreements", "places"
ROWS = 65_536
IDLE = "OPENBLAS_THREAD_TIMEOUT"  # two to this power is for how many turns idle threads look for work


@dataclass
class WaitingRows:
    """Rows of some batches that wait to be written: ids, codes, which pattern each stands for, and cells."""

    by: list[list[Any]]
    ids: list[Any] = field(default_factory=list)
    codes: list[Any] = field(default_factory=list)
    size: int = 0


class Tables:
    """Writes trials and disagreements of every batch; `closed` holds the further tables in the end.

    What is written is written while further batches come in.
    """

    def __init__(self, context: Context, raters: Sequence[str], decider: Decider) -> None:
        self.context, self.raters, self.decider = context, tuple(raters), decider
        self.closed: Mapping[str, Any] = {}
        self._listed = context.table(DISAGREEMENTS)
        self._rows = self._no_rows()
        self._writing: Callable[[], None] = lambda: None
        self._numbers: dict[Pattern, int] = {}
        self._places: list[tuple[str, str]] = []
        self._columns = (QID, *self.raters, FINAL, WHY)

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Waits for what is being written; `close` raises what went wrong in it."""
        with suppress(Exception):
            self._writing()

    def _no_rows(self) -> WaitingRows:
        return WaitingRows([[] for _ in self.context.by])

    def add(self, part: ConsistencyCounts) -> None:
        """Takes in the rows of a batch; they are written many batches at a time."""
        self._places += part.places[: self.context.limits.max_places - len(self._places)]
        if not part.ids:
            return
        np = _numpy()
        known = self._numbers
        numbers = np.array([known.setdefault(pattern, len(known)) for pattern in part.patterns], dtype=np.uint32)
        if part.odd:
            self._flush()  # keeps the order: the rows of this batch are listed one by one
        rows = self._rows
        rows.ids.append(part.ids)
        codes = np.frombuffer(part.codes, np.uint8) if isinstance(part.codes, bytes) else part.codes
        rows.codes.append(numbers[codes])
        rows.size += len(part.codes)
        for held, column in zip(rows.by, part.by, strict=True):
            held.extend(column)
        if part.odd or rows.size >= ROWS:
            self._flush(part if part.odd else None)

    def _flush(self, odd: ConsistencyCounts | None = None) -> None:
        """Has the rows held written, when those before them are."""
        self._writing()
        if self._rows.ids:
            self._writing = BackgroundTask(partial(self._write, self._rows, list(self._numbers), odd))
            self._rows = self._no_rows()

    def _write(self, rows: WaitingRows, patterns: Sequence[Pattern], odd: ConsistencyCounts | None) -> None:
        """Writes rows: all as trials, those to be listed as disagreements."""
        import polars as pl

        ids, codes = pl.concat(map(_column, rows.ids)), pl.Series(_numpy().concatenate(rows.codes))
        self.decider.learn(patterns)
        frame = self._trials(ids, rows.by, patterns, codes)
        self.context.trials.take(frame)
        listed = [n for n, pattern in enumerate(patterns) if self.decider.listed(pattern)]
        if odd is not None:
            listing = self._odd_rows(odd, {row.at: row for row in odd.odd}, {patterns[n] for n in listed})
            self._listed.take(pl.DataFrame(listing, schema=dict.fromkeys(self._columns, pl.String), orient="row"))
        elif listed:
            first = next(iter(self.decider.policies), None)
            none = (pl.lit(None, pl.String), pl.lit(""))
            final, why = none if first is None else (pl.col(f"{FINAL}.{first}"), pl.col(f"{WHY}.{first}"))
            own = [pl.col("id").alias(QID), *map(pl.col, self.raters), final.alias(FINAL), why.alias(WHY)]
            self._listed.take(frame.filter(codes.is_in(listed)).select(own))

    def _odd_rows(
        self, part: ConsistencyCounts, odd: Mapping[int, UndeclaredRow], listed: set[Pattern]
    ) -> list[tuple[str | None, ...]]:
        """The rows to be listed of a batch that has labels which are not declared: these are written as they are."""
        rows = []
        for i, n in enumerate(part.codes):
            pattern = part.patterns[n]
            if pattern in listed:
                labels = odd[i].labels if i in odd else pattern.labels
                if i not in odd or len(set(labels)) > 1:
                    rows.append((part.ids[i], *labels, *self._decided(pattern, labels)))
        return rows

    def _decided(self, pattern: Pattern, labels: Sequence[str | None]) -> tuple[str | None, str]:
        """The first policy's decision; rows with labels that are not declared are decided as they stand."""
        if not self.decider.policies:
            return None, ""
        if not any(map(is_unknown, pattern.labels)):
            return self.decider.decide(pattern)[0]
        first = list(self.decider.policies.values())[:1]
        return decisions(first, [(tuple(labels), pattern.shown)], self.raters, self.decider.reference)[0][0]

    def _trials(
        self, ids: pl.Series, by: Sequence[Sequence[Any]], patterns: Sequence[Pattern], codes: pl.Series
    ) -> pl.DataFrame:
        """One row a trial: id, cell, status, labels, flags, and each policy's final label and reason."""
        import polars as pl

        names = list(self.decider.policies)
        tables: dict[str, list[Any]] = {"status": [p.status for p in patterns]}
        for j, rater in enumerate(self.raters):
            tables[rater] = [None if is_unknown(p.labels[j]) else p.labels[j] for p in patterns]
        for j, flag in enumerate(FLAGS):
            tables[flag] = [p.shown[j] for p in patterns]
        decided = [self.decider.decide(pattern) for pattern in patterns]
        for j, name in enumerate(names):
            tables[f"{FINAL}.{name}"] = [d[j][0] for d in decided]
            tables[f"{WHY}.{name}"] = [d[j][1] or None for d in decided]
        cells = [pl.Series(name, c, strict=False) for name, c in zip(self.context.by, by, strict=True)]
        kinds = {name: pl.Boolean if name in FLAGS else pl.String for name in tables}
        rows = pl.DataFrame(tables, schema=kinds)[codes]
        return pl.DataFrame([ids.alias("id"), *cells, *rows])

    def close(self) -> None:
        """Writes what is held, and ends the further tables."""
        import polars as pl

        self._flush()
        self._writing()
        self._listed.take(pl.DataFrame(schema=dict.fromkeys(self._columns, pl.String)))  # the header is always there
        self.closed = {DISAGREEMENTS: self._listed.close()}
        if self._places:
            table = self.context.table(PLACES)
            ids, places = zip(*self._places, strict=True)
            table.add({"id": ids, "place": list(map(shown, places))})
            self.closed = {**self.closed, PLACES: table.close()}


def _numpy() -> Any:
    """numpy. Once imported, its idle threads would look for work for a while, on the cores that the workers need."""
    if "numpy" not in sys.modules:
        setting = os.environ.get(IDLE)
        os.environ[IDLE] = setting or "4"
        import numpy  # noqa: F401 - reads the variable as it is loaded

        if setting is None:
            del os.environ[IDLE]
    return sys.modules["numpy"]


def _column(ids: Sequence[str]) -> pl.Series:
    """Ids as a column; those that come as one block are not made into objects of Python."""
    import polars as pl

    if isinstance(ids, Words):
        return pl.Series([ids.joined.decode()]).str.split("\n").explode()
    return pl.Series(ids, dtype=pl.String, strict=False)
