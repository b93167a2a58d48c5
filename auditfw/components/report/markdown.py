"""The report a person keeps: report.md, the same bytes for the same result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from auditfw.core.document import Chart, Exhibit, Gallery, Matrix, Note, Section, Snippet, Table, some
from auditfw.core.errors import IncompleteError, refuse
from auditfw.core.escaping import markdown_cell, markdown_code, markdown_code_block, markdown_text
from auditfw.core.files import refusals
from auditfw.core.memo import remembered
from auditfw.core.records import Result
from auditfw.core.result_json import write_whole
from auditfw.kinds.registry import register

from . import wording
from .charts.drawing import drawing
from .charts.sketch import thinned
from .screen.picture import AHEAD, Picture, ahead, dots, first_picture

FILE = "report.md"
CHART_ROWS = 20
SKETCHED = 100  # characters of a line


@register("report", "markdown")
@dataclass(frozen=True)
class MarkdownReport:
    """Writes report.md: answer, verdict and gates first, then every section; charts as SVG files beside it."""

    def __call__(self, result: Result, folder: str | None) -> Sequence[str]:
        if folder is None:
            return ()
        pictures, refused = _write_pictures(result.sections, folder)
        names = (write_whole(folder, FILE, report_text(result, pictures)), *filter(None, pictures))
        refuse(refused)
        return names


def _charts(sections: Sequence[Section]) -> list[Chart]:
    """All charts of a report, in order."""
    return [block for section in sections for block in section.blocks if isinstance(block, Chart)]


def _write_pictures(sections: Sequence[Section], folder: str) -> tuple[list[str], list[IncompleteError]]:
    """Writes each chart as chart-N.svg into the run folder.

    Gives the names, "" for one that the disk refuses, and the refusals.
    """
    files = {f"chart-{n}.svg": drawing(chart).document() + "\n" for n, chart in enumerate(_charts(sections), 1)}
    outcomes = refusals(folder, [partial(write_whole, folder, name, text) for name, text in files.items()])
    names = [name if refusal is None else "" for name, refusal in zip(files, outcomes, strict=True)]
    return names, [refusal for refusal in outcomes if refusal is not None]


def report_text(result: Result, pictures: Sequence[str] = ()) -> str:
    """The whole report, a pure function of the result; `pictures` names the file of each chart, in order."""
    sections, every = _further(result), _charts(result.sections)
    names = dict(zip(map(id, every), pictures or [""] * len(every), strict=True))
    left = iter([names.pop(id(chart)) for chart in _charts(sections)])
    further = [_image(chart, name) for chart in every if (name := names.get(id(chart)))]
    parts = [
        *head_parts(result),
        *_grouped(result.audit, sections, left),
        *(["## Pictures", *further] if further else []),
        *_appendix(result),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _further(result: Result) -> list[Section]:
    """The sections after the head, in the order of their groups."""
    order = list(wording.group_titles(result.audit))
    own = [section for section in result.sections if not (section.page or section.screen in AHEAD)]
    return sorted(own, key=lambda section: order.index(section.group))


def _grouped(audit: str, sections: Sequence[Section], pictures: Iterator[str]) -> Iterator[str]:
    """The sections under the titles of their groups."""
    for name, title in wording.group_titles(audit).items():
        own = [section for section in sections if section.group == name]
        if own:
            yield f"## {title}"
        for section in own:
            yield from section_parts(section, pictures, 1)


def section_parts(
    section: Section,
    pictures: Iterator[str] = iter(()),  # noqa: B008 - always empty
    deeper: int = 0,
) -> Iterator[str]:
    """A section's heading and blocks, each a Markdown block of its own; `pictures` are the files of the next charts."""
    yield f"{'#' * (deeper + min(max(section.level, 2), 3))} {markdown_text(section.title)}"
    for block in section.blocks:
        if isinstance(block, Chart):
            yield from _chart(block, next(pictures, ""))
        else:
            yield from _block_parts(block)


