"""A batch of trials as the parsing audit reads it: which are audited, their truths, cells, stored labels and texts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress
from operator import not_
from typing import Any, NamedTuple

from auditfw.audits.parsing.engine.kernels import Column
from auditfw.audits.parsing.engine.plan import FALSE, MISSING, TRUE
from auditfw.audits.parsing.engine.reference import Truth, alternatives
from auditfw.core.records import Batch, Value
from auditfw.core.sampling import ranked
from auditfw.formulas.texts.truth_kinds import kinds_of
from auditfw.kinds.capabilities import capability
from auditfw.kinds.text import TextBeside, with_columns

from .table import NumberedColumn

UNKNOWN = 7
AUDITED, NO_RULE = "audited", "no_rule"
FAILED, LATE = "error", "timeout"  # of rows on which a component failed, or was late
BUCKET = "unknown_stored"  # of rows whose stored label is neither true nor false
UNSCORED = "unscored"  # of rows that their scorer left without a score; the column that says so
BUCKETS = (AUDITED, "no_ground_truth", "sample_error", NO_RULE, BUCKET, UNSCORED)
ERROR = "error"  # the column that says that a sample ended in an error
PLACE = "#place"  # FILE:LINE of a row
MODELS = ("model", "system")  # the column of the model behind a trial, the first of these that is read
ITEM = "item"  # the column of the question, problem or pair behind a trial
PROBED = (QUESTION, OPTIONS) = "question", "options"  # the columns that only the probe reads
UNSTORED = "unstored"  # the column that says true where no answer was stored: a later repeat
REASONING = "reasoning"  # the column of the reasoning apart from the text
NO_ERROR = frozenset({"", "0", "false", "none", "nan", "null", "na", "n/a", "<na>"})
PLAIN = frozenset({str, int, float, bool, type(None)})
SUSPECT = frozenset({"None", "none", "nan", "NaN", "null", "NULL", "NA", "N/A", "n/a", "<NA>"})


def optional_columns(kept: bool, probed: bool = False) -> list[str]:
    """The columns that are read where a source has them; with `kept` texts the reasoning apart from them too."""
    further = [*([REASONING] if kept else []), *(PROBED if probed else ())]
    return ["id", "raw_text", "parsed_text", "stored", ITEM, ERROR, UNSTORED, *further]


class Labels(NamedTuple):
    """The texts that are true and false stored labels, and whether rows with others are `counted`, not refused.

    `ruled` is a column and those of its values that have a rule: rows of others are not audited.
    """

    true: frozenset[str]
    false: frozenset[str]
    counted: bool
    ruled: tuple[str, frozenset[str]] | None = None


class TrialBatch:
    """What a batch gives to every work of the same settings; texts, truths and labels are of the rows that are kept."""

    def __init__(
        self, batch: Batch, truth: Any, by: tuple[str, ...], labels: Labels, needs: Sequence[str] = ()
    ) -> None:
        self._columns, self._truth_by, self._labels = batch.columns, truth, labels
        self._ranks: dict[int, list[bytes]] = {}
        self.suspects: Counter[str] = Counter()
        self.unmapped: Counter[str] = Counter()
        truths = self._truths(self._columns["ground_truth"])
        self.rows, self.every_truth = len(truths), truths
        self.failed = self._failed()
        self._there = [truth is not None and i not in self.failed for i, truth in enumerate(truths)]
        self.unscored = [
            i for i, value in enumerate(self._columns.get(UNSCORED, ())) if value is True and self._there[i]
        ]
        for i in self.unscored:
            self._there[i] = False
        self._values = self._ruling()
        self.ruleless = self._without_rule()
        self.kept = list(compress(range(self.rows), self._there))
        self.stored = self._stored()
        self.strange: list[int] = []
        self.first_unmapped = ("", "")
        if (
            UNKNOWN in self.stored
        ):  # may drop rows from `kept` and `stored`, so before all that is made of the rows kept
            self._note_unmapped()
        self.truths: list[Truth] = [truths[i] for i in self.kept]  # type: ignore[misc]  # none of them is None
        self.ids = self._of_kept(self._columns["id"])
        self.items = self._items()
        self.by = {name: as_values(self._columns[name]) for name in by}
        self.cells = self._cells()
        self._needs = {name: self._of_kept(self._columns[name]) for name in needs}
        self.raw, self.parsed = self._texts("raw_text"), self._texts("parsed_text")
        self.values: list[str] = self._of_kept(self._values) if self._values else []

    @cached_property
    def names(self) -> list[str]:
        """The ids of the rows kept, as text."""
        return self.ids if {str}.issuperset(map(type, self.ids)) else list(map(str, self.ids))

    @cached_property
    def numbered(self) -> tuple[NumberedColumn, NumberedColumn | None, NumberedColumn | None]:
        """The cells of the rows kept, their items, and the values that say their rules."""
        return (
            NumberedColumn.of(self.cells),
            None if self.items is None else NumberedColumn.of(self.items),
            NumberedColumn.of(self.values) if self.values else None,
        )

    def ranks(self, seed: int) -> list[bytes]:
        """The place of every row in seeded draws of trials: made of the seed and the row's id."""
        if seed not in self._ranks:
            ids = list(map(str, self._columns["id"]))
            self._ranks[seed] = [rank for rank, _ in ranked((seed, "trial"), ids, list(range(len(ids))), None)]
        return self._ranks[seed]

    @cached_property
    def buckets(self) -> bytes:
        """Of every row the number of its bucket, as far as that does not depend on a reading."""
        numbers = bytearray(map(not_, self._there))  # audited, or without a ground truth
        others = (
            (self.failed, "sample_error"),
            (self.ruleless, NO_RULE),
            (self.strange, BUCKET),
            (self.unscored, UNSCORED),
        )
        for rows, bucket in others:
            for row in rows:
                numbers[row] = BUCKETS.index(bucket)
        return bytes(numbers)

    @cached_property
    def places(self) -> list[int]:
        """Of every row its number among those that are kept; of the others how many are kept."""
        numbers = [len(self.kept)] * self.rows
        for number, row in enumerate(self.kept):
            numbers[row] = number
        return numbers

    @cached_property
    def kinds(self) -> Counter[str]:
        """How many truths are of which kind."""
        return kinds_of(self.truths)

    @property
    def unstored(self) -> list[int]:
        """The rows kept of which the source says that no answer of theirs was stored."""
        column = self._columns.get(UNSTORED)
        return [] if column is None else [i for i, value in enumerate(self._of_kept(column)) if value is True]

    def _ruling(self) -> list[str]:
        """The value of each row that says which rule it has; nothing where all have one rule."""
        if self._labels.ruled is None:
            return []
        return [value if type(value) is str else as_text(value) for value in self._columns[self._labels.ruled[0]]]

    def _without_rule(self) -> list[int]:
        """The rows whose value has no rule: they are not audited."""
        if self._labels.ruled is None:
            return []
        known = self._labels.ruled[1]
        rows = [i for i, value in enumerate(self._values) if self._there[i] and value not in known]
        for i in rows:
            self._there[i] = False
        return rows

    def ruleless_values(self) -> Counter[str]:
        """The values without a rule, and how many rows have them."""
        return Counter(self._values[i] for i in self.ruleless)

    def _failed(self) -> frozenset[int]:
        """The samples that ended in an error: without an output, and without a stored label."""
        errors = self._columns.get(ERROR)
        if errors is None:
            return frozenset()
        rows = [i for i, value in enumerate(errors) if _is_error(value)]
        proofs = [self._columns[name] for name in ("raw_text", "parsed_text", "stored") if name in self._columns]
        return frozenset(i for i in rows if all(column[i] in (None, "") for column in proofs))

    def _truths(self, values: Sequence[Any]) -> list[Truth | None]:
        """The truths of a column, each distinct text made once."""
        needs = {} if self._truth_by is None else capability(self._truth_by.part, "needs", ())
        if needs:
            beside = zip(*(self._columns[name] for name in needs), strict=True)
            rows = zip(values, beside, strict=True)
            return [self._truth(value, dict(zip(needs, of_row, strict=True))) for value, of_row in rows]
        if not {str, type(None)}.issuperset(map(type, values)):
            return [self._truth(value) for value in values]
        if self._truth_by is None:
            for text in SUSPECT.intersection(values):
                self.suspects[text] += values.count(text)
            return list(values)
        times = Counter(values)
        by_value = {value: self._truth(value) for value in times}
        for text in SUSPECT & times.keys():
            self.suspects[text] += times[text] - 1
        return list(map(by_value.__getitem__, values))

    def _truth(self, value: Any, beside: Mapping[str, Any] | None = None) -> Truth | None:
        """A trial's truth as text, or several of them; None where there is none."""
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            return self._true_text(as_text(value), beside)
        truths = tuple(self._true_text(as_text(part), beside) for part in flat(value))
        return truths if len(truths) > 1 else truths[0] if truths else None

    def _true_text(self, text: str, beside: Mapping[str, Any] | None = None) -> str:
        if text in SUSPECT:
            self.suspects[text] += 1
        whole = text if beside is None else TextBeside(text, beside)
        truth: str = text if self._truth_by is None else self._truth_by.part(whole)
        return truth

    def _cells(self) -> list[tuple[Value, ...]]:
        if not self.by:
            return [()] * len(self.kept)
        return list(zip(*map(self._of_kept, self.by.values()), strict=True))

    def _items(self) -> list[str | None] | None:
        """The item of each trial as text, None for one without; None where the source has no such column."""
        column = self._columns.get(ITEM)
        if column is None:
            return None
        return [value if type(value) is str or value is None else as_text(value) for value in self._of_kept(column)]

    def _of_kept(self, values: Sequence[Any]) -> list[Any]:
        """The values of the rows that are kept."""
        return list(compress(values, self._there))

    def _stored(self) -> bytearray:
        column = self._columns.get("stored")
        if column is None:
            return bytearray([MISSING]) * len(self.kept)
        values = self._of_kept(column)
        if any(one.__hash__ is None for one in set(map(type, values))):
            values = [as_text(value) if type(value).__hash__ is None else value for value in values]
        known: dict[Any, int] = {}
        for value, times in Counter(values).items():
            known[value] = self._stored_code(value)
            if known[value] == UNKNOWN:
                self.unmapped[str(value)] += times
        return bytearray(map(known.__getitem__, values))

    def _note_unmapped(self) -> None:
        """Notes the first label that is neither true nor false; where such rows are counted, they are not audited."""
        rows = [i for i, code in zip(self.kept, self.stored, strict=True) if code == UNKNOWN]
        self.first_unmapped = (str(self._columns["id"][rows[0]]), str(self._columns["stored"][rows[0]]))
        if self._labels.counted:
            self.strange = rows
            for i in rows:
                self._there[i] = False
            self.kept = list(compress(range(self.rows), self._there))
            self.stored = self.stored.replace(bytes([UNKNOWN]), b"")

    def _stored_code(self, value: Any) -> int:
        if value is None or value == "":
            return MISSING
        if value == 1 or (text := str(value).strip()) in self._labels.true:
            return TRUE
        return FALSE if value == 0 or text in self._labels.false else UNKNOWN

    def _texts(self, column: str) -> Column:
        values = self._columns.get(column)
        if values is None:
            return None
        kept = list(as_texts(self._of_kept(values), len(self.kept)))
        return with_columns(kept, self._needs) if self._needs else kept


