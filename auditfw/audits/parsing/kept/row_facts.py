"""What a log says of each completion apart from its text: how it ended, tokens, limit, how many were planned."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

from auditfw.core.errors import DataError, UsageError, nearest
from auditfw.core.imports import pl
from auditfw.core.records import Batch
from auditfw.formulas.budget.ended import FILTER, KINDS, OTHER, UNRECORDED, ending_codes
from auditfw.kinds.capabilities import capability

STOP, TOKENS, REASON, PLANNED = "stop", ("tokens_in", "tokens_out", "limit"), "reason", "planned"
FACTS = (STOP, *TOKENS, REASON, PLANNED)
ENDED = "row.ended"
PLACE, UNSTORED = "#place", "unstored"
COLUMNS = (ENDED, *(f"row.{name}" for name in TOKENS))
MOST_TOKENS = 2**32 - 1
NONE = 2**64 - 1  # in a column that is sent: no number
REFUSAL = "refusal"  # the reason of a row that the model refused
NO_NUMBER = frozenset({"", "none", "null", "nan", "n/a", "na"})


@dataclass(frozen=True, kw_only=True)
class EndSettings:
    """How it is known that completions ended: the settings of the parsing audit for that.

    `stops` are further words for endings, by kind; `unfinished` says what shows that a completion did not finish: what
    is `recorded`, the `text` alone, both (`auto`) or `none`; `limit` is the limit of all trials in tokens, `planned`
    how many trials there should be.
    """

    stops: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unfinished: Literal["auto", "recorded", "text", "none"] = "auto"
    limit: int | None = None
    planned: int | None = None

    def check_ends(self) -> None:
        """Raises UsageError for a kind of ending that is none, a word of two kinds, and numbers that are none."""
        for kind in self.stops:
            if kind not in KINDS:
                known = ", ".join(KINDS)
                raise UsageError(
                    f"stops.{kind}", f"no such kind of ending (known: {known})", None, nearest(kind, [*KINDS])
                )
        try:
            ending_codes(self.stops)
        except ValueError as error:
            raise UsageError("stops", str(error), None, "keep one") from None
        for name in ("limit", "planned"):
            number = getattr(self, name)
            if number is not None and not 1 <= number <= MOST_TOKENS:
                raise UsageError(name, f"expected a whole number from 1 to {MOST_TOKENS:,}", number)

    @property
    def ends(self) -> RowEnds:
        """What reads the endings of rows."""
        return RowEnds(tuple((kind, tuple(words)) for kind, words in self.stops.items()), self.limit)


@dataclass
class FactCounts:
    """What is counted of these facts: words for endings that are not known, and the rows that each file planned.

    `planned` has for each file the numbers that its rows name, how many rows were read, and the cells of these;
    `unstored` counts the rows of which the source says that no label of theirs was stored.
    """

    words: Counter[str] = field(default_factory=Counter)
    unstored: int = 0
    planned: dict[str, PlannedRows] = field(default_factory=dict)

    def merge(self, other: FactCounts) -> None:
        """Adds those of a later batch."""
        self.words.update(other.words)
        self.unstored += other.unstored
        for file, rows in other.planned.items():
            self.planned.setdefault(file, PlannedRows()).merge(rows)


@dataclass
class PlannedRows:
    """The numbers of rows that a file says were planned, and how many were read, in which cells."""

    numbers: set[int] = field(default_factory=set)
    read: int = 0
    cells: set[tuple[Any, ...]] = field(default_factory=set)

    def merge(self, other: PlannedRows) -> None:
        self.numbers |= other.numbers
        self.read += other.read
        self.cells |= other.cells


@dataclass(frozen=True)
class RowEnds:
    """Reads how the rows of a batch ended; `further` are words by kind, `limit` that of all trials."""

    further: tuple[tuple[str, tuple[str, ...]], ...] = ()
    limit: int | None = None

    @cached_property
    def _codes(self) -> Mapping[Any, int]:
        return ending_codes(dict(self.further))

    def of(self, batch: Batch, by: Mapping[str, Sequence[Any]]) -> tuple[dict[str, Any], FactCounts]:
        """The columns of its rows, as they are sent, and what is counted. Raises DataError.

        `by` are the columns of cells.
        """
        columns, rows = batch.columns, len(batch)
        counts = FactCounts(unstored=sum(value is True for value in columns.get(UNSTORED, ())))
        places = columns.get(PLACE) or [""] * rows
        made: dict[str, Any] = {ENDED: self._ended(columns.get(STOP), columns.get(REASON), rows, counts.words)}
        for name in TOKENS:
            values = columns.get(name) or ()
            if name == "limit" and self.limit is not None:
                values = [self.limit] * rows
            made[f"row.{name}"] = array("Q", _numbers(values, name, places) or [NONE] * rows)
        planned = set(_numbers(columns.get(PLANNED, ()), PLANNED, places)) - {NONE}
        if planned:
            cells = set(zip(*by.values(), strict=True)) if by else {()}
            file = str(places[0]).rpartition(":")[0]
            counts.planned[file] = PlannedRows(planned, rows + batch.dropped.total(), cells)
        return made, counts

    def _ended(
        self, values: Sequence[Any] | None, reasons: Sequence[Any] | None, rows: int, unknown: Counter[str]
    ) -> bytes:
        """The codes of endings; where a reason says that the model refused, that of a filter."""
        ended = bytes([UNRECORDED]) * rows if values is None else self._coded(values, unknown)
        if reasons is None or REFUSAL not in reasons:
            return ended
        return bytes(FILTER if reason == REFUSAL else code for reason, code in zip(reasons, ended, strict=True))

    def _coded(self, values: Sequence[Any], unknown: Counter[str]) -> bytes:
        codes = self._codes
        known: dict[Any, int] = {None: UNRECORDED}
        for value, times in Counter(map(_word, values)).items():
            if value is not None:
                word = value.strip().casefold()
                known[value] = codes.get(word, OTHER)
                if word not in codes:
                    unknown[value.strip()] += times
        return bytes(known[_word(value)] for value in values)


def _word(value: Any) -> str | None:
    return value if value is None or type(value) is str else str(value)


def _numbers(values: Sequence[Any], name: str, places: Sequence[str]) -> Sequence[int]:
    """The numbers of a column, NONE where a row has none. Raises DataError."""
    if set(map(type, values)) == {int} and 0 < min(values) <= max(values) <= MOST_TOKENS:
        return values
    if set(map(type, values)) == {type(None)}:
        return [NONE] * len(values)
    return [_tokens(value, name, partial(places.__getitem__, i)) for i, value in enumerate(values)]


def _tokens(value: Any, name: str, where: Callable[[], str]) -> int:
    """A number of tokens; NONE where there is none. Raises DataError for what is no such number."""
    if value is None or (type(value) is int and 0 < value <= MOST_TOKENS):
        return NONE if value is None else value
    number: Any = value
    if isinstance(value, str):
        text = value.strip()
        if text.lower() in NO_NUMBER:
            return NONE
        try:
            number = float(text)
        except ValueError:
            number = None
    if isinstance(number, float) and math.isnan(number):  # not a number: as tables have what is missing
        return NONE
    whole = not isinstance(number, bool) and isinstance(number, int | float) and number == number // 1
    if not whole or not 0 <= number <= MOST_TOKENS:
        do = f"correct it, or name another column: source.columns.{name}=THEIRS"
        raise DataError(where(), f"{name}: expected a whole number of tokens", value, do)
    if name == "limit" and number == 0:
        raise DataError(where(), "limit: a limit of 0 tokens", None, "leave it out where there is none")
    return int(number)


def written_facts() -> dict[str, pl.Expr]:
    """What a run writes of these columns."""
    known = pl.when(pl.col(ENDED).is_not_null()).then(pl.col(ENDED))  # as `fill_null`, by one thread
    facts = {ENDED: known.otherwise(pl.lit(UNRECORDED, pl.UInt8))}
    names = (f"row.{name}" for name in TOKENS)
    return facts | {name: pl.when(pl.col(name) <= MOST_TOKENS).then(pl.col(name)).cast(pl.UInt32) for name in names}


def unknown_words(words: Mapping[str, int]) -> str:
    """The warning about words for endings that are not known."""
    listed = ", ".join(
        f"'{word}' ({n:,})" for word, n in sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
    )
    more = f" and {len(words) - 5:,} more" if len(words) > 5 else ""
    kinds = ", ".join(kind for kind in KINDS if kind != "unknown")
    return f"stop: {listed}{more}: no known ending, taken for none of a limit; audit.stops={{KIND: [WORD]}} ({kinds})"


def check_planned(facts: FactCounts, read: int, audit: EndSettings, declared: bool) -> None:
    """Refuses fewer planned trials than were read. Raises DataError.

    `declared` says that a column of them was named by the user: what a log says of itself may be out of date.
    """
    do = "correct it, or leave it out where trials were added later"
    if audit.planned is not None and audit.planned < read:
        raise DataError("audit.planned", _too_few(audit.planned, read), None, do)
    for file, rows in facts.planned.items() if declared else ():
        numbers = sorted(rows.numbers)
        if len(numbers) > 1:
            listed = ", ".join(f"{number:,}" for number in numbers[:5])
            raise DataError(file, "the rows of one file do not agree on how many trials were planned", listed, do)
        if numbers[0] < rows.read:
            raise DataError(file, _too_few(numbers[0], rows.read), None, do)


def _too_few(planned: int, read: int) -> str:
    return f"planned is {planned:,}, but {read:,} trials were read"


def absent_rows(facts: FactCounts, read: int, audit: EndSettings) -> list[tuple[int, tuple[Any, ...] | None]]:
    """How many trials were planned and are not there, by file, with the cell of a file that is in one cell."""
    if audit.planned is not None:
        return [(audit.planned - read, None)] if audit.planned > read else []
    return [
        (min(rows.numbers) - rows.read, next(iter(rows.cells)) if len(rows.cells) == 1 else None)
        for rows in facts.planned.values()
        if len(rows.numbers) == 1 and min(rows.numbers) > rows.read
    ]


def fact_columns(source: object) -> list[str]:
    """The columns of these facts that are read of a source; one called reason is another thing in a plain table."""
    mapped = REASON in capability(source, "columns", {}) or bool(capability(source, "logs", ""))
    return [name for name in FACTS if name != REASON or mapped]
