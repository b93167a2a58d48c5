"""The first screen of the terminal: the answer, the picture of it, the gates, and the answer again, in 24 lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from auditfw.components.report import wording
from auditfw.core.document import Chart, Table, some
from auditfw.core.records import Answer, Result

from .gates import gate_lines
from .picture import Picture, first_picture

if TYPE_CHECKING:
    from rich.console import Console

LINES = 24
FEW, SOME, MANY = 3, 5, 9  # rows of the picture
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")
MORE = "All tables: auditfw report RUN, or report.detail=full"

Drawing = Callable[[], None]


class Terminal(Protocol):
    """The page that is printed on."""

    @property
    def console(self) -> Console: ...
    def head(self, text: str, style: str = "bold") -> None: ...
    def lines(self, texts: Sequence[str]) -> None: ...
    def table(self, head: str, table: Table, feet: Sequence[str], keys: int, intervals: bool = False) -> None: ...
    def verdict(self, result: Result, more: str = "") -> None: ...
    def picture(self, chart: Chart, most: int | None) -> None: ...
    def folder(self, folder: str, report: Path) -> None: ...


ORDER = ("answer", "because", "next", "scope", "picture", "legend", "gates", "warnings", "numbers", "end", "folder")


def write_short(page: Terminal, result: Result, folder: str | None) -> None:
    """Prints what fits into LINES lines, in the one order; what matters least is left out first."""
    chosen: dict[str, Drawing] = {}
    used: dict[str, int] = {}
    for place, drawing, needed in _offers(page, result, folder):
        lines = _lines(page, drawing)
        if needed or sum(used.values()) - used.get(place, 0) + lines <= LINES:
            chosen[place], used[place] = drawing, lines
    for place in ORDER:
        if place in chosen:
            chosen[place]()


def _lines(page: Terminal, drawing: Drawing) -> int:
    with page.console.capture() as captured:
        drawing()
    return captured.get().count("\n")


Offer = tuple[str, Drawing, bool]


def _offers(page: Terminal, result: Result, folder: str | None) -> list[Offer]:
    """What could be shown, the most important first; a later offer for the same place is the longer one."""
    answer, picture = result.answer, first_picture(result)
    offers: list[Offer] = [("folder", lambda: _folder(page, folder), True)] if folder is not None else []
    offers.append(("gates", lambda: _gates(page, result), True))
    if answer is not None:
        offers += _of_answer(page, answer)
    by_name = {name: (name, draw, False) for name, draw in _optional(page, result, picture).items()}
    order = ["next", "picture few", "scope", "picture", "legend", "warnings", "picture more"]
    if answer is not None:
        by_name |= {name: (name, draw, False) for name, draw in _more_of_answer(page, answer).items()}
    order += ["because all", "end", "scope all", "numbers"]
    return [*offers, *((name.split()[0], *by_name[name][1:]) for name in order if name in by_name)]


def _of_answer(page: Terminal, answer: Answer) -> list[Offer]:
    """What an answer always shows: first why, and last where the eye is when a command ends."""
    head, tone = f"Answer: {answer.status.upper()}", wording.tone_style(answer)

    def start() -> None:
        page.head(head, tone)
        page.lines([answer.headline])

    def end() -> None:
        page.head(head, tone)
        page.lines([answer.headline])

    offers: list[Offer] = [("answer", start, True), ("end", end, True)]
    if answer.because:
        offers.append(("because", lambda: page.lines(answer.because[:1]), False))
    return offers


def _more_of_answer(page: Terminal, answer: Answer) -> Mapping[str, Drawing]:
    scope = SENTENCE.split(answer.scope)

    def end() -> None:
        page.head(f"Answer: {answer.status.upper()}", wording.tone_style(answer))
        page.lines(wording.answer_short(answer))

    return {
        "next": lambda: page.lines([f"Next: {answer.next}"]),
        "scope": lambda: page.lines([f"Looked at: {scope[0]}"]),
        "scope all": lambda: page.lines([f"Looked at: {answer.scope}"]),
        "because all": lambda: page.lines(answer.because),
        "end": end,
    }


def _optional(page: Terminal, result: Result, picture: Picture | None) -> dict[str, Drawing]:
    drawings: dict[str, Drawing] = {}
    if picture is not None:
        for name, rows in (("picture few", FEW), ("picture", SOME), ("picture more", MANY)):
            drawings[name] = _picture(page, picture, rows)
        if picture.legend:
            drawings["legend"] = lambda: page.lines([picture.legend])
    if result.warnings:
        drawings["warnings"] = lambda: page.lines([_warnings(result.warnings)])
    measurements, _ = wording.overall_table(result)
    if 0 < len(measurements.rows) <= LINES:  # more never fit, and would be drawn in vain
        drawings["numbers"] = lambda: page.table("Measurements", measurements, [], keys=1, intervals=True)
    return drawings


def _picture(page: Terminal, picture: Picture, rows: int) -> Drawing:
    return lambda: page.picture(picture.chart, rows)


def _warnings(warnings: Sequence[str]) -> str:
    more = f" (and {some(len(warnings) - 1, 'more warning')})" if len(warnings) > 1 else ""
    return f"Warning: {warnings[0]}{more}"


def _gates(page: Terminal, result: Result) -> None:
    page.verdict(result, f" (exit code {result.exit_code})")
    page.lines([*gate_lines(result), wording.counts_text(result.counts)])


def _folder(page: Terminal, folder: str) -> None:
    page.lines([MORE])
    page.folder(folder, Path(folder) / "report.html")
