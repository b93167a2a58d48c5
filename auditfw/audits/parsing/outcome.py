"""What a run came to, in the order of the answer and of the report.

What is asked of the table of labels row by row are the modules of `questions`. What is asked of the labels by reading
is a module with `ask(results)`, which gives its facts (numbers, cells, ids; no words) and is called once through
`results.of`; what it decides is its `argument`, what a reader sees its `section`. It has a line here wherever it is
heard.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from auditfw.audits.answers import INCOMPLETE, Argument, concluded, incomplete_argument, nothing_audited
from auditfw.audits.claim_answer import claims_argument
from auditfw.audits.claim_report import claim_curves, claims_section, who_is_better
from auditfw.audits.findings import HeardQuestions, QuestionsAsked
from auditfw.audits.parsing.conclusions import by_item, by_value, claims, origin, published, under_all, upgrade
from auditfw.audits.parsing.conclusions.causes import causes_sections
from auditfw.audits.parsing.conclusions.movements import Movements
from auditfw.audits.parsing.conclusions.paper import paper
from auditfw.audits.parsing.engine.verify import changing
from auditfw.audits.parsing.probe import argument as probe
from auditfw.audits.parsing.probe import lossy
from auditfw.audits.parsing.probe.report import probe_sections
from auditfw.audits.parsing.probe.stored_text import stored_text
from auditfw.core.document import Section, grouped, some
from auditfw.core.errors import AuditError, IncompleteError, NothingAudited
from auditfw.core.native import kernel_name
from auditfw.core.records import Answer, Input, Measurement
from auditfw.kinds.context import Outcome, Sample

from . import report
from .charts import chosen_by_reading, curve, heat, moves
from .exhibits import gallery
from .questions.best_of import best_sentence
from .questions.label_rows import label_rows
from .results import ParsingResults
from .screen import example, what_would_change, who_is_right
from .warnings import warnings

LOOK = "check the paths, the filters and why rows were not audited (Coverage)"


def asked(results: ParsingResults) -> QuestionsAsked:
    """What the questions of the table of labels answer."""
    return QuestionsAsked.of(results.of(label_rows))


def heard(results: ParsingResults) -> HeardQuestions:
    """The same beside the own arguments of the answer."""
    return HeardQuestions.of(results.of(asked), results.of(own_arguments))


def answer(results: ParsingResults, incomplete: AuditError | None = None) -> Answer:
    """The answer: every argument in its place. That of an `incomplete` run is never stable."""
    if not results.counts["audited"]:
        return nothing_audited(LOOK)
    arguments = list(results.of(heard).arguments)
    if incomplete is not None:
        arguments.insert(0, _incomplete_argument(results, incomplete))
    came = concluded(arguments, results.of(Movements).stable, "parsing")
    led = came.status == "fragile" and came.kinds[:1] in (["pair_turned"], ["moves_whole"])
    return replace(came, change=what_would_change(results)) if led else came


def own_arguments(results: ParsingResults) -> list[Argument]:
    """The arguments of the answer besides those of findings."""
    facts, settings = results.of, results.settings
    movements, read = facts(Movements), facts(claims.ask)
    arguments = [
        origin.argument(results, results.search) if results.search is not None else None,
        by_value.argument(results) if settings.ruled_by is not None else None,
        movements.argument(),
        claims_argument(read, results.reference, lossy.deciding(results)) if read is not None else None,
        probe.argument(results),
        under_all.argument(results),
        lossy.lossy_argument(facts(lossy.asked), facts(lossy.ask), settings.decides or ()),
        published.published_argument(facts(published.ask)) if settings.published is not None else None,
    ]
    return [argument for argument in arguments if argument is not None]


def sections(results: ParsingResults, measurements: list[Measurement]) -> list[Section]:
    """The sections of a report, group by group."""
    numbers = {(m.metric, m.reading): m for m in measurements if m.overall}
    facts, most, by, settings = results.of, results.context.limits.max_rows, results.context.by, results.settings
    read, stored = facts(claims.ask), "parsed_text" in results.evidence.columns
    probed = probe_sections(results) if facts(probe.ask).trials else []
    shown = [
        *grouped(
            "answer",
            None if (upgraded := facts(upgrade.ask)) is None else upgrade.section(upgraded),
            who_is_right(results),
            example(results),
            under_all.counts_section(results),
            curve(results, numbers),
        ),
        *grouped(
            "who",
            published.published_section(facts(published.ask), most) if settings.published is not None else None,
            None if read is None else claims_section(read.claims),
            None if read is None else claim_curves(read.claims, chosen_by_reading(results)),
            report.sensitivity(results, numbers),
            report.survive(results),
            None if read is None else who_is_better(read.orders, results.reference, most, facts(best_sentence)),
        ),
        *grouped(
            "look",
            gallery(results) if results.context.limits.max_exhibits else None,
            under_all.wrong_section(results),
            *(causes_sections(results) if results.draw.tracer is not None else []),
        ),
        *grouped(
            "sound",
            *facts(heard).sections(most),
            report.consistency(results, numbers),
            *probed,
            stored_text(facts(probe.ask), results.whole.readings.alone, results.plan) if stored else None,
        ),
        *grouped(
            "rest",
            None if results.whole.readings.unsteady else paper(results),
            report.coverage(results),
            by_item.by_item(facts(by_item.ask), results.compared, most) if results.crossed is not None else None,
            heat(results) if by else None,
            report.incidence(results),
            report.largest(results, measurements) if by else None,
            *(report.deltas(results) if by else []),
            *report.think(results, numbers),
            report.flips(results),
            moves(results),
        ),
    ]
    return [lossy.marked(section, facts(lossy.ask)) for section in shown]


def samples(results: ParsingResults) -> list[Sample]:
    """What the metrics read: the samples; those of all trials with what questions know of their reading."""
    measured = []
    for sample in results.samples:
        further: dict[str, Any] = {}
        for question in () if sample.cell else (claims, probe, origin, by_value):
            further |= question.measured(results, sample)
        own = replace(sample, data=replace(sample.data, **further)) if further else sample
        whole = not sample.cell and sample.reading.role == "reference"
        measured.append(results.of(heard).measured(own, whole))
    return measured


def outcome(results: ParsingResults, inputs: Callable[[], list[Input]]) -> Outcome:
    """What a parsing audit found, before it is measured; `inputs` waits for the checksums of the files.

    Raises NothingAudited.
    """
    if results.counts["read"] == 0:
        raise NothingAudited("source", "no row was read", None, "check the path, the query and the filters")
    measured, incomplete, questions = samples(results), _incomplete(results), results.of(heard)
    theirs = questions.outcome
    results.of(upgrade.ask)  # while the table can be read
    return Outcome(
        counts=results.counts,
        readings=[one.reading for one in results.readings],
        samples=measured,
        sections=partial(sections, results),
        answer=answer(results, incomplete),
        **{**theirs, "document": {"item": questions.asked.rows.item, **theirs["document"]}},
        inputs=inputs(),
        warnings=warnings(results),
        absent=results.absent,
        incomplete=incomplete,
        tables=_tables(results),
        notes={"paths": dict(sorted(results.whole.readings.paths.items())), "kernel": kernel_name()},
        titles=dict.fromkeys(results.of(lossy.ask), lossy.LOSSY),
    )


def _tables(results: ParsingResults) -> dict[str, Any]:
    """The further tables of a run, closed."""
    tables = dict(by_item.item_table(results)) if results.crossed is not None else {}
    return tables | results.of(heard).merged("tables")


def _incomplete(results: ParsingResults) -> AuditError | None:
    """Why the numbers may not hold: a component changes, or failed on more trials than the run allows."""
    whole = results.whole
    if whole.readings.unsteady:
        return changing(whole.readings.unsteady[0])
    failed, tried = whole.failed, whole.failed + results.counts["audited"]
    if not failed or failed / tried <= results.settings.max_error_rate:
        return None
    what = f"a component failed on {failed} of {some(tried, 'trial')}"
    do = "fix it, or allow failures with audit.max_error_rate"
    return IncompleteError("audit", what, "; ".join(whole.readings.problems), do)


def _incomplete_argument(results: ParsingResults, error: AuditError) -> Argument:
    failed, bound = results.whole.failed, 100 * results.settings.max_error_rate
    share = 100 * failed / (failed + results.counts["audited"])
    rule = INCOMPLETE(results.reference, share, bound=bound, fired=True)
    return incomplete_argument(rule, error, "Fix the component that failed and run again.")
