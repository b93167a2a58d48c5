"""The first screen of the terminal: the answer, the picture of it, the gates, and the answer again, in 24 lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
MORE = "All tables: auditfw report RUN, or report.detail=full"

Drawing = Callable[[], object]


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


ORDER = ("answer", "because", "next", "scope", "picture", "legend", "gates", "warnings", "numbers", "end", "folder")


def write_short(page: Terminal, result: Result, folder: str | None) -> None:
    """Prints what fits into LINES lines, in the one order; what matters least is left out first."""
    from rich.segment import Segment, Segments

    chosen: dict[str, str] = {}
    for place, drawing, needed in _offers(page, result, folder):
        if place == "legend" and not chosen.get("picture"):  # it explains a picture that is not there
            continue
        drawn = _drawn(page, drawing)
        others = sum(text.count("\n") for other, text in chosen.items() if other != place)
        if needed or others + drawn.count("\n") <= LINES:
            chosen[place] = drawn
    if folder is not None and result.warnings and "warnings" not in chosen:
        chosen["folder"] = _drawn(page, lambda: _folder(page, result, folder, len(result.warnings)))
    whole = "".join(chosen[place] for place in ORDER if place in chosen)
    page.console.print(Segments([Segment(whole)]), end="", soft_wrap=True)  # as it was drawn


def _drawn(page: Terminal, drawing: Drawing) -> str:
    with page.console.capture() as captured:
        drawing()
    return captured.get()


Offer = tuple[str, Drawing, bool]


def _offers(page: Terminal, result: Result, folder: str | None) -> list[Offer]:
    """What could be shown, the most important first; a later offer for the same place is the longer one."""
    answer, picture = result.answer, first_picture(result)
    offers: list[Offer] = [("folder", lambda: _folder(page, result, folder), True)] if folder is not None else []
    offers.append(("gates", lambda: _gates(page, result), True))
    if answer is not None:
        offers += _of_answer(page, answer)
    by_name = _optional(page, result, picture)
    if answer is not None:
        by_name |= _more_of_answer(page, answer)
    order = ["next", "picture few", "picture", "scope", "legend", "legend all", "warnings", "picture more"]
    order += ["because all", "scope all", "numbers"]
    return [*offers, *((name.split()[0], by_name[name], False) for name in order if name in by_name)]


def _of_answer(page: Terminal, answer: Answer) -> list[Offer]:
    """What an answer shows first: the headline and why, and at the end, where the eye is, what to do next."""

    def headline() -> None:
        page.answer(answer, [answer.headline])

    def end() -> None:
        page.answer(answer, wording.answer_short(answer))

    offers: list[Offer] = [("answer", headline, True), ("end", headline, True), ("end", end, False)]
    if answer.because:
        offers.append(("because", lambda: page.lines(answer.because[:1]), False))
    return offers


def _more_of_answer(page: Terminal, answer: Answer) -> Mapping[str, Drawing]:
    first = next(iter(answer.scopes), answer.scope)
    return {
        "next": lambda: page.lines([f"Next: {answer.next}"]),
        "scope": lambda: page.lines([f"Scope: {first}"]),
        "scope all": lambda: page.lines([f"Scope: {answer.scope}"]),
        "because all": lambda: page.lines(answer.because),
    }


def _optional(page: Terminal, result: Result, picture: Picture | None) -> dict[str, Drawing]:
    drawings: dict[str, Drawing] = {}
    if picture is not None:
        for name, rows in (("picture few", FEW), ("picture", SOME), ("picture more", MANY)):
            drawings[name] = _picture(page, picture, rows)
        if picture.legend.text:
            drawings["legend"] = lambda: page.lines([picture.legend.brief or picture.legend.text])
            drawings["legend all"] = lambda: page.lines([picture.legend.text])
    if result.warnings:
        drawings["warnings"] = lambda: page.lines([_warnings(result.warnings)])
    readings = {measurement.reading for measurement in result.measurements if measurement.overall}
    if 0 < len(readings) <= LINES:  # a row each; more never fit, and would be drawn in vain
        measurements, _ = wording.overall_table(result)
        drawings["numbers"] = lambda: page.table("Measurements", measurements, [], keys=1, intervals=True)
    return drawings


def _picture(page: Terminal, picture: Picture, rows: int) -> Drawing:
    return lambda: page.picture(picture.chart, rows)


def _warnings(warnings: Sequence[str]) -> str:
    more = f" (and {some(len(warnings) - 1, 'more warning')})" if len(warnings) > 1 else ""
    return f"Warning: {warnings[0]}{more}"


def _gates(page: Terminal, result: Result) -> None:
    unasked = wording.unasked(result)
    page.verdict(result, f" (exit code {result.exit_code}{f'; {unasked}' if unasked else ''})")
    page.lines([*gate_lines(result), wording.counts_text(result.counts)])


def _folder(page: Terminal, result: Result, folder: str, unseen: int = 0) -> None:
    """Where all is: a run with warnings that are left `unseen` never looks like one without."""
    page.lines([MORE.replace("tables", f"tables and {some(unseen, 'warning')}") if unseen else MORE])
    page.folder(folder, step=result.answer.next if result.answer is not None else "")
