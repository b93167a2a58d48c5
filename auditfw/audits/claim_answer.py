"""What claims and orders say for the answer: which of them a reading turns, and which fail from the start."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.core.digits import chance, difference_digits, end_text, fixed
from auditfw.core.document import capital, some, with_ends
from auditfw.core.records import AnswerRule, AnswerStatus
from auditfw.formulas.two_rates import RateDifference
from auditfw.kinds.context import BoundStatement, ClaimStatement, SideStatement

from .answers import RULES, Argument, Reason, RuleKind, Statement, enumerated
from .claims import metric_style, scale_of, side_of, unit_of
from .orders import ReadOrder, ReadStatements, TurnedPair, counted
from .read_claims import ClaimResult, ReadClaim

CLAIM_TURNED = RULES["claim_turned"]
CLAIM_FAILS = RULES["claim_fails"]
PAIR_TURNED = RULES["pair_turned"]
LISTED = 20  # turned pairs of one order and reading that are rules of their own
READINGS_SHOWN, READINGS_NAMED = 2, 3  # that turn a pair, in one sentence: with the difference, then by name


def claims_argument(read: ReadStatements, reference: str, deciding: Sequence[str]) -> Argument:
    """The claims and orders as an argument of the answer; the readings that are `deciding` turn them.

    A claim is what the user asks: one that fails or is turned is a reason before those of the status, whatever that is.
    """
    failing = [_rule(CLAIM_FAILS, claim, reference, claim.reference.verdict == "fails") for claim in read.claims]
    claims = [
        (claim, _rule(CLAIM_TURNED, claim, reading, reading in claim.turned))
        for claim in read.claims
        for reading in deciding
        if reading in claim.results
    ]
    counts = [
        _count(order, reading) for order in read.orders.orders for reading in deciding if reading in order.readings
    ]
    pairs = [
        (order, pair, _pair(order, pair))
        for order in read.orders.orders
        for reading in deciding
        for pair in order.turned_under(reading)[:LISTED]
    ]
    rules = [*failing, *(rule for _, rule in claims), *counts, *(rule for *_, rule in pairs)]
    turned = [(claim, rule) for claim, rule in claims if rule.fired]
    words: dict[AnswerStatus, Statement] = {}
    if turned or pairs:
        words["fragile"] = _fragile(turned, pairs, reference)
    fails = [(claim, rule) for claim, rule in zip(read.claims, failing, strict=True) if rule.fired]
    notices = [Reason(_fails_text(claim, reference), [rule]) for claim, rule in fails]
    notices += [Reason(_claim_text(claim, rule.reading, reference), [rule]) for claim, rule in turned]
    return Argument(rules, words, _scope(read), notices, leads=bool(words))


def claim_words(statement: ClaimStatement) -> str:
    """What is claimed, in words."""
    title = metric_style(statement.metric).title or statement.metric
    if isinstance(statement, SideStatement):
        by = f" by more than {statement.by:g}{unit_of(statement.metric)}" if statement.by else ""
        side = side_of(statement.metric)
        return f"{side} {title} where {statement.better} than where {statement.than}{by}"
    if isinstance(statement, BoundStatement):
        unit, where = metric_style(statement.metric).unit, f" where {statement.where}" if statement.where else ""
        return f"{title} at {'most' if statement.at_most else 'least'} {statement.value:g} {unit}".rstrip() + where
    return f"order of {statement.of} by {title}"


def estimate_text(statement: ClaimStatement, result: ClaimResult, ends: bool = True) -> str:
    """An estimate in its unit, with its interval in brackets if it has one."""
    value, low, high = result.shown
    if value is None:
        return "–"
    digits = _digits(statement.metric)
    signed = isinstance(statement, SideStatement)
    text = fixed(value, digits, signed=signed)
    return with_ends(text, value, low, high, lambda end: fixed(end, digits, signed)) if ends else text


def labels_text(result: ClaimResult) -> str:
    """How few labels change what a result says: `9 changed labels would reverse it, 3 would leave it undecided`."""
    reverse, unsettle = result.to_reverse, result.to_unsettle
    if reverse is None:
        return ""
    text = f"{some(reverse, 'changed label')} would reverse it"
    return text if unsettle is None else f"{text}, {unsettle:,} would leave it undecided"


def summary(claim: ReadClaim) -> str:
    """A claim in one sentence: in how many readings it holds, and how few labels would change that."""
    holding = sum(result.verdict == "holds" for result in claim.results.values())
    text = f"{claim.name} holds in {holding:,} of {some(len(claim.results), 'reading')}"
    labels = labels_text(claim.reference)
    return f"{text}; {labels}." if labels else f"{text}."


def lead_text(order: ReadOrder, lead: RateDifference, p: float | None = None, pairs: int = 0) -> str:
    """By how much the first of a pair is better, with its interval, and the p-value adjusted over the pairs."""
    scale, digits = scale_of(order.statement.metric), _lead_digits(order, lead)
    text = f"{fixed(scale * lead.difference, digits, signed=True)}{unit_of(order.statement.metric)}"
    if lead.low is not None and lead.high is not None:
        text += f" [{end_text(scale * lead.low, digits, True)}, {end_text(scale * lead.high, digits, True)}]"
    return text if p is None else f"{text} ({chance(p)}, adjusted for {some(pairs, 'pair')})"


def _lead_digits(order: ReadOrder, lead: RateDifference) -> int:
    """The decimal places of a difference: as many as its interval bears, of the metric's own at most."""
    scale = scale_of(order.statement.metric)
    low, high = (None if end is None else scale * end for end in (lead.low, lead.high))
    return difference_digits(low, high, _digits(order.statement.metric))


