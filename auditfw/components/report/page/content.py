"""A result as the content of a page, in the order in which it is read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Literal

from auditfw.components.report import wording
from auditfw.components.report.screen.gates import passed_scopes
from auditfw.components.report.screen.picture import Picture, ahead, first_chart, first_picture
from auditfw.core.document import Block, Gallery, Note, PageGroup, Section, Table, some
from auditfw.core.records import Answer, Result
from auditfw.core.result_json import dumps, ordered_counts

INPUTS_SHOWN = 1_000
MOST_COLUMNS = 8  # numbers in a row of the measurements


@dataclass(frozen=True)
class Items:
    """A list of sentences; `tone` says how prominent."""

    lines: Sequence[str]
    tone: Literal["foot", "warning"] = "foot"


@dataclass(frozen=True)
class Linked(Table):
    """A table of which the first cell of a row leads to `targets[row]`, a file beside the page; "" for none."""

    targets: Sequence[str] = ()


@dataclass(frozen=True)
class Fitted(Table):
    """A table that a narrow page shows without scrolling: names break at underscores."""


@dataclass(frozen=True)
class Folded:
    """A table that is shown when its line is opened."""

    line: str
    table: Table


Shown = Block | Items | Linked | Folded


@dataclass(frozen=True)
class PagePart:
    """A headed part of a page: a section of the document, or one that only the page has."""

    title: str
    blocks: Sequence[Shown]
    level: int = 2
    folded: str = ""
    group: PageGroup = "who"


@dataclass(frozen=True)
class HtmlPage:
    """The content of a page: answer and verdict, the counts as shares of what was read, then its parts in order.

    `tones` are the classes of shares that have a colour of their own, `groups` the titles of the groups of parts.
    `run` names the run to the browser that keeps decisions on its exhibits.
    """

    title: str
    status: str
    word: str
    lines: Sequence[str]
    parts: Sequence[PagePart]
    shares: Sequence[tuple[str, int]] = ()
    answer: Answer | None = None
    facts: str = ""
    groups: Mapping[PageGroup, str] = field(default_factory=partial(wording.group_titles, ""))
    tones: Mapping[str, str] = field(default_factory=dict)
    run: str = ""


def result_page(result: Result) -> HtmlPage:
    """The page of a result: gates, warnings, measurements, the audit's own sections, inputs and versions."""
    counts = ordered_counts(result.counts)
    shares = [(name, n) for name, n in counts.items() if name != "read" and (n or name == "audited")]
    shares = shares if any(n for _, n in shares) else []
    read = [f"{some(counts['read'], 'trial')} read"] if "read" in counts and shares else []
    lines = [", ".join([f"exit code {result.exit_code}", *read])]
    picture = first_picture(result)
    taken = None if picture is None else picture.section
    apart = [*ahead(result), *filter(None, [taken])]
    own = [one for one in result.sections if one.blocks and not (one.off_page or any(one is it for it in apart))]
    first = [*map(part_of, ahead(result)), *([] if picture is None else [_first(picture)])]
    warned = [PagePart("Warnings", [Items(result.warnings, "warning")], group="answer")] if result.warnings else []
    parts = [*first, *warned, _gates(result), *map(part_of, own), _measurements(result), _appendix(result)]
    word = wording.verdict_text(result)
    passed = passed_scopes(result.gates)
    if result.answer is not None and result.verdict == "pass":
        passed = [*passed[:4], *(["…"] if len(passed) > 4 else []), *filter(None, [wording.unasked(result)])]
        word += f" ({', '.join(passed)})"
    return HtmlPage(
        f"Audit {result.audit}",
        wording.verdict_status(result),
        word,
        lines,
        parts,
        shares if sum(n for _, n in shares) else (),
        result.answer,
        wording.facts_text(result),
        wording.group_titles(result.audit),
        run=_run_name(result),
    )


def _run_name(result: Result) -> str:
    """16 digits that tell a run from others where its exhibits have keys: of a SHA-256 over what it read and drew.

    Not that of result.json, which is written after its reports.
    """
    galleries = (block for section in result.sections for block in section.blocks if isinstance(block, Gallery))
    keys = [one.key for gallery in galleries for one in gallery.exhibits if one.key]
    read = [one.sha256 for one in result.inputs]
    text = dumps([result.config_hash, result.seed, read, ordered_counts(result.counts), keys])
    return hashlib.sha256(text.encode()).hexdigest()[:16] if keys else ""


