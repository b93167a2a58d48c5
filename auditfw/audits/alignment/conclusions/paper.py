"""Two sentences for a paper: how many outcomes were scored, the mean score, and how far it is from a constant's."""

from __future__ import annotations

from collections.abc import Sequence

from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.findings import AlignmentFindings
from auditfw.audits.alignment.samples import ACTUAL
from auditfw.audits.paper import all_of, made_by, paper_section, places_of, with_span
from auditfw.core.digits import change, fixed
from auditfw.core.document import Section, some
from auditfw.core.records import Estimate, Measurement


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
