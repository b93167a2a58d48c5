"""What several questions need of the table of labels: labels, rules, items and values of its rows as numbers.

`facts(rows)` makes them once; each is made when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from auditfw.audits.parsing.engine.plan import MISSING, TRUE
from auditfw.core.imports import NDArray, np
from auditfw.core.records import Value
from auditfw.core.results.findings import FindingKind, NotChecked
from auditfw.core.tables import NO_CODE
from auditfw.kinds.questions import LabelRows

if TYPE_CHECKING:
    from auditfw.formulas.rows.label_lags import RowGroup, ValueLabels

    Flags = NDArray[np.bool_]
    Codes = NDArray[np.int32]

STORED: Mapping[str, str] = {"stored": "no trial has a stored label"}
ITEM: Mapping[str, str] = {"item|question": "no column says which rows are of one item"}
TEXT: Mapping[str, str] = {"raw_text": "no texts are read"}
REPEATS = frozenset({"repeat", "epoch", "run", "attempt", "trial", "seed"})  # columns that number repeats
RULED = frozenset({"filter", "scorer", "metric", "assertion"})  # columns whose values are rules
MODELS = frozenset({"row.model", "model", "system"})
MOST_ALIKE = 0.5  # of the rows or items with one question: more of them have a form in its place
KNOWN_RULE = 0.9  # of the labelled rows that a rule must label


class ValueColumn(NamedTuple):
    """A column by whose values rows are grouped: its name as people know it, the values, and each row's number."""

    name: str
    column: str
    values: Sequence[str]
    numbers: Codes

    def value(self, number: int) -> str | None:
        """The value of a number; None for that of rows without one."""
        return None if number < 0 else self.values[number]


@dataclass(frozen=True)
class KnownRule:
    """What gives the stored labels, as far as the run knows: by name, what it calls right, and where it misses."""

    name: str
    right: Flags
    misses: Flags


