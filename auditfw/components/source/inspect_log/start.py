"""The first samples of a log: which columns and scores there are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from auditfw.core.errors import DataError

from .decoding import without_events
from .head import LogHead
from .logs import Log
from .rows import Row, RowReader
from .samples import COLUMNS, LogSample, SampleRules, SampleText
from .scores import UNSCORED, ScoreRules

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
