"""The gap of two or more sides on the screen, as Markdown, and as the files of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from auditfw.components.report.console import ConsolePage
from auditfw.components.report.markdown import table_text
from auditfw.components.report.wording import NONE, STYLES
from auditfw.core.document import Table
from auditfw.core.escaping import markdown_text
from auditfw.core.files import guarded
from auditfw.core.result_json import dumps, write_whole
from auditfw.core.results.table_files import write_table

from .condition_values import printed
from .conditions import conditions_table
from .gap_answer import advice, because, headline
from .gap_tables import gap_columns, gap_head, gap_table, paired_lines, sides_table
from .pair import ComparedPair, conditions_of, every_side
from .several import cautions, lead_line, tiers_of, tiers_table

REASONS = 3  # on a screen


def write_gaps(page: ConsolePage, pairs: Sequence[ComparedPair], everything: bool = False) -> None:
    """Prints the answer of each pair, the sides, what they were made under, and what each gap is made of."""
    if len(pairs) > 1:
        made = tiers_of(pairs)
        page.head("Who leads")
        page.lines([lead_line(pairs, made), *cautions(pairs)])
        page.rows(tiers_table(pairs, made), 1)
    for pair in pairs:
        name = f" ({pair.sides[0].letter} and {pair.sides[1].letter})" if len(pairs) > 1 else ""
        page.head(f"Answer{name}: {pair.title}", STYLES.get(pair.status, "bold"))
        page.lines([headline(pair), *because(pair)[:REASONS], f"Next: {advice(pair)}"])
    page.head("Sides")
    page.rows(sides_table(pairs), 1)
    head, table, notes = conditions_shown(pairs, everything)
    page.head(head)
    if table.rows:
        page.rows(table, 1)
    page.lines(notes)
    for pair in pairs:
        page.head(gap_head(pair))
        page.rows(gap_table(pair), 1)
        page.lines(paired_lines(pair))


def conditions_shown(pairs: Sequence[ComparedPair], everything: bool) -> tuple[str, Table, list[str]]:
    """The heading and the table of what sides were made under; what none records, and whose logs are not read."""
    if len(pairs) == 1:
        rows = pairs[0].conditions
    else:
        both, trials = [pair.both for pair in pairs], [pair.trials for pair in pairs]
        rows = conditions_of([pair.sides for pair in pairs], both, trials)
    head, _ = conditions_table(rows, len(pairs) + 1, everything)
    blank = [row for row in rows if {*row.values} <= {NONE, ""}]
    _, table = conditions_table([row for row in rows if row not in blank], len(pairs) + 1, everything)
    sides = [pair.sides[at] for pair, at in every_side(pairs)]
    unread = [(side.letter, side.conditions.why) for side in sides if side.conditions.why]
    notes = [f"Recorded on no side: {', '.join(printed(row.name) for row in blank)}"] if blank else []
    return head, table, notes + [f"The log of {letter} is not read again for them: {why}" for letter, why in unread]


def gap_markdown(pairs: Sequence[ComparedPair], whole: bool = True) -> str:
    """The same as Markdown; without the `whole` only the answer and the parts, for a comment."""
    return "\n\n".join(part for part in _parts(pairs, whole) if part) + "\n"


def _parts(pairs: Sequence[ComparedPair], whole: bool) -> Iterator[str]:
    if len(pairs) > 1:
        made = tiers_of(pairs)
        yield "### auditfw: who leads"
        yield markdown_text(" ".join([lead_line(pairs, made), *cautions(pairs)]))
        yield table_text(tiers_table(pairs, made))
    for pair in pairs:
        name = f" between {pair.sides[0].letter} and {pair.sides[1].letter}" if len(pairs) > 1 else ""
        yield f"### auditfw: the gap{name}"
        yield f"**{markdown_text(pair.title)}.** {markdown_text(headline(pair))}"
        names = "; ".join(f"{side.letter} is {side.called}" for side in pair.sides)
        lines = [*([] if whole else [names]), *because(pair)[:REASONS], f"Next: {advice(pair)}"]
        yield "\n".join(f"- {markdown_text(line)}" for line in lines)
    if whole:
        yield table_text(sides_table(pairs))
        head, table, notes = conditions_shown(pairs, everything=True)
        yield f"#### {markdown_text(head)}"
        yield table_text(table) if table.rows else ""
        yield "\n".join(f"- {markdown_text(note)}" for note in notes)
    for pair in pairs:
        yield f"#### {markdown_text(gap_head(pair))}"
        yield table_text(gap_table(pair))
        if whole:
            yield "\n".join(f"- {markdown_text(line)}" for line in paired_lines(pair))


def write_files(folder: Path, document: Mapping[str, Any], text: str, pairs: Sequence[ComparedPair]) -> None:
    """Writes compare.json, compare.md, and a gap.parquet for each pair. Raises IncompleteError."""
    with guarded(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for pair in pairs:
            name = "gap.parquet" if len(pairs) == 1 else f"gap_{pair.sides[1].letter}.parquet"
            write_table(folder / name, "gap", gap_columns(pair))
        write_whole(str(folder), "compare.md", text)
        write_whole(str(folder), "compare.json", dumps(dict(document)))
