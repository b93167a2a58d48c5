"""From the counts of all batches to the outcome: samples, findings, sections, warnings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from auditfw.audits.findings import HeardQuestions, QuestionsAsked
from auditfw.core.errors import NothingAudited
from auditfw.core.records import Input
from auditfw.kinds.context import Outcome
from auditfw.kinds.evidence import Evidence

from .conclusions.answer import answer_of, own_arguments
from .conclusions.comparison import FEW
from .counts import AlignmentResults
from .findings import AlignmentFindings
from .questions.outcome_rows import OutcomeRows
from .report import write_sections
from .samples import ACTUAL, INTENDED, samples
from .settings import AlignmentSettings


def _absent(results: AlignmentResults, findings: AlignmentFindings) -> dict[str, str]:
    """The metrics that this input cannot have, each with the reason: shipped gates on them are left out."""
    absent = {} if findings.free else {"free_overall": FEW}
    undecidable = findings.first.undecidable
    absent |= {"above_free": undecidable} if undecidable else {}
    if not results.musts.scenarios:
        absent["must_met"] = "no intended outcome has a bound, a tolerance or a level (must)"
    return absent


def outcome_of(audit: AlignmentSettings, results: AlignmentResults, evidence: Evidence, inputs: list[Input]) -> Outcome:
    """What an alignment audit found, before it is measured. Raises NothingAudited."""
    context = results.context
    counts = results.counts()
    if not results.scenarios and not results.dropped:
        raise NothingAudited("scenarios", "there is no scenario", None, "check the path and the filters")
    findings = AlignmentFindings.of(results, audit)
    context.trials.end()
    rows = OutcomeRows(context, audit, results, findings, evidence)
    questions = HeardQuestions.of(QuestionsAsked.of(rows), own_arguments(audit, results, findings))
    by_bounds = results.requirements.by_bounds
    samples_taken = samples(results.tallies, context.by, results.work.further, findings.figures, by_bounds)
    intended = replace(samples_taken[0], reading=INTENDED)  # metrics of findings alone are of it
    return Outcome(
        counts=counts,
        readings=[INTENDED, *dict.fromkeys([ACTUAL, *(sample.reading for sample in samples_taken)])],
        samples=[questions.measured(one, one.reading == INTENDED) for one in [intended, *samples_taken]],
        inputs=list(dict.fromkeys(inputs)),
        sections=partial(write_sections, results, findings, questions.sections(context.limits.max_rows)),
        warnings=[*evidence.warnings, *findings.warnings],
        answer=answer_of(audit, results, findings, questions),
        absent=_absent(results, findings),
        incomplete=findings.incomplete,
        open=findings.open,
        tables={"scenarios": results.table.close(), **questions.merged("tables")},
        **questions.outcome,
    )
