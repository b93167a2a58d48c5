"""Who gives more right answers, under the labels of the reference and under other readings: one table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from auditfw.audits.orders import RankedValues, ReadOrder
from auditfw.audits.parsing.conclusions import claims
from auditfw.audits.parsing.conclusions.movements import Movements
from auditfw.audits.parsing.probe import lossy
from auditfw.audits.parsing.questions.label_rows import label_rows
from auditfw.audits.parsing.questions.near_facts import near_facts
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.core.document import Note, Section, Table, estimated, kept_places, some, verb
from auditfw.core.records import NO_VALUE
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.label_items import wrong_rate

BY = "model"  # the column of by that is shown where there is one of this name
MOST = 7  # rows
OTHERS = 2  # readings beside the reference
NONE, UNCLEAR = "–", "not clear"
NEAR_MISSES = "near misses"  # how a column of their counts is headed


@dataclass(frozen=True)
class ShownReading:
    """A reading of the table: its name, what its column is called, and the order of the values under it, if any."""

    name: str
    title: str
    ranked: RankedValues | None = None


def who_is_right(results: ParsingResults) -> Section | None:
    """The share of right answers of each value of a column of `by`, the best first; without one of all trials."""
    order = shown_order(results)
    if order is None:
        return _all(results)
    shown = [
        ShownReading(name, title, order.readings.get(name)) for name, title in _readings(results, order.turned_readings)
    ]
    known = [rate for rate in order.reference.rates if rate is not None]
    title = f"Right answers by {order.statement.of}, % ({_sizes(known, results.crossed is not None)})"
    places = order.best_first
    kept = kept_places(places, {i for pair in order.turned for i in (pair.better, pair.than)}, MOST)
    rows = [
        [str(order.values[i]), *(NONE if one.ranked is None else _right(one.ranked.rates[i]) for one in shown)]
        for i in kept
    ]
    last = ["better" if len(known) == 2 else "may be first", *(_first(order, one.ranked) for one in shown)]
    near = _near_misses(results, [order.values[i] for i in kept], results.context.by.index(order.statement.of))
    table = [[order.statement.of, *(one.title for one in shown)], *rows, last]
    columns, *rows = [[*row, *(column[i] for column in near)] for i, row in enumerate(table)]
    notes = [Note(text) for text in (_left_out(len(places) - len(kept)), _turned(order, shown)) if text]
    return Section(title, [Table(columns, rows, "<" * len(columns)), *notes], screen="who")


def shown_order(results: ParsingResults) -> ReadOrder | None:
    """The order that is shown: by `report.who`, else of models, else of the column with most pairs that differ."""
    read = results.of(claims.ask)
    orders = [] if read is None else [one for one in read.orders.orders if one.statement.metric == claims.CLAIMED[0]]
    named = [one for one in orders if one.statement.of == (results.context.limits.who or BY)]
    return max(named or orders, key=lambda one: one.reference.ranked.count(), default=None)


def _readings(results: ParsingResults, turning: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The reference, then of those that decide on most trials the ones that turn a pair, the highest and the lowest."""
    yield results.reference, "your labels" if results.reference == STORED_LABEL else results.reference
    full = results.of(Movements).full
    by_moved = sorted(full, key=lambda one: (one.moved, one.name))
    ends = [one.name for one in (*by_moved[-1:], *by_moved[:1]) if one.shift.changed]
    wanted = [*(name for name in turning if any(one.name == name for one in full)), *ends]
    for name in list(dict.fromkeys(wanted))[:OTHERS]:
        yield name, _merged(results, name)


def _merged(results: ParsingResults, name: str) -> str:
    """A reading, with how many others give the same labels throughout."""
    same = results.of(lossy.alike)
    others = [one for one in results.candidates if same[one] == same[name]]
    if len(others) < 2:
        return name
    heads, tails = zip(*(one.partition("+")[::2] for one in others), strict=True)
    return f"{heads[0]} ({', '.join(tails)})" if len({*heads}) == 1 and len(others) < 4 else f"{name} and equal ones"


def _left_out(n: int) -> str:
    return f"({n:,} more)" if n else ""


def _sizes(rates: Sequence[ClusteredRate], items: bool) -> str:
    """How many answers each value has, and to how many items."""
    trials, sizes = [rate.trials for rate in rates], [rate.items for rate in rates]
    text = _range(trials, "answer")
    return f"{text} to {_range(sizes, 'item')} each" if items else f"{text} each"


def _range(numbers: Sequence[int], noun: str) -> str:
    least, most = min(numbers), max(numbers)
    return some(most, noun) if least == most else f"{least:,} to {some(most, noun)}"


def _cell(read: RankedValues | None, i: int) -> str:
    return NONE if read is None else _right(read.rates[i])


def _right(rate: ClusteredRate | None) -> str:
    if rate is None:
        return NONE
    return estimated(100 * (1 - rate.share), 100 * (1 - rate.high), 100 * (1 - rate.low))


def _first(order: ReadOrder, read: RankedValues | None) -> str:
    """Which of two values is better, or how many of several may be the first, under a reading."""
    if read is None:
        return NONE
    present = [i for i, rate in enumerate(read.rates) if rate is not None]
    if len(present) == 2:
        better = [i for i in present if any(read.ranked.better[i])]
        return str(order.values[better[0]]) if better else UNCLEAR
    firsts = sum(rank is not None and rank[0] == 1 for rank in read.ranked.ranks)
    return f"{firsts} of {len(present)}"


def _turned(order: ReadOrder, shown: Sequence[ShownReading]) -> str:
    """What the readings that are not shown turn, too."""
    further = [name for name in order.turned_readings if name not in {one.name for one in shown}]
    if not further:
        return ""
    names, reverse = some(len(further), "more reading"), verb(len(further), "reverses", "reverse")
    pairs = sum(len(order.turned_under(name)) for name in further)
    return f"{names} {reverse} {'the order' if len(order.values) == 2 else some(pairs, 'pair')}"


def _all(results: ParsingResults) -> Section | None:
    """The share of right answers of all trials under each reading."""
    if not results.reference_labels.counted:
        return None
    known = {results.reference: results.reference_labels} | {n: s.data for n, s in results.overall.items()}
    shown = [(name, title) for name, title in _readings(results, ()) if known[name].counted]
    rates = [wrong_rate(known[name]) for name, _ in shown]
    if not rates:
        return None
    title = f"Right answers, % ({_sizes(rates[:1], results.crossed is not None).removesuffix(' each')})"
    numbers = zip((title for _, title in shown), map(_right, rates), strict=True)
    head, row = zip(("answers", "all"), *numbers, *_near_misses(results), strict=True)
    return Section(title, [Table(head, [row], "<" * len(head))], screen="who")


def _near_misses(results: ParsingResults, values: Sequence[object] = (), at: int | None = None) -> list[list[str]]:
    """A column of how many near misses each of these values of a column of `by` has, of all trials without a place.

    It is a title and a cell for each row; there is no column where the run has none.
    """
    misses = results.of(label_rows).of(near_facts).misses
    if not misses:
        return []
    if at is None:
        return [[NEAR_MISSES, f"{len(misses):,}"]]
    times = Counter(NO_VALUE if (value := one.trial.cell[at]) is None else str(value) for one in misses)
    return [[NEAR_MISSES, *(f"{times[str(value)]:,}" for value in values), ""]]
