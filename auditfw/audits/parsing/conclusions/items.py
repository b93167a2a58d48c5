"""Which labels the trials of each item have: what intervals and tests need where several trials are of one question.

NumPy is imported only where the source has items.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any

from auditfw.audits.parsing.engine.plan import BLANK
from auditfw.audits.parsing.engine.shared_results import SharedResults
from auditfw.audits.parsing.table import CELL, ITEM, STORED, Cell, LabelTable, Undefined, label_of
from auditfw.core.imports import np
from auditfw.formulas.clusters import distinct_codes, item_sums_of_each
from auditfw.formulas.label_counts import LabelItems
from auditfw.formulas.shifts import shift_sums_by_cell
from auditfw.formulas.sign_flips import sign_flips_by_cell

ItemsOf = Callable[[int, int], tuple[LabelItems | None, Mapping[Cell, LabelItems]]]
UNCOUNTED = -2  # the number of a reading without labels


@dataclass(frozen=True)
class Grouped:
    """Rows in groups: `group` is each row's, of `number` in all; `cells` are the cells of the groups."""

    cells: Any
    group: Any
    number: int

    def sums(self, column: Any) -> Any:
        """The sum of a column of whole numbers below 2^53 for each group."""
        return np.bincount(self.group, weights=column, minlength=self.number).astype(np.int64)

    def count(self, flags: Any) -> Any:
        """How many rows of each group are flagged."""
        return np.bincount(self.group[flags], minlength=self.number)


@dataclass(frozen=True)
class ItemRows:
    """A row an item in a cell: the numbers of both, its labelled trials, the wrong ones, those without an answer."""

    cells: Any
    items: Any
    trials: Any
    wrong: Any
    blank: Any


class CrossedItems:
    """Crosses labels with those of the reference by item, for all trials and for each cell."""

    def __init__(self, table: LabelTable, undefined: Undefined) -> None:

        self._items, self._cells, self._codes = table.column(ITEM), table.column(CELL), table.codes
        self._labels = np.array([_number(label_of(code, undefined)) for code in range(256)], np.int8)
        self._number, items = len(table.cells), len(table.items)
        pairs = self._cells.astype(np.int64) * items + self._items
        each, group = distinct_codes(pairs, self._number * items)
        self._by_cell = Grouped(each // max(1, items), group, len(each))
        self._whole = Grouped(np.zeros(items, np.int64), each % max(1, items), items)
        self.items, self.cells, self.size = table.items, table.cells, len(each)  # size: items in cells

    def of(self, reading: int, reference: int) -> tuple[LabelItems, dict[Cell, LabelItems]]:
        """What a reading's trials come to by item beside the reference's: of all, and of each cell."""
        counted, wrong, both, up, down = self._sides(reading, reference)
        flags = (counted, wrong, counted & (self._codes(reading) == BLANK), both, up, down)
        columns = list(map(self._by_cell.count, flags))
        by_cell = _sums(self._by_cell.cells, self._number, columns)
        [whole] = _sums(self._whole.cells, 1, [self._whole.sums(column) for column in columns])
        return whole, dict(zip(self.cells, by_cell, strict=True))

    def digest(self, reading: int, reference: int) -> bytes:
        """A checksum of all that a reading comes to beside the reference."""
        digest = self._digest.copy()
        for number in (reading, reference):
            digest.update(self._labels.tobytes() + self._codes(number).tobytes())
        return bytes(digest.digest())

    @cached_property
    def _digest(self) -> Any:
        digest = blake2b(repr((list(self.items), list(self.cells))).encode("utf-8", "backslashreplace"))
        for column in (self._items, self._cells):
            digest.update(column.tobytes())
        return digest

    def rows(self, reading: int, among: int | None = None) -> ItemRows:
        """What a reading's trials come to by item in a cell; with `among` those alone that it has a label for, too."""
        codes = self._codes(reading)
        labels = self._labels[codes]
        counted = labels >= 0
        if among is not None:
            counted = counted & (self._labels[self._codes(among)] >= 0)
        flags = (counted, counted & (labels == 0), counted & (codes == BLANK))
        return ItemRows(self._by_cell.cells, self._whole.group, *map(self._by_cell.count, flags))

    def trials(self) -> list[int]:
        """How many audited trials each item has, by its number."""
        return self._by_item(np.ones(len(self._items), bool))

    def changes(self, reading: int, reference: int) -> tuple[list[int], list[int]]:
        """How many labels of each item a reading turns right, and wrong, against the reference."""
        *_, up, down = self._sides(reading, reference)
        return self._by_item(up), self._by_item(down)

    def _sides(self, reading: int, reference: int) -> tuple[Any, ...]:
        """Of each row: whether the reading has a label, a wrong one, both have one, it turned right or wrong."""
        label, before = self._labels[self._codes(reading)], self._labels[self._codes(reference)]
        both = (label >= 0) & (before >= 0)
        return label >= 0, label == 0, both, both & (label > before), both & (label < before)

    def _by_item(self, flags: Any) -> list[int]:
        sums: list[int] = self._whole.sums(self._by_cell.count(flags)).tolist()
        return sums


def _sums(cells: Any, number: int, columns: Sequence[Any]) -> list[LabelItems]:
    """The sums of each cell from columns of its items: counted, wrong, empty, with both labels, to right, to wrong."""
    counted, wrong, blank, both, up, down = (column.astype(np.int64) for column in columns)
    parts = [
        *item_sums_of_each(cells, number, counted, [wrong, blank]),
        *item_sums_of_each(cells, number, both, [up, down]),
    ]
    changes = shift_sums_by_cell(cells, number, both, up - down)
    tests = sign_flips_by_cell(cells, number, up - down)
    return [LabelItems(*one) for one in zip(*parts, changes, tests, strict=True)]


def crossed_items(table: LabelTable, undefined: Undefined) -> CrossedItems | None:
    """What crosses labels by item; None where the source has no items."""
    return CrossedItems(table, undefined) if table.items else None


def items_of(crossed: CrossedItems | None, baseline: int | None, shared: SharedResults | None = None) -> ItemsOf:
    """What gives a reading's labels beside another's by item; nothing where there are no items.

    Other runs have the same stored labels and baseline: of these each result is made once where it is `shared`.
    """

    def of(number: int, beside: int) -> tuple[LabelItems | None, Mapping[Cell, LabelItems]]:
        if crossed is None or number == UNCOUNTED:
            return None, {}
        if shared is None or not shared.runs or number not in (STORED, baseline):
            return crossed.of(number, beside)
        return shared.once(("items", crossed.digest(number, beside)), lambda: crossed.of(number, beside))

    return cache(of)


def _number(label: bool | None) -> int:
    return -1 if label is None else int(label)
