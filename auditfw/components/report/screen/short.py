"""The first screen of the terminal: the person's question as a table, an example, data and gates, then the answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Protocol

from auditfw.components.report import wording
from auditfw.core.document import Chart, Note, Section, Table, some
from auditfw.core.records import Answer, Result
from auditfw.core.results.latest import LATEST, run_called

from .gates import passed_lines, raised_lines
from .picture import Picture, first_picture, has_interval, placed

if TYPE_CHECKING:
    from rich.console import Console

LINES = 24
ANSWER = 8  # lines: a longer answer comes after the example
FEW, SOME, MANY = 3, 5, 9  # rows of the picture
ORDER = ("who", "example", "picture", "legend", "data", "numbers", "answer", "place")


class Terminal(Protocol):
    """The page that is printed on."""

    @property
    def console(self) -> Console: ...
    def head(self, text: str, style: str = "bold") -> None: ...
    def lines(self, texts: Sequence[str]) -> None: ...
    def compact(self, table: Table) -> None: ...
    def table(self, head: str, table: Table, feet: Sequence[str], keys: int, intervals: bool = False) -> None: ...
    def answer(self, answer: Answer, lines: Sequence[str]) -> None: ...
    def data(self, result: Result, lines: Sequence[str]) -> None: ...
    def picture(self, chart: Chart, most: int | None) -> bool: ...
    def place(self, folder: str, step: str = "") -> None: ...


@dataclass
class Screen:
    """What has been chosen for each place, as it was drawn; a later offer for a place is the longer one.

    On a terminal there are `most` lines; where the output goes elsewhere nothing is left out.
    """

    page: Terminal
    most: int | None = LINES
    chosen: dict[str, str] = field(default_factory=dict)

    def offer(self, place: str, drawing: Callable[[], object], needed: bool = False, most: int | None = None) -> None:
        """Takes what fits and is of at most so many lines, and what is needed."""
        with self.page.console.capture() as captured:
            drawing()
        drawn = captured.get()
        others, own = sum(text.count("\n") for at, text in self.chosen.items() if at != place), drawn.count("\n")
        if needed or ((self.most is None or others + own <= self.most) and (most is None or own <= most)):
            self.chosen[place] = drawn

    def write(self, order: Sequence[str]) -> None:
        """Prints what was chosen, as it was drawn."""
        from rich.segment import Segment, Segments

        whole = "".join(self.chosen[place] for place in order if place in self.chosen)
        self.page.console.print(Segments([Segment(whole)]), end="", soft_wrap=True)


def write_short(page: Terminal, result: Result, folder: str | None) -> None:
    """Prints what fits into the lines there are, in the one order; what matters least is left out first."""
    screen, answer = Screen(page, _lines(result.lines)), result.answer
    who = placed(result, "who")
    if folder is not None:
        screen.offer("place", lambda: page.place(folder, "" if answer is None else answer.next), needed=True)
    if answer is not None:
        screen.offer("answer", lambda: page.answer(answer, _sentences(answer, 0)), needed=True)
    screen.offer("who", lambda: write_sections(page, who), needed=True)
    screen.offer("data", lambda: page.data(result, data_lines(result, passed=False, notes=False)), needed=True)
    if result.picture:
        _offer_picture(screen, first_picture(result), asked=True)
    if answer is not None:
        screen.offer("answer", lambda: page.answer(answer, _sentences(answer, 1)), most=ANSWER)
    screen.offer("data", lambda: page.data(result, data_lines(result, passed=False)))
    screen.offer("example", lambda: write_sections(page, placed(result, "example")))
    if answer is not None:
        screen.offer("answer", lambda: page.answer(answer, _sentences(answer, 1)))
    screen.offer("data", lambda: page.data(result, data_lines(result)))
    if result.picture or not has_interval(who):
        _offer_picture(screen, first_picture(result))
    measurements = None if who else wording.overall_table(result)[0]
    if measurements is not None and len(measurements.rows) <= LINES:  # more never fit, and would be drawn in vain
        screen.offer("numbers", lambda: page.table("Measurements", measurements, [], keys=1, intervals=True))
    if answer is not None:
        screen.offer("answer", lambda: page.answer(answer, _sentences(answer, 2)))
    screen.write(ORDER)


def _lines(most: int | None) -> int | None:
    """How many lines there are on a terminal: `most`, else as it is high, or LINES says, but at least 24.

    None where nobody looks.
    """
    if not sys.stdout.isatty():
        return None
    return max(LINES, get_terminal_size((80, LINES)).lines - 1) if most is None else most


def write_sections(page: Terminal, sections: Sequence[Section]) -> None:
    """Prints sections with their tables without rulers."""
    for section in sections:
        page.head(section.title)
        for block in section.blocks:
            if isinstance(block, Note):
                page.lines([block.text])
            elif isinstance(block, Table):
                page.compact(block)


def data_lines(result: Result, passed: bool = True, notes: bool = True) -> list[str]:
    """What was read, the largest findings, the warnings, and the gates: those that did not pass first."""
    whole = result.counts.get("read") == result.counts.get("audited")
    read = [block.text for section in placed(result, "data") for block in section.blocks if isinstance(block, Note)]
    run = run_called(result.folder) if result.folder else LATEST
    facts = wording.facts_text(result, f": auditfw explain {run}")  # which lists all findings
    return [
        *([] if read and whole and notes else filter(None, [wording.counts_text(result.counts)])),
        *(read if notes else []),
        *([facts] if facts and notes else []),
        *_warnings(result),
        *raised_lines(result),
        *(passed_lines(result) if passed else []),
    ]


def _warnings(result: Result) -> Iterator[str]:
    """The first warning: a run that has some never looks like one without."""
    if result.warnings:
        left = len(result.warnings) - 1
        more = f" (and {some(left, 'more warning')})" if left else ""
        yield f"Warning: {result.warnings[0]}{more}"


def _sentences(answer: Answer, reasons: int) -> list[str]:
    """What an answer says, so many of its reasons, and what to do next."""
    headline, do = wording.answer_short(answer)
    return [headline, *answer.because[:reasons], *([answer.change] if answer.change else []), do]


def _offer_picture(screen: Screen, picture: Picture | None, asked: bool = False) -> None:
    """The picture with at most a few rows, needed where it is asked for, or more where there is room; its caption."""
    if picture is None:
        return
    for most in (FEW, SOME, MANY):
        screen.offer("picture", partial(screen.page.picture, picture.chart, most), needed=asked and most == FEW)
    if screen.chosen.get("picture"):
        for legend in (picture.legend.brief or picture.legend.text, picture.legend.text):
            screen.offer("legend", partial(screen.page.lines, [legend]))