def groups_of(page: HtmlPage) -> list[tuple[PageGroup, str, list[PagePart]]]:
    """The groups of a page in order, each with its title and its parts."""
    parts = [(name, title, [one for one in page.parts if one.group == name]) for name, title in page.groups.items()]
    return [(name, title, own) for name, title, own in parts if own]


def part_of(section: Section) -> PagePart:
    """A section as a part of a page."""
    return PagePart(section.title, section.blocks, min(max(section.level, 2), 3), section.folded, section.group)


def _first(picture: Picture) -> PagePart:
    """The picture that shows the answer, with the bounds of the gates in it."""
    if picture.section is None:
        return PagePart("At a Glance", [picture.chart], group="answer")
    chart = first_chart(picture.section)
    blocks = [picture.chart if block is chart else block for block in picture.section.blocks]
    return PagePart(picture.section.title, blocks, group="answer")


def _gates(result: Result) -> PagePart:
    if not result.gates:
        return PagePart("Gates", [Note("This run has no gates.")], group="answer")
    table, why = wording.result_gates(result)
    passed = ", ".join(passed_scopes(result.gates))
    feet = [*([f"What passed: {passed}."] if passed else []), *why]
    rows = [_status_second(row) for row in table.rows]
    return PagePart("Gates", [Fitted(_status_second(table.columns), rows, "<<<<>"), Items(feet)], group="answer")


def _status_second(cells: Sequence[str]) -> list[str]:
    """The last cell moved beside the name, where a narrow page shows it."""
    return [cells[0], cells[-1], *cells[1:-1]]


def _measurements(result: Result) -> PagePart:
    """The overall measurements, a table for each group of columns that are filled in the same rows."""
    table, feet = wording.overall_table(result)
    tables: list[Shown] = [*parted(table)] if table.rows else [Note("Nothing was measured.")]
    return PagePart("Measurements", [*tables, *([Items(feet)] if feet else [])], group="rest")


def parted(table: Table) -> list[Table]:
    """A table as several, so that none has columns that most of its rows leave empty, nor more than fit a page.

    A single row of many numbers is turned: a row for each number.
    """
    if len(table.rows) == 1 and len(table.columns) > MOST_COLUMNS:
        (name, *values), (corner, *heads) = table.rows[0], table.columns
        pairs = [[head, value] for head, value in zip(heads, values, strict=True) if value]
        return [replace(table, columns=[corner, name], rows=pairs, align="<>")]
    groups: list[tuple[list[int], set[int]]] = []
    for column in range(1, len(table.columns)):
        rows = {i for i, row in enumerate(table.rows) if row[column]}
        fitting = (group for group in groups if 2 * len(rows & group[1]) >= len(rows | group[1]))
        group = next(fitting, None)
        if group is None:
            groups.append(([column], rows))
        else:
            group[0].append(column)
            group[1].update(rows)
    return [
        _part(table, [0, *part], sorted(rows)) for columns, rows in groups for part in _evenly(columns, MOST_COLUMNS)
    ] or [table]


def _evenly(columns: Sequence[int], most: int) -> list[Sequence[int]]:
    """Columns in as few parts as there must be, all of about one size."""
    parts = -(-len(columns) // most)
    ends = [round(n * len(columns) / parts) for n in range(parts + 1)]
    return [columns[start:end] for start, end in pairwise(ends)]


def _part(table: Table, columns: Sequence[int], rows: Sequence[int]) -> Table:
    def kept(cells: Sequence[str]) -> list[str]:
        return [cells[at] for at in columns]

    return replace(
        table, columns=kept(table.columns), rows=[kept(table.rows[i]) for i in rows], align="".join(kept(table.align))
    )


def _appendix(result: Result) -> PagePart:
    table = wording.inputs_table(result.inputs)
    line = wording.inputs_line(result.inputs)
    files = Folded(line, wording.shortened(table, INPUTS_SHOWN)) if line else table
    first = files if table.rows else Note("No files were read.")
    origin = [["configuration", result.config_hash], ["seed", str(result.seed)]]
    origin += [[f"version of {name}", version] for name, version in sorted(result.versions.items())]
    return PagePart("Inputs and Versions", [first, Table(["setting", "value"], origin, "<<")], group="rest")
