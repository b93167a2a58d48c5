"""Rows that stand twice, repeats that are all equal, and values of a column that are copies of another value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.row_places import located, place
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.results.findings import CellCount, Finding, FindingKind, NotChecked
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import ITEM, REPEATS, TEXT, RowFacts, ValueColumn, facts, no_value, unchecked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from auditfw.formulas.rows.copies import CopiedValue, Copies

TWICE = FindingKind("rows_twice", "Rows that stand again with all that was read of them.", needs=TEXT)
EQUAL = FindingKind("repeats_equal", "Repeats of items that are equal throughout.", screen=False, needs=TEXT)
CELL = FindingKind(
    "cell_twice",
    "Values of a column whose texts are those of another value.",
    ("rows_twice", "items_uneven"),
    needs={**TEXT, **ITEM},
)
MANY = 0.05  # of the rows


@declare("question", "copies")
class CopiesOfRows:
    """Whether rows, repeats or values of a column are copies of others."""

    finds: ClassVar[tuple[FindingKind, ...]] = (TWICE, EQUAL, CELL)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Texts against each other, by hash."""
        known = facts(rows)
        if not (rows.has("row.text") and rows.has("row.truth_key")):
            for kind in self.finds:
                yield from unchecked(kind, rows, no_value(TEXT))
            return
        yield from rows_twice(known)
        yield from repeats_equal(known)
        if known.known_items:
            yield from cell_twice(rows)
        else:
            yield from unchecked(CELL, rows, no_value(ITEM))


def rows_twice(known: RowFacts) -> Iterator[Finding | NotChecked]:
    """Each row but the first of those that are equal."""
    import numpy as np

    copies = _copies(known)
    if not len(copies.rows):
        return
    n, left_out = len(copies.rows), np.zeros(known.rows.n, bool)
    left_out[copies.rows] = True
    rate, without, turned = known.rate(), known.rate(~left_out), known.turned(left_out)
    text = f"{some(n, 'row')} {verb(n, 'stands', 'stand')} twice"
    points = None
    if rate is not None and without is not None:
        points = abs(rate - without)
        text += f": {fixed(rate, 1)} % right, {fixed(without, 1)} % without the copies"
    text += f"; {turned}." if turned else "."
    first, again = place(known.rows, int(copies.originals[0])), place(known.rows, int(copies.rows[0]))
    yield TWICE(
        n,
        known.rows.n,
        text,
        effect="fragile" if turned or n >= MANY * known.rows.n else "reported",
        points=points,
        detail={"rate": rate, "rate_without": without},
        brief=f"{some(n, 'row')} twice",
        next=f"Compare {first} with {again}: was a file read or joined twice?",
        **located(known.rows, np.stack([copies.originals, copies.rows], axis=1).ravel()),
    )


def _copies(known: RowFacts) -> Copies:
    from auditfw.formulas.rows.copies import copies_of_items, copies_without_items

    rows = known.rows
    texts, truths, rest = (rows.numbers(f"row.{name}") for name in ("text", "truth_key", "rest"))
    if known.known_items:
        return copies_of_items(known.items, texts, truths, rest, rows.numbers("row.chars") > 0)
    return copies_without_items(texts, truths, rest, rows.numbers("row.mask"), rows.numbers("row.chars"))


def repeats_equal(known: RowFacts) -> Iterator[Finding]:
    """Repeats of an item, numbered by a column of cells, that are all equal: they are one draw."""
    from auditfw.formulas.rows.copies import EQUAL as NEARLY
    from auditfw.formulas.rows.copies import REPEATED, joined, repeats

    numbering = [column for column in known.columns if column.name in REPEATS and len(column.values) > 1]
    if not numbering or not known.known_items:
        return
    others = [column.numbers + 1 for column in known.columns if column not in numbering]
    rest = joined(known.items * 0, *others)
    counted = repeats(known.items, rest, known.rows.numbers("row.text"))
    if counted.several < REPEATED * counted.groups or counted.equal < NEARLY * counted.groups:
        return
    name = numbering[0].name
    text = f"The texts of an item are equal for every {name}: temperature 0, one draw of each and not several."
    yield EQUAL(counted.equal, counted.groups, text, detail={"column": name})


def copied(rows: LabelRows) -> list[tuple[ValueColumn, CopiedValue]]:
    """Values of a column that have the same texts, but for columns that choose a rule or number repeats."""
    from auditfw.formulas.rows.copies import ValueTexts, copied_values

    known = facts(rows)
    if not (rows.has("row.text") and rows.has("row.truth_key") and known.known_items):
        return []
    wrong = known.labelled & ~known.right
    texts = ValueTexts(
        known.items, rows.numbers("row.text"), rows.numbers("row.mask"), rows.numbers("row.mask_chars"), wrong
    )
    pairs: list[tuple[ValueColumn, CopiedValue]] = []
    for column in known.unruled:
        if column.name not in REPEATS:
            pairs += [(column, pair) for pair in copied_values(column.numbers, texts)]
    return pairs


def cell_twice(rows: LabelRows) -> Iterator[Finding]:
    """Each of them; they are not compared with what they are copies of."""
    pairs = rows.of(copied)
    if not pairs:
        return
    column, pair = pairs[0]
    of, copy = column.values[pair.of], column.values[pair.copy]
    text = f"{copy} is a copy of {of} ({pair.equal:,} of {pair.common:,} texts)"
    text += f"; {some(len(pairs) - 1, 'more pair')}." if len(pairs) > 1 else "."
    yield CELL(
        len(pairs),
        None,
        text,
        effect="fragile",
        cells=[CellCount({one.name: one.values[own.copy]}, own.equal) for one, own in pairs],
        brief=f"{copy} a copy of {of}",
        next=f"Look whether the answers of {copy} were read from its own file",
        detail={"copies": [[one.values[own.of], one.values[own.copy]] for one, own in pairs]},
        **located(rows, _rows_of(column, pair.copy)),
    )


def _rows_of(column: ValueColumn, value: int) -> NDArray[np.intp]:
    rows: NDArray[np.intp] = (column.numbers == value).nonzero()[0]
    return rows
