"""The label table of a run: a row an item, with the number of its pattern, of its cell, its item and its order.

`trials.parquet` is the table as it is written while rows come in; counts are queries over the numbers, which stay here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from auditfw.core.imports import pl
from auditfw.core.native.columns import Words
from auditfw.core.notes import Places
from auditfw.core.records import Value
from auditfw.core.remote.places import shown
from auditfw.core.tables import text_column
from auditfw.formulas.judges.no_label import NO_LABEL
from auditfw.kinds.context import Context
from auditfw.kinds.judgements import FLAGS, QID, Shown

from .decisions import FINAL, WHY, Decider, decisions
from .rules import AUDITED, Labels, Pattern, is_unknown

DISAGREEMENTS, ITEMS, ROW_PLACE = "disagreements", "items", "row.place"
FLIPS = "flips"
PATTERN, CELL, ITEM, ORDER, WEIGHT = "pattern", "cell", "item", "order", "weight"
ROWS = 65_536  # that are written at once
IDLE = "OPENBLAS_THREAD_TIMEOUT"  # two to this power is for how many turns idle threads look for work

CellKey = tuple[Value, ...]


class UndeclaredRow(NamedTuple):
    """A row with labels that are not declared, as they stand, to be decided on its own: its place in the batch."""

    at: int
    labels: Labels
    shown: Shown


class UndeclaredLabel(NamedTuple):
    """A label that is not declared: the numbers of its row and its rater, and the text."""

    row: int
    rater: int
    text: str


class RatedRows(NamedTuple):
    """The rows of a batch: `codes` are places among `patterns`, `by` the columns of cells.

    `items`, `orders` (which answer came first) and `weights` (the values by which items were chosen to be labelled) are
    None where the source does not say.
    """

    ids: Sequence[str] = ()
    codes: bytes | list[int] = b""
    patterns: Sequence[Pattern] = ()
    by: Sequence[Sequence[Value]] = ()
    items: Sequence[str | None] | None = None
    orders: Sequence[str | None] | None = None
    places: Sequence[Any] = ()
    odd: Sequence[UndeclaredRow] = ()
    weights: Sequence[str | None] | None = None


NO_ROWS = RatedRows()


class DistinctColumn(NamedTuple):
    """A column as its distinct values, in the order in which they were met, and the number of each row's."""

    values: Sequence[Any]
    numbers: Any


class PlacedRow(NamedTuple):
    """So many rows of one pattern, of one item, with one answer first; null where that is not known."""

    item: str | None
    order: str | None
    pattern: Pattern
    n: int


