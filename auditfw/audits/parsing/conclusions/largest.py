"""The largest shifts of all readings and cells in one table: with their intervals, those of few trials last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.samples import delta_row, shown_row, sort_deltas
from auditfw.core.digits import fixed
from auditfw.core.document import FEW, Note, Section, Table, some, with_ends
from auditfw.core.records import Estimate, Measurement

TITLE = "Largest Shifts"
SHIFT, BLANK = "delta_pp", "no_answer"

Measured = Mapping[tuple[Any, ...], Estimate]


def largest(results: ParsingResults, measurements: Sequence[Measurement]) -> Section:
    """The largest shifts of all readings in one table, for the terminal."""
    if not results.by:
        return Section(TITLE)
    rows = [{"reading": name, **delta_row(s.cell, s.data)} for name in results.compared for s in results.paired(name)]
    moved = sorted([row for row in sort_deltas(rows) if row["n_label_flips"]], key=lambda row: row["n"] < FEW)
    if not moved:
        notes = [Note(_nothing_moved(results))] if rows else []  # a warning explains why there is none
        return Section(TITLE, [*notes], console=True)
    known = _by_cell(results, measurements)
    blank = any(key[0] == BLANK for key in known)
    shown = [_row(row, results.by, known, blank) for row in moved[: results.limits.max_rows]]
    columns = ["reading", *columns_of(results)]
    columns[-1:] = [*(["no answer %"] if blank else []), columns[-1]]
    align = "<" * (1 + len(results.by)) + ">" * (5 + blank)
    table = Table(columns, shown, align, left_out=len(moved) - len(shown))
    few = moved[-1]["n"] < FEW <= moved[0]["n"]
    notes = [Note(f"Cells of fewer than {FEW} trials come last.")] if few else []
    return Section(TITLE, [table, *notes], console=True, folded=f"{some(len(moved), 'shift')} as a table")


def columns_of(results: ParsingResults) -> list[str]:
    """The heads of a table of cells."""
    return [*results.by, "n", f"{results.reference} error %", "error %", "Δ pp", "changed labels"]


def shift_text(shown: str, estimate: Estimate | None) -> str:
    """A shift with its interval, where there is one."""
    if estimate is None:
        return shown
    return with_ends(shown, estimate.value, estimate.low, estimate.high, lambda end: fixed(end, 2, signed=True))


def _by_cell(results: ParsingResults, measurements: Sequence[Measurement]) -> Measured:
    """The shifts and the shares without an answer of cells, by metric, reading and the values of the cell."""
    wanted = (m for m in measurements if m.metric in (SHIFT, BLANK) and m.cell)
    return {(m.metric, m.reading, *(m.cell.get(name) for name in results.by)): m.estimate for m in wanted}


def _row(row: Mapping[str, Any], by: Sequence[str], known: Measured, blank: bool) -> list[str]:
    """A row as it is printed, the shift with its interval, and before the flips how many gave no answer."""
    key = (row["reading"], *(row[name] for name in by))
    *cells, shift, flips = shown_row(row)
    without = known.get((BLANK, *key))
    share = "–" if without is None or without.value is None else fixed(without.value, 2)
    return [*cells, shift_text(shift, known.get((SHIFT, *key))), *([share] if blank else []), flips]


def _nothing_moved(results: ParsingResults) -> str:
    """That no label flips, and for which readings that is unknown."""
    undefined = [name for name in results.compared if not results.paired(name)]
    because = f" Unknown for {', '.join(undefined)}: no trial has both its label and one of {results.reference}."
    return f"No reading changes a label in any cell.{because if undefined else ''}"
