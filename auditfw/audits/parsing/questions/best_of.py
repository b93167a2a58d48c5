"""What the best of three or more models is worth, where all of them label the same items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from auditfw.audits.answers import RULES, Argument, Reason
from auditfw.audits.best_of import best_words, scores_about
from auditfw.audits.parsing.conclusions.items import CrossedItems
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.screen import BY, shown_order
from auditfw.audits.parsing.trials import MODELS
from auditfw.core.digits import fixed
from auditfw.core.imports import np
from auditfw.core.records import Value, named_cells
from auditfw.core.results.findings import CellCount, Finding, FindingKind, NotChecked
from auditfw.formulas.best_of import FEWEST, BestOf, best_of
from auditfw.formulas.clusters import ClusteredRate, distinct_codes, rate
from auditfw.kinds.context import Sample
from auditfw.kinds.registry import declare

from .label_rows import ParsingRows, label_rows

KIND = FindingKind(
    "best_of", "The best of three or more models on the same items, beside what luck gives.", screen=False
)
LUCK = RULES["best_of"]
FEW = "no column of by has three values"
NO_ITEMS = "not compared: no column says which rows are of one item"


@dataclass(frozen=True)
class BestFacts:
    """The best of the values of a column of `by`: its own value, its rate, what it is worth on so many of the items.

    Without a `best` the reason `why`; `column` is None where there is none with three values.
    """

    column: str | None = None
    why: str = ""
    best: BestOf | None = None
    value: Value = None
    rate: ClusteredRate | None = None
    items: int = 0

    @property
    def sentence(self) -> str:
        """It in words; "" where there is nothing to compare."""
        if self.column is None:
            return ""
        if self.best is None or self.rate is None:
            return f"The best of the values of {self.column} is {self.why}."
        name = str(self.value) if self.column in MODELS else f"{self.column} {self.value}"
        text = best_words(name, self.best, 100 * self.rate.low, 100 * self.rate.high)
        left = self.items - self.best.items
        return f"{text} {left:,} of {self.items:,} items are left out: not all have as many labels." if left else text


@declare("question", "best_of")
class BestOfValues:
    """How far the best of several models lies ahead, and how far it would by luck."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: ParsingRows) -> Iterator[Finding | NotChecked]:
        """The best with what luck gives."""
        facts = rows.of(best_facts)
        best = facts.best
        if best is None or facts.rate is None:
            if facts.column is not None:
                yield KIND.unchecked(facts.why)
            return
        ahead = 100 * (best.rate - best.mean)
        scores, low, high = scores_about(best, 100 * facts.rate.low, 100 * facts.rate.high)
        yield KIND(
            ahead,
            best.candidates,
            facts.sentence,
            low=low,
            high=high,
            expected=100 * best.gain,
            p=best.p,
            cells=[CellCount({str(facts.column): facts.value}, ahead)],
            detail={"scores": scores, "items": best.items, "draws": best.draws},
            brief=f"best of {best.candidates} {fixed(ahead, 1)} points above the mean",
        )

    def argument(self, rows: ParsingRows) -> Argument | None:
        """That the best may be so by luck: a remark, whatever the answer."""
        facts, alpha = rows.of(best_facts), rows.settings.alpha
        if facts.best is None:
            return None
        p = facts.best.p
        rule = LUCK(rows.reference, p, bound=alpha, fired=p > alpha)
        return Argument([rule], remarks=[Reason(facts.sentence, [rule])] if rule.fired else ())

    def measured(self, rows: ParsingRows, sample: Sample) -> dict[str, Any]:
        """What the metric reads: of the reference, over all trials."""
        if sample.cell or sample.reading.role != "reference":
            return {}
        facts = rows.of(best_facts)
        return {"best": facts.why if facts.best is None else facts.best}


def best_sentence(results: ParsingResults) -> str:
    """What the section on ranks says."""
    return results.of(label_rows).of(best_facts).sentence


def best_facts(rows: ParsingRows) -> BestFacts:
    """The best of the values of the column that is shown, under the reference."""
    results = rows.results
    if rows.settings.best is None:
        return BestFacts(why="audit.best is null")
    by, wanted, order = results.context.by, results.context.limits.who or BY, shown_order(results)
    column = wanted if wanted in by else None if order is None else order.statement.of
    if column is None:
        return BestFacts(why=FEW)
    values = [cell[column] for cell in named_cells(list(results.table.cells), by)]
    distinct = list(dict.fromkeys(values))
    if len(distinct) < FEWEST:
        return BestFacts(why=FEW)
    return _best(rows, column, [distinct.index(value) for value in values], distinct)


def _best(rows: ParsingRows, column: str, of_cell: list[int], values: list[Value]) -> BestFacts:
    """The best of values: the cells are numbered as `of_cell` says."""
    results, asked = rows.results, rows.settings.best
    crossed = results.crossed
    if crossed is None:
        return BestFacts(column, NO_ITEMS)
    counts = _matrix(crossed, results.numbers[0], of_cell, len(values))
    if counts is None:
        return BestFacts(column, f"not compared: the values of {column} label different items")
    trials, right = counts
    even = (trials == trials[:, :1]).all(1) & (trials[:, 0] > 0)
    right, n = right[even], trials[even, 0]
    if len(n) < 2:
        return BestFacts(column, f"not compared: the values of {column} label items with different numbers of trials")
    key = "best", column, asked, results.context.by, rows.seed, crossed.digest(*[results.numbers[0]] * 2)
    best = results.whole.shared.once(key, lambda: best_of(right, n, rows.seed, asked.draws, asked.splits))
    if best is None:
        return BestFacts(column, f"not compared: fewer than {FEWEST} values of {column} differ in a label")
    return BestFacts(column, "", best, values[best.best], rate(n, right[:, best.best]), len(trials))


def _matrix(crossed: CrossedItems, reading: int, of_cell: list[int], number: int) -> tuple[Any, Any] | None:
    """Labelled trials and right ones, an item a row and a value a column; None where one lacks an item of others."""
    counted = crossed.rows(reading)
    codes = counted.items * number + np.array(of_cell, np.int64)[counted.cells]
    there, into = distinct_codes(codes, len(crossed.items) * number)
    if len(there) != number * len(distinct_codes(there // number, len(crossed.items))[0]):
        return None
    trials, wrong = (
        np.bincount(into, column, len(there)).astype(np.int64) for column in (counted.trials, counted.wrong)
    )
    return trials.reshape(-1, number), (trials - wrong).reshape(-1, number)
