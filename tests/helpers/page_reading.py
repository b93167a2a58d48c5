"""report.html read back by an HTML parser, and results whose every text is hostile."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pages

from auditfw.components.report.page import content, page
from auditfw.core.document import Chart, Exhibit, Gallery, Grid, Mark, Matrix, Note, Section, Series, Snippet, Table
from auditfw.core.records import Result

HOSTILE = (
    "</script><script>globalThis.bad=1</script><img src=x onerror=bad()>\"'&amp;\x1b[2J\u202e\ud800 {{7*7}} ${7*7}"
)
VOID = {"meta", "link", "br", "wbr"}


class Reader(HTMLParser):
    """What a browser would make of a page: its elements with attributes, and the text in each script."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.raw: list[tuple[dict[str, str | None], str]] = []
        self.said: list[str] = []
        self.wrong: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("script", "style"):
            self.raw.append((dict(attrs), ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("script", "style"):
            self.raw[-1] = (self.raw[-1][0], self.raw[-1][1] + data)
        else:
            self.said.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.said))

    def data(self) -> dict[str, Any]:
        """The data blocks by id."""
        return {str(of["id"]): json.loads(text) for of, text in self.raw if of.get("type") == "application/json"}


def text_of(result: Result, max_bytes: int = 5_000_000) -> str:
    return page.page_text(content.result_page(result), max_bytes)


def browsing(exhibits: list[Exhibit], total: int = 10_812) -> Result:
    return pages.result([Section("Flips", [Gallery(pages.FACETS, exhibits, total, "flips")], page=True)])


def hostile() -> Result:
    nine = [Mark(HOSTILE, 0, 9)]
    exhibit = Exhibit(HOSTILE, [(HOSTILE, HOSTILE)], [Snippet(HOSTILE, HOSTILE, HOSTILE, 3, (0, 9), nine)],
                      [Grid(HOSTILE, [[0, 11], [-1]])], [[(HOSTILE, HOSTILE)], [], [(HOSTILE,)]])  # fmt: skip
    series = Series(HOSTILE, [HOSTILE, "b"], [1.0, 2.0], [HOSTILE], [0.5, None], [1.5, None])
    heat = Matrix(HOSTILE, HOSTILE, [HOSTILE], [HOSTILE], [[1.0]], [[HOSTILE]], notes=[HOSTILE], note=HOSTILE)
    found = [
        Section(HOSTILE, [Note(HOSTILE), Table([HOSTILE], [[HOSTILE, HOSTILE]], "<", HOSTILE, 2), exhibit]),
        Section("m", [heat]),
        Section("c", [Chart(HOSTILE, HOSTILE, HOSTILE, [series, series], kind) for kind in ("line", "points", "bars")]),  # type: ignore[arg-type]
        Section("s", [Chart(HOSTILE, HOSTILE, HOSTILE, [series], "points", choices={HOSTILE: [HOSTILE, "x"]})]),
        Section("g", [Gallery(((HOSTILE, HOSTILE), ("b",), ("c",)), [exhibit] * 5, 5, HOSTILE)], page=True),
    ]  # fmt: skip
    made = pages.result(found)
    made.warnings.append(HOSTILE)
    made.counts[HOSTILE] = 7
    made.versions[HOSTILE] = HOSTILE
    return made
