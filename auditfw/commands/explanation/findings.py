"""The findings of a run in short lines: what each says, in how many points, in which cells, at which places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from auditfw.audits.answers import named
from auditfw.audits.findings import TITLE, UNCHECKED
from auditfw.core.digits import fixed
from auditfw.core.document import Note, Section, some
from auditfw.core.results.findings import KNOWN, Finding, NotChecked

CELLS = 3  # that are named of one finding


def listed_findings(findings: Sequence[Finding], not_checked: Sequence[NotChecked]) -> list[Section]:
    """The findings, and what could not be looked for; a section that is empty is left out."""
    texts = [text for one in findings for text in _lines(one)]
    lacking = [f"{one.kind}: {one.why}" for one in not_checked]
    return [Section(title, [Note(t) for t in own]) for title, own in ((TITLE, texts), (UNCHECKED, lacking)) if own]


def _lines(one: Finding) -> Iterator[str]:
    points = "" if one.points is None else f", {fixed(one.points, 1)} points"
    yield f"{one.kind} ({one.effect}{points}): {one.text}"
    cells = sorted(one.cells, key=lambda cell: -cell.value)
    if len(cells) > 1:
        most = ", ".join(f"{named(cell.cell)} {cell.value:,.10g}" for cell in cells[:CELLS])
        more = f"; {some(len(cells) - CELLS, 'more cell')}" if len(cells) > CELLS else ""
        yield f"- most where {most}{more}"
    if one.places:
        yield f"- first at {', '.join(_places(one.places))}"
    if one.explains:
        yield f"- explains {', '.join(one.explains)}"
    if one.known:
        yield f"- is known: {one.detail[KNOWN]}"


def _places(places: Sequence[str]) -> Iterator[str]:
    """Places with the file named once: `a.csv:3, 8, b.csv:2`."""
    for file, own in groupby(places, key=lambda place: place.rpartition(":")[0]):
        numbers = [place.rpartition(":")[2] for place in own]
        yield f"{file}:{', '.join(numbers)}" if file else ", ".join(numbers)
