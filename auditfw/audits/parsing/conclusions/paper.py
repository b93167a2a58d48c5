"""Sentences for a paper: the error rate, the range of the other scorings, what moves it most, and rates by value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from auditfw.audits.answers import enumerated
from auditfw.audits.paper import all_of, in_words, made_by, paper_section, percent, places_of, with_span
from auditfw.audits.parsing.results import ParsingResults
from auditfw.audits.parsing.screen import MOST, shown_order
from auditfw.audits.parsing.settings import STORED_LABEL
from auditfw.core.digits import chance, fixed
from auditfw.core.document import Section, some
from auditfw.formulas.label_counts import error_percent, wrong_rate

from .compared import Compared, p_of
from .movements import Movements


def paper(results: ParsingResults) -> Section:
    """The section; empty where no answer has a label."""
    labels, seed = results.reference_labels, results.context.seed
    n, read, movements = labels.counted, results.counts["read"], results.of(Movements)
    if not n:
        return paper_section([])
    answers = all_of(n, read, "answer")
    whole = [one for one in movements.whole if one.labels.paired == n]
    by, rate = f"by {results.reference_words}", wrong_rate(labels)
    low, high = 100 * rate.low, 100 * rate.high
    digits = places_of(low, high, apart=bool(whole))
    items = "answers taken as independent" if labels.items is None else f"clustered by {some(rate.items, 'item')}"
    own = with_span(f"{_rate(labels.right, n, digits)} %", low, high, digits, items)
    each = _by_value(results, by)
    if not whole:
        rate_of_all = f"The error rate of {answers} is {own} {by} ({made_by(seed)}); {_none(movements)}."
        return paper_section([rate_of_all, *each])
    part = len(movements.whole) - len(whole)
    beside = f", and a part of them with {in_words(part)} more" if part else ""
    return paper_section(
        [
            f"We rescored {answers} with {_readings(results, whole)}{beside} ({made_by(seed)}).",
            f"The error rate is {own} {by} and {_others(whole, digits)}; {_changes(movements, whole)}.",
            *each,
        ]
    )


def _by_value(results: ParsingResults, by: str) -> Iterator[str]:
    """The share of right answers of each value of the column that the screen shows, the best first."""
    order = shown_order(results)
    if order is None:
        return
    known = [(order.values[i], rate) for i in order.best_first if (rate := order.reference.rates[i]) is not None]
    shares = [f"{percent(1 - rate.share, 1 - rate.high, 1 - rate.low)} for {value}" for value, rate in known]
    yield f"By {order.statement.of} the share of right answers {by} is {enumerated(shares, MOST)}."


def _readings(results: ParsingResults, whole: Sequence[Compared]) -> str:
    """By how many readings labels are computed: the stored ones are not, and the reference may be."""
    computed = results.reference != STORED_LABEL
    n = sum(one.name != STORED_LABEL for one in whole) + computed
    return f"{in_words(n)} {'' if computed else 'alternative '}{'reading' if n == 1 else 'readings'}"


def _called(one: Compared) -> str:
    return "the stored labels" if one.name == STORED_LABEL else one.name


def _rate(right: int, n: int, digits: int) -> str:
    return fixed(error_percent(right, n), digits)


def _none(movements: Movements) -> str:
    if movements.whole:
        return "every other reading is of a part of them"
    return "no other reading was compared"


def _others(whole: Sequence[Compared], digits: int) -> str:
    """The error rates of the other readings, of the same answers."""
    rates = [error_percent(one.labels.kept_right + one.labels.to_true, one.labels.paired) for one in whole]
    low, high = fixed(min(rates), digits), fixed(max(rates), digits)
    if len(whole) == 1:
        return f"{low} % by {_called(whole[0])}"
    return f"{low} % by each of the others" if low == high else f"{low} to {high} % by the others"


def _changes(movements: Movements, whole: Sequence[Compared]) -> str:
    """The reading that moves the rate most surely, and by which test."""
    tried = [(one, p_of(rule)) for one, rule in movements.moves if any(one is each for each in whole)]
    one_only, few = (
        len(whole) == 1,
        "too few for a test" if whole[0].labels.items is None else "in too few items for a test",
    )
    adjusted = "Holm-adjusted " if len(movements.whole) > 1 else ""
    if not tried:
        changed = max(one.labels.to_true + one.labels.to_false for one in whole)
        if not changed:
            return f"{'it changes' if one_only else 'they change'} no label"
        return f"{'it changes' if one_only else 'none changes more than'} {some(changed, 'label')}, {few}"
    first, p = min(tried, key=lambda one: (one[1], -abs(one[0].moved), one[0].name))
    tested = f"{_test(first)}, {adjusted}{chance(p)}"
    beyond = sum(each <= movements.settings.alpha for _, each in tried)
    if not beyond:
        least = "" if len(tried) == 1 else "smallest "
        return f"no shift beyond chance was shown ({_test(first)}, {least}{adjusted}{chance(p)})"
    who = "it" if one_only else f"one of them ({_called(first)})"
    if beyond > 1:
        who = f"{in_words(beyond)} of them shift it beyond chance, most surely {_called(first)}, which"
    return f"{who} changes {_flips(first)} ({tested})"


def _test(one: Compared) -> str:
    items = one.labels.items
    if items is None:
        return "exact McNemar test"
    over = f"over {some(one.shift.items, 'item')}"
    return f"exact sign-flip test {over}" if items.flips.exact else f"sign-flip test {over} in the normal limit"


def _flips(one: Compared) -> str:
    up, down = one.labels.to_true, one.labels.to_false
    n = some(up + down, "label")
    if up and down:
        return f"{n}, {up:,} to right and {down:,} to wrong"
    return f"{n}, {'all ' if up + down > 1 else ''}to {'right' if up else 'wrong'}"
