"""What the order of presentation means for the answer: a bound that holds in one order only is fragile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from auditfw.audits.answers import Argument, Reason, RuleKind, Statement, ends
from auditfw.audits.consistency.results import ConsistencyResults
from auditfw.audits.consistency.settings import ConsistencySettings
from auditfw.core.digits import fixed
from auditfw.core.document import capital
from auditfw.core.records import AnswerRule, Estimate, Reading
from auditfw.formulas.multiple import holm
from auditfw.kinds.context import Sample

from .bounds import Bound, bounds_of, size_of
from .order_report import exchange_text, preference_text
from .orders import Exchange, JudgeOrder, OrderFindings

FIRST = RuleKind("first_preferred", "Is the answer shown first preferred?", "the share", "sign_flips")
EXCHANGE = RuleKind("exchange_raises", "Does exchanging the order raise agreement?", "the increase")
ONE_ORDER = RuleKind(
    "one_order", "Is the bound missed in one order of presentation only?", "the agreement there", status="fragile"
)


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
