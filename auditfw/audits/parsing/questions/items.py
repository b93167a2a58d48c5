"""Items that some models lack, questions that stand under several items, and rows that are copies of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.table_rows import located, place
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.imports import NDArray, np
from auditfw.core.results.findings import CellCount, Effect, Finding, FindingKind, NotChecked
from auditfw.formulas.clusters import first_rows
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import ITEM, MOST_ALIKE, REPEATS, TEXT, RowFacts, ValueColumn, facts, no_value, unchecked

if TYPE_CHECKING:
    from auditfw.formulas.rows.copies import CopiedValue, Copies
    from auditfw.formulas.rows.whole import Uneven


ROW = "#"  # the number of a row, in the place of a column
QUESTIONS = {"question": "no column holds questions", "item": "no column says which rows are of one item"}
NUMBERED = FindingKind("ids_numbered", "Ids that are row numbers, since the column of ids repeats.", screen=False)
UNEVEN = FindingKind("items_uneven", "Items that some models lack, though most have them.", needs=ITEM)
QUESTION = FindingKind(
    "question_twice", "Questions that stand under several items, with the same options.", needs=QUESTIONS
)


@declare("question", "items")
class ItemsOfModels:
    """Whether all models have the same items, and each question one."""

    finds: ClassVar[tuple[FindingKind, ...]] = (UNEVEN, NUMBERED, QUESTION)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Items by model, and questions by item."""
        known = facts(rows)
        if known.known_items and known.models:
            yield from items_uneven(known)
        else:
            why = "no column names the models: map source.columns.model" if known.known_items else no_value(ITEM)
            yield from unchecked(UNEVEN, rows, why)
        yield from ids_numbered(known)
        if rows.has("row.item") and rows.has("row.question"):
            yield from question_twice(known)
        else:
            yield from unchecked(QUESTION, rows, no_value(QUESTIONS))


def items_uneven(known: RowFacts) -> Iterator[Finding]:
    """The first column of models some of which lack items that others have."""
    from auditfw.formulas.rows.whole import uneven

    for column in known.models:
        one = uneven(column.numbers, known.items, known.right, known.labelled)
        if one is not None:
            yield _uneven(known, column, one)
            return


def _uneven(known: RowFacts, column: ValueColumn, one: Uneven) -> Finding:

    turned, moved = known.turned(~one.common), one.moved
    value = int(np.argmax(one.lacking))
    text = f"{column.values[value]} lacks {one.lacking[value]:,} of {some(one.items, 'item')}"
    if moved is not None:
        at = int(np.nanargmax(np.abs(one.rates - one.common_rates)))
        rate, common = fixed(100 * one.rates[at], 1), fixed(100 * one.common_rates[at], 1)
        text += f": {column.values[at]} is right in {rate} % of its own, in {common} % of those that all have"
    if one.selected:
        text += "; what is missing is not missing at random"
    text += f"; {turned}." if turned else "."
    effect: Effect = "fragile" if turned or one.selected else "reported"
    lacking = [place for place in np.argsort(-one.lacking, kind="stable").tolist() if one.lacking[place]]
    return UNEVEN(
        int(one.lacking.sum()),
        one.items * len(column.values),
        text,
        effect=effect,
        points=None if moved is None else 100 * moved,
        p=float(one.chances.min()),
        cells=[CellCount({column.name: column.values[place]}, int(one.lacking[place])) for place in lacking],
        detail={"rates": _by_value(column, one.rates.tolist()), "common": _by_value(column, one.common_rates.tolist())},
        brief=f"{column.values[value]} lacks {some(int(one.lacking[value]), 'item')}",
        next=f"Look why {column.values[value]} lacks items; compare {column.name}s on the items that all have",
        **located(known.rows, (~one.common).nonzero()[0]),
    )


def _by_value(column: ValueColumn, rates: Sequence[float]) -> dict[str, float | None]:
    """Rates in percent by value; None without a row."""
    return {value: None if isnan(rate) else 100 * rate for value, rate in zip(column.values, rates, strict=True)}


