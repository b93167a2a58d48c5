"""The rates of judges, corrected by people's labels of a part, in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from auditfw.audits.answers import RULES, Argument, Reason, Statement, interval, with_interval
from auditfw.core.digits import fixed, rounded_up
from auditfw.core.document import Block, Chart, Note, Section, Series, Table, some
from auditfw.core.records import AnswerRule, AnswerStatus
from auditfw.formulas.people.shares import Share

from .truth import Truth

if TYPE_CHECKING:
    from auditfw.formulas.people.judge_rates import CorrectedRates

TITLE = "The Rate, Corrected"
OFF = RULES["judge_off"]
LEAST_OFF, LEAST_LABELS = 1.0, 30  # points, and labels of people, from which it decides something
NONE = "–"
CHOSEN = {
    "random": "single items chosen at random",
    "items": "whole items chosen at random",
    "probability": "items chosen with known probabilities",
    "all": "all items",
}

Rates = Mapping[str, "CorrectedRates"]


def corrected_argument(truth: Truth, whole: Rates, called: Mapping[str, str], most: float) -> Argument:
    """How far each judge's rate is off: fragile beyond chance, broken where the whole interval is beyond `most`."""
    known = [(name, rates) for name, rates in whole.items() if rates.off is not None]
    tried = [(_rule(name, rates, most), rates) for name, rates in known]
    ranked = sorted(tried, key=lambda one: (not one[0].fired, -abs(one[0].value or 0.0), one[0].reading))
    labels = max((rates.labels + rates.undecided for rates in whole.values()), default=0)
    scope = [
        f"{called.get(truth.rater, truth.rater)} labelled {some(labels, 'item')}: {CHOSEN[truth.how]}, as stated by you"
    ]
    words: dict[AnswerStatus, Statement] = {}
    statuses: tuple[AnswerStatus, ...] = ("broken", "fragile")
    for status in statuses:
        fired = [one for one in ranked if one[0].fired and one[0].status == status]
        if fired:
            words[status] = _statement(truth, fired, called)
    quiet = [one for one in ranked if not one[0].fired or one[0].status is None]
    notices = [Reason(_headline(truth, rule, rates, called), [rule]) for rule, rates in ranked[:1]]
    if quiet:
        words["stable"] = _statement(truth, quiet[:1], called)
    return Argument([rule for rule, _ in tried], words, scope, notices)


def led_by_rate(arguments: Sequence[Argument], own: Statement) -> Statement:
    """What a stable answer states: of a judge whose rate was corrected that, before what the audit states itself."""
    for argument in arguments:
        if "stable" in argument.words:
            first = argument.words["stable"]
            return first._replace(because=[own.headline, *first.because, *own.because])
    return own


def _rule(name: str, rates: CorrectedRates, most: float) -> AnswerRule:
    off = rates.off
    assert off is not None
    value, low, high = (100 * number for number in (off.value, off.low, off.high))
    far = max(low, -high)  # from 0 to the near end, below 0 where the interval holds it
    fired = far > 0 and abs(value) >= LEAST_OFF
    kind = replace(OFF, status="broken") if fired and far > most else OFF
    if rates.labels < LEAST_LABELS:
        kind = replace(OFF, status=None)
    return kind(name, value, low, high, bound=LEAST_OFF, fired=fired)


def _statement(
    truth: Truth, fired: Sequence[tuple[AnswerRule, CorrectedRates]], called: Mapping[str, str]
) -> Statement:
    (rule, rates), *others = fired
    name = called[rule.reading]
    headline = _headline(truth, rule, rates, called)
    because = [Reason(text, [rule]) for text in (headline, *_because(name, rates))]
    because += [Reason(_headline(truth, one, own, called), [one]) for one, own in others]
    labels = rates.more
    more = f"About {rounded_up(labels):,} more labels halve the interval" if labels else ""
    return Statement(headline, because, more or f"Read where {name} and people differ in report.html")


def _headline(truth: Truth, rule: AnswerRule, rates: CorrectedRates, called: Mapping[str, str]) -> str:
    """What a judge says, and what it is corrected; how far off that is, where the rule fired."""
    corrected, off = rates.corrected, rule.value or 0.0
    assert corrected is not None
    label, people = " or ".join(truth.labels), "" if rule.fired else " of people"
    text = f"{called[rule.reading]} says {label} on {_percent(rates.own.share)} %; corrected by "
    text += f"{some(rates.labels, 'label')}{people} {_percent(corrected.value)} % {_ends(corrected)}"
    return f"{text}: {fixed(abs(off), 1)} points too {'many' if off > 0 else 'few'}." if rule.fired else f"{text}."