def _digits(metric: str) -> int:
    digits = metric_style(metric).digits
    return 4 if digits is None else digits


def _bound(statement: SideStatement | BoundStatement) -> float:
    return statement.by if isinstance(statement, SideStatement) else statement.value


def _rule(kind: RuleKind, claim: ReadClaim, reading: str, fired: bool) -> AnswerRule:
    value, low, high = claim.results[reading].shown
    cell = {"claim": claim.name}
    return kind(reading, value, low, high, bound=_bound(claim.statement), cell=cell, fired=fired)


def _count(order: ReadOrder, reading: str) -> AnswerRule:
    """How many resolved pairs of an order a reading turns."""
    turned = float(len(order.turned_under(reading)))
    return PAIR_TURNED(reading, turned, bound=0.0, cell={"of": order.statement.of}, fired=turned > 0)


def _pair(order: ReadOrder, pair: TurnedPair) -> AnswerRule:
    scale, lead = scale_of(order.statement.metric), order.readings[pair.reading].ranked.compared(pair.better, pair.than)
    low, high = (None if end is None else scale * end for end in (lead.low, lead.high))
    cell = {"of": order.statement.of, "better": order.values[pair.better], "than": order.values[pair.than]}
    value, p = scale * lead.difference, order.chance(pair)
    return PAIR_TURNED(pair.reading, value, low, high, bound=0.0, p=p, cell=cell, fired=True)


def _fails_text(claim: ReadClaim, reference: str) -> str:
    estimate = estimate_text(claim.statement, claim.reference)
    text = f"Claim {claim.name} fails under {reference}: {estimate} against {_bound(claim.statement):g}"
    labels = labels_text(claim.reference)
    return f"{text}; {labels}." if labels else f"{text}."


def _fragile(
    turned: Sequence[tuple[ReadClaim, AnswerRule]],
    pairs: Sequence[tuple[ReadOrder, TurnedPair, AnswerRule]],
    reference: str,
) -> Statement:
    same: dict[tuple[int, int, int], list[tuple[ReadOrder, TurnedPair, AnswerRule]]] = {}
    for one in pairs:
        same.setdefault((id(one[0]), one[1].better, one[1].than), []).append(one)
    because = [
        Reason(_pair_text(alike[0][0], [pair for _, pair, _ in alike], reference), [rule for *_, rule in alike])
        for alike in same.values()
    ]
    if turned:
        claim, reading = turned[0][0], turned[0][1].reading
        before, after = claim.reference, claim.results[reading]
        numbers = " against ".join(estimate_text(claim.statement, one, ends=False) for one in (after, before))
        headline = f"{reading} reverses the claim {claim.name}: it {after.verdict}, {numbers} under {reference}."
    else:
        order, pair, _ = pairs[0]
        reading = pair.reading
        better, than = order.values[pair.better], order.values[pair.than]
        lead = order.readings[reading].ranked.compared(pair.better, pair.than)
        sure = order.readings[reading].ranked.better[pair.than][pair.better]
        leads = "is better than" if sure else "is ahead of"
        open_ = "" if sure else ", not clear"
        headline = f"{reading} reverses the order: {than} {leads} {better} by {_size(order, lead)}{open_}."
    do = f"Claim only what holds under every reading, or decide which scoring is right: audit.reference={reading}"
    return Statement(headline, because, do)


def _size(order: ReadOrder, lead: RateDifference) -> str:
    """How large a difference is, without its sign."""
    size = fixed(scale_of(order.statement.metric) * abs(lead.difference), _lead_digits(order, lead))
    return f"{size}{unit_of(order.statement.metric)}"


def _claim_text(claim: ReadClaim, reading: str, reference: str) -> str:
    before, after = claim.reference, claim.results[reading]
    text = f"{claim.name} {before.verdict} under {reference}, {estimate_text(claim.statement, before)}, and"
    text = f"{text} {after.verdict} under {reading}, {estimate_text(claim.statement, after)}"
    changed = "" if after.changed is None else f" ({some(after.changed, 'changed label')} there)"
    return f"{text}{changed}; {labels_text(before)}."


def _pair_text(order: ReadOrder, turned: Sequence[TurnedPair], reference: str) -> str:
    """By how much the better of a pair leads, and under each of the readings that turn it."""
    first = turned[0]
    better, than = order.values[first.better], order.values[first.than]
    before = order.reference.ranked
    lead = lead_text(order, before.compared(first.better, first.than), order.chance(first), len(before.pairs))
    text = f"{better} is better than {than} under {reference} by {lead}"
    for pair in turned[:READINGS_SHOWN]:
        then = order.readings[pair.reading].ranked.compared(pair.better, pair.than)
        text += f"; under {pair.reading} by {lead_text(order, then)}"
    more = [pair.reading for pair in turned[READINGS_SHOWN:]]
    also = f"; {enumerated(more, READINGS_NAMED)}, too" if more else ""
    return f"{text}{also}."


def _scope(read: ReadStatements) -> list[str]:
    """The claims and orders that were read, and what is to be known of the orders."""
    scope = [summary(claim) for claim in read.claims]
    if read.orders.orders:
        scope.append(counted(read.orders))
    scope += [f"The order of {column} was not tested: it {why}" for column, why in read.orders.untried.items()]
    scope += [capital(order.uneven) for order in read.orders.orders if order.uneven]
    return scope