class JudgementTable:
    """Takes in batch after batch of rated rows; `closed` holds the further tables in the end.

    `undeclared` are the labels that are not declared, as far as programs or people write them for "no label".
    """

    def __init__(self, context: Context, raters: Sequence[str], labels: Sequence[str], decider: Decider) -> None:
        self.context, self.raters, self.decider = context, tuple(raters), decider
        self.closed: Mapping[str, Any] = {}
        self._codes: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
        self._listed = context.table(DISAGREEMENTS)
        self._distinct: dict[str, dict[Any, int]] = {}
        self._numbers: dict[str, list[Any]] = {}  # of each column the arrays of the batches
        self._hashes: list[Any] = []
        self._waiting: list[RatedRows] = []
        self._size = self._written = 0
        self.undeclared: list[UndeclaredLabel] = []

    @property
    def cells(self) -> int:
        """How many cells hold a row."""
        return len(self._distinct.get(CELL, ()))

    @property
    def items(self) -> int:
        """How many items the rows name."""
        return len(self._distinct.get(ITEM, ()))

    def take(self, rows: RatedRows) -> None:
        """Adds the rows of a batch; they are written many batches at a time."""
        if not rows.ids:
            return
        codes = _numpy().frombuffer(rows.codes, _numpy().uint8) if isinstance(rows.codes, bytes) else rows.codes
        self._add(PATTERN, self._numbered(PATTERN, rows.patterns)[codes])
        if rows.by:
            self._add(CELL, self._numbered(CELL, zip(*rows.by, strict=True)))
        for name, column in ((ITEM, rows.items), (ORDER, rows.orders), (WEIGHT, rows.weights)):
            if column is not None:
                self._add(name, self._numbered(name, column))
        self._waiting.append(rows)
        self._size += len(rows.ids)
        if self._size >= ROWS:
            self._write()

    def _add(self, name: str, numbers: Any) -> None:
        self._numbers.setdefault(name, []).append(numbers)

    def _numbered(self, name: str, values: Iterable[Any]) -> Any:
        known = self._distinct.setdefault(name, {})
        return _numpy().array([known.setdefault(value, len(known)) for value in values], dtype=_numpy().uint32)

    def _write(self) -> None:
        """Writes the rows that wait: all as trials, those to be listed as disagreements."""
        rows, self._waiting, self._size = self._waiting, [], 0
        if not rows:
            return
        ids, patterns = pl.concat([_ids(part.ids) for part in rows]), list(self._distinct[PATTERN])
        numbers = {name: pl.Series(_numpy().concatenate(each[-len(rows) :])) for name, each in self._numbers.items()}
        self.decider.learn(patterns)
        cells = [
            pl.Series(name, [cell[at] for cell in self._distinct[CELL]], strict=False).gather(numbers[CELL])
            for at, name in enumerate(self.context.by)
        ]
        by_pattern = self._by_pattern(patterns)[numbers[PATTERN]]
        places = pl.concat([_places(part.places, len(part.ids)) for part in rows])
        frame = pl.DataFrame([ids.alias("id"), *cells, *by_pattern, places])
        self._hashes.append(ids.hash().to_numpy())
        self._keep_undeclared(rows)
        self.context.trials.take(frame)
        self._list(frame, rows, numbers[PATTERN].is_in([n for n, p in enumerate(patterns) if self.decider.listed(p)]))

    def _keep_undeclared(self, rows: Sequence[RatedRows]) -> None:
        """Keeps which of the labels that are not declared say that there is none."""
        for at, row in _odd_rows(rows):
            texts = [(rater, text) for rater, text in enumerate(row.labels) if text and text not in self._codes]
            words = [(rater, text) for rater, text in texts if text in NO_LABEL]
            self.undeclared += [UndeclaredLabel(self._written + at, rater, text) for rater, text in words]
        self._written += sum(len(part.ids) for part in rows)

    def _by_pattern(self, patterns: Sequence[Pattern]) -> pl.DataFrame:
        """What is written of the rows of each pattern: status, labels, flags, decisions with their reasons, codes."""
        columns: dict[str, list[Any]] = {"status": [p.status for p in patterns]}
        for j, rater in enumerate(self.raters):
            columns[rater] = [None if is_unknown(p.labels[j]) else p.labels[j] for p in patterns]
        kinds: dict[str, Any] = dict.fromkeys(columns, pl.String)
        columns |= {flag: [p.shown[j] for p in patterns] for j, flag in enumerate(FLAGS)}
        kinds |= dict.fromkeys(FLAGS, pl.Boolean)
        decided = [self.decider.decide(pattern) for pattern in patterns]
        for j, name in enumerate(self.decider.policies):
            columns[f"{FINAL}.{name}"] = [d[j][0] for d in decided]
            columns[f"{WHY}.{name}"] = [d[j][1] or None for d in decided]
        for rater in self.raters:
            columns[f"code.{rater}"] = list(map(self._codes.get, columns[rater]))
            kinds[f"code.{rater}"] = pl.UInt16
        return pl.DataFrame(columns, schema={name: kinds.get(name, pl.String) for name in columns})

    def _list(self, frame: pl.DataFrame, rows: Sequence[RatedRows], listed: pl.Series) -> None:
        """Writes the rows that are listed as disagreements; labels that are not declared are decided as they stand."""
        first = next(iter(self.decider.policies), None)
        none = (pl.lit(None, pl.String), pl.lit(""))
        final, why = none if first is None else (pl.col(f"{FINAL}.{first}"), pl.col(f"{WHY}.{first}"))
        listing = frame.select(pl.col("id").alias(QID), *self.raters, final.alias(FINAL), why.alias(WHY))
        odd = [(at, row) for at, row in _odd_rows(rows) if listed[at]]
        if odd:
            places = [at for at, _ in odd]
            cases = [(row.labels, row.shown) for _, row in odd]
            policies = list(self.decider.policies.values())[:1]
            decided = decisions(policies, cases, self.raters, self.decider.reference)
            own = dict(zip(self.raters, zip(*(row.labels for _, row in odd), strict=True), strict=True))
            if policies:
                own |= {FINAL: tuple(d[0][0] for d in decided), WHY: tuple(d[0][1] for d in decided)}
            listing = listing.with_columns(listing[name].scatter(places, list(own[name])) for name in own)
            listed = listed.scatter(places, [len(set(row.labels)) > 1 for _, row in odd])
        self._listed.take(listing.filter(listed))

    def end(self) -> None:
        """Writes what waits, and ends the further tables."""
        self._write()
        header = dict.fromkeys((QID, *self.raters, FINAL, WHY), pl.String)
        self._listed.take(pl.DataFrame(schema=header))  # it is always there
        self.closed = {DISAGREEMENTS: self._listed.close()}

    def repeated(self) -> frozenset[int]:
        """The hashes that more than one id has."""
        self._write()
        hashes = _numpy().sort(_numpy().concatenate([_numpy().zeros(0, "u8"), *self._hashes]))
        return frozenset(hashes[1:][hashes[1:] == hashes[:-1]].tolist())

    def column(self, name: str) -> DistinctColumn:
        """A column of all rows."""
        empty = _numpy().zeros(0, "u4")
        return DistinctColumn(
            list(self._distinct.get(name, ())), _numpy().concatenate([empty, *self._numbers.get(name, ())])
        )

    def by_item(self, reference: str) -> Mapping[str, Any]:
        """The table `items`, where the source names them: trials of each, and of those how many are flips of a reading.

        A flip is another label than the `reference` gives, where both give one; trials are rows that are audited.
        """
        items, column, np = self.column(ITEM), self.column(PATTERN), _numpy()
        if not items.values:
            return {}
        labels = [self._readings(pattern) for pattern in column.values]
        counted = {"trials": [pattern.status == AUDITED for pattern in column.values]}
        for name in (name for name in labels[0] if name != reference):
            pairs = [(own[name], own.get(reference)) for own in labels]
            counted[f"{FLIPS}.{name}"] = [None not in pair and pair[0] != pair[1] for pair in pairs]
        order = sorted(range(len(items.values)), key=lambda number: str(items.values[number]))
        rows: dict[str, Any] = {"item": [items.values[number] for number in order]}
        for name, each in counted.items():
            those = np.array(each)[column.numbers] & np.array(counted["trials"])[column.numbers]
            rows[name] = np.bincount(items.numbers[those], minlength=len(order))[order]
        table = self.context.table(ITEMS)
        table.take(pl.DataFrame(rows))
        return {ITEMS: table.close()}

    def _readings(self, pattern: Pattern) -> dict[str, str | None]:
        """The label of each rater and of each policy."""
        labels = [None if is_unknown(label) else label for label in pattern.labels]
        finals = zip(self.decider.policies, self.decider.decide(pattern), strict=True)
        return dict(zip(self.raters, labels, strict=True)) | {f"{FINAL}.{name}": one[0] for name, one in finals}

    def rows(self, *asked: str) -> Iterator[tuple[CellKey, PlacedRow]]:
        """The rows with their cells, counted, in the order in which they were met: as far as what is asked goes."""
        names = [name for name in asked if name in self._numbers]
        distinct, columns = zip(*map(self.column, names), strict=True) if names else ((), ())
        for *numbers, n in counted(columns) if columns else ():
            row = {name: values[at] for name, values, at in zip(names, distinct, numbers, strict=True)}
            yield row.get(CELL, ()), PlacedRow(row.get(ITEM), row.get(ORDER), row[PATTERN], n)


