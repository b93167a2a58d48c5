"""Which trials have no stored label where others have one: how many of each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditfw.audits.parsing.engine.plan import MISSING
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.table import CELL, STORED
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, Table, some, verb
from auditfw.core.records import Cell

TITLE = "Trials Without a Stored Label"


@dataclass(frozen=True)
class LabelsMissing:
    """How many audited trials have no stored label, `of` so many; the cells with such trials, those with most first."""

    value: int
    of: int
    cells: Sequence[tuple[Cell, int, int]]


def ask(results: ParsingResults) -> LabelsMissing:
    """Counts them by cell; none where no trial has a stored label."""
    value, of = results.table.counted(STORED)[MISSING], results.table.trials
    if value in (0, of):
        return LabelsMissing(0, of, ())
    missing, trials = dict.fromkeys(results.table.cells, 0), dict.fromkeys(results.table.cells, 0)
    names = list(results.table.cells)
    for cell, code, n in results.table.times(CELL, str(STORED)):
        trials[names[cell]] += n
        missing[names[cell]] += n * (code == MISSING)
    cells = sorted((cell for cell in names if missing[cell]), key=lambda cell: -missing[cell])
    return LabelsMissing(value, of, [(cell, missing[cell], trials[cell]) for cell in cells])


def section(results: ParsingResults) -> Section:
    """How many they are, and where."""
    facts, shown = results.of(ask), Section(TITLE)
    if facts.value:
        trials, have = some(facts.of, "audited trial"), verb(facts.value, "has", "have")
        shown.blocks.append(Note(f"{facts.value:,} of {trials} {have} no stored label."))
    if facts.value and results.context.by:
        rows = [[*map(str, cell), f"{n:,}", f"{of:,}", fixed(100 * n / of, 2)] for cell, n, of in facts.cells]
        most, align = results.context.limits.max_rows, "<" * len(results.context.by) + ">>>"
        columns = [*results.context.by, "without a label", "n", "%"]
        shown.blocks.append(Table(columns, rows[:most], align, left_out=max(0, len(rows) - most)))
    return shown
