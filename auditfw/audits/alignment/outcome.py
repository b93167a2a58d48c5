"""From the counts of all batches to the outcome: samples, findings, sections, warnings."""

from __future__ import annotations

from functools import partial

from auditfw.core.errors import NothingAudited
from auditfw.core.records import Input
from auditfw.kinds.context import Outcome
from auditfw.kinds.evidence import Evidence

from .counts import AlignmentResults
from .findings import AlignmentFindings
from .report import write_sections
from .samples import ACTUAL, INTENDED, samples
from .settings import AlignmentSettings


def outcome_of(audit: AlignmentSettings, results: AlignmentResults, evidence: Evidence, inputs: list[Input]) -> Outcome:
    """What an alignment audit found, before it is measured. Raises NothingAudited."""
    context = results.context
    counts = results.counts()
    if not results.scenarios and not results.dropped:
        raise NothingAudited("scenarios", "there is no scenario", None, "look at the path and the filters")
    findings = AlignmentFindings.of(results, audit)
    best_baseline = max(findings.free.values(), default=None)
    samples_taken = samples(results.tallies, context.by, results.work.further, best_baseline)
    return Outcome(
        counts=counts,
        readings=[INTENDED, ACTUAL],
        samples=samples_taken,
        inputs=list(dict.fromkeys(inputs)),
        sections=partial(write_sections, results, findings, context),
        warnings=[*evidence.warnings, *findings.warnings],
        absent={} if findings.free else {"free_overall": "needs two scenarios with outcomes"},
        incomplete=findings.incomplete,
        open=findings.open,
        tables={"scenarios": results.table.close()},
    )
