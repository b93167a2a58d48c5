"""The label table of a run: a row a trial, a column of label codes a reading, in the order of the input.

`trials.parquet` is the table as it is written. What is asked of it again and again, the codes of the audited trials
with their cells, items and values, is kept here, a byte a trial and reading; every count is a query over that.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from typing import Any, Literal, NamedTuple

from auditfw.audits.parsing.engine.plan import BLANK, ERROR, FALSE, MISSING, TIMEOUT, TRUE, UNDEFINED, UNREAD
from auditfw.core.imports import np
from auditfw.core.records import Value
from auditfw.formulas.clusters import first_rows, row_codes

# Label codes as they are counted and shown.

WORDS = {FALSE: "wrong", TRUE: "right", BLANK: "wrong (no answer)", UNDEFINED: "undefined", MISSING: "missing"}
WORDS[UNREAD] = "missing (truth not read)"

Undefined = Literal["zero", "drop"]


def label_of(code: int, undefined: Undefined) -> bool | None:
    """A label code as the metrics count it: right, wrong, or not at all."""
    if code == TRUE:
        return True
    return False if code in (FALSE, BLANK) or (code == UNDEFINED and undefined == "zero") else None


def word_of(code: int) -> str:
    """A label code as it is shown of one trial."""
    return WORDS.get(code, "error")


Cell = tuple[Value, ...]
Met = Mapping[tuple[int, int], int]  # how often which label code of one reading met which of another
TABLE = "trials.parquet"
OWN = ("code.", "row.", "text.")  # what columns of it begin with that are neither the source's nor readings
STORED = -1  # the number of the stored label among the readings
CELL, ITEM, VALUE = "cell", "item", "value"
NUMBERS = "I"  # of distinct values
MANY = 65_536  # rows that are counted by NumPy
FAILED = bytes(code in (ERROR, TIMEOUT) for code in range(256))


class NumberedColumn(NamedTuple):
    """A column of a batch as its distinct values, and the number of each row's as an array."""

    values: list[Any]
    numbers: array[int]

    @classmethod
    def of(cls, column: Iterable[Hashable]) -> NumberedColumn:
        """Numbers the values in the order in which they are met."""
        rows = list(column)
        distinct = dict.fromkeys(rows)
        numbers = dict(zip(distinct, range(len(distinct)), strict=True))
        return cls(list(distinct), array(NUMBERS, map(numbers.__getitem__, rows)))


class BatchLabels(NamedTuple):
    """The labels of some trials: of each its cell, its item and the value that says its rule, and its label codes.

    `codes` are those of the stored label and of each reading, a byte a trial. `items` and `values` are None where the
    source has no items, or all trials have one rule.
    """

    codes: Sequence[bytes | bytearray]
    cells: NumberedColumn
    items: NumberedColumn | None = None
    values: NumberedColumn | None = None


@dataclass
class _Growing:
    """A column of numbers of distinct values, batch after batch."""

    values: dict[Any, int] = field(default_factory=dict)
    numbers: array[int] = field(default_factory=lambda: array(NUMBERS))

    def take(self, part: NumberedColumn) -> None:
        known = self.values
        of: list[Any] = list(map(known.get, part.values))
        if None in of:
            of = [known.setdefault(value, len(known)) for value in part.values]
        self.numbers.extend(map(of.__getitem__, part.numbers))

    def of(self, flags: Sequence[int]) -> _Growing:
        """The rows that are flagged, with the values that these have."""
        names, own = list(self.values), _Growing()
        own.take(NumberedColumn.of(names[number] for number in compress(self.numbers, flags)))
        return own


def row_times(columns: Sequence[Sequence[int]]) -> Mapping[tuple[int, ...], int]:
    """How often each row of some columns is there, in the order in which they are met.

    Columns are equally long: arrays of NUMBERS, or bytes.
    """
    n = len(columns[0]) if columns else 0
    if n < MANY:
        return Counter(zip(*columns, strict=True))
    arrays = [np.frombuffer(one, np.uint32 if isinstance(one, array) else np.uint8) for one in columns]  # type: ignore[call-overload]
    codes = row_codes(arrays, n)
    first = first_rows(codes)
    order = np.argsort(first)
    rows = zip(*(one[first[order]].tolist() for one in arrays), strict=True)
    return dict(zip(rows, np.bincount(codes)[order].tolist(), strict=True))


