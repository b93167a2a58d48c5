"""The report on standard output: tables that fit the terminal, every line of data behind a bar.

The bar keeps a text from the start of a line, where a CI runner would take it for a command.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from auditfw.core.document import Chart, Note, NumberText, Section, Table
from auditfw.core.errors import UsageError
from auditfw.core.escaping import terminal, typed
from auditfw.core.records import Answer, Result
from auditfw.core.results.latest import of_run
from auditfw.kinds.registry import register

from . import wording
from .charts.sketch import sketch, thinned
from .layout import NARROW, Column, arrange, broken, needed, share
from .screen.picture import Picture, ahead, compact, dots, first_picture
from .screen.short import data_lines, write_sections, write_short
from .wording import STYLES

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
    from rich.text import Text

LEAST_WIDTH = 20
SIZES, SIZE = ("COLUMNS", "LINES"), re.compile("0*[1-9][0-9]{0,3}")
CELL_LIMIT = 240
CHART_ROWS = 20
TEXT_LIMIT = 4_000
_HEAD_RULE = "    \n    \n {0}{0} \n    \n    \n    \n    \n    \n"


@register("report", "console")
@dataclass(frozen=True)
class ConsoleReport:
    """Prints verdict, measurements, gates and warnings as tables on standard output.

    `max_rows` is the most rows that the table of a section shows; the files of the run hold more.
    """

    prints: ClassVar[bool] = True

    max_rows: int = 10

    def __post_init__(self) -> None:
        if self.max_rows < 0:
            raise UsageError("max_rows", "expected a whole number of 0 or more", self.max_rows)

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        with printing(self.max_rows) as page:
            page.write(result, folder or result.folder)
        return ()


@contextmanager
def printing(max_rows: int | None = None) -> Iterator[ConsolePage]:
    """A page that goes to standard output as a whole, without blanks at the ends of its lines."""
    from rich.console import Console

    width = _columns()
    # Both or neither: rich takes a dumb terminal to be 80 wide unless it is given a height too.
    height = None if width is None else 25
    size: dict[str, Any] = {"width": width, "height": height, "_environ": terminal_settings()}
    console = Console(highlight=False, markup=False, emoji=False, **size)
    with console.capture() as captured:
        yield ConsolePage(console, max_rows)
    sys.stdout.write(re.sub(r" +$", "", captured.get(), flags=re.MULTILINE))
    sys.stdout.flush()


def from_here(folder: str) -> str:
    """A folder as the shell's current folder sees it; outside of that the whole path."""
    path = Path(folder)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else folder


@dataclass(frozen=True)
class Barred:
    """Anything rich can render, with a bar before each line; the first may have a corner."""

    inner: RenderableType
    bar: str
    first: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from rich.segment import Segment

        inside = options.update(width=max(1, options.max_width - 2))
        for number, line in enumerate(console.render_lines(self.inner, inside, pad=False)):
            yield Segment(f"{self.bar if number else self.first} ")
            yield from line
            yield Segment.line()


