"""Claims and orders read against the readings: the rates of cells, wrong labels and empty answers, by item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from auditfw.audits.orders import OrderReader, ReadStatements, read_orders
from auditfw.audits.parsing.conclusions.items import CrossedItems, ItemRows
from auditfw.audits.parsing.questions.items import CELL as TWICE
from auditfw.audits.parsing.questions.items import copied
from auditfw.audits.parsing.questions.label_rows import label_rows
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.table import CELL, LabelTable
from auditfw.audits.read_claims import GroupedRates, read_claims
from auditfw.core.imports import np
from auditfw.core.records import Cell, Value, sorted_cells
from auditfw.formulas.clusters import distinct_codes, item_sums_by_cell, single_trials
from auditfw.formulas.label_counts import LabelCounts, TurnedCount
from auditfw.formulas.two_rates import pair_sums, separate_sums
from auditfw.kinds.context import Sample

CLAIMED = ("error_rate", "no_answer")
NO_ORDER = "no column of by has 2 to 50 values"
ROWS_KEPT = 4_000_000  # of items in cells


@dataclass(frozen=True, eq=False)
class LabelRates:
    """The rates of the cells under each reading; `readings` gives their numbers, that of the reference first.

    Where the source has no items (`crossed` is None) each trial is its own: totals are enough.
    """

    by: Sequence[str]
    table: LabelTable
    samples: Sequence[Sample]
    readings: Mapping[str, int]
    crossed: CrossedItems | None = None

    @property
    def reference(self) -> str:
        return next(iter(self.readings))

    @cached_property
    def cells(self) -> list[Cell]:
        return sorted_cells(self.table.cells)

    @cached_property
    def named(self) -> list[Mapping[str, Value]]:
        return [sample.cell for sample in self._own(self.reference)]

    def trials(self) -> list[int]:
        """How many audited trials each cell has."""
        trials = {number: times for number, *_, times in self.table.times(CELL)}
        return [trials[self.table.cells[cell]] for cell in self.cells]

    def changed(self, reading: str, cells: Sequence[int]) -> int | None:
        """How many labels of these cells a reading changes against the reference."""
        if reading == self.reference:
            return None
        counts = self._counts(reading)
        return sum(counts[cell].to_true + counts[cell].to_false for cell in cells)

    def grouped(
        self, reading: str, metric: str, groups: Sequence[int], number: int, among: str | None = None
    ) -> GroupedRates | None:
        """The rates of groups of cells; None where `among` makes no difference or the reading has no such metric."""
        if metric == "no_answer" and self._stored(reading):
            return None
        if self.crossed is not None:
            return self._by_item(reading, metric, tuple(groups), number, among)
        if among is not None and metric == "no_answer":
            return None  # labels are crossed, empty answers are not
        totals = self._totals(reading, metric, among)
        if among is not None and sum(n for n, _ in totals) == sum(n for n, _ in self._totals(reading, metric, None)):
            return None
        sums = [[0, 0] for _ in range(number)]
        for group, (n, k) in zip(groups, totals, strict=True):
            if group >= 0:
                sums[group] = [sums[group][0] + n, sums[group][1] + k]
        trials, successes = zip(*sums, strict=True)
        return GroupedRates([single_trials(n, k) for n, k in sums], separate_sums(trials, successes))

    def _totals(self, reading: str, metric: str, among: str | None) -> list[tuple[int, int]]:
        """Labelled trials and successes of each cell; with `among` those of the reference beside that reading's."""
        if among is not None:
            return [(one.paired, one.kept_wrong + one.to_true) for one in self._counts(among)]
        return [(one.counted, one.wrong if metric == "error_rate" else one.blank) for one in self._counts(reading)]

    def _by_item(
        self, reading: str, metric: str, groups: tuple[int, ...], number: int, among: str | None
    ) -> GroupedRates | None:

        rows = self._rows(reading, among)
        if among is not None and rows.trials.sum() == self._rows(reading, None).trials.sum():
            return None
        kept, group_of, item_of, into = self._united(groups)

        def united(column: Any) -> Any:
            return np.bincount(into, weights=column[kept], minlength=len(group_of)).astype(np.int64)

        trials, successes = united(rows.trials), united(rows.wrong if metric == "error_rate" else rows.blank)
        sums = item_sums_by_cell(group_of, number, trials, successes)
        return GroupedRates(sums, pair_sums(group_of, number, item_of, trials, successes))

    @property
    def _kept(self) -> int:
        """How many columns of rows by item are kept: all, unless there are millions of rows."""
        assert self.crossed is not None
        return max(1, ROWS_KEPT // max(1, self.crossed.size))

    @cached_property
    def _rows(self) -> Any:
        """The rows by item of a reading, each made once."""

        def rows(reading: str, among: str | None) -> ItemRows:
            assert self.crossed is not None
            return self.crossed.rows(self.readings[reading], None if among is None else self.readings[among])

        return lru_cache(self._kept)(rows)

    @cached_property
    def _united(self) -> Any:
        """For groups of cells: the rows in one of them, group and item of each united row, and where each row goes."""

        def united(groups: tuple[int, ...]) -> tuple[Any, Any, Any, Any]:

            assert self.crossed is not None
            rows, items = self._rows(self.reference, None), max(1, len(self.crossed.items))
            numbers = dict(zip(self.cells, groups, strict=True))
            of = np.array([numbers.get(cell, -1) for cell in self.crossed.cells], np.int64)[rows.cells]
            kept = of >= 0
            distinct, into = distinct_codes(of[kept] * items + rows.items[kept], (max(groups, default=-1) + 1) * items)
            return kept, distinct // items, distinct % items, into

        return lru_cache(self._kept)(united)

    def _stored(self, reading: str) -> bool:
        return any(one.stored for one in self._counts(reading))

    def _own(self, reading: str) -> list[Sample]:
        """The samples of a reading's cells; where there are none, of all its trials."""
        return self._by_reading[reading]

    def _counts(self, reading: str) -> list[LabelCounts]:
        return [sample.data for sample in self._own(reading)]

    @cached_property
    def _by_reading(self) -> dict[str, list[Sample]]:
        known: dict[str, list[Sample]] = {}
        for sample in self.samples:
            if bool(sample.cell) == bool(self.by) and sample.reading.role != "baseline":
                known.setdefault(sample.reading.name, []).append(sample)
        return known


def ask(results: ParsingResults) -> ReadStatements | None:
    """The claims, and the order of each column of `by`, read against every reading; None without.

    Raises UsageError.
    """
    claims = results.context.claims
    if not results.table.trials or not (claims or results.context.by):
        return None
    readings = {one.reading.name: one.number for one in results.readings if one.reading.role != "baseline"}
    rates = LabelRates(results.context.by, results.table, results.samples, readings, results.crossed)
    read = read_claims(claims, rates, list(readings))
    reader = OrderReader(rates, list(readings), results.settings.alpha, _copies(results))
    return ReadStatements(read, read_orders(claims, reader, CLAIMED[0]))


def _copies(results: ParsingResults) -> Mapping[str, Sequence[tuple[str, str]]]:
    """The values of columns of `by` that are copies of others, unless that is known to be no fault."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    for column, pair in () if TWICE.name in results.settings.known else results.of(label_rows).of(copied):
        pairs.setdefault(column.name, []).append((column.values[pair.of], column.values[pair.copy]))
    return pairs


def measured(results: ParsingResults, sample: Sample) -> dict[str, Any]:
    """The turned pairs of a reading that is compared, for the metrics."""
    if sample.reading.role != "candidate":
        return {}
    read = results.of(ask)
    resolved = 0 if read is None else sum(order.reference.ranked.count() for order in read.orders.orders)
    if not sample.data.counted:
        return {"orders": TurnedCount(None, resolved, sample.data.why)}
    turned = None if read is None else read.orders.turned_under(sample.reading.name)
    return {"orders": TurnedCount(turned, resolved, "" if turned is not None else NO_ORDER)}
