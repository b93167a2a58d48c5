"""Items that some models lack, and questions that stand under several items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.row_places import located
from auditfw.core.digits import fixed
from auditfw.core.document import some, verb
from auditfw.core.results.findings import CellCount, Effect, Finding, FindingKind, NotChecked
from auditfw.kinds.capabilities import capability
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import ITEM, MOST_ALIKE, RowFacts, ValueColumn, facts, no_value, unchecked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

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
    import numpy as np

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
    import numpy as np

    from auditfw.formulas.rows.copies import joined

    rows, items = known.rows, known.items
    at = np.flatnonzero((items >= 0) & (rows.numbers("row.question") != 0))
    names = ["row.question", *(["row.options"] if rows.has("row.options") else [])]
    first_rows = at[np.unique(items[at], return_index=True)[1]]
    keys = joined(*(rows.numbers(name)[first_rows] for name in names))
    _, groups, counts = np.unique(keys, return_inverse=True, return_counts=True)
    counts[counts > MOST_ALIKE * len(keys)] = 1  # a form in place of the question
    twice = first_rows[counts[groups] > 1]
    if not len(twice):
        return
    several = int((counts > 1).sum())
    text = f"{len(twice):,} of {some(len(first_rows), 'item')} have a question that stands again "
    text += f"({some(several, 'question')}, the same options)."
    order = np.argsort(keys[counts[groups] > 1], kind="stable")
    yield QUESTION(
        len(twice),
        len(first_rows),
        text,
        detail={"questions": several, "truths": _two_truths(known, twice[order])},
        brief=f"{some(len(twice), 'item')} with one question",
        next=f"Give {verb(several, 'it', 'each')} one item, so that {verb(several, 'it', 'each')} counts once",
        **located(rows, twice[order]),
    )


def _two_truths(known: RowFacts, rows: NDArray[np.intp]) -> int:
    """How many of the questions have several truths."""
    import numpy as np

    if not known.rows.has("row.truth_key"):
        return 0
    questions, truths = (known.rows.numbers(f"row.{name}")[rows] for name in ("question", "truth_key"))
    pairs = np.unique(np.stack([questions, truths], axis=1), axis=0)
    return int((np.unique(pairs[:, 0], return_counts=True)[1] > 1).sum())