def table_text(table: Table) -> str:
    """A GFM table; numbers to the right."""
    columns, rows, align = wording.squared(table)
    if not columns:
        return ""
    ruler = ["---:" if side == ">" else ":---" for side in align]
    lines = [list(map(markdown_cell, columns)), ruler, *([*map(markdown_cell, row)] for row in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def head_parts(result: Result) -> Iterator[str]:
    """The start of every report: the answer, the verdict, the gates, the overall measurements."""
    yield f"# Audit: {markdown_text(result.audit)}"
    if result.answer is not None:
        yield f"**Answer: {result.answer.title}.** {markdown_text(result.answer.headline)}"
        yield _list(wording.answer_lines(result.answer, wording.facts_text(result))[1:])
    for section in ahead(result):
        yield from section_parts(section)
    yield from _picture(first_picture(result))
    yield f"**Verdict: {markdown_text(wording.verdict_text(result))}** (exit code {result.exit_code})"
    yield _lines(wording.counts_text(result.counts))
    yield "## Gates"
    if result.gates:
        gates, why = wording.result_gates(result)
        yield table_text(gates)
        yield _list(why)
    else:
        yield "This run has no gates."
    yield "## Measurements"
    table, feet = wording.overall_table(result)
    yield table_text(table) if table.rows else "Nothing was measured."
    yield _list(feet)


def _picture(picture: Picture | None) -> Iterator[str]:
    """The picture that shows the answer, in characters."""
    if picture is not None:
        lines = dots(picture.chart, SKETCHED)
        yield markdown_code_block("\n".join(lines)) if lines else ""
        yield markdown_text(picture.legend.text) if lines else ""


def warning_parts(result: Result) -> Iterator[str]:
    """The warnings, where there are some."""
    if result.warnings:
        yield "## Warnings"
        yield _list(result.warnings)


def _appendix(result: Result) -> Iterator[str]:
    yield from warning_parts(result)
    yield "## Inputs"
    line = wording.inputs_line(result.inputs)
    table = wording.shortened(wording.inputs_table(result.inputs), wording.INPUTS_FIRST if line else None)
    yield _lines(line)
    yield from _block(table) if table.rows else ["No files were read."]
    yield _list(
        [
            f"configuration {result.config_hash}",
            f"seed {result.seed}",
            f"versions {wording.version_text(result.versions)}",
        ]
    )


@remembered
def _block_parts(block: Note | Table | Exhibit | Matrix | Gallery) -> list[str]:
    return list(_block(block))


def _block(block: Note | Table | Exhibit | Matrix | Gallery) -> Iterator[str]:
    if isinstance(block, Note):
        yield _lines(block.text)
    elif isinstance(block, Matrix):
        yield from _block(block.as_table())
    elif isinstance(block, Gallery):
        yield f"In report.html: {len(block.exhibits):,} of {block.total:,} {markdown_text(block.of)}."
    elif isinstance(block, Table):
        yield _lines(block.caption)
        yield table_text(block)
        yield "" if block.rows else "No rows."
        yield wording.left_out(block.left_out)
    else:
        yield from _exhibit(block)


def _chart(chart: Chart, picture: str) -> Iterator[str]:
    """The picture, and its numbers as a table for those who cannot see it."""
    if picture:
        yield _image(chart, picture)
    table = chart.as_table()
    if not picture:
        yield _lines(table.caption)
    rows = thinned(table.rows, CHART_ROWS)
    yield table_text(Table(table.columns, rows, table.align))
    yield f"{len(rows)} of {some(len(table.rows), 'point')}." if len(rows) < len(table.rows) else ""


def _image(chart: Chart, picture: str) -> str:
    return f"![{markdown_text(chart.title)}]({picture})"


def _exhibit(exhibit: Exhibit) -> Iterator[str]:
    yield f"#### {markdown_text(exhibit.title)}"
    facts = [(name, markdown_code(value) if value.strip() else "(empty)") for name, value in exhibit.facts]
    yield "\n".join(f"- {markdown_text(name)}: {value}" for name, value in facts)
    for snippet in exhibit.snippets:
        yield from _snippet(snippet)


def _snippet(snippet: Snippet) -> Iterator[str]:
    """Head and tail are fenced apart, so that no text can pass for the line that says what was left out."""
    span = "" if snippet.span is None else f" (characters {snippet.span[0]}–{snippet.span[1]} of raw_text)"
    bare = not (snippet.head or snippet.tail or snippet.omitted)
    yield f"{markdown_text(snippet.label)}{span}:{' (empty)' if bare else ''}"
    yield markdown_code_block(snippet.head) if snippet.head else ""
    if snippet.omitted:
        yield f"… [{some(snippet.omitted, 'character')} omitted] …"
    yield markdown_code_block(snippet.tail) if snippet.tail else ""


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {_lines(line, '  ')}" for line in lines)


def _lines(text: str, indent: str = "") -> str:
    shown = [markdown_text(line) for line in text.split("\n") if line.strip()]
    return f"\\\n{indent}".join(shown)
