"""What would change the answer: how few settled disagreements reach the bounds, or how many further items would."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from auditfw.audits.answers import RULES, Argument, Reason, Statement, ends, interval, named
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.digits import fixed
from auditfw.core.document import capital, some, verb
from auditfw.core.records import AnswerRule, Estimate, Reading
from auditfw.core.statistics import further_items, wilson
from auditfw.formulas.agreement import Interval
from auditfw.formulas.agreement.ratings import ITEMS, JOINED, JOINED_DIFFER, LABELLED
from auditfw.formulas.multiple import holm
from auditfw.kinds.context import Sample

from .bounds import NOMINAL, RATES, Bound, BoundedNumber, bounds_of, size_of
from .order_report import exchange_text, preference_text
from .orders import Exchange, JudgeOrder, OrderFindings

if TYPE_CHECKING:
    from auditfw.core.records import Answer
    from auditfw.formulas.agreement.coefficients import Weights
    from auditfw.formulas.agreement.settling import Settling

    from .agreement import Agreement


class Settled(NamedTuple):
    """So many `of` the disagreements must be settled, None where all of them are too few; `any_` where it may be any.

    Else it must be those which cost most.
    """

    n: int | None
    of: int
    any_: bool = True


def settled(numbers: Sequence[BoundedNumber]) -> Settled | None:
    """With how few settled disagreements of a sample all its `numbers` are above their bounds with their intervals.

    The disagreements that cost most are settled first. The number is searched by halving: one less does not do.
    None without a lower bound on agreement, or without a disagreement.
    """
    from auditfw.formulas.agreement.settling import Settling

    asked = [number for number in numbers if number.bound.kind not in RATES and isfinite(number.bound.low)]
    if not asked:
        return None
    weights: Weights = "none" if all(number.bound.kind in NOMINAL for number in asked) else "linear"
    order = Settling(asked[0].sample.data, weights)
    every = range(1, order.n + 1)
    at = bisect_left(every, True, key=lambda n: _hold(asked, order, n))
    if at == order.n:
        return Settled(None, order.n) if order.n else None
    n = every[at]
    return Settled(n, order.n, n == order.n or _hold(asked, replace(order, dearest=False), n))


def _hold(numbers: Sequence[BoundedNumber], order: Settling, n: int) -> bool:
    """Whether numbers are above their bounds once so many disagreements are settled."""
    sample = replace(numbers[0].sample, data=order.after(n))
    known = [(number.bound, number.bound.on(sample)) for number in numbers]
    after = [BoundedNumber(bound, sample, estimate) for bound, estimate in known if estimate is not None]
    return len(after) == len(known) and all(not one.few and one.bound.holds(*one.size) for one in after)


def what_would_change(agreement: Agreement, answer: Answer, alone: bool) -> str:
    """What would change an answer, in a sentence; "" where it does not follow from a bound, or nothing is known.

    `alone`: nothing but agreement stands against it.
    """
    names = {rule.rule for rule in agreement.rules}
    if not answer.kinds or answer.kinds[0] not in names:
        return ""
    if answer.status == "unknown" and agreement.open:
        return _more_items(agreement.open[0])
    if answer.status != "fragile":
        return ""
    if not agreement.missed:
        return _in_cell(agreement, agreement.missed_cells[0][0]) if agreement.missed_cells else ""
    if agreement.missed[0].bound.kind in RATES:
        return _fewer(agreement.missed[0])
    sample = agreement.missed[0].sample
    own = [number for number in agreement.whole if number.sample is sample]
    others = [number for number in agreement.whole if number.sample is not sample and (number.missed or number.open)]
    who = "It would hold"
    if others or agreement.missed_cells or not alone:
        of_pair = f"{agreement.called(sample.reading.name)} and {agreement.against}"
        who = f"{of_pair if sample.reading.role == 'candidate' else 'The raters'} would agree well enough"
    return _settled_text(own, who)


def _in_cell(agreement: Agreement, number: BoundedNumber) -> str:
    """What would change the number of a cell that misses its bound, where the whole does not."""
    place, sample = named(number.sample.cell), number.sample
    if number.bound.kind in RATES:
        return _fewer(number, f" where {place}")
    pair = f"{agreement.called(sample.reading.name)} and {agreement.against}"
    who = pair if sample.reading.role == "candidate" else "the raters"
    return _settled_text([number], f"Where {place} {who} would agree well enough")


def _fewer(number: BoundedNumber, where: str = "") -> str:
    """How many abstentions must be labels for a rate to be below its bound with its interval; "" where trials cluster.

    The interval is Wilson's, as that of the rate.
    """
    from auditfw.formulas.agreement.intervals import normal

    n, bound = number.estimate.counted, number.bound.high
    z = normal(getattr(number.bound.metric, "interval", Interval()).confidence)
    if number.bound.kind != "abstain_rate" or number.sample.data.ratings.clusters or not isfinite(bound):
        return ""
    seen = round((number.estimate.value or 0.0) * n)
    most = bisect_left(range(seen + 1), True, key=lambda k: wilson(k, n, z)[1] > bound)
    if not most:
        return f"Even without an abstention{where}, {some(n, 'item')} would be too few."
    return f"The bound would be met if {seen - most + 1:,} of the {some(seen, 'abstention')}{where} were labels."


def _settled_text(numbers: Sequence[BoundedNumber], who: str) -> str:
    """What settling would do, in a sentence, of the numbers of a sample; "" where nothing is known."""
    least = settled(numbers)
    if least is None:
        return ""
    n = least.of if least.n is None else least.n
    every = f"all {least.of:,} disagreements" if least.of > 1 else "the one disagreement"
    which = every if n == least.of else f"{n:,} of the {least.of:,} disagreements"
    done = f"if {which} {verb(n, 'was', 'were')} settled"
    if least.n is None:
        items = some(max(number.estimate.counted for number in numbers), "item")
        return f"Even {done}, {items} would be too few."
    return f"{who} {done}{'' if least.any_ else ', those that cost most first'}."


def _more_items(number: BoundedNumber) -> str:
    """How many items would tell on which side of its bound a number is, as far as its interval says that; else ""."""
    low, high = number.size
    value, bound = number.estimate.value or 0.0, number.bound.nearest
    known = not number.few and number.estimate.low is not None and number.sure
    more = further_items(value, low if value > bound else high, bound, number.estimate.counted) if known else None
    return "" if more is None else f"About {some(more, 'further item')} would settle it."


# Did every rater label enough of the items, and in which columns were joined records compared?

COVERAGE = RULES["coverage"]


def coverage_argument(settings: ConsistencySettings, results: ConsistencyResults) -> Argument:
    """Whether each rater labelled as many of the items as it must: else nobody knows what it says of the others."""
    facts = results.overall["all"].facts
    items, bound = facts.get(ITEMS, 0), settings.coverage
    rules = []
    for rater in results.settings.raters if items else ():
        if rater == results.settings.truth:  # it may label a part
            continue
        share, ends = _share(facts.get(f"{LABELLED}{rater}", 0), items)
        rules.append(COVERAGE(rater, share, *ends, bound=bound, fired=share < bound))
    fired = sorted((rule for rule in rules if rule.fired), key=lambda rule: (rule.value or 0.0, rule.reading))
    if not fired:
        return Argument(rules)
    worst, called = fired[0], results.settings.called
    labelled = f"{called(worst.reading)} labelled {_percent(worst.value)} of {some(items, 'item')}"
    headline = f"{labelled}: its labels for the others are unknown."
    wanted = f"of the items; {_percent(bound)} are required."
    because = [
        Reason(f"{called(rule.reading)} labelled {_percent(rule.value)} {_ends(rule)} {wanted}", [rule])
        for rule in fired
    ]
    words = Statement(headline, because, _to_cover(settings, results, worst))
    return Argument(rules, {"unknown": words})


def _to_cover(settings: ConsistencySettings, results: ConsistencyResults, worst: AnswerRule) -> str:
    """What to do about labels that are missing."""
    known = {label.casefold() for label in settings.named_labels}
    written = [text for rater, text in results.whole.unknown if rater == worst.reading]
    if settings.case == "exact" and any(text.strip().casefold() in known for text in written):
        return "Ignore upper and lower case in labels: audit.case=fold"
    if written:
        rater = results.settings.called(worst.reading)
        return f"Declare what {rater} writes, '{written[0]}': audit.labels, or audit.aliases"
    if results.whole.ties:
        return f"Declare what a tie of votes gives, '{settings.tie}': audit.labels, or another first in audit.abstain"
    facts, rater = results.overall["all"].facts, worst.reading
    nulls = facts.get(ITEMS, 0) - facts.get(f"{LABELLED}{rater}", 0) - results.whole.absent[rater]
    if settings.missing_label is None and nulls > 0:
        part = (
            f"if {results.settings.called(rater)} labelled a part alone, correct the others' rates by it: audit.truth"
        )
        return f"Add the missing labels; {part}; or count a null label as an answer: audit.missing_label=NONE"
    return f"Add the missing labels, or require fewer: audit.coverage={fixed(worst.value or 0.0, 2)}"


def joins_scope(results: ConsistencyResults) -> list[str]:
    """In which columns joined records were compared, and how many items differ there."""
    facts = results.overall["all"].facts
    joined, differing = facts.get(JOINED, 0), facts.get(JOINED_DIFFER, 0)
    if not joined:
        return []
    columns = ", ".join(column.name for column in results.whole.contents)
    differ = verb(differing, "differs", "differ")
    return [f"Joined records were compared in {columns}: {some(differing, 'item')} of {joined:,} {differ}"]


def _share(part: int, n: int) -> tuple[float, tuple[float, float]]:
    return part / n, wilson(part, n)


def _percent(share: float | None) -> str:
    return f"{fixed(100 * (share or 0.0), 1).removesuffix('.0')} %"


def _ends(rule: AnswerRule) -> str:
    low, high = rule.low or 0.0, rule.high or 0.0
    return interval(100 * low, 100 * high, 1)


# What the order of presentation means for the answer: a bound that holds in one order only is fragile.

FIRST = RULES["first_preferred"]
EXCHANGE = RULES["exchange_raises"]
ONE_ORDER = RULES["one_order"]


@dataclass(frozen=True)
class OneOrder:
    """A bound that a judge misses in one order of presentation with a whole interval, and meets in the other."""

    judge: str
    bound: Bound
    missed: tuple[str, Estimate]
    held: tuple[str, Estimate]


def order_argument(settings: ConsistencySettings, results: ConsistencyResults) -> Argument:
    """The rules on the order of presentation; it decides only where a bound holds in one order alone."""
    findings, called = results.orders, results.settings.called
    if findings is None:
        return Argument()
    p = holm([one.preferences.p for one in findings.judges])
    rules: list[AnswerRule] = []
    moves: list[Reason] = []
    for one, adjusted in zip(findings.judges, p, strict=True):
        case = one.preferences
        moved = case.share is not None and adjusted <= settings.alpha
        rules.append(FIRST(one.judge, case.share, case.low, case.high, bound=0.5, p=adjusted, fired=moved))
        moves += [Reason(f"{preference_text(called(one.judge), case)}.", rules[-1:])] if moved else []
    raising = [(_exchanged(one.judge, e, settings.alpha), e) for one in findings.judges for e in one.exchanges]
    rules += [rule for rule, _ in raising]
    raised = sorted(((rule, e) for rule, e in raising if rule.fired), key=_rank)
    hints = [Reason(f"{capital(exchange_text(called(rule.reading), e))}.", [rule]) for rule, e in raised[:1]]
    tried = [(one, bound) for one in findings.judges for bound in bounds_of(settings)]
    turned = [only for one, bound in tried if (only := _one_order(one, bound)) is not None]
    orders = [_rule(only) for only in turned]
    scope = [f"Order of presentation: {_named(findings)}"]
    cases = [(replace(one, judge=called(one.judge)), rule) for one, rule in zip(turned, orders, strict=True)]
    words = _words(cases, raised[0][1].labels if raised else None)
    return Argument([*rules, *orders], {"fragile": words} if words else {}, scope, [*moves[:1], *hints], moves[1:])


def _exchanged(judge: str, exchange: Exchange, alpha: float) -> AnswerRule:
    gain, fired = exchange.after - exchange.before, exchange.raises(alpha)
    return EXCHANGE(judge, gain, bound=0.0, p=exchange.p, cell={"order": exchange.where}, fired=fired)


def _rank(case: tuple[AnswerRule, Exchange]) -> tuple[float, str]:
    rule, exchange = case
    return exchange.before - exchange.after, rule.reading


def _one_order(one: JudgeOrder, bound: Bound) -> OneOrder | None:
    """The orders in which a bound is missed and met; None where it is the same in both."""
    if bound.reading not in (None, one.judge):
        return None
    reading = Reading(one.judge, "candidate")
    numbers = [(part.name, bound.on(Sample(reading, {}, part.judged))) for part in one.orders]
    known = [(name, e) for name, e in numbers if e is not None and e.value is not None]
    missed = [(name, e) for name, e in known if bound.misses(*size_of(e))]
    held = [(name, e) for name, e in known if bound.holds(e.value or 0.0, e.value or 0.0)]
    return OneOrder(one.judge, bound, missed[0], held[0]) if missed and held else None


def _rule(case: OneOrder) -> AnswerRule:
    order, e = case.missed
    bound = case.bound.nearest
    return ONE_ORDER(case.judge, e.value, e.low, e.high, bound=bound, cell={"order": order}, fired=True)


def _words(turned: Sequence[tuple[OneOrder, AnswerRule]], labels: tuple[str, str] | None) -> Statement | None:
    if not turned:
        return None
    first = turned[0][0]
    numbers = " and ".join(f"{_value(e)} where first is {order}" for order, e in (first.missed, first.held))
    headline = (
        f"{first.bound.title} of {first.judge} meets its bound {first.bound.nearest:g} in one order of presentation "
        f"only: {numbers}."
    )
    because = [
        Reason(
            f"{case.judge}: {case.bound.name} is {_value(case.missed[1])} {ends(case.missed[1])} where first is "
            f"{case.missed[0]}, {_value(case.held[1])} {ends(case.held[1])} where it is {case.held[0]}.",
            [rule],
        )
        for case, rule in turned[:2]
    ]
    do = "Have the judge label every item in both orders, and count the items with the same label in both"
    if labels is not None:
        do = f"Check whether {labels[0]} and {labels[1]} name positions, not answers; if so, swap them"
    return Statement(headline, because, do)


def _value(estimate: Estimate) -> str:
    return fixed(estimate.value or 0.0, 2)


def _named(findings: OrderFindings) -> str:
    where = findings.order.column or " and ".join(findings.order.raters)
    sides = ", ".join(f"{value}: {label}" for value, label in findings.sides.items())
    return f"{where} (the label that prefers the first answer: {sides})"
