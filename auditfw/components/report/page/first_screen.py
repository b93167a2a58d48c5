"""The first screen of a page for a notebook: answer, verdict, picture and gates, without a script, within bounds."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from markupsafe import Markup

from auditfw.components.report import wording
from auditfw.components.report.charts.drawing import drawing
from auditfw.components.report.screen.picture import first_picture
from auditfw.core.document import Table
from auditfw.core.escaping import visible
from auditfw.core.records import Answer, Result

from .blocks import table_view, titled
from .page import HERE, STYLE, environment

TEMPLATE, RULES = "first_screen.html.jinja", "first_screen.css"
PALETTE = ":root {"  # what the page's style begins with: the colours and fonts by name
MAX_BYTES = 60_000
MOST = 200  # characters of a text
TRIES = ((True, 12), (False, 12), (False, 3))  # with the picture?, gates: the first that fits


def first_screen(result: Result, place: str) -> str:
    """A fragment of HTML with a style of its own, at most `MAX_BYTES` long; `place` says where the run is."""
    picture = _picture(result)
    text = ""
    for drawn, gates in TRIES:
        text = _rendered(result, place, picture if drawn else None, gates)
        if len(text.encode()) <= MAX_BYTES:
            break
    return text


def _rendered(result: Result, place: str, picture: dict[str, Any] | None, gates: int) -> str:
    macros: Any = environment().get_template(TEMPLATE).module
    table, why = wording.result_gates(result)
    rows = [[_cut(text) for text in row] for row in table.rows]
    shown = wording.shortened(Table(table.columns, rows, table.align), gates)
    content = {
        "style": Markup(style()),  # noqa: S704 - no data in it
        "title": _cut(f"Audit {result.audit}"),
        "word": wording.verdict_text(result),
        "status": wording.verdict_status(result),
        "answer": None if result.answer is None else _answer(result.answer),
        "facts": _cut(wording.facts_text(result, ""), 2 * MOST),
        "counts": _cut(wording.counts_text(result.counts)),
        "picture": picture,
        "gates": table_view(shown) if result.gates else None,
        "why": [_cut(line) for line in why[:gates]],
        "warnings": len(result.warnings),
        "warning": _cut(result.warnings[0]) if result.warnings else "",
        "place": _cut(place),
    }
    return str(macros.first_screen(content))


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "tone": answer.status,
        "word": answer.title,
        "headline": _cut(answer.headline),
        "because": [_cut(line, 2 * MOST) for line in answer.because],
        "next": _cut(answer.next, 2 * MOST),
        "scope": _cut(answer.scope, 2 * MOST),
    }


def _picture(result: Result) -> dict[str, Any] | None:
    """The picture that shows the answer with its title; None where there is none."""
    first = first_picture(result)
    if first is None:
        return None
    svg = drawing(first.chart).inlined()
    return {"title": titled(first.chart), "svg": Markup(svg)}  # noqa: S704 - its texts are escaped


@lru_cache(1)
def style() -> str:
    """The page's colours by name, and the rules of this screen, all of them within its own class."""
    page, rules = ((HERE / name).read_text("utf-8") for name in (STYLE, RULES))
    palette = page[page.index(PALETTE) + len(PALETTE) : page.index("}")]
    return rules.replace("/* palette */", palette.replace("color-scheme: light dark;", "").strip())


def _cut(text: str, most: int = MOST) -> str:
    """A text with its hidden characters visible, in at most so many characters."""
    shown = visible(text[: 2 * most])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
