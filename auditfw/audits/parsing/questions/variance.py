"""Where the noise of the reference's rate comes from, and what to buy next: where items are repeated in a cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from auditfw.audits.noise import TITLE, noise_blocks, noise_row, noise_table, repeats_are
from auditfw.core.document import Note, Section
from auditfw.core.imports import np
from auditfw.core.results.findings import Finding, FindingKind, NotChecked
from auditfw.formulas.clusters import distinct_codes, rows_of_each
from auditfw.formulas.repeats.of_k import ONE_DRAW
from auditfw.formulas.repeats.purchases import purchases
from auditfw.formulas.repeats.variance import variance_parts
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .repeats import ITEM, MODEL, RepeatedRows

MOST = 40  # cells


@declare("question", "variance")
class NoiseOfRate:
    """What items and what repeats add to the noise of the rate, and what further calls would take from it."""

    finds: ClassVar[tuple[FindingKind, ...]] = ()

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """No finding; the section is made while the table can be read."""
        self.sections(rows)
        yield from ()

    def sections(self, rows: LabelRows) -> list[Section]:
        """The sources of noise and what to buy next, of a run with one cell in full, else a row a cell."""
        return rows.of(_sections)


def _sections(rows: LabelRows) -> list[Section]:
    if not rows.has(ITEM) or not rows.n:
        return []
    repeated = rows.of(RepeatedRows)
    labels, _ = repeated.labels(rows.reference)
    own = repeated.conditions * max(1, repeated.number) + repeated.items
    there = np.flatnonzero(labels >= 0)
    if len(distinct_codes(own[there], int(own.max(initial=0)) + 1)[0]) == len(there):
        return []  # no item is repeated
    groups = _groups(repeated.conditions[there], there)
    columns = _columns(rows, repeated)
    made = []
    for group in groups[:MOST]:
        parts = variance_parts(labels[group].reshape(-1, 1), repeated.items[group])
        if parts is not None and parts.repeat is not None:
            made.append((int(repeated.at[group[0]]), parts, purchases(parts)))
    if not made:
        return []
    section = Section(TITLE, console=True)
    if len(groups) == 1:
        section.blocks += noise_blocks(made[0][1], made[0][2], [rows.reference], priced=False)
    else:
        names = [_called(name) for name in columns]
        cells = list(rows.rows(columns, sorted(row for row, *_ in made)))
        known = dict(zip(sorted(row for row, *_ in made), cells, strict=True))
        table = [[*map(str, known[row]), *noise_row(parts, buys)] for row, parts, buys in made]
        section.blocks.append(noise_table(names, table, rows.reference, max(0, len(groups) - MOST)))
    section.blocks.append(Note(repeats_are([_called(name) for name in columns])))
    if _one_draw(repeated):
        text = (
            "The texts of an item's repeats are equal, byte for byte: they are one draw, and more of them add nothing."
        )
        section.blocks.append(Note(text))
    return [section]


def _groups(codes: Any, at: Any) -> list[Any]:
    """The numbers of the rows of each condition."""
    return [at[part] for part in rows_of_each(codes) if len(part)]


def _columns(rows: LabelRows, repeated: RepeatedRows) -> Sequence[str]:
    """The columns that name a condition: those of cells, and the models where cells hold several."""
    several = repeated.conditions.max() > repeated.cells.max()  # both are numbered without gaps
    return [*rows.by, *([MODEL] if several else [])]


def _called(column: str) -> str:
    return "model" if column == MODEL else column.removeprefix("cell.")


def _one_draw(repeated: RepeatedRows) -> bool:
    share = repeated.equal.get(())
    return share is not None and share >= ONE_DRAW