def _because(name: str, rates: CorrectedRates) -> Iterator[str]:
    ways = [("PPI++", rates.ppi), ("Rogan-Gladen", rates.rogan_gladen)]
    known = [f"{way} gives {_percent(share.value)} {_ends(share)}" for way, share in ways if share is not None]
    if known:
        yield f"{', '.join(known).replace(', Rogan-Gladen gives', ', Rogan-Gladen')}."
    if rates.worth is not None and not rates.whole:
        yield f"One more label of people is worth at most {fixed(rates.worth, 1)} by what {name} adds."


def corrected_sections(
    truth: Truth, cells: Sequence[tuple[str, Rates]], called: Mapping[str, str], most: int
) -> list[Section]:
    """A row for each judge: of all items, whose cell is "", and of each cell."""
    listed = [(cell, name, rates) for cell, own in cells for name, rates in own.items()]
    wholes, parts = ([one for one in listed if bool(one[0]) is inner] for inner in (False, True))
    heads = ["rater", f"says {' or '.join(truth.labels)} %", "people, on their part %", "corrected %", "PPI++ %"]
    heads += ["Rogan-Gladen %", "labels", "one label is worth"]
    table = Table(heads, [_row(called[name], rates) for _, name, rates in wholes], "<>>>>>>>")
    notes = [text for _, name, rates in wholes for text in _remarks(called[name], rates)]
    blocks: list[Block] = [table, *map(Note, notes)]
    if parts:
        rows = [[cell, *_row(called[name], rates)] for cell, name, rates in parts]
        blocks.append(Table(["cell", *heads], rows[:most], "<<>>>>>>>", left_out=max(0, len(rows) - most)))
    picture = Section("The Rate in Every Way", [_chart(wholes, called)] if wholes else [], page=True)
    return [Section(TITLE, blocks, console=True), picture]


def _row(name: str, rates: CorrectedRates) -> list[str]:
    own = rates.own
    return [
        name,
        with_interval(_percent(own.share), 100 * own.low, 100 * own.high, 1, 100 * own.share),
        NONE if rates.people is None else _percent(rates.people),
        *map(_cell, (rates.corrected, rates.ppi, rates.rogan_gladen)),
        f"{rates.labels:,}",
        NONE if rates.worth is None else fixed(rates.worth, 1),
    ]


def _remarks(name: str, rates: CorrectedRates) -> Iterator[str]:
    """What was cut, left out, or is not known."""
    ways = (("corrected", rates.corrected), ("PPI++", rates.ppi), ("Rogan-Gladen", rates.rogan_gladen))
    for way, share in ways:
        if share is not None and _outside(share):
            of = f"{_percent(share.value)} % {_ends(share, cut=False)}"
            yield f"* {name}: {way} was {of}, cut to what can be."
    if rates.corrected is None:
        yield f"{name}: {rates.why}."
    elif rates.rogan_gladen is None and rates.sampling != "probability":
        yield f"{name}: no Rogan-Gladen: {rates.why_no_rogan_gladen}."
    if rates.undecided:
        yield f"{name}: people are undecided on {some(rates.undecided, 'item')}; the ends count them both ways."
    if rates.whole:
        yield f"{name}: people labelled all of its items, so that their own rate is the corrected one."


def _chart(wholes: Sequence[tuple[str, str, CorrectedRates]], called: Mapping[str, str]) -> Chart:
    """The rate of each judge in every way."""
    metrics = {
        "as it says": "positive_rate",
        "corrected": "corrected_rate",
        "PPI++": "ppi_rate",
        "Rogan-Gladen": "rogan_gladen_rate",
    }
    series = []
    for _, name, rates in wholes:
        own = Share(rates.own.share, rates.own.low, rates.own.high)
        ways = zip(metrics, (own, rates.corrected, rates.ppi, rates.rogan_gladen), strict=True)
        known = {way: [*map(_cut, (one.value, one.low, one.high))] for way, one in ways if one is not None}
        values, low, high = map(list, zip(*known.values(), strict=True))
        series.append(Series(called[name], list(known), values, (), low, high))
    return Chart("The rate in every way", "way", "%", series, "points", metrics=metrics)


def _cell(share: Share | None) -> str:
    if share is None:
        return NONE
    text = f"{fixed(_cut(share.value), 1)}{'*' if _outside(share) else ''}"
    return with_interval(text, _cut(share.low), _cut(share.high), 1, _cut(share.value))


def _outside(share: Share) -> bool:
    return share.low < 0 or share.high > 1


def _percent(share: float) -> str:
    return fixed(100 * share, 1)


def _cut(share: float) -> float:
    return min(max(100 * share, 0.0), 100.0)


def _ends(share: Share, cut: bool = True) -> str:
    low, high = (_cut(end) if cut else 100 * end for end in (share.low, share.high))
    return interval(low, high, 1)