def ids_numbered(known: RowFacts) -> Iterator[Finding]:
    """Ids that are row numbers, and how often the column repeats that names the items."""
    columns = capability(known.rows.settings.source, "columns")
    if not isinstance(columns, Mapping) or columns.get("id") != ROW or not known.known_items or not known.rows.n:
        return
    n, items = known.rows.n, int(known.items.max()) + 1
    if items == n:
        return
    name = columns.get("item", columns.get("question", "item"))
    text = f"Ids are row numbers, since {name} repeats: {some(items, 'value')} in {n:,} rows."
    yield NUMBERED(n, n, text, detail={"column": name, "values": items})


def question_twice(known: RowFacts) -> Iterator[Finding]:
    """Groups of items with the same question and options."""
    from auditfw.formulas.rows.copies import joined

    rows, items = known.rows, known.items
    at = np.flatnonzero((items >= 0) & (rows.numbers("row.question") != 0))
    names = ["row.question", *(["row.options"] if rows.has("row.options") else [])]
    leading = at[first_rows(items[at])]
    keys = joined(*(rows.numbers(name)[leading] for name in names))
    _, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
    counts[counts > MOST_ALIKE * len(keys)] = 1  # a form in place of the question
    twice = leading[counts[groups] > 1]
    if not len(twice):
        return
    several = int((counts > 1).sum())
    text = f"{len(twice):,} of {some(len(leading), 'item')} have a question that stands again "
    text += f"({some(several, 'question')}, the same options)."
    order = np.argsort(keys[counts[groups] > 1], kind="stable")
    yield QUESTION(
        len(twice),
        len(leading),
        text,
        detail={"questions": several, "truths": _two_truths(known, twice[order])},
        brief=f"{some(len(twice), 'item')} with one question",
        next=f"Give {verb(several, 'it', 'each')} one item, so that {verb(several, 'it', 'each')} counts once",
        **located(rows, twice[order]),
    )


def _two_truths(known: RowFacts, rows: NDArray[np.intp]) -> int:
    """How many of the questions have several truths."""
    if not known.rows.has("row.truth_key"):
        return 0
    questions, truths = (known.rows.numbers(f"row.{name}")[rows] for name in ("question", "truth_key"))
    pairs = np.unique(np.stack([questions, truths], axis=1), axis=0)
    return int((np.unique(pairs[:, 0], return_counts=True)[1] > 1).sum())


# Rows that stand twice, repeats that are all equal, and values of a column that are copies of another value.

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
    twice = known.rows.of(copies)
    if not len(twice.rows):
        return
    n, left_out = len(twice.rows), np.zeros(known.rows.n, bool)
    left_out[twice.rows] = True
    rate, without, turned = known.rate(), known.rate(~left_out), known.turned(left_out)
    text = f"{some(n, 'row')} {verb(n, 'stands', 'stand')} twice"
    points = None
    if rate is not None and without is not None:
        points = abs(rate - without)
        text += f": {fixed(rate, 1)} % right, {fixed(without, 1)} % without the copies"
    text += f"; {turned}." if turned else "."
    first, again = place(known.rows, int(twice.originals[0])), place(known.rows, int(twice.rows[0]))
    yield TWICE(
        n,
        known.rows.n,
        text,
        effect="fragile" if turned or n >= MANY * known.rows.n else "reported",
        points=points,
        detail={"rate": rate, "rate_without": without},
        brief=f"{some(n, 'row')} twice",
        next=f"Compare {first} with {again}: was a file read or joined twice?",
        **located(known.rows, np.stack([twice.originals, twice.rows], axis=1).ravel()),
    )


def copies(rows: LabelRows) -> Copies:
    """The rows that stand again, with their first ones."""
    from auditfw.formulas.rows.copies import copies_of_items, copies_without_items

    known = facts(rows)
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
    others = [column.numbers for column in known.columns if column not in numbering]
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
