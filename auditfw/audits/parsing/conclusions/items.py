"""Which labels the trials of each item have: what intervals and tests need where several trials are of one question.

Label codes are kept a byte each, trial by trial, and equal rows are joined when there are many. A batch's part
goes from process to process as bytes. NumPy is imported only where the source has items.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from itertools import compress
from typing import Any

from auditfw.audits.parsing.engine.plan import BLANK
from auditfw.audits.parsing.engine.shared_results import SharedResults
from auditfw.audits.parsing.labels import Undefined, label_of
from auditfw.core.records import Value
from auditfw.formulas.clusters import distinct_codes, item_sums_of_each
from auditfw.formulas.label_counts import LabelItems
from auditfw.formulas.shifts import shift_sums_by_cell
from auditfw.formulas.sign_flips import sign_flips_by_cell

Cell = tuple[Value, ...]
Numbered = tuple[list[str], list[Cell], bytes, bytes]
ItemsOf = Callable[[int], tuple[LabelItems | None, Mapping[Cell, LabelItems]]]
STORED, REPRODUCED = -1, -2  # readings: the stored label; the baseline beside it, where that is not the reference
UNCOUNTED = -3  # a baseline without labels
JOINED_FROM = 2_000_000  # rows at which equal ones are joined
TYPE = "I"  # of the numbers of items and cells within a batch


@dataclass(frozen=True)
class BatchItems:
    """The audited trials of one batch: for each its item's and its cell's number as bytes, and its label codes.

    `codes` are those of the stored labels and then of each reading, a byte a trial.
    """

    items: list[str]
    cells: list[Cell]
    item_of: bytes
    cell_of: bytes
    codes: list[bytes]


def numbered_items(items: Sequence[str | None], cells: Sequence[Cell], sound: bytearray) -> Numbered:
    """The distinct items and cells of the trials that are sound, and the numbers of each trial's."""
    whole = all(sound)
    names, item_of = _numbered(items if whole else compress(items, sound))
    numbers, cell_of = _numbered(cells if whole else compress(cells, sound))
    return names, numbers, item_of, cell_of


def batch_items(
    items: Sequence[str | None],
    cells: Sequence[Cell],
    readings: Sequence[bytearray],
    sound: bytearray,
    numbered: Numbered | None = None,
) -> BatchItems:
    """The items of a batch's trials, of those that are sound; `readings` are the label codes, the stored ones first.

    `numbered` is what their items and cells are, where that is known.
    """
    whole = all(sound)
    names, numbers, item_of, cell_of = numbered_items(items, cells, sound) if numbered is None else numbered
    codes = [bytes(one) if whole else bytes(compress(one, sound)) for one in readings]
    return BatchItems(names, numbers, item_of, cell_of, codes)


def _numbered(values: Iterable[Any]) -> tuple[list[Any], bytes]:
    """The distinct values in the order in which they are met, and the number of each as bytes."""
    values = list(values)
    distinct = list(dict.fromkeys(values))
    numbers = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, array(TYPE, map(numbers.__getitem__, values)).tobytes()


def _numbers(known: dict[Any, int], values: Iterable[Any]) -> list[int]:
    """The numbers of values; those that are not known yet get the next ones."""
    for value in values:
        if value not in known:
            known[value] = len(known)
    return list(map(known.__getitem__, values))


@dataclass
class ItemTable:
    """The label codes of all audited trials by item and cell, from all batches; their order leaves no trace.

    A row is the number of an item and of a cell, the codes of the stored label and of each reading, and how many trials
    are so.
    """

    items: dict[str, int] = field(default_factory=dict)
    cells: dict[Cell, int] = field(default_factory=dict)
    _parts: list[Sequence[Any]] = field(default_factory=list)
    _rows: int = 0
    _join_at: int = JOINED_FROM

    def take(self, part: BatchItems) -> None:
        """Adds the trials of a batch."""
        import numpy as np

        item_numbers = np.array(_numbers(self.items, part.items), np.int32)
        cell_numbers = np.array(_numbers(self.cells, part.cells), np.int32)
        item_of, cell_of = np.frombuffer(part.item_of, TYPE), np.frombuffer(part.cell_of, TYPE)
        if not len(item_of):
            return
        codes = np.stack([np.frombuffer(one, np.uint8) for one in part.codes])
        times = np.ones(len(item_of), np.int32)
        self._parts.append((item_numbers[item_of], cell_numbers[cell_of], codes, times))
        self._rows += len(item_of)
        if self._rows > self._join_at:
            self._join()

    def _join(self) -> None:
        """Makes one row of equal rows."""
        import numpy as np

        items, cells, codes, times = self.rows()
        whole = np.vstack([items.view(np.uint8).reshape(-1, 4).T, cells.view(np.uint8).reshape(-1, 4).T, codes]).T
        rows = np.ascontiguousarray(whole).view(np.dtype((np.void, whole.shape[1]))).ravel()
        _, first, of = np.unique(rows, return_index=True, return_inverse=True)
        counts = np.bincount(of, weights=times).astype(np.int32)
        self._parts = [(items[first], cells[first], np.ascontiguousarray(codes[:, first]), counts)]
        self._rows = len(first)
        self._join_at = max(JOINED_FROM, 2 * self._rows)

    def rows(self) -> Sequence[Any]:
        """The columns: items, cells, codes (a row a reading, the stored label first), and how often each is so."""
        import numpy as np

        if len(self._parts) > 1:
            columns = zip(*self._parts, strict=True)
            self._parts = [[np.concatenate(column, axis=-1) for column in columns]]
        if not self._parts:
            return (*(np.zeros(0, np.int32) for _ in range(2)), np.zeros((1, 0), np.uint8), np.zeros(0, np.int32))
        return self._parts[0]


