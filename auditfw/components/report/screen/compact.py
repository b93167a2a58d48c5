"""A table without rulers, for a screen of few lines: columns side by side, or where they do not fit a line a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from auditfw.components.report.layout import GAP, Column, needed

if TYPE_CHECKING:
    from rich.text import Text


def compact(columns: Sequence[Column], width: int) -> Iterator[Text]:
    """The lines of a table: under the titles where `width` has room, else each row as `name: title value, …`."""
    if not columns:
        return
    rows = range(len(columns[0].cells))
    if needed(columns) <= width:
        titles = [column.title for column in columns]
        if any(title.plain for title in titles):
            yield _side_by_side(columns, titles)
        for row in rows:
            yield _side_by_side(columns, [column.cells[row] for column in columns])
        return
    for row in rows:
        yield _in_a_line(columns, row)


def _side_by_side(columns: Sequence[Column], cells: Sequence[Text]) -> Text:
    line = cells[0].copy()
    line.truncate(0)
    for at, (column, cell) in enumerate(zip(columns, cells, strict=True)):
        blanks = " " * (column.natural - cell.cell_len)
        line.append(" " * GAP if at else "")
        line.append(blanks if column.number else "")
        line.append_text(cell)
        line.append("" if column.number else blanks)
    line.rstrip()
    return line


def _in_a_line(columns: Sequence[Column], row: int) -> Text:
    lead, *others = columns
    line = lead.cells[row].copy()
    line.append(": " if line.plain else "")
    filled = [column for column in others if column.cells[row].plain]
    for at, column in enumerate(filled):
        line.append(", " if at else "")
        line.append_text(column.title).append(" " if column.title.plain else "")
        line.append_text(column.cells[row])
    return line
