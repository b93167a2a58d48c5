"""The first screen of the terminal: the answer, the picture of it, the gates, and the answer again, in 24 lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Protocol

from auditfw.components.report import wording
from auditfw.core.document import Chart, Table, some
from auditfw.core.records import Answer, Result

from .gates import gate_lines
from .picture import Picture, first_picture

if TYPE_CHECKING:
    from rich.console import Console

LINES = 24
EXPLAIN = ": auditfw explain latest"  # what lists all findings of the run that ended last
FEW, SOME, MANY = 3, 5, 9  # rows of the picture
MORE = "All tables: auditfw report RUN, or report.detail=full"
HEAD = ("answer", "because", "facts", "next", "scope")
ORDER = (*HEAD, "picture", "legend", "gates", "warnings", "numbers", "end", "folder")


class Terminal(Protocol):
    """The page that is printed on."""

    @property
    def console(self) -> Console: ...
    def lines(self, texts: Sequence[str]) -> None: ...
    def table(self, head: str, table: Table, feet: Sequence[str], keys: int, intervals: bool = False) -> None: ...
    def answer(self, answer: Answer, lines: Sequence[str]) -> None: ...
    def verdict(self, result: Result, more: str = "") -> None: ...
    def picture(self, chart: Chart, most: int | None) -> bool: ...
    def folder(self, folder: str, of: str = "run", step: str = "") -> None: ...


@dataclass
class Screen:
    """What has been chosen for each place, as it was drawn; a later offer for a place is the longer one."""

    page: Terminal
    chosen: dict[str, str] = field(default_factory=dict)

    def offer(self, place: str, drawing: Callable[[], object], needed: bool = False) -> None:
        """Takes what fits, and what is needed."""
        with self.page.console.capture() as captured:
            drawing()
        drawn = captured.get()
        others = sum(text.count("\n") for other, text in self.chosen.items() if other != place)
        if needed or others + drawn.count("\n") <= LINES:
            self.chosen[place] = drawn

    def say(self, place: str, *texts: str) -> None:
        """Offers lines of text."""
        self.offer(place, lambda: self.page.lines(texts))


def write_short(page: Terminal, result: Result, folder: str | None) -> None:
    """Prints what fits into LINES lines, in the one order; what matters least is left out first."""
    from rich.segment import Segment, Segments

    screen, answer, picture = Screen(page), result.answer, first_picture(result)
    if folder is not None:
        screen.offer("folder", lambda: _folder(page, result, folder), needed=True)
    screen.offer("gates", lambda: _gates(page, result), needed=True)
    if answer is not None:
        for place in ("answer", "end"):
            screen.offer(place, lambda: page.answer(answer, [answer.headline]), needed=True)
        screen.offer("end", lambda: page.answer(answer, wording.answer_short(answer)))
        screen.say("because", *answer.because[:1])
        if facts := wording.facts_text(result, EXPLAIN):
            screen.say("facts", f"Data: {facts}")
    _offer_picture(screen, picture, FEW, SOME)
    if answer is not None:
        screen.say("next", f"Next: {answer.next}")  # it is at the end as well
        screen.say("scope", f"Scope: {next(iter(answer.scopes), answer.scope)}")
    if picture is not None and screen.chosen.get("picture"):
        screen.say("legend", picture.legend.brief or picture.legend.text)
        screen.say("legend", picture.legend.text)
    if result.warnings:
        left = len(result.warnings) - 1
        more = f" (and {some(left, 'more warning')})" if left else ""
        screen.say("warnings", f"Warning: {result.warnings[0]}{more}")
    _offer_picture(screen, picture, MANY)
    if answer is not None:
        screen.say("because", *answer.because)
        screen.say("scope", f"Scope: {answer.scope}")
    measurements, _ = wording.overall_table(result)
    if len(measurements.rows) <= LINES:  # more never fit, and would be drawn in vain
        screen.offer("numbers", lambda: page.table("Measurements", measurements, [], keys=1, intervals=True))
    if folder is not None and result.warnings and "warnings" not in screen.chosen:
        screen.offer("folder", lambda: _folder(page, result, folder, len(result.warnings)), needed=True)
    whole = "".join(screen.chosen[place] for place in ORDER if place in screen.chosen)
    page.console.print(Segments([Segment(whole)]), end="", soft_wrap=True)  # as it was drawn


def _offer_picture(screen: Screen, picture: Picture | None, *rows: int) -> None:
    if picture is not None:
        for most in rows:
            screen.offer("picture", partial(screen.page.picture, picture.chart, most))


def _gates(page: Terminal, result: Result) -> None:
    unasked = wording.unasked(result)
    page.verdict(result, f" (exit code {result.exit_code}{f'; {unasked}' if unasked else ''})")
    page.lines([*gate_lines(result), wording.counts_text(result.counts)])


def _folder(page: Terminal, result: Result, folder: str, unseen: int = 0) -> None:
    """Where all is: a run with warnings that are left `unseen` never looks like one without."""
    page.lines([MORE.replace("tables", f"tables and {some(unseen, 'warning')}") if unseen else MORE])
    page.folder(folder, step=result.answer.next if result.answer is not None else "")
