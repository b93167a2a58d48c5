"""The tables of a run, written while batches come in: one row a trial, and the disagreements with their decisions."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auditfw.bench import Bench
from auditfw.judgements import FLAGS, QID

from .decide import FINAL, WHY, Decider, decisions
from .rules import Pattern, is_unknown
from .tally import Odd, Partial

if TYPE_CHECKING:
    import polars as pl

DISAGREEMENTS = "disagreements"
ROWS = 65_536


class Tables:
    """Writes trials and disagreements of every batch; `closed` holds the further tables in the end."""

    def __init__(self, bench: Bench, raters: Sequence[str], decider: Decider) -> None:
        self.bench, self.raters, self.decider = bench, tuple(raters), decider
        self.closed: Mapping[str, Any] = {}
        self._listed = bench.table(DISAGREEMENTS)
        self._ids: list[str] = []
        self._codes = array("I")
        self._by: list[list[Any]] = [[] for _ in bench.by]
        self._numbers: dict[Pattern, int] = {}
        self._columns = (QID, *self.raters, FINAL, WHY)

    def add(self, part: Partial) -> None:
        """Takes in the rows of a batch; they are written many batches at a time."""
        if not part.ids:
            return
        numbers = self._numbers
        own = [numbers.setdefault(pattern, len(numbers)) for pattern in part.patterns]
        if part.odd:
            self._flush()  # keeps the order: the rows of this batch are listed one by one
        self._ids += part.ids
        self._codes.extend(map(own.__getitem__, part.codes))
        for held, column in zip(self._by, part.by, strict=True):
            held.extend(column)
        if part.odd or len(self._ids) >= ROWS:
            self._flush(part)

    def _flush(self, odd: Partial | None = None) -> None:
        """Writes the rows held: all as trials, those to be listed as disagreements."""
        import polars as pl

        if not self._ids:
            return
        patterns = list(self._numbers)
        self.decider.learn(patterns)
        codes = pl.Series(self._codes, dtype=pl.UInt32)
        frame = self._trials(patterns, codes)
        self.bench.trials.take(frame)
        listed = [n for n, pattern in enumerate(patterns) if self.decider.listed(pattern)]
        if odd is not None and odd.odd:
            rows = self._odd_rows(odd, {row.at: row for row in odd.odd}, {patterns[n] for n in listed})
            self._listed.take(pl.DataFrame(rows, schema=dict.fromkeys(self._columns, pl.String), orient="row"))
        elif listed:
            first = next(iter(self.decider.policies), None)
            none = (pl.lit(None, pl.String), pl.lit(""))
            final, why = none if first is None else (pl.col(f"{FINAL}.{first}"), pl.col(f"{WHY}.{first}"))
            own = [pl.col("id").alias(QID), *map(pl.col, self.raters), final.alias(FINAL), why.alias(WHY)]
            self._listed.take(frame.filter(codes.is_in(listed)).select(own))
        self._ids, self._codes, self._by = [], array("I"), [[] for _ in self.bench.by]

    def _odd_rows(self, part: Partial, odd: Mapping[int, Odd], listed: set[Pattern]) -> list[tuple[str | None, ...]]:
        """The rows to be listed of a batch that has labels which are not declared: these stand as they are."""
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

    def _trials(self, patterns: Sequence[Pattern], codes: pl.Series) -> pl.DataFrame:
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
        own: dict[str, Any] = {"id": pl.String} | dict.fromkeys(self.bench.by)
        columns: list[Sequence[Any]] = [self._ids, *self._by]
        rows = [pl.Series(name, c, dtype, strict=False) for (name, dtype), c in zip(own.items(), columns, strict=True)]
        kinds = {name: pl.Boolean if name in FLAGS else pl.String for name in tables}
        told = pl.DataFrame(tables, schema=kinds)[codes]
        return pl.DataFrame([*rows, *told])

    def close(self) -> None:
        """Writes what is held, and ends the further tables."""
        import polars as pl

        self._flush()
        self._listed.take(pl.DataFrame(schema=dict.fromkeys(self._columns, pl.String)))  # the header is always there
        self.closed = {DISAGREEMENTS: self._listed.close()}
