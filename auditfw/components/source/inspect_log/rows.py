"""From the samples of a log to rows: the columns that are wanted, and no other part of a sample is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

from .decoding import faults, sample_of, strictly, unfit
from .samples import COLUMNS, CONSTANTS, PLAIN, TEXTS, LogSample, SampleRules, SampleText
from .scores import UNSCORED

UNSCORED_BUCKET = "unscored"
Row = dict[str, Any]
T = TypeVar("T")


class RowReader:
    """Makes rows of samples, with the wanted columns (None: all there are), and counts what it leaves out and notes."""

    def __init__(self, rules: SampleRules, wanted: frozenset[str] | None) -> None:
        self.dropped, self.notes = Counter[str](), Counter[str]()
        self._rules, self._wanted = rules, wanted
        self._own: Counter[str] = Counter()
        self._constants = {name: value(rules) for name, value in CONSTANTS.items() if wanted is None or name in wanted}
        self._plain = [pair for pair in PLAIN.items() if wanted is None or pair[0] in wanted]
        self._texts = [pair for pair in TEXTS.items() if wanted is None or pair[0] in wanted]
        self._further = wanted is None or not wanted.issubset(COLUMNS)

    def row(self, text: SampleText) -> Row | None:
        """The row of a sample; None where it was left unscored, which is counted. Raises DataError."""
        row = self.opened(text, lambda sample: self._row(sample, text.name))
        if row.get("stored") is UNSCORED and "unscored" in row:  # who asks for these reads them as well
            row["stored"] = None
        elif row.get("stored") is UNSCORED:
            self.dropped[UNSCORED_BUCKET] += 1
            return None
        return row

    def opened(self, text: SampleText, read: Callable[[LogSample], T]) -> T:
        """What is read of a sample: decoded quickly, and where that fails strictly. Raises DataError."""
        try:
            value = read(LogSample(self._rules, text.where, sample_of(text.data), self._own))
        except faults():
            self._own.clear()
            data = strictly(text.data, text.where, self._own)
            try:
                value = read(LogSample(self._rules, text.where, sample_of(data), self._own))
            except faults() as error:
                raise unfit(text.where, error) from None
        if self._own:
            self.notes.update(self._own)
            self._own.clear()
        return value

    def _row(self, sample: LogSample, name: str) -> Row:
        sample.check(name)
        row = dict(self._constants)
        for column, value in self._plain:
            row[column] = value(sample)
        for column, value in self._texts:
            row[column] = sample.resolved(column, value(sample))
        if self._further:
            wanted = self._wanted
            row |= {column: sample.value(column) for column in sample.further if wanted is None or column in wanted}
        return row
