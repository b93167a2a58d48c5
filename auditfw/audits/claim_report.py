"""The sections on claims and orders: what each reading says of them, and who is better than whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auditfw.core.digits import fixed, p_text
from auditfw.core.document import Block, Chart, Exhibit, Gallery, Note, Section, Series, Table, capital, some, with_ends
from auditfw.core.errors import UsageError, nearest
from auditfw.formulas.claims import Pair
from auditfw.formulas.clusters import ClusteredRate
from auditfw.formulas.two_rates import RateDifference
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Audit, BoundStatement, ReportLimits
from auditfw.kinds.metrics import Metric, Report

from .answers import with_interval
from .claim_answer import claim_words, estimate_text, summary
from .claims import metric_style, scale_of, side_of
from .orders import ReadOrder, ReadOrders
from .read_claims import ClaimResult, ReadClaim

NONE = "–"


def claims_section(claims: Sequence[ReadClaim]) -> Section:
    """Each claim under each reading: verdict, estimate, and how many labels would change what it says."""
    section = Section("Claims", console=True)
    for claim in claims:
        rows = [_row(claim, reading, result) for reading, result in claim.results.items()]
        unit = metric_style(claim.statement.metric).unit
        value = (
            f"rate {unit}"
            if isinstance(claim.statement, BoundStatement)
            else "difference pp"
            if unit == "%"
            else "difference"
        )
        columns = [
            "reading",
            "verdict",
            value.rstrip(),
            "labels until reversed",
            "labels until undecided",
            "changed labels",
        ]
        section.blocks += [
            Note(f"{claim.name}: {claim_words(claim.statement)}."),
            Table(columns, rows, "<<>>>>"),
            Note(summary(claim)),
        ]
    return section


def _axis(claim: ReadClaim) -> str:
    """What the estimates of a claim are."""
    unit = metric_style(claim.statement.metric).unit
    if isinstance(claim.statement, BoundStatement):
        return f"rate {unit}".rstrip()
    return f"difference {'pp' if unit == '%' else unit}".rstrip()


def _row(claim: ReadClaim, reading: str, result: ClaimResult) -> list[str]:
    verdict = f"{result.verdict} (reversed)" if reading in claim.turned else result.verdict
    labels = (result.to_reverse, result.to_unsettle, result.changed)
    estimate = estimate_text(claim.statement, result)
    return [reading, verdict, estimate, *(NONE if n is None else f"{n:,}" for n in labels)]


def who_is_better(orders: ReadOrders, reference: str, most: int, best: str = "") -> Section:
    """The ranks of each order's values, and the pairs that a reading turns; what the best is worth, in a sentence."""
    section = Section("Ranking")
    for order in orders.orders:
        section.blocks += [Note(_how(order, reference)), _ranks(order, reference, most)]
        if order.turned:
            section.blocks.append(_turned(order, reference, most))
        section.blocks += [Note(text) for text in (_lost(order), order.uneven and f"{capital(order.uneven)}.") if text]
    section.blocks += [
        Note(f"The order of {column} was not tested: it {why}.") for column, why in orders.untried.items()
    ]
    section.blocks += [Note(best)] if best else []
    return section


def _how(order: ReadOrder, reference: str) -> str:
    """What is compared, and how."""
    ranked, metric = order.reference.ranked, order.statement.metric
    how = f"{side_of(metric)} is better; under {reference} {ranked.count():,} of {some(len(ranked.pairs), 'pair')}"
    title = metric_style(metric).heading(metric)
    return f"{capital(order.name)} by {title}: {how} differ significantly (p adjusted by Holm <= {ranked.alpha:g})."


def _ranks(order: ReadOrder, reference: str, most: int) -> Table:
    """The values, the best of the reference first, with their ranks there and under each reading that turns a pair."""
    shown = [reference, *order.turned_readings]
    ranks = [order.readings[reading].ranked.ranks for reading in shown]
    rows = [
        [str(order.values[i]), *_rate(order, order.reference.rates[i]), *(_rank(each[i]) for each in ranks)]
        for i in order.best_first
    ]
    heading = metric_style(order.statement.metric).heading(order.statement.metric)
    columns = [order.statement.of, "n", heading, *(f"rank ({reading})" for reading in shown)]
    return Table(columns, rows[:most], "<>>" + ">" * len(shown), left_out=max(0, len(rows) - most))


def _rate(order: ReadOrder, rate: ClusteredRate | None) -> tuple[str, str]:
    if rate is None:
        return "0", NONE
    scale, digits = scale_of(order.statement.metric), metric_style(order.statement.metric).digits or 2
    value, low, high = (scale * share for share in (rate.share, rate.low, rate.high))
    return f"{rate.trials:,}", with_interval(fixed(value, digits), low, high, digits, value)


def _rank(rank: Pair | None) -> str:
    if rank is None:
        return NONE
    return f"{rank[0]}" if rank[0] == rank[1] else f"{rank[0]} to {rank[1]}"


