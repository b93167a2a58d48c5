"""The table of a run as questions see it: columns of trials.parquet as numbers, read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from auditfw.core.document import some
from auditfw.core.imports import NDArray, np, pl
from auditfw.core.results.findings import CELLS, ITEMS, PLACES, CellCount
from auditfw.core.tables import NO_CODE, TrialTable
from auditfw.formulas.clusters import row_codes
from auditfw.kinds.context import Context
from auditfw.kinds.questions import LabelRows, NumberedRows

F = TypeVar("F")
HELD = 4  # columns that are kept for the next question
NUMBERED = 6  # and such as numbers of their values: those of cells, items, statuses


@dataclass
class TableRows:
    """What `LabelRows` says of columns, for the trials of any audit; the table of an audit adds what else it knows.

    Readings that do not fit, models and the rule of labels are known of some audits alone.
    They can be read until the table is closed: what a report needs is a fact that was asked before.
    """

    context: Context
    _facts: dict[Callable[[Any], Any], Any] = field(default_factory=dict, init=False)
    _held: dict[str, NDArray[Any]] = field(default_factory=dict, init=False)
    _numbered: dict[str, NumberedRows] = field(default_factory=dict, init=False)
    _filled: dict[str, bool] = field(default_factory=dict, init=False)

    @property
    def seed(self) -> int:
        """That of the run."""
        return self.context.seed

    @property
    def table(self) -> TrialTable:
        """The rows as they are written."""
        return self.context.trials

    @property
    def unfit(self) -> Collection[str]:
        """No reading that does not fit is known."""
        return ()

    @cached_property
    def models(self) -> str | None:
        """No column of models is known."""
        return None

    @cached_property
    def missed(self) -> int | None:
        """No rule of the labels is known."""
        return None

    @property
    def unlabelled_by_design(self) -> bool:
        """No label is left out on purpose."""
        return False

    @cached_property
    def by(self) -> Sequence[str]:
        """The columns of cells as they are called in the table."""
        called = {f"cell.{name}": name for name in self.context.by}
        return [theirs if theirs in self.names else name for theirs, name in called.items()]

    @cached_property
    def names(self) -> frozenset[str]:
        """The columns of the table."""
        return frozenset(self.table.shown)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return self.table.height

    def has(self, column: str) -> bool:
        """Whether the table has this column, with a value in some row."""
        if column not in self._filled:
            there = column in self.names
            self._filled[column] = there and self.frame([column]).to_series().null_count() < self.n
        return self._filled[column]

    def rows(self, columns: Sequence[str], numbers: Sequence[int]) -> Iterable[tuple[Any, ...]]:
        """Some rows by their numbers, which ascend; a column that the table does not have is null."""
        there = [name for name in columns if name in self.names]
        places = [there.index(name) if name in self.names else None for name in columns]
        for row in self.table.rows(there, numbers):
            yield tuple(None if place is None else row[place] for place in places)

    def frame(self, columns: Sequence[str]) -> pl.DataFrame:
        """Columns as they are written."""
        return self.table.read(columns)

    def numbers(self, column: str) -> NDArray[Any]:
        """A column of numbers or booleans; label codes, small numbers and booleans are 255 where null, others 0."""
        return _kept(self._held, HELD, column, lambda: _numbers(self.frame([column]).to_series()))

    def numbered(self, column: str) -> NumberedRows:
        """A column of any values as the numbers of its distinct values."""
        return _kept(self._numbered, NUMBERED, column, lambda: self._numbers_of(column))

    def among(self, column: str, texts: Collection[str]) -> NDArray[np.bool_]:
        """Which rows have one of these texts in a column."""
        values = self.frame([column]).to_series()
        if values.dtype != pl.String:
            values = pl.Series([None if value is None else str(value) for value in values], dtype=pl.String)
        picked = values.cast(pl.Enum(sorted(set(texts))), strict=False)  # by this thread alone, as `is_in` is not
        return picked.is_not_null().to_numpy()

    def _numbers_of(self, column: str) -> NumberedRows:
        texts = self.frame([column]).to_series().cast(pl.String)
        values = texts.drop_nulls().unique(maintain_order=True)
        numbers = _without_nulls(texts.cast(pl.Enum(values)).to_physical().cast(pl.Int32), -1)
        return NumberedRows(values.to_list(), numbers.to_numpy().astype(np.int32, copy=False))

    def of(self, ask: Callable[[Any], F]) -> F:
        """What a function of the table comes to, asked once: for what several questions share."""
        if ask not in self._facts:
            self._facts[ask] = ask(self)
        facts: F = self._facts[ask]
        return facts


def _kept(known: dict[str, F], most: int, name: str, make: Callable[[], F]) -> F:
    """The value of a name, made where it is not known; the oldest ones make room."""
    if name not in known:
        if len(known) >= most:
            del known[next(iter(known))]
        known[name] = make()
    return known[name]


def _numbers(column: pl.Series) -> NDArray[Any]:
    """A column of numbers as an array; what stands for null depends on its type."""
    if column.dtype == pl.Boolean:
        column = column.cast(pl.UInt8)
    none = float("nan") if column.dtype.is_float() else NO_CODE if column.dtype == pl.UInt8 else 0
    return _without_nulls(column, none).to_numpy()


def _without_nulls(column: pl.Series, none: float) -> pl.Series:
    """By this thread alone, as `fill_null` is not: others end where a process is forked."""
    return column.set(column.is_null(), none) if column.null_count() else column


# Where what a finding speaks of is: cells, items, FILE:LINE, and how far rows are apart.


def cell_counts(rows: LabelRows, chosen: NDArray[np.bool_]) -> list[CellCount]:
    """How many of the chosen rows are in which cell, those with most first; nothing where the run has no cells."""
    if not rows.by or not chosen.any():
        return []

    names, at = [name.removeprefix("cell.") for name in rows.by], np.flatnonzero(chosen)
    codes = row_codes((rows.numbered(name).numbers[at] + 1 for name in rows.by), len(at))
    _, first, counts = np.unique(codes, return_index=True, return_counts=True)
    most = np.lexsort((first, -counts))[:CELLS]
    numbers = at[first[most]].tolist()
    cells = dict(zip(sorted(numbers), rows.rows(rows.by, sorted(numbers)), strict=True))
    return [
        CellCount(dict(zip(names, cells[at], strict=True)), int(n)) for at, n in zip(numbers, counts[most], strict=True)
    ]


def located(rows: LabelRows, numbers: Sequence[int] | NDArray[np.intp]) -> dict[str, list[str]]:
    """The items, without any the ids, and the places of the first of some rows, by their numbers, for a finding."""
    first = [int(number) for number in numbers[: 10 * ITEMS]]
    ascending = sorted(set(first))
    known = dict(zip(ascending, rows.rows(["id", "row.item", "row.place"], ascending), strict=True))
    picked = [known[number] for number in first]
    names = (str(id) if item is None else item for id, item, _ in picked)
    places = [place for *_, place in picked if place is not None]
    return {"items": list(dict.fromkeys(names))[:ITEMS], "places": list(dict.fromkeys(places))[:PLACES]}


def place(rows: LabelRows, row: int) -> str:
    """Where a row stands: FILE:LINE, else its number."""
    [(known,)] = rows.rows(["row.place"], [row])
    return f"row {row + 1:,}" if known is None else str(known)


def rows_on(lag: int) -> str:
    """How far rows are apart: `one row`, `2 rows`."""
    return "one row" if abs(lag) == 1 else some(abs(lag), "row")
