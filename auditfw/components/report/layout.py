"""How a table fits a terminal: whole, or split into groups of columns, or a record a row. Nothing is cut off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .charts.names import broken_name

if TYPE_CHECKING:
    from rich.text import Text

GAP = 2
NARROW = 16
INSIDE = re.compile(r"[^_/.,;:=+-]*[_/.,;:=+-]+|[^_/.,;:=+-]+")
BREAK = re.compile(r"(?<=\w{3}) (?=\w{3})")


@dataclass(frozen=True)
class Column:
    """A column of terminal texts under its title."""

    title: Text
    cells: Sequence[Text]
    number: bool

    @property
    def natural(self) -> int:
        """The width at which nothing wraps."""
        return max([self.title.cell_len, *map(_width, self.cells)])

    @property
    def filled(self) -> int:
        """The width at which no cell wraps."""
        return max([1, *map(_width, self.cells)])

    @property
    def least(self) -> int:
        """The width below which it can't be read: numbers never break, texts and titles may wrap."""
        words = [_cells(word) for word in BREAK.split(self.title.plain)]
        if self.number:
            return max([1, *words, *map(_width, self.cells)])
        return min(self.natural, max([NARROW, *words]))

    def of(self, rows: Sequence[int]) -> Column:
        """The column of some of the rows."""
        return Column(self.title, [self.cells[row] for row in rows], self.number)


def arrange(columns: Sequence[Column], keys: int, width: int) -> list[list[Column]] | None:
    """Groups of columns that fit `width`, each led by the `keys` first ones; None when records read better."""
    if needed(columns, least=True) <= width:
        return [list(columns)]
    lead, rest = list(columns[:keys]), list(columns[keys:])
    groups: list[list[Column]] = []
    for column in rest:
        if groups and needed([*lead, *groups[-1], column], least=True) <= width:
            groups[-1].append(column)
        else:
            groups.append([column])
    alone = [group for group in groups if len(group) == 1]
    if not rest or len(alone) > 1 or any(needed([*lead, *group], least=True) > width for group in groups):
        return None
    return _without_blanks(lead, groups)


def _without_blanks(lead: Sequence[Column], groups: Sequence[Sequence[Column]]) -> list[list[Column]]:
    """The groups behind their leading columns, each without the rows that only another one fills."""
    every = range(len(lead[0].cells)) if lead else range(0)
    filled = [{row for row in every if any(column.cells[row].plain for column in group)} for group in groups]
    bare = set(every).difference(*filled)
    rows = [[row for row in every if row in own | bare] for own in filled]
    return [
        [column.of(kept) for column in (*lead, *group)] if kept else [*lead, *group]
        for kept, group in zip(rows, groups, strict=True)
    ]


def needed(columns: Sequence[Column], least: bool = False, unbroken: bool = False) -> int:
    """The width of a table of these columns: at `least`, or with titles alone wrapped where cells are `unbroken`."""
    widths = (max(one.filled, one.least) if unbroken else one.least if least else one.natural for one in columns)
    return sum(widths) + GAP * (len(columns) - 1)


def share(columns: Sequence[Column], width: int) -> list[int]:
    """A width for each column: its natural one where there is room, else what there is, to those that lack most.

    Cells come first, titles may wrap longer.
    """
    widths = [column.least for column in columns]
    room = width - sum(widths) - GAP * (len(columns) - 1)
    for goals in ([column.filled for column in columns], [column.natural for column in columns]):
        while room > 0:
            lacks = [goal - now for goal, now in zip(goals, widths, strict=True)]
            most = max(lacks, default=0)
            if most <= 0:
                break
            widths[lacks.index(most)] += 1
            room -= 1
    return widths


def broken(text: Text, width: int) -> Text:
    """A text whose words wider than `width` may break after a mark inside them, such as _ or /, not anywhere."""
    from rich.text import Text

    if all(_cells(word) <= width for word in text.plain.split()):
        return text
    words = re.split(r"(\s+)", text.plain)
    return Text("".join(broken_name(word, width, INSIDE, _cells) for word in words), text.style, overflow="fold")


def _width(text: Text) -> int:
    return max((_cells(line) for line in text.plain.split("\n")), default=0)


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)