class LabelTable:
    """The labels of all audited trials, and what is asked of them. Readings go by number, STORED the stored label."""

    def __init__(self) -> None:
        self._columns = {name: _Growing() for name in (CELL, ITEM, VALUE)}
        self._codes: list[bytearray] = []

    def of(self, readings: Sequence[int]) -> LabelTable:
        """The table with these readings alone, and the trials on which no component of theirs failed."""
        table = LabelTable()
        table._columns = self._columns
        table._codes = [self._codes[number + 1] for number in (STORED, *readings)] if self._codes else []
        failed = 0
        for codes in table._codes[1:]:
            failed |= int.from_bytes(codes.translate(FAILED), "little")
        if failed:
            sound = (int.from_bytes(b"\1" * self.trials, "little") ^ failed).to_bytes(self.trials, "little")
            table._columns = {name: column.of(sound) for name, column in self._columns.items()}
            table._codes = [bytearray(compress(codes, sound)) for codes in table._codes]
        return table

    def beside(self, reading: int, codes: Any) -> LabelTable:
        """A table of the same trials with the labels of a reading as the stored ones, and these beside them."""
        table = LabelTable()
        table._columns = self._columns
        table._codes = [self._codes[reading + 1], bytearray(codes.tobytes())]
        return table

    def take(self, part: BatchLabels) -> None:
        """Adds the trials of a batch."""
        if not self._codes:
            self._codes = [bytearray() for _ in part.codes]
        for name, column in zip(self._columns, (part.cells, part.items, part.values), strict=True):
            if column is not None:
                self._columns[name].take(column)
        for codes, new in zip(self._codes, part.codes, strict=True):
            codes.extend(new)

    @property
    def cells(self) -> Mapping[Cell, int]:
        """The cells that hold a trial, with their numbers."""
        return self._columns[CELL].values

    @property
    def items(self) -> Mapping[str, int]:
        """The items with their numbers; none where the source has none."""
        return self._columns[ITEM].values

    @property
    def values(self) -> Mapping[str, int]:
        """The values that say which rule a trial has, with their numbers; none where all have one rule."""
        return self._columns[VALUE].values

    @property
    def trials(self) -> int:
        """How many trials there are."""
        return len(self._columns[CELL].numbers)

    def column(self, name: str) -> Any:
        """The numbers of the cells or items of all trials, as a NumPy array."""
        return np.frombuffer(self._columns[name].numbers, np.uint32)

    def codes(self, reading: int) -> Any:
        """The label codes of a reading, as a NumPy array."""
        return np.frombuffer(self._codes[reading + 1], np.uint8)

    @cached_property
    def _patterns(self) -> tuple[Mapping[str, int], Mapping[tuple[int, ...], int]]:
        """The places of columns, and how many trials have which cell, value and codes (named by their readings)."""
        columns: dict[str, Sequence[int]] = {
            name: one.numbers for name, one in self._columns.items() if name != ITEM and one.numbers
        }
        columns |= {str(reading): codes for reading, codes in enumerate(self._codes, STORED)}
        return {name: at for at, name in enumerate(columns)}, row_times(list(columns.values()))

    def times(self, *columns: str) -> list[tuple[int, ...]]:
        """The distinct values of some columns (cells, values, codes), each row with its number of trials at the end."""
        places, patterns = self._patterns
        if not patterns:
            return []
        wanted = [places[name] for name in columns]
        times: Counter[tuple[int, ...]] = Counter()
        for pattern, n in patterns.items():
            times[tuple([pattern[at] for at in wanted])] += n
        return [(*values, n) for values, n in times.items()]

    def met(self, reading: int, beside: int) -> dict[Cell, dict[tuple[int, int], int]]:
        """For each cell how often which code of one reading met which of another, given as (beside's, reading's)."""
        cells = list(self.cells)
        by_cell: dict[Cell, dict[tuple[int, int], int]] = {}
        columns = [CELL, str(beside), *([str(reading)] if reading != beside else [])]
        for cell, code, *other, times in self.times(*columns):
            by_cell.setdefault(cells[cell], {})[code, other[0] if other else code] = times
        return by_cell

    def total(self, reading: int, beside: int) -> dict[tuple[int, int], int]:
        """The same over all trials."""
        columns = [str(beside), *([str(reading)] if reading != beside else [])]
        return {(code, other[0] if other else code): times for code, *other, times in self.times(*columns)}

    def counted(self, reading: int) -> Counter[int]:
        """How often which label code is there."""
        return Counter({code: times for code, *_, times in self.times(str(reading))})

    def by_value(self) -> dict[tuple[str, int, int], int]:
        """For each value that says a rule how often which stored label met which by the rule, which is the last."""
        values, last = list(self.values), str(len(self._codes) - 2)
        rows = self.times(VALUE, str(STORED), last) if values else ()
        return {(values[value], stored, code): times for value, stored, code, times in rows}

    def _labels(self, readings: Sequence[int], undefined: Undefined) -> tuple[list[list[bool | None]], list[int]]:
        """The labels of each reading by pattern, and how many trials each pattern has."""
        *columns, times = (
            zip(*self.times(*map(str, readings)), strict=True) if self.trials else [[]] * (len(readings) + 1)
        )
        return [[label_of(code, undefined) for code in column] for column in columns], list(times)

    def alike(self, readings: int, undefined: Undefined) -> list[int]:
        """A number for the stored label and each reading: the same for those whose labels are equal throughout."""
        numbers: dict[tuple[bool | None, ...], int] = {}
        columns, _ = self._labels(range(STORED, readings), undefined)
        return [numbers.setdefault(tuple(labels), len(numbers)) for labels in columns]

    def apart(self, readings: Sequence[int], undefined: Undefined) -> dict[tuple[int, int], int]:
        """On how many trials, both of which have a label, two readings differ, by their places."""
        columns, times = self._labels(readings, undefined)
        return {
            (i, j): sum(n for a, b, n in zip(columns[i], columns[j], times, strict=True) if {a, b} == {True, False})
            for j in range(len(columns)) for i in range(j)
        }  # fmt: skip

    def flips(self, readings: Sequence[int], reference: int, undefined: Undefined) -> int:
        """How many trials change their label under any of these readings."""
        (before, *others), times = self._labels([reference, *readings], undefined)
        rows = zip(before, zip(*others, strict=True), times, strict=True)
        return sum(n for label, labels, n in rows if label is not None and (not label) in labels)