@dataclass
class RowFacts:
    """The facts of one table."""

    rows: LabelRows

    @cached_property
    def stored(self) -> NDArray[np.uint8]:
        codes: NDArray[np.uint8] = self.rows.numbers("code.stored").copy()
        return codes

    @cached_property
    def labelled(self) -> Flags:
        """The audited rows with a stored label."""
        flags: Flags = self.stored < MISSING
        return flags

    @cached_property
    def right(self) -> Flags:
        flags: Flags = self.stored == TRUE
        return flags

    @cached_property
    def labels(self) -> int:
        return int(self.labelled.sum())

    @cached_property
    def rules(self) -> Mapping[str, Flags]:
        """What each rule calls right: the readings that fit and label nearly all of these rows, then the baseline."""
        names = [name for name in self.rows.readings if name not in self.rows.unfit]
        names += ["baseline"] if self.rows.has("code.baseline") else []
        known = {}
        for name in dict.fromkeys(names):
            codes = self.rows.numbers(f"code.{name}")
            labelled = int(((codes != NO_CODE) & (codes != MISSING) & self.labelled).sum())
            if self.labels and labelled >= KNOWN_RULE * self.labels:
                known[name] = codes == TRUE
        return known

    @cached_property
    def telling(self) -> Mapping[str, Flags]:
        """The rules that call some labelled rows right and some wrong."""
        return {name: right for name, right in self.rules.items() if 0 < (right & self.labelled).sum() < self.labels}

    @cached_property
    def best(self) -> KnownRule | None:
        """The rule that misses the fewest stored labels, of equal ones the first; None where there is no rule."""
        pool = self.telling or self.rules
        if not pool or not self.labels:
            return None
        misses = {name: self.labelled & (right != self.right) for name, right in pool.items()}
        name = min(pool, key=lambda one: int(misses[one].sum()))
        return KnownRule(name, pool[name], misses[name])

    @property
    def reproduced(self) -> bool:
        """Whether a rule that is no reading of the run gives nearly all stored labels."""
        missed = self.rows.missed
        return missed is not None and missed <= self.mismatch * self.labels

    @property
    def mismatch(self) -> float:
        """The share of labels that a rule may miss and yet be theirs."""
        return float(self.rows.settings.mismatch) / 100

    @cached_property
    def columns(self) -> Sequence[ValueColumn]:
        """The columns of cells, and that of the models where it is none of these."""
        names = list(self.rows.by)
        if self.rows.models is not None and MODELS.isdisjoint(names):
            names.insert(0, self.rows.models)
        columns = [ValueColumn(shown(name), name, *self.rows.numbered(name)) for name in names]
        return [column for column in columns if column.values]

    @cached_property
    def ruling(self) -> Sequence[ValueColumn]:
        """Those whose values choose a rule."""
        ruled = {self.rows.settings.ruled_by, *RULED}
        return [column for column in self.columns if column.name in ruled]

    @cached_property
    def unruled(self) -> Sequence[ValueColumn]:
        """The others."""
        return [column for column in self.columns if column not in self.ruling]

    @cached_property
    def models(self) -> Sequence[ValueColumn]:
        """The column of the models, else all columns by which rows are compared."""
        if self.rows.models is None:
            return self.unruled
        return [column for column in self.columns if column.name in (shown(self.rows.models), *MODELS)]

    @cached_property
    def items(self) -> Codes:
        """The number of each row's item, else of its question with its options; -1 where there is neither."""
        from auditfw.formulas.rows.copies import joined

        if self.rows.has("row.item"):
            return self.rows.numbered("row.item").numbers
        if not self.rows.has("row.question"):
            return np.full(self.rows.n, -1, np.int32)
        questions = self.rows.numbers("row.question").copy()
        options = [self.rows.numbers("row.options")] if self.rows.has("row.options") else []
        _, numbers, counts = np.unique(joined(questions, *options), return_inverse=True, return_counts=True)
        if counts.max() > MOST_ALIKE * len(questions):  # what is asked stands elsewhere
            return np.full(self.rows.n, -1, np.int32)
        return np.where(questions == 0, -1, numbers).astype(np.int32)

    @cached_property
    def known_items(self) -> bool:
        """Whether every row has an item."""
        return bool(self.rows.n and (self.items >= 0).all())

    @cached_property
    def truths(self) -> tuple[NDArray[np.uint64], Codes]:
        """The distinct keys of truths, and the number of each row's among them; -1 for none."""
        keys = self.rows.numbers("row.truth_key")
        distinct = np.unique(keys)
        none = int(len(distinct) > 0 and distinct[0] == 0)
        return distinct[none:], (np.searchsorted(distinct, keys) - none).astype(np.int32)

    @cached_property
    def keys(self) -> tuple[Codes, Codes]:
        """The numbers of answers and truths; -1 for none, one number for all answers that are no truth."""
        (distinct, truths), answers = self.truths, self.rows.numbers("row.answer_key")
        at = np.searchsorted(distinct, answers)
        other = np.append(distinct, np.uint64(0))[at] != answers
        return np.where(answers == 0, -1, np.where(other, len(distinct), at)).astype(np.int32), truths

    @cached_property
    def pairs(self) -> Sequence[tuple[ValueColumn, ValueLabels]]:
        """The labels by each column of models, for pairs that are resolved."""
        from auditfw.formulas.rows.label_lags import MANY, ValueLabels

        few = [column for column in self.models if 2 <= len(column.values) <= MANY]
        return [(one, ValueLabels(one.numbers, self.items, self.right, self.labelled)) for one in few]

    def turned(self, left_out: Flags) -> str:
        """A resolved pair that turns without these rows, in words; "" for none."""
        for column, labels in self.pairs:
            for i, j in labels.turned(~left_out):
                return f"without them {column.values[j]} is better than {column.values[i]}, not worse"
        return ""

    def rate(self, kept: Flags | None = None) -> float | None:
        """The share of the labelled rows, of those kept, that is right, in percent."""
        flags = self.labelled if kept is None else self.labelled & kept
        n = int(flags.sum())
        return 100 * int((self.right & flags).sum()) / n if n else None


def unchecked(kind: FindingKind, rows: LabelRows, why: str) -> Iterator[NotChecked]:
    """That a kind could not be looked for, where no column is lacking altogether, as the run says unasked."""
    if kind.lacking(rows.columns) is None:
        yield kind.unchecked(why)


def no_value(needs: Mapping[str, str]) -> str:
    """Why it could not be looked for where such a column is there without any value."""
    return f"{next(iter(needs.values()))}: source.columns.{next(iter(needs)).partition('|')[0]} holds nothing"


def facts(rows: LabelRows) -> RowFacts:
    """The facts of a table, made once."""
    return rows.of(RowFacts)


def shown(column: str) -> str:
    """The name of a column as people know it."""
    return "model" if column == "row.model" else column.removeprefix("cell.")


def cell_of(group: RowGroup, columns: Sequence[ValueColumn]) -> dict[str, Value]:
    """The cell of a group of rows; {} for all of them."""
    return {} if group.whole else {columns[group.column].name: columns[group.column].value(group.value)}


def where(cell: Mapping[str, Any]) -> str:
    """A cell in words, before a sentence: `Where model = n, `; "" for the whole."""
    return f"Where {', '.join(f'{name} = {value}' for name, value in cell.items())}, " if cell else ""
