"""Stored repeats of items: the chance that any, or all, of k are right, where a metric asks for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

from auditfw.audits.answers import with_interval
from auditfw.audits.noise import repeats_are
from auditfw.audits.parsing.results import ParsingResults
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.errors import UsageError
from auditfw.core.imports import np
from auditfw.core.records import named_cells
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.formulas.budget.ended import KINDS, NO_LABEL, NO_TRUTH, RIGHT_CODE
from auditfw.formulas.clusters import distinct_codes, row_codes, rows_of_each
from auditfw.formulas.repeats.of_k import OfK, alike, all_of_k, any_of_k
from auditfw.formulas.repeats.repeated import ItemRepeats, asked
from auditfw.kinds.context import Sample
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .budget_facts import FAILED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Whole = NDArray[np.int64]
    Flags = NDArray[np.bool_]

ITEM, MODEL, TEXT, ENDED, STATUS = "row.item", "row.model", "row.text", "row.ended", "status"
COUNTED = ("audited", "error", "timeout", *FAILED)  # statuses of trials; what is no trial is no repeat
BROKEN = frozenset(COUNTED[1:])
NO_ITEM = "no column says which rows are of one item: map source.columns.item"
CHANCES: Mapping[str, OfK] = {"any": any_of_k, "all": all_of_k}


class RepeatedRows:
    """The trials of a table that have an item: a number for the item, the cell and the condition of each."""

    def __init__(self, rows: LabelRows) -> None:
        self.rows = rows
        items, status = rows.numbered(ITEM), rows.numbered(STATUS)
        known = {name: n for n, name in enumerate(status.values)}
        numbers = [known[name] for name in COUNTED if name in known]
        self.at = np.flatnonzero((items.numbers >= 0) & np.isin(status.numbers, numbers))
        self.items, self.number = items.numbers[self.at].astype(np.int64), len(items.values)
        self.failed = np.isin(status.numbers[self.at], [known[name] for name in BROKEN if name in known])
        self.cells = self._codes(rows.by)
        self.conditions = self._codes([*rows.by, MODEL] if rows.has(MODEL) else rows.by)

    def _codes(self, columns: Any) -> Whole:
        """A number for the values of columns, of each trial."""
        return row_codes((self.rows.numbered(name).numbers[self.at] + 1 for name in columns), len(self.at))

    @cached_property
    def groups(self) -> tuple[Whole, Whole, Whole]:
        """The items of one condition each: the item and the cell of each of them, and which of them a trial is of."""
        number = max(1, self.number)
        codes = self.conditions * number + self.items
        distinct, places = distinct_codes(codes, int(codes.max(initial=0)) + 1)
        cells = np.zeros(len(distinct), np.int64)
        cells[places] = self.cells
        return distinct % number, cells, places

    @cached_property
    def cell_groups(self) -> list[tuple[tuple[Any, ...], Any]]:
        """Of each cell, () of all, which items are of it."""
        cells = self.groups[1]
        parts = rows_of_each(cells)
        names = [name for name, _ in self.of_cells]
        return list(zip(names, [slice(None), *(parts if len(names) > 1 else ())], strict=True))

    @cached_property
    def of_cells(self) -> list[tuple[tuple[Any, ...], Any]]:
        """What measurements call each cell, () all of them, with its trials."""
        by = cast(ParsingResults, cast(Any, self.rows).results).context.by
        every: list[tuple[tuple[Any, ...], Any]] = [((), slice(None))]
        if not by or not len(self.at):
            return every
        parts = rows_of_each(self.cells)
        frame = self.rows.frame(self.rows.by)
        values = [frame.row(int(self.at[part[0]])) for part in parts]
        names = [tuple(cell.items()) for cell in named_cells(values, by)]
        return every + list(zip(names, parts, strict=True))

    @cached_property
    def equal(self) -> dict[tuple[Any, ...], float | None]:
        """By cell the share of the items whose repeats have byte-equal texts."""
        if not self.rows.has(TEXT):
            return {}
        texts, (_, _, places) = self.rows.numbers(TEXT)[self.at], self.groups
        there = texts != 0
        repeated, equal = alike(places[there], len(self.groups[0]), texts[there])
        shares = ((name, equal[part][repeated[part]]) for name, part in self.cell_groups)
        return {name: float(share.mean()) if len(share) else None for name, share in shares}

    @cached_property
    def ended_in_error(self) -> Flags:
        """The trials that are recorded as ended by an error."""
        if not self.rows.has(ENDED):
            return np.zeros(len(self.at), bool)
        flags: Flags = self.rows.numbers(ENDED)[self.at] == KINDS["error"]
        return flags

    def labels(self, reading: str) -> tuple[Whole, Flags]:
        """The labels of a reading, 1 right, 0 wrong, -1 none, and which trials are run errors."""
        codes = self.rows.numbers(f"code.{reading}")[self.at]
        most = NO_TRUTH if self.rows.settings.undefined == "zero" else NO_TRUTH - 1
        scored = (codes <= most) & (codes != NO_LABEL)
        labels = np.where(codes == RIGHT_CODE, 1, np.where(scored, 0, -1)).astype(np.int64)
        errors = self.failed | (self.ended_in_error & (labels != 1))
        labels[errors] = -1
        return labels, errors

    def repeats(self, reading: str) -> dict[tuple[Any, ...], ItemRepeats]:
        """The repeats of a reading by cell, () of all."""
        labels, errors = self.labels(reading)
        items, _, places = self.groups
        flags = labels >= 0, labels == 1, errors
        n, c, e = (np.bincount(places[flag], minlength=len(items)).astype(np.int64) for flag in flags)
        return {
            name: ItemRepeats(items[part], self.number, n[part], c[part], e[part], self.equal.get(name))
            for name, part in self.cell_groups
        }


def repeats_of(rows: LabelRows, reading: str) -> dict[tuple[Any, ...], ItemRepeats]:
    """The repeats of a reading by cell, asked once."""
    known: dict[str, Any] = rows.of(_by_reading)
    if reading not in known:
        known[reading] = rows.of(RepeatedRows).repeats(reading)
    own: dict[tuple[Any, ...], ItemRepeats] = known[reading]
    return own


def _by_reading(rows: LabelRows) -> dict[str, Any]:
    return {}


def measures(rows: LabelRows) -> list[tuple[str, OfK, int]]:
    """What the metrics of a run ask: any or all, by which formula, of how many."""
    keeps = cast(ParsingResults, cast(Any, rows).results).context.keeps
    asks = [(name, chance, keep) for name, chance in CHANCES.items() for keep in keeps]
    pairs = ((name, chance, keep.removeprefix(asked(chance, 0)[:-1])) for name, chance, keep in asks)
    wanted = [(name, chance, int(k)) for name, chance, k in pairs if k.isdecimal()]
    return sorted(wanted, key=lambda one: ([*CHANCES].index(one[0]), one[2]))


@declare("question", "repeats")
class StoredRepeats:
    """Any and all of k repeats, where a metric asks for them."""

    finds: ClassVar[tuple[FindingKind, ...]] = ()

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """No finding. Raises UsageError where no item has as many repeats as a metric asks for."""
        wanted = measures(rows)
        if wanted and rows.has(ITEM):
            most = repeats_of(rows, rows.reference)[()].most
            for name, _, k in wanted:
                if k > most:
                    do = f"write k from 1 to {most:,}" if most > 1 else "leave it out: no item has two trials"
                    raise UsageError(f"metrics ({name}_of_k)", f"no item has {k:,} repeats", f"most: {most:,}", do)
            self.sections(rows)  # while the table can be read
        yield from ()

    def measured(self, rows: LabelRows, sample: Sample) -> dict[str, Any]:
        """The repeats of a reading in a cell."""
        if sample.reading.role == "baseline" or not measures(rows):
            return {}
        if not rows.has(ITEM):
            return {"repeats": NO_ITEM}
        return {"repeats": repeats_of(rows, sample.reading.name).get(tuple(sample.cell.items()), NO_ITEM)}

    def sections(self, rows: LabelRows) -> list[Section]:
        """What is asked of the reference, by cell, with what was left out."""
        return rows.of(_sections) if measures(rows) and rows.has(ITEM) else []


def _sections(rows: LabelRows) -> list[Section]:
    wanted, known = measures(rows), repeats_of(rows, rows.reference)
    names = [name.removeprefix("cell.") for name in rows.by]
    most = 40
    cells = list(known.items())
    cells = cells[1:] if len(cells) == 2 else cells  # one cell is all
    heads = [*names, "items", "repeats", *(f"{name} of {k}" for name, _, k in wanted)]
    table = [
        [
            *_cell(names, cell),
            f"{len(np.unique(own.items)):,}",
            _repeats(own),
            *(_rate(own, *one[1:]) for one in wanted),
        ]
        for cell, own in cells[:most]
    ]
    caption = f"Right in any, and in all, of k repeats ({rows.reference}; % of items, unbiased)"
    left = max(0, len(cells) - most)
    section = Section(
        "Repeats", [Table(heads, table, "<" * len(names) + ">" * (len(heads) - len(names)), caption, left)]
    )
    section.console = True
    section.blocks.append(Note(repeats_are(names)))
    section.blocks += [Note(text) for text in (*_differences(wanted, known), *_lost(wanted, known[()]))]
    return [section]


def _cell(names: list[str], cell: tuple[Any, ...]) -> list[str]:
    return [str(value) for _, value in cell] if cell else ["all"] * len(names)


def _repeats(own: ItemRepeats) -> str:
    """How many scored repeats the items have."""
    there = own.trials[own.trials > 0]
    if not len(there):
        return "0"
    least, most = int(there.min()), int(there.max())
    return f"{most:,}" if least == most else f"{least:,} to {most:,}"


def _rate(own: ItemRepeats, chance: OfK, k: int) -> str:
    why = own.why_not(k)
    rate = own.rate(chance, k) if why is None else None
    if rate is None:
        return "–"
    return with_interval(fixed(100 * rate.share, 1), 100 * rate.low, 100 * rate.high, 1)


def _differences(wanted: Any, known: Mapping[tuple[Any, ...], ItemRepeats]) -> Iterator[str]:
    """How far two cells are apart, by the items that both have."""
    if len(known) != 3:
        return
    (one, first), (other, second) = list(known.items())[1:]
    for name, chance, k in wanted:
        if first.why_not(k) is None and second.why_not(k) is None:
            apart = first.difference(second, chance, k)
            if apart is not None:
                sides = " less ".join(", ".join(str(value) for _, value in cell) for cell in (one, other))
                low, high = (None if end is None else 100 * end for end in (apart.low, apart.high))
                text = with_interval(fixed(100 * apart.mean, 1, True), low, high, 1)
                yield f"{name} of {k}, {sides}: {text} points on the {some(apart.items, 'common item')}."


def _lost(wanted: Any, own: ItemRepeats) -> Iterator[str]:
    """What is left out, and between which ends the numbers are then; and why one is not known."""
    errors, repeats = own.lost
    if errors:
        left = verb(errors, "is a run error", "are run errors")
        yield f"{errors:,} of {some(repeats, 'repeat')} {left} and left out."
    for name, chance, k in wanted:
        why = own.why_not(k)
        bounds = own.bounds(chance, k) if why is None and own.much_is_lost else None
        if why is not None:
            yield f"– {name} of {k}: {why}."
        elif bounds is not None:
            low, high = (fixed(100 * end, 1) for end in bounds)
            yield f"{name} of {k} is {low} % if all of them were wrong and {high} % if all were right."