def _turned(order: ReadOrder, reference: str, most: int) -> Table:
    rows = []
    for pair in order.turned[:most]:
        before, after = order.reference.ranked, order.readings[pair.reading].ranked
        leads = [_lead(order, one.compared(pair.better, pair.than)) for one in (before, after)]
        p = order.chance(pair)
        names = [str(order.values[i]) for i in (pair.better, pair.than)]
        rows.append([pair.reading, *names, leads[0], NONE if p is None else p_text(p), leads[1]])
    columns = ["reading", "better", "than", f"by ({reference})", "p (Holm)", "by (reading)"]
    return Table(columns, rows, "<<<>>>", "Reversed pairs", left_out=max(0, len(order.turned) - most))


def _lead(order: ReadOrder, lead: RateDifference) -> str:
    scale, digits = scale_of(order.statement.metric), metric_style(order.statement.metric).digits or 2
    low, high = (None if end is None else scale * end for end in (lead.low, lead.high))
    text = fixed(scale * lead.difference, digits, signed=True)
    return with_ends(text, scale * lead.difference, low, high, lambda end: fixed(end, digits, signed=True))


def _lost(order: ReadOrder) -> str:
    """What the readings leave open of what the reference resolves: that is no fault."""
    lost = [(reading, n) for reading in order.readings if (n := order.lost_under(reading))]
    return f"Pairs no longer significant: {', '.join(f'{n:,} under {reading}' for reading, n in lost)}." if lost else ""


def claim_curves(claims: Sequence[ReadClaim], choices: Mapping[str, Mapping[str, str]]) -> Section:
    """A specification curve for each claim: its estimate under every reading, sorted, and which choices made it."""
    section = Section("Claims by Reading", page=True)
    for claim in claims:
        known = [(value, reading) for reading, one in claim.results.items() if (value := one.shown.value) is not None]
        if known:
            section.blocks.append(_curve(claim, sorted(known, key=lambda pair: pair[0]), choices))
    return section


def _curve(claim: ReadClaim, drawn: Sequence[tuple[float, str]], choices: Mapping[str, Mapping[str, str]]) -> Chart:
    values, names = zip(*drawn, strict=True)
    shown = [claim.results[name].shown for name in names]
    series = Series("reading", names, values, low=[one.low for one in shown], high=[one.high for one in shown])
    chosen = {kind: [of.get(name, NONE) for name in names] for kind, of in choices.items()}
    return Chart(f"Claim {claim.name} by reading", "reading", _axis(claim), [series], "points", choices=chosen)


def turned_in(orders: ReadOrders, readings: Sequence[str]) -> dict[str, str]:
    """For each reading how many resolved pairs it turns: `2 of 15`; {} where none is resolved."""
    resolved = sum(order.reference.ranked.count() for order in orders.orders)
    counts = {reading: orders.turned_under(reading) for reading in readings}
    return {reading: f"{n:,} of {resolved:,}" for reading, n in counts.items() if n is not None and resolved}


# What the reports and metrics of a run need of its audit: what it keeps for them, a reading by its name.

TEXTS = "texts"  # what a report keeps that writes the texts of answers
NO_TEXTS = "Texts are left out (report.texts=false)."


def kept_for(*parts: Mapping[str, Metric | Report]) -> frozenset[str]:
    """What the audit is to keep beyond its counts, for these parts of a run."""
    return frozenset(name for named in parts for part in named.values() for name in capability(part, "keeps", ()))


def check_reports(reports: Mapping[str, Report], audit: Audit, texts: bool = True) -> None:
    """Refuses a report that needs what the audit does not keep, or a reading that it has not. Raises UsageError.

    Without `texts` one that writes the texts of answers is refused as well.
    """
    kept, readings = capability(audit, "keeps", ()), capability(audit, "named_readings")
    for name, part in reports.items():
        if not texts and TEXTS in capability(part, "keeps", ()):
            what = "writes the texts of answers, which report.texts=false leaves out"
            raise UsageError(f"reports.{name}", what, None, "leave it out of report=[...]")
        lacking = [one for one in capability(part, "keeps", ()) if one not in kept]
        if lacking:
            what = f"needs the {lacking[0]} of trials, which the {audit.name} audit does not keep"
            raise UsageError(f"reports.{name}", what, None, "leave it out of report=[...]")
        reading = capability(part, "reading")
        if reading is not None and readings is not None and reading not in readings():
            do = nearest(reading, readings())
            raise UsageError(f"reports.{name}.reading", f"no reading '{reading}' in this run", None, do)


def shown_sections(sections: Sequence[Section], limits: ReportLimits) -> list[Section]:
    """The sections without the example and without texts, as far as these are not wanted.

    Exhibits stay, with their facts: their place, truth and labels.
    """
    example = limits.example and limits.texts and limits.max_examples
    kept = [one for one in sections if one.screen != "example" or example]
    return kept if limits.texts else list(map(_without_texts, kept))


def _without_texts(section: Section) -> Section:
    """A section whose exhibits show facts alone, and say so."""
    blocks = [_bare(block) for block in section.blocks]
    note = [Note(NO_TEXTS)] if any(isinstance(block, Exhibit | Gallery) for block in blocks) else []
    return replace(section, blocks=[*note, *blocks]) if note else section


def _bare(block: Block) -> Block:
    if isinstance(block, Exhibit):
        return replace(block, snippets=[], grids=[])
    if isinstance(block, Gallery):
        return replace(block, exhibits=[replace(one, snippets=[], grids=[]) for one in block.exhibits])
    return block