def _is_error(value: Any) -> bool:
    """Whether the value of an error column says that there was an error."""
    if isinstance(value, str):
        return value.strip().lower() not in NO_ERROR
    return bool(value)


def as_text(value: Any) -> str:
    """A value of a text column as text: text stays, numbers as they print, anything nested as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def as_texts(values: Sequence[Any] | None, rows: int) -> Sequence[str | None]:
    """The values of a column as texts; one that is not there holds none."""
    if values is None:
        return [None] * rows
    if {str, type(None)}.issuperset(map(type, values)):
        return values
    return [None if value is None else as_text(value) for value in values]


def flat(values: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from flat(value)
        elif value is not None:
            yield value


def as_values(column: Sequence[Any]) -> list[Value]:
    """A cell column's values: plain ones stay, anything nested as JSON text."""
    if PLAIN.issuperset(map(type, column)):
        return list(column)
    return [value if type(value) in PLAIN else as_text(value) for value in column]


class FlipCause(NamedTuple):
    """Why a label changed: the step, whether it alone did, the direction, and the signs in the texts."""

    step: str
    sufficient: bool
    right: bool
    signs: tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """One trial with its texts: `codes` are its label codes by reading, that of the stored label first.

    `item` is the question or problem behind it, "" where that is not known; `value` says which rule it has, where rows
    have rules of their own; `rank` is its place in draws. `causes` say, once looked for, why a reading changed its
    label, by the number of the reading.
    """

    id: str
    truth: Truth
    cell: tuple[Value, ...]
    codes: bytes
    raw: str | None
    parsed: str | None
    item: str = ""
    value: str | None = None
    rank: bytes = b""
    causes: dict[int, FlipCause] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The characters of the texts."""
        return len(self.raw or "") + len(self.parsed or "")

    @property
    def truths(self) -> tuple[str, ...]:
        return alternatives(self.truth)