@dataclass(frozen=True)
class ConsolePage:
    """A console to print on, with the characters and the width it has; `max_rows` cuts the tables of sections."""

    console: Console
    max_rows: int | None = None

    @property
    def width(self) -> int:
        return max(1, self.console.width - 2)

    @property
    def ascii(self) -> bool:
        return self.console.is_dumb_terminal or not self.console.encoding.startswith("utf")

    def write(self, result: Result, folder: str | None) -> None:
        """Prints the report: one screen, or every table between the question and the answer, which is the last.

        Commands name the run as it is called here.
        """
        if folder is not None:
            answer = result.answer and replace(result.answer, next=of_run(result.answer.next, folder))
            result = replace(result, folder=folder, answer=answer)
        if result.detail == "short":
            write_short(self, result, folder)
            return
        write_sections(self, ahead(result))
        picture = first_picture(result)
        if picture is not None and picture.section is not None:
            self._first(picture)
        self.data(result, data_lines(result))
        if result.gates:
            gates, why = wording.result_gates(result)
            self.table("Gates", gates, why, keys=1)
        measurements, feet = wording.overall_table(result)
        self.table("Measurements", measurements, feet, keys=1, intervals=True)
        for section in result.sections:
            if section.console and not section.page and not section.screen:
                self.section(section)
        if result.warnings:
            self.head("Warnings", "yellow")
            self.lines(result.warnings)
        if result.answer is not None:
            self.answer(result.answer, wording.answer_lines(result.answer))
        if folder is not None:
            self.place(folder, result.answer.next if result.answer is not None else "")

    def data(self, result: Result, lines: Sequence[str]) -> None:
        """Prints what was read and what the gates say of it; where none checks the answer no verdict is louder."""
        unasked = wording.unasked(result)
        verdict = "" if unasked else f": {wording.verdict_text(result)}"
        code = f"exit code {result.exit_code}{f'; {unasked}' if unasked else ''}"
        head = f"Data{' and gates' if result.gates else ''}{verdict} ({code})"
        self.head(head, "bold" if unasked else STYLES.get(wording.verdict_status(result), "bold"))
        self.lines(lines)

    def compact(self, table: Table) -> None:
        """Prints a table without rulers."""
        for line in compact(self.columns(table), self.width):
            self.bar(line)

    def place(self, folder: str, step: str = "", of: str = "run") -> None:
        """Prints where the page is, as a link in a terminal that a person looks at; without a page the run folder.

        Where there is no page and the next `step` is to look at it, it prints what writes it.
        """
        report = Path(folder) / "report.html"
        if report.is_file():
            path = self.text(from_here(str(report)) + "#look" * (report.name in step))
            if sys.stdout.isatty() and not self.console.is_dumb_terminal:
                path.stylize(f"link {report.resolve().as_uri()}")
            self.console.print(self.text("page: ").append_text(path), soft_wrap=True)
            return
        if report.name in step:
            written = f"auditfw report {typed(from_here(folder))} 'report=[html]'"
            self.console.print(self.text(f"{report.name} is written by: {written}"), soft_wrap=True)
        self.console.print(self.text(f"{of} folder: {from_here(folder)}"), soft_wrap=True)

    def answer(self, answer: Answer, lines: Sequence[str]) -> None:
        """Prints the status of an answer and these lines of it."""
        self.head(f"Answer: {answer.title}", wording.tone_style(answer))
        self.lines(lines)

    def _first(self, picture: Picture) -> None:
        if self.picture(picture.chart, None):
            self.lines([picture.legend.text])

    def picture(self, chart: Chart, most: int | None) -> bool:
        """Prints the picture of the answer under its own head, at most so many rows of points; False without room."""
        head, *lines = dots(chart, self.width, self.ascii, most) or ["", *sketch(chart, self.width, self.ascii)]
        if not lines:
            return False
        self.head(head or chart.title)
        for line in lines if most is None else lines[: most + 1]:
            self.bar(self.text(line, width=self.width))
        return True

    def section(self, section: Section) -> None:
        """Prints a section's notes and tables; its exhibits are for the files."""
        self.head(section.title)
        for block in section.blocks:
            if isinstance(block, Note):
                self.lines([block.text])
            elif isinstance(block, Table):
                shown, keys = wording.shortened(block, self.max_rows), len(block.align) - len(block.align.lstrip("<"))
                self.lines([block.caption])
                self.rows(self.stacked(shown, max(1, keys)), max(1, keys))
                self.lines([wording.left_out(shown.left_out)])
            elif isinstance(block, Chart):
                self.chart(block, titled=block.title != section.title)

    def chart(self, chart: Chart, titled: bool = True) -> None:
        """Prints a chart in characters, or its numbers where there is no room."""
        drawn = sketch(chart, self.width, self.ascii)
        if drawn:
            self.lines([chart.title] if titled else [])
            for line in drawn:
                self.bar(self.text(line, width=self.width))
            return
        table = chart.as_table()
        rows = thinned(table.rows, CHART_ROWS if self.max_rows is None else self.max_rows)
        self.lines([table.caption] if titled else [])
        self.rows(replace(table, rows=rows), 1)
        self.lines([wording.left_out(len(table.rows) - len(rows))])

    def table(self, head: str, table: Table, feet: Sequence[str], keys: int, intervals: bool = False) -> None:
        """Prints a headed table with its foot lines; `intervals` may go to a second line of their cells."""
        if not table.rows:
            return
        self.head(head)
        self.rows(self.stacked(table, keys) if intervals else table, keys)
        self.lines(feet)

    def stacked(self, table: Table, keys: int) -> Table:
        """A table with its intervals on a second line of their cells, where it does not fit otherwise."""
        if needed(self.columns(table), unbroken=True) <= self.width:
            return table
        rows = [[row[0], *map(_stacked, row[1:])] for row in table.rows]
        stacked = replace(table, rows=rows)
        return stacked if arrange(self.columns(stacked), keys, self.width) else table

    def rows(self, table: Table, keys: int) -> None:
        """Prints the rows of a table in whatever shape fits."""
        columns = self.columns(table)
        if not columns or not table.rows:
            self.lines(["no rows"])
            return
        groups = arrange(columns, min(keys, max(1, len(columns) - 1)), self.width)
        if groups is None:
            self.records(columns, len(table.rows))
            return
        for number, group in enumerate(groups):
            if number:
                self.bar("")
            self.grid(group)

    def columns(self, table: Table) -> list[Column]:
        """A table's columns as terminal texts."""
        titles, rows, align = wording.squared(table)
        columns = []
        for at, name in enumerate(titles):
            cells = [self.text(row[at], keep="\n", width=CELL_LIMIT) for row in rows]
            if name == "status":
                for cell in cells:
                    cell.stylize(STYLES.get(cell.plain, ""))
            columns.append(Column(self.text(name, width=CELL_LIMIT), cells, align[at] == ">"))
        return columns

    def grid(self, columns: Sequence[Column]) -> None:
        """Prints columns side by side under a ruled head."""
        from rich import box
        from rich.align import Align
        from rich.padding import Padding
        from rich.table import Table as Grid

        def pad(cell: RenderableType, at: int) -> Padding:
            return Padding(cell, (0, 0 if at == len(columns) - 1 else 1, 0, 0))

        frame = box.Box(_HEAD_RULE.format("-" if self.ascii else "─"), ascii=self.ascii)
        grid = Grid(box=frame, show_edge=False, pad_edge=False, padding=0, header_style="bold")
        widths = share(columns, self.width)
        for at, (column, width) in enumerate(zip(columns, widths, strict=True)):
            side: Literal["right", "left"] = "right" if column.number else "left"
            head = Align(pad(column.title, at), side, vertical="bottom")
            grid.add_column(head, justify=side, width=width + (at < len(columns) - 1), overflow="fold")
        for cells in zip(*(column.cells for column in columns), strict=True):
            grid.add_row(*(pad(broken(cell, widths[at]), at) for at, cell in enumerate(cells)))
        self.bar(grid)

    def records(self, columns: Sequence[Column], count: int) -> None:
        """Prints each row as a list of its own, title and value a line."""
        from rich.padding import Padding
        from rich.table import Table as Grid
        from rich.text import Text

        titles = max(column.title.cell_len for column in columns) + 2
        beside = self.width - titles - 2 >= NARROW
        for row in range(count):
            grid = Grid.grid(padding=(0, 2, 0, 0), pad_edge=False)
            for at, column in enumerate(columns):
                cell, style, indent = column.cells[row], "" if at else "bold", (0, 0, 0, 2 if at else 0)
                if cell.plain and beside:
                    grid.add_row(Padding(column.title, indent), cell, style=style)
                elif cell.plain:
                    pair = Text.assemble(column.title, ": ", cell, overflow="fold")
                    grid.add_row(Padding(pair, indent), style=style)
            self.bar(grid)

    def head(self, text: str, style: str = "bold") -> None:
        """Prints a headline in its corner."""
        title = self.text(text, width=CELL_LIMIT)
        title.stylize(style)
        self.bar(title, "+" if self.ascii else "╭")

    def lines(self, texts: Sequence[str]) -> None:
        """Prints wrapped paragraphs; empty ones are left out."""
        for text in texts:
            if text:
                self.bar(self.text(text, keep="\n", width=TEXT_LIMIT))

    def bar(self, inner: RenderableType, first: str = "") -> None:
        """Prints what rich can render behind the bar."""
        bar = "|" if self.ascii else "│"
        self.console.print(Barred(inner, bar, first or bar), end="")

    def text(self, text: str, keep: str = "", width: int | None = None) -> Text:
        """Data as text of this terminal."""
        return terminal(text, keep, self.console.encoding, width)


def _stacked(cell: str) -> str:
    return f"{cell.shown}\n{cell.ends}" if isinstance(cell, NumberText) else cell


def terminal_settings() -> dict[str, str]:
    """The environment for rich, without sizes that no terminal has: it would print nothing into no columns."""
    return {name: value for name, value in os.environ.items() if name not in SIZES or SIZE.fullmatch(value)}


def _columns() -> int | None:
    """COLUMNS where it is set to a number that can be a width."""
    columns = terminal_settings().get("COLUMNS")
    return None if columns is None else max(LEAST_WIDTH, int(columns))
