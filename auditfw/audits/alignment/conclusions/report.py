"""The sections of what follows from the scores: weights, relative errors, replicates against what was intended."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from auditfw.audits.alignment.cell_counts import AlignmentCounts
from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.findings import AlignmentFindings
from auditfw.audits.alignment.samples import ACTUAL
from auditfw.audits.answers import with_interval
from auditfw.audits.paper import all_of, made_by, paper_section, places_of, with_span
from auditfw.core.digits import change, fixed, short
from auditfw.core.document import Block, Note, Section, Table, some
from auditfw.core.records import Estimate, Measurement

from .arguments import difference_text
from .comparison import DrawnFigures, FreeDirection, ScoredWeights

NONE = "–"


def weights_section(scores: Sequence[ScoredWeights], free: FreeDirection) -> Section:
    """The score under each of the weights, and where direction costs nothing."""
    blocks: list[Block] = []
    if len(scores) > 1:
        rows = [
            [
                one.words,
                with_interval(fixed(one.score, 2), one.low, one.high, 2, one.score),
                one.best or NONE,
                NONE if one.above is None else difference_text(one.above),
            ]
            for one in scores
        ]
        columns = ["weights", "mean overall", "best trivial baseline", "difference"]
        blocks.append(Table(columns, rows, "<><>"))
        blocks.append(Note("Gates and the answer use the first weights."))
    blocks += [Note(free.text)] if free.text else []
    return Section("Weights and Direction", blocks, console=len(scores) > 1)


def errors_section(total: AlignmentCounts, figures: DrawnFigures, most: int) -> Section:
    """The median of the relative errors beside their mean: one large error moves the mean alone."""
    rows = []
    for one in figures.drawn.keys[:most]:
        errors = figures.errors(None, one.key)
        if errors.size:
            mean, median = float((errors / errors.size).sum()), figures.median_error(None, one.key).value
            rows.append([one.key, f"{errors.size:,}", short(mean), short(median or 0.0), short(float(errors.max()))])
    if not rows:
        return Section("Relative Errors")
    note = "|actual - intended| / |intended|; outcomes with an intended value of 0 are left out."
    if len(figures.drawn) < total.scenarios:
        note += f" From a random sample of {some(len(figures.drawn), 'scenario')}."
    left = max(0, len(figures.drawn.keys) - most)
    return Section(
        "Relative Errors", [Table(["key", "n", "mean", "median", "largest"], rows, "<>>>>", left_out=left), Note(note)]
    )


def replicates_note(total: AlignmentCounts, replicates: int) -> list[Block]:
    """How often the intended number is in the interval of the mean over replicates."""
    held = [
        (key, one["within"]) for key, one in total.keys.items() if one["within"].n and not isnan(one["within"].mean)
    ]
    if not held:
        return []
    n, inside = sum(one.n for _, one in held), sum(round(one.mean * one.n) for _, one in held)
    text = (
        f"In {inside:,} of {some(n, 'outcome')} the intended value is inside the 95 % t interval of the mean over "
        f"{replicates:,} replicates; in the others the difference exceeds the noise."
    )
    return [Note(text)]


# Two sentences for a paper: how many outcomes were scored, the mean score, and how far it is from a constant's.


def paper(results: AlignmentResults, findings: AlignmentFindings, measurements: Sequence[Measurement]) -> Section:
    """The section; empty where the mean score was not measured, has no interval, or the run is incomplete."""
    numbers = {m.metric: m.estimate for m in measurements if m.overall and m.reading == ACTUAL.name}
    mean, counts = numbers.get("mean_overall"), results.counts()
    if findings.incomplete is not None or mean is None or mean.value is None or mean.low is None or mean.high is None:
        return paper_section([])
    n, read, scenarios = counts["audited"], counts["read"], some(mean.counted, "scenario")
    outcomes = all_of(n, read, "intended outcome")
    digits = places_of(mean.low, mean.high, share=True)
    items = len(results.total().items.get("", ()))
    over = f"{scenarios} of {some(items, 'item')}" if items else scenarios
    score = with_span(fixed(mean.value, digits), mean.low, mean.high, digits, f"over {over}")
    return paper_section(
        [
            f"We scored {outcomes}, in {scenarios}, from 0 to 1 ({made_by(results.context.seed)}).",
            f"The mean score is {score}{_beside(findings, numbers.get('above_free'), mean.counted)}.",
        ]
    )


def _beside(findings: AlignmentFindings, above: Estimate | None, scenarios: int) -> str:
    """How far it is from the best trivial baseline, or why that says nothing."""
    if above is None:
        return ""
    if above.value is None or above.low is None or above.high is None:
        return f"; it was not compared with trivial baselines ({above.undefined})" if above.undefined else ""
    first = findings.first
    digits = places_of(above.low, above.high, share=True, apart=True)
    part = [f"on the {some(len(first.keys), 'outcome')} that differ between scenarios"] if first.part else []
    drawn = [f"over {above.counted:,} of the scenarios"] if above.counted < scenarios else []
    difference = with_span(change(above.value, digits), above.low, above.high, digits, ", ".join([*part, *drawn]))
    return f"; its difference from the best trivial baseline ({first.best}) is {difference}"