@dataclass(frozen=True)
class Grouped:
    """Rows in groups: `group` is each row's, of `number` in all; `cells` are the cells of the groups."""

    cells: Any
    group: Any
    number: int

    def sums(self, column: Any) -> Any:
        """The sum of a column for each group."""
        import numpy as np

        return np.bincount(self.group, weights=column, minlength=self.number)


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

    def __init__(self, table: ItemTable, undefined: Undefined) -> None:
        import numpy as np

        self._items, self._cells, self._codes, self._times = table.rows()
        self._times = self._times.astype(np.float64)  # whole numbers below 2^53: exact as floats
        self._labels = np.array([_number(label_of(code, undefined)) for code in range(256)], np.int8)
        self._number, items = len(table.cells), len(table.items)
        pairs = self._cells.astype(np.int64) * items + self._items
        each, group = distinct_codes(pairs, self._number * items)
        self._by_cell = Grouped(each // max(1, items), group, len(each))
        self._whole = Grouped(np.zeros(items, np.int64), each % max(1, items), items)
        self.items, self.cells, self.size = table.items, table.cells, len(each)  # size: items in cells

    def of(self, reading: int, reference: int) -> tuple[LabelItems, dict[Cell, LabelItems]]:
        """What a reading's trials come to by item beside the reference's: of all, and of each cell."""
        codes = self._codes[reading + 1]
        counted, wrong, both, up, down = self._sides(reading, reference)
        trials = (column * self._times for column in (counted, wrong, counted & (codes == BLANK), both, up, down))
        columns = [self._by_cell.sums(column) for column in trials]
        by_cell = _sums(self._by_cell.cells, self._number, columns)
        [whole] = _sums(self._whole.cells, 1, [self._whole.sums(column) for column in columns])
        return whole, dict(zip(self.cells, by_cell, strict=True))

    def digest(self, reading: int, reference: int) -> bytes:
        """A checksum of all that a reading comes to beside the reference."""
        digest = self._digest.copy()
        for number in (reading, reference):
            digest.update(self._labels.tobytes() + self._codes[number + 1].tobytes())
        return bytes(digest.digest())

    @cached_property
    def _digest(self) -> Any:
        digest = blake2b(repr((list(self.items), list(self.cells))).encode("utf-8", "backslashreplace"))
        for column in (self._items, self._cells, self._times):
            digest.update(column.tobytes())
        return digest

    def rows(self, reading: int, among: int | None = None) -> ItemRows:
        """What a reading's trials come to by item in a cell; with `among` those alone that it has a label for, too."""
        codes = self._codes[reading + 1]
        labels = self._labels[codes]
        counted = labels >= 0
        if among is not None:
            counted = counted & (self._labels[self._codes[among + 1]] >= 0)
        columns = (counted, counted & (labels == 0), counted & (codes == BLANK))
        sums = (self._by_cell.sums(column * self._times).astype(int) for column in columns)
        return ItemRows(self._by_cell.cells, self._whole.group, *sums)

    def trials(self) -> list[int]:
        """How many audited trials each item has, by its number."""
        return self._by_item(self._times)

    def changes(self, reading: int, reference: int) -> tuple[list[int], list[int]]:
        """How many labels of each item a reading turns right, and wrong, against the reference."""
        *_, up, down = self._sides(reading, reference)
        return self._by_item(up * self._times), self._by_item(down * self._times)

    def _sides(self, reading: int, reference: int) -> tuple[Any, ...]:
        """Of each row: whether the reading has a label, a wrong one, both have one, it turned right or wrong."""
        label, before = self._labels[self._codes[reading + 1]], self._labels[self._codes[reference + 1]]
        both = (label >= 0) & (before >= 0)
        return label >= 0, label == 0, both, both & (label > before), both & (label < before)

    def _by_item(self, column: Any) -> list[int]:
        sums: list[int] = self._whole.sums(self._by_cell.sums(column)).astype(int).tolist()
        return sums


def _sums(cells: Any, number: int, columns: Sequence[Any]) -> list[LabelItems]:
    """The sums of each cell from columns of its items: counted, wrong, empty, with both labels, to right, to wrong."""
    import numpy as np

    counted, wrong, blank, both, up, down = (column.astype(np.int64) for column in columns)
    parts = [
        *item_sums_of_each(cells, number, counted, [wrong, blank]),
        *item_sums_of_each(cells, number, both, [up, down]),
    ]
    changes = shift_sums_by_cell(cells, number, both, up - down)
    tests = sign_flips_by_cell(cells, number, up - down)
    return [LabelItems(*one) for one in zip(*parts, changes, tests, strict=True)]


def crossed_items(table: ItemTable, undefined: Undefined) -> CrossedItems | None:
    """What crosses labels by item; None where the source has no items."""
    return CrossedItems(table, undefined) if table.items else None


def items_of(
    crossed: CrossedItems | None, reference: int, baseline: int | None, shared: SharedResults | None = None
) -> ItemsOf:
    """What gives a reading's labels by item, by the number that it is counted by; nothing where there are no items.

    Other runs have the same stored labels and baseline: of these each result is made once where it is `shared`.
    """

    def of(number: int) -> tuple[LabelItems | None, Mapping[Cell, LabelItems]]:
        if crossed is None or number == UNCOUNTED:
            return None, {}
        pair = (baseline, STORED) if number == REPRODUCED and baseline is not None else (number, reference)
        if shared is None or not shared.runs or number not in (STORED, REPRODUCED, baseline):
            return crossed.of(*pair)
        return shared.once(("items", crossed.digest(*pair)), lambda: crossed.of(*pair))

    return cache(of)


def _number(label: bool | None) -> int:
    return -1 if label is None else int(label)
