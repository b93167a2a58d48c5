"""From the samples of a log to rows: the columns that are wanted, and no other part of a sample is looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar

from auditfw.core.errors import DataError

from .decoding import faults, sample_of, strictly, unfit, without_events
from .head import LogHead
from .logs import Log
from .samples import COLUMNS, CONSTANTS, PLAIN, TEXTS, LogSample, SampleRules, SampleText
from .scores import UNSCORED, ScoreRules

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


# The first samples of a log: which columns and scores there are.

MOST_SAMPLES = 100
START_ROOM = 1 << 17


@dataclass(frozen=True)
class LogStart:
    """The first samples of a log; `whole` says that there is no other, `keys` are the scorers with scores there."""

    texts: tuple[SampleText, ...]
    keys: tuple[str, ...]
    whole: bool

    def scorers(self, head: LogHead) -> list[str]:
        """The scorers of the log, those that its head declares first; only those that have scores, if any has."""
        declared = [one.key for one in head.scorers]
        if not self.keys:
            return declared
        return [key for key in declared if key in self.keys] + [key for key in self.keys if key not in declared]

    def rows(self, rules: SampleRules) -> list[Row]:
        """The samples as rows of all columns; null where a value cannot be read, which whoever reads it reports."""
        reader = RowReader(rules, frozenset())
        return [reader.opened(text, _glimpse) for text in self.texts]


def start_of(log: Log, most: int) -> LogStart:
    """Reads the first samples, of so many bytes at most. Raises DataError."""
    reader = RowReader(SampleRules("", "", None, "", "", ScoreRules()), frozenset())
    texts: list[SampleText] = []
    keys: dict[str, None] = {}
    size = 0
    for text in chain.from_iterable(group.samples() for group in log.groups(START_ROOM)):
        texts.append(text._replace(data=without_events(text.data)))
        keys.update(dict.fromkeys(reader.opened(text, lambda sample: list(sample.scores()))))
        size += len(text.data)
        if size >= most or len(texts) >= MOST_SAMPLES:
            break
    return LogStart(tuple(texts), tuple(key for key in keys if key), len(texts) == log.count)


def _glimpse(sample: LogSample) -> Row:
    """All columns of a sample, null where a value cannot be read."""
    row: Row = {}
    for column in (*COLUMNS, *sample.further):
        try:
            value = sample.value(column)
        except DataError:
            value = None
        row[column] = None if value is UNSCORED else value
    return row
