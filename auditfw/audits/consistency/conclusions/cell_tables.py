"""Every coefficient in every cell, with its interval: the worst cells first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auditfw.audits.answers import estimated, named
from auditfw.core.document import Section, Table
from auditfw.core.records import Estimate, Measurement, Value

TITLE = "Agreement by Cell"
FIRST = "kappa"

Row = tuple[Mapping[str, Value], dict[str, Estimate]]


def cell_tables(
    measurements: Sequence[Measurement],
    readings: Mapping[str, str],
    coefficients: Mapping[str, str],
    most: int,
) -> Section:
    """A table for each reading: a row a cell, a column a coefficient; sorted by kappa, else by the first of them.

    `readings` says of each what it is called, `coefficients` how it is headed.
    """
    section = Section(TITLE)
    for reading, called in readings.items():
        rows = _rows(measurements, reading, coefficients)
        names = list(dict.fromkeys(name for _, estimates in rows for name in estimates))
        if not rows or not names:
            continue
        by = FIRST if FIRST in names else names[0]
        ordered = sorted(rows, key=lambda row: (_value(row[1].get(by)), named(row[0])))
        shown = [[named(cell), _size(each), *(estimated(each.get(n)) for n in names)] for cell, each in ordered[:most]]
        caption = f"{called}: the lowest {by} first; in brackets 95 % intervals, not adjusted for the number of cells."
        align = "<" + ">" * (len(names) + 1)
        section.blocks.append(
            Table(
                ["cell", "n", *map(coefficients.__getitem__, names)],
                shown,
                align,
                caption,
                left_out=len(rows) - len(shown),
            )
        )
    return section


def _rows(measurements: Sequence[Measurement], reading: str, coefficients: Mapping[str, str]) -> list[Row]:
    cells: dict[tuple[tuple[str, Value], ...], Row] = {}
    for m in measurements:
        if m.cell and m.reading == reading and m.metric in coefficients:
            cells.setdefault(tuple(m.cell.items()), (m.cell, {}))[1][m.metric] = m.estimate
    return list(cells.values())


def _value(estimate: Estimate | None) -> float:
    """Undefined ones first."""
    return -2.0 if estimate is None or estimate.value is None else estimate.value


def _size(estimates: Mapping[str, Estimate]) -> str:
    return f"{max(estimate.counted for estimate in estimates.values()):,}"
