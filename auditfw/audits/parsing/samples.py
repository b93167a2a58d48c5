"""From the label table to what the metrics read: one sample a reading, overall and for each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from auditfw.audits.parsing.conclusions.items import UNCOUNTED, ItemsOf
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, TRUE
from auditfw.core.digits import fixed
from auditfw.core.records import Reading, Value, named_cells, sorted_cells
from auditfw.formulas.label_counts import LabelCounts, delta_points, error_percent
from auditfw.kinds.context import Sample

from .table import STORED, BatchLabels, LabelTable, Met, NumberedColumn, Undefined, label_of


class ComparedReading(NamedTuple):
    """A reading by its number in the label table, and the number of the one that its labels are compared with."""

    reading: Reading
    number: int
    beside: int = STORED


@dataclass(frozen=True)
class LabelRules:
    """How labels are counted: what an undefined one is, and why a reading has none or has no partner."""

    undefined: Undefined = "zero"
    why_unpaired: str = "no trial with both labels"
    blind: Mapping[str, str] = field(default_factory=dict)

    def cross(self, counter: Met, reading: str) -> LabelCounts:
        """Crosses the labels of the reference with a reading's."""
        right = wrong = missing = blank = 0
        both = {(s, c): 0 for s in (True, False) for c in (True, False)}
        for (other, code), n in counter.items():
            label = label_of(code, self.undefined)
            if label is None:
                missing += n
                continue
            right, wrong = right + n * label, wrong + n * (not label)
            blank += n * (code == BLANK)
            before = label_of(other, self.undefined)
            if before is not None:
                both[before, label] += n
        crossed = (both[True, True], both[True, False], both[False, True], both[False, False])
        why = self.blind.get(reading, "no trial with a label")
        unpaired = self.blind.get(reading, self.why_unpaired)
        return LabelCounts(right, wrong, missing, blank, *crossed, why=why, why_unpaired=unpaired)


def samples(
    table: LabelTable,
    readings: Sequence[ComparedReading],
    by: Sequence[str],
    counting: LabelRules,
    items_of: ItemsOf = lambda number, beside: (None, {}),
) -> list[Sample]:
    """The samples of each reading, overall first; `items_of` gives its labels by item, of all trials and each cell."""
    keys = sorted_cells(table.cells)
    cells = named_cells(keys, by)
    all_samples: list[Sample] = []
    for reading, number, beside in readings:
        whole, by_cell = items_of(number, beside)
        stored, counted = number == STORED, number != UNCOUNTED
        overall = table.total(number, beside) if counted else {}
        counts = replace(counting.cross(overall, reading.name), items=whole, stored=stored)
        all_samples.append(Sample(reading, {}, counts))
        if by:
            met = table.met(number, beside) if counted else {}
            pairs = (counting.cross(met.get(key, {}), reading.name) for key in keys)
            all_samples += [
                Sample(reading, cell, replace(p, items=by_cell.get(key), stored=stored))
                for key, cell, p in zip(keys, cells, pairs, strict=True)
            ]
    return all_samples


def cell_deltas(rows: Sequence[Sequence[Any]], undefined: Undefined = "zero") -> list[dict[str, Any]]:
    """The per-cell table of rows `[temperature, variant, condition, stored, alternative]`, cells in ascending order.

    Labels are truncated to whole numbers as the original does; a null label raises ValueError; a row with a null in
    its cell is left out. Source: `_cell_deltas` of `audit_answer_parsing.py` (github.com/Mahdi-s/vivarium).
    """
    cells: list[tuple[Any, ...]] = []
    labels = bytearray(), bytearray()
    for *cell, stored, alternative in rows:
        if None in (stored, alternative):
            raise ValueError("a null label cannot be cast to a whole number")
        if None not in cell:
            cells.append(tuple(cell))
            for codes, label in zip(labels, (stored, alternative), strict=True):
                codes.append(TRUE if int(label) else FALSE)
    table = LabelTable()
    table.take(BatchLabels(labels, NumberedColumn.of(cells)))
    compared = [ComparedReading(Reading("alternative", "candidate"), 0)]
    by = ("temperature", "variant", "condition_name")
    return [delta_row(s.cell, s.data) for s in samples(table, compared, by, LabelRules(undefined)) if s.cell]


def delta_row(cell: Mapping[str, Value], pairs: LabelCounts) -> dict[str, Any]:
    """One row of the per-cell table: error rates in percent, shift in points, flips."""
    n = pairs.paired
    row: dict[str, Any] = {**cell, "n": n, "n_label_flips": pairs.to_true + pairs.to_false}
    if n:
        row["stored_err_pct"] = error_percent(pairs.kept_right + pairs.to_false, n)
        row["v2_err_pct"] = error_percent(pairs.kept_right + pairs.to_true, n)
        row["delta_pp"] = delta_points(pairs)
    return row


def sort_deltas(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The largest shifts first, then the most flips; ties stay in the order given."""
    return sorted(rows, key=lambda row: (-abs(row["delta_pp"]), -row["n_label_flips"]))


def format_row(row: Mapping[str, Any]) -> list[str]:
    """A row as that script prints it: numbers of a cell to one decimal, rates to two, shifts signed, half to even."""
    delta = f"{row['delta_pp']:+.2f}"
    rates = [f"{row['stored_err_pct']:.2f}", f"{row['v2_err_pct']:.2f}", "+0.00" if delta == "-0.00" else delta]
    return [*_script_cell(row), str(row["n"]), *rates, str(row["n_label_flips"])]


def shown_row(row: Mapping[str, Any], as_script: bool = False) -> list[str]:
    """A row as reports print it: rates as all numbers; the values of its cell as they are, or as that script."""
    rates = [fixed(row[name], 2) for name in ("stored_err_pct", "v2_err_pct")]
    cell = _script_cell(row) if as_script else [str(value) for value in _cell_of(row)]
    return [*cell, str(row["n"]), *rates, fixed(row["delta_pp"], 2, signed=True), str(row["n_label_flips"])]


def _script_cell(row: Mapping[str, Any]) -> list[str]:
    return [f"{value:.1f}" if isinstance(value, float) else str(value) for value in _cell_of(row)]


def _cell_of(row: Mapping[str, Any]) -> list[Value]:
    numbers = ("n", "n_label_flips", "stored_err_pct", "v2_err_pct", "delta_pp")
    return [value for name, value in row.items() if name not in numbers]
