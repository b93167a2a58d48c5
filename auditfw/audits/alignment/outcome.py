"""From the counts of all batches to the outcome: samples, findings, sections, warnings."""

from __future__ import annotations

from functools import partial

from auditfw.core.errors import NothingAudited
from auditfw.core.records import Input
from auditfw.kinds.context import Outcome
from auditfw.kinds.evidence import Evidence

from .counts import AlignmentResults
from .findings import AlignmentFindings
from .report import tell
from .samples import ACTUAL, INTENDED, samples
from .settings import AlignmentSettings


def outcome_of(audit: AlignmentSettings, whole: AlignmentResults, evidence: Evidence, inputs: list[Input]) -> Outcome:
    """What an alignment audit found, before it is measured. Raises NothingAudited."""
    context = whole.context
    counts = whole.counts()
    if not whole.scenarios and not whole.dropped:
        raise NothingAudited("scenarios", "there is not one scenario", None, "look at the path and the filters")
    found = AlignmentFindings.of(whole, audit)
    free = max(found.free.values(), default=None)
    taken = samples(whole.tallies, context.by, whole.work.further, free)
    return Outcome(
        counts=counts,
        readings=[INTENDED, ACTUAL],
        samples=taken,
        inputs=list(dict.fromkeys(inputs)),
        sections=partial(tell, whole, found, context),
        warnings=[*evidence.warnings, *found.warnings],
        absent={} if found.free else {"free_overall": "needs two scenarios that gave something"},
        incomplete=found.incomplete,
        open=found.open,
        tables={"scenarios": whole.table.close()},
    )
