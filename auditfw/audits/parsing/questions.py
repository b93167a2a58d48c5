"""What is asked of the label table, in the order of the answer and of the report.

A question is a module: `ask(results)` gives its facts (numbers, cells, ids; no words), and is called once through
`results.of`; what it decides is its `argument`, what a reader sees its `section`. A new question is such a module, and
a line here wherever it is heard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from auditfw.audits.answers import INCOMPLETE, Argument, concluded, incomplete_argument, nothing_audited
from auditfw.audits.claim_answer import claims_argument
from auditfw.audits.claim_report import claim_curves, claims_section, who_is_better
from auditfw.audits.parsing.conclusions import by_item, by_value, claims, labels_missing, origin, published
from auditfw.audits.parsing.conclusions.causes import causes_sections
from auditfw.audits.parsing.conclusions.movements import Movements
from auditfw.audits.parsing.engine.verify import changing
from auditfw.audits.parsing.probe import argument as probe
from auditfw.audits.parsing.probe import lossy
from auditfw.audits.parsing.probe.report import probe_sections
from auditfw.audits.parsing.probe.stored_text import stored_text
from auditfw.core.document import Section, some
from auditfw.core.errors import AuditError, IncompleteError, NothingAudited
from auditfw.core.native import kernel_name
from auditfw.core.records import Answer, Input, Measurement
from auditfw.kinds.context import Outcome, Sample

from . import report
from .charts import chosen_by_reading, curve, heat, moves
from .exhibits import gallery
from .results import ParsingResults
from .warnings import null_argument, warnings

LOOK = "check the paths, the filters and why rows were not audited (Coverage)"


def answer(results: ParsingResults, incomplete: AuditError | None = None) -> Answer:
    """The answer: every argument in its place. That of an `incomplete` run is never stable."""
    facts, settings = results.of, results.settings
    if not results.counts["audited"]:
        return nothing_audited(LOOK)
    movements, read = Movements(results), facts(claims.ask)
    arguments = [
        *([] if incomplete is None else [_incomplete_argument(results, incomplete)]),
        null_argument(results.whole.suspects, results.counts["audited"]),
        origin.argument(results),
        by_value.argument(results),
        movements.argument(),
        *([claims_argument(read, results.reference, lossy.deciding(results))] if read is not None else []),
        probe.argument(results),
        lossy.lossy_argument(facts(lossy.asked), facts(lossy.ask), settings.decides or ()),
        published.published_argument(facts(published.ask)),
    ]
    return concluded(arguments, movements.stable)


def sections(results: ParsingResults, measurements: list[Measurement]) -> list[Section]:
    """The sections of a report, coverage first and exhibits last."""
    numbers = {(m.metric, m.reading): m for m in measurements if m.overall}
    facts, most, read = results.of, results.context.limits.max_rows, results.of(claims.ask)
    shown = [
        report.coverage(results),
        labels_missing.section(results),
        report.consistency(results, numbers),
        published.published_section(facts(published.ask), most),
        *([claims_section(read.claims)] if read is not None else []),
        curve(results, numbers),
        *([claim_curves(read.claims, chosen_by_reading(results))] if read is not None else []),
        report.sensitivity(results, numbers),
        report.survive(results),
        *([who_is_better(read.orders, results.reference, most)] if read is not None else []),
        *causes_sections(results),
        by_item.by_item(facts(by_item.ask), results.compared, most),
        *probe_sections(results),
        *(
            [stored_text(facts(probe.ask), results.whole.alone, results.plan)]
            if "parsed_text" in results.evidence.columns
            else []
        ),
        heat(results),
        report.incidence(results),
        report.largest(results, measurements),
        *report.deltas(results),
        *report.think(results, numbers),
        report.flips(results),
        moves(results),
        gallery(results),
    ]
    return [lossy.marked(section, facts(lossy.ask)) for section in shown if section.blocks]


def samples(results: ParsingResults) -> list[Sample]:
    """What the metrics read: the samples; those of all trials with what questions know of their reading."""
    questions = (claims.measured, probe.measured, origin.measured, by_value.measured)
    asked = [
        (one, {} if one.cell else {k: v for of in questions for k, v in of(results, one).items()})
        for one in results.samples
    ]
    return [replace(one, data=replace(one.data, **further)) if further else one for one, further in asked]


def outcome(results: ParsingResults, inputs: Callable[[], list[Input]]) -> Outcome:
    """What a parsing audit found, before it is measured; `inputs` waits for the checksums of the files.

    Raises NothingAudited.
    """
    if results.counts["read"] == 0:
        raise NothingAudited("source", "no row was read", None, "check the path, the query and the filters")
    measured, incomplete = samples(results), _incomplete(results)
    return Outcome(
        counts=results.counts,
        readings=[one.reading for one in results.readings],
        samples=measured,
        sections=partial(sections, results),
        answer=answer(results, incomplete),
        inputs=inputs(),
        warnings=warnings(results),
        absent=results.absent,
        incomplete=incomplete,
        tables=by_item.item_table(results.of(by_item.ask), results.context),
        notes={"paths": dict(sorted(results.whole.paths.items())), "kernel": kernel_name()},
        titles=dict.fromkeys(results.of(lossy.ask), lossy.LOSSY),
    )


def _incomplete(results: ParsingResults) -> AuditError | None:
    """Why the numbers may not hold: a component changes, or failed on more trials than the run allows."""
    whole = results.whole
    if whole.unsteady:
        return changing(whole.unsteady[0])
    failed, tried = whole.failed, whole.failed + results.counts["audited"]
    if not failed or failed / tried <= results.settings.max_error_rate:
        return None
    what = f"a component failed on {failed} of {some(tried, 'trial')}"
    do = "fix it, or allow failures with audit.max_error_rate"
    return IncompleteError("audit", what, "; ".join(whole.problems), do)


def _incomplete_argument(results: ParsingResults, error: AuditError) -> Argument:
    failed, bound = results.whole.failed, 100 * results.settings.max_error_rate
    share = 100 * failed / (failed + results.counts["audited"])
    rule = INCOMPLETE(results.reference, share, bound=bound, fired=True)
    return incomplete_argument(rule, error, "Fix the component that failed and run again.")