def counted(columns: Sequence[Any]) -> Iterator[tuple[int, ...]]:
    """The distinct rows of equally long columns of numbers, in the order in which they are met, with their counts."""
    np = _numpy()
    if len(columns) == 1:  # numbered in the order in which they are met
        return enumerate(np.bincount(columns[0]).tolist())
    order = np.lexsort(columns)
    ordered = [column[order] for column in columns]
    starts = np.flatnonzero(np.append(True, np.any([each[1:] != each[:-1] for each in ordered], axis=0)))
    counts, firsts = np.diff(starts, append=len(order)), order[starts]
    turns = np.argsort(firsts)
    return zip(*(column[firsts[turns]].tolist() for column in columns), counts[turns].tolist(), strict=True)


def hashes_of(ids: Sequence[str]) -> list[int]:
    """The hashes of ids, as the table has them."""
    hashes: list[int] = _ids(ids).hash().to_list()
    return hashes


def _odd_rows(rows: Iterable[RatedRows]) -> Iterator[tuple[int, UndeclaredRow]]:
    start = 0
    for part in rows:
        yield from ((start + row.at, row) for row in part.odd)
        start += len(part.ids)


def _ids(ids: Sequence[str]) -> pl.Series:
    """Ids as a column; those that come as one block are not made into objects of Python."""
    if isinstance(ids, Words):
        return pl.Series([ids.joined.decode()]).str.split("\n").explode()
    return pl.Series(ids, dtype=pl.String, strict=False)


def _places(places: Sequence[Any], size: int) -> pl.Series:
    """Where rows are, as a column of texts that can be shown."""
    if isinstance(places, Places):
        return text_column(ROW_PLACE, Places(shown(places.start), places.numbers))
    return text_column(ROW_PLACE, [place and shown(str(place)) for place in places or [None] * size])


def _numpy() -> Any:
    """numpy. Once imported, its idle threads would look for work for a while, on the cores that the workers need."""
    if "numpy" not in sys.modules:
        setting = os.environ.get(IDLE)
        os.environ[IDLE] = setting or "4"
        import numpy  # noqa: F401 - reads the variable as it is loaded

        if setting is None:
            del os.environ[IDLE]
    return sys.modules["numpy"]
