"""How tables fit a terminal: rows that a stretch does not fill are left out of it, long words break at marks."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hostile_texts import hostile
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from searching import examples
from sentences import report as says

from auditfw.components.report.console import ConsolePage
from auditfw.components.report.layout import Column, arrange, broken
from auditfw.core.document import Note, Section, Table


def column(title: str, *cells: str, number: bool = True) -> Column:
    return Column(Text(title), [Text(cell) for cell in cells], number)


def shown(stretches: list[list[Column]] | None) -> list[list[list[str]]]:
    assert stretches is not None
    return [[[cell.plain for cell in column.cells] for column in stretch] for stretch in stretches]


def test_a_stretch_has_the_rows_it_fills() -> None:
    names = column("reading", "one", "two", "none", number=False)
    first, second = column("a" * 20, "1", "", ""), column("b" * 20, "", "2", "")
    assert shown(arrange([names, first, second], 1, 60)) == [[["one", "two", "none"], ["1", "", ""], ["", "2", ""]]]
    third = column("c" * 20, "", "3", "")
    assert shown(arrange([names, first, column("d" * 20, "4", "", ""), second, third], 1, 55)) == [
        [["one", "none"], ["1", ""], ["4", ""]],
        [["two", "none"], ["2", ""], ["3", ""]],
    ]


@pytest.mark.parametrize(
    ("text", "width", "wanted"),
    [
        ("peak_infected_time", 17, "peak_infected_\ntime"),
        ("peak_infected_time", 18, "peak_infected_time"),
        ("a b/c/d e", 3, says.A),
        ("see peak_time, then", 6, "see peak_\ntime, then"),
        ("unbroken", 4, "unbroken"),
        ("two  spaces_here", 8, "two  spaces_\nhere"),
        ("漢字_漢字", 6, "漢字_\n漢字"),
    ],
)
def test_long_words_break_after_a_mark(text: str, width: int, wanted: str) -> None:
    assert broken(Text(text), width).plain == wanted


@settings(deadline=None, max_examples=examples(40))
@given(st.lists(st.lists(hostile, min_size=3, max_size=3), min_size=1, max_size=3), st.integers(20, 90))
def test_every_line_of_a_page_stands_behind_its_bar_and_fits(rows: list[list[str]], width: int) -> None:
    console = Console(file=io.StringIO(), width=width, height=25, color_system=None, markup=False, emoji=False)
    page = ConsolePage(console)
    page.section(Section(rows[0][0], [Note(rows[0][1]), Table(["text", "n", rows[0][2]], rows, "<><", rows[0][0])]))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert all(line[0] in "╭│" and cell_len(line) <= width for line in lines)
    assert not [c for line in lines for c in line if unicodedata.category(c) in ("Cc", "Cf", "Cs")]
