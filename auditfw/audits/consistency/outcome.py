"""From the counts of all batches to the outcome: what stops the run, readings, samples, sections, warnings."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from auditfw.core.errors import DataError, Faults, NothingAudited, refuse
from auditfw.formulas.agreement import diagnosis
from auditfw.kinds.context import Context, Outcome
from auditfw.kinds.evidence import Source
from auditfw.kinds.judgements import ANSWER, ITEM, PLACE, RATER

from .answer import answer_of, heard
from .charts import scaled
from .conclusions.agreement import Agreement
from .conclusions.coefficient import coefficient_of
from .conclusions.off import off
from .conclusions.order_report import identical, pair_table
from .conclusions.orders import Placed, order_findings, presented
from .conclusions.scale import left_out, weights_called, weights_used
from .conclusions.stand_in import stand_ins
from .counts import ConsistencyCounts
from .joins.joining import duplicate_errors, id_of
from .name_check import idle_aliases, unfit, unseen
from .questions.rater_rows import RaterRows
from .report import write_sections
from .results import ConsistencyResults
from .rules import MALFORMED, UNKNOWN
from .samples import SampleRows, samples
from .screen.facts import ScreenFacts
from .settings import ConsistencySettings
from .table import JudgementTable
from .trials import Judgements

LISTED = 10


def refuse_faults(audit: ConsistencySettings, whole: ConsistencyCounts) -> None:
    """Raises DataError or Findings for rows that stop the run: one for each kind of fault, with its first place."""
    faults = Faults()
    if audit.malformed == "error" and whole.counts[MALFORMED]:
        rows = whole.findings.get(MALFORMED, [])
        for place, why in rows:
            faults.add(DataError(place, why, None, "fix it, or write audit.malformed=count"))
        faults.further(whole.finding_counts[MALFORMED] - len(rows))
    if audit.unknown_labels == "error" and whole.counts[UNKNOWN]:
        faults.add(_undeclared(whole, audit.tie))
    faults.refuse()


def _undeclared(whole: ConsistencyCounts, tie: str) -> DataError:
    """The error for labels that are not declared: the first one's place, and each with its number."""
    place, why = whole.findings[UNKNOWN][0]
    texts = [f"{rater} '{label}' × {n:,}" for (rater, label), n in whole.unknown.most_common(LISTED)]
    listed = ", ".join([*texts, *([f"ties × {whole.ties:,}"] if whole.ties else [])])
    details = f"{whole.finding_counts[UNKNOWN]:,} such items: {listed}" if whole.finding_counts[UNKNOWN] > 1 else None
    do = "declare it (audit.labels), map it (audit.aliases), or write audit.case=fold or audit.unknown_labels=count"
    if whole.ties and not whole.unknown:
        do = f"declare '{tie}' (audit.labels), name another first in audit.abstain, or write audit.unknown_labels=count"
        return DataError(place, f"a tie gives '{tie}', which is no declared label: {why}", details, do)
    return DataError(place, f"a label that is not declared: {why}", details, do)


def refuse_duplicates(table: JudgementTable, source: Source) -> None:
    """Raises DataError or Findings for duplicate items, found by their hashes and looked at again."""
    suspected = table.repeated()
    if suspected:
        refuse(duplicate_errors(source.open((), ("id", PLACE)), suspected, id_of(source)))


def outcome_of(
    audit: ConsistencySettings, whole: ConsistencyCounts, table: JudgementTable, opened: Judgements, context: Context
) -> Outcome:
    """What a consistency audit comes to, before it is measured. Raises NothingAudited."""
    decider, evidence = table.decider, opened.evidence
    settings = replace(audit.sampled(decider.raters, context.by, context.seed), unfit=unfit(audit, decider.policies))
    placed, order = Placed.of(table, ITEM in evidence.columns), audit.presentation
    shown = None
    if order is not None:
        shown = presented(order, placed, settings.raters, settings.labels, settings.abstain)
    taken = samples(SampleRows(placed, whole.faults, shown), tuple(audit.validators), decider, settings)
    counts = {"read": whole.counts.total(), "audited": whole.counts["audited"]}
    counts |= {bucket: n for bucket, n in sorted(whole.counts.items()) if n and bucket != "audited"}
    if counts["read"] == 0 and audit.typing == "strict":
        raise NothingAudited("source", "no record was read", None, "check the path and the filters")
    overall = next(s.data for s in taken if s.reading.name == "all" and not s.cell)
    disjoint = diagnosis.strangers(overall.everyone)
    few = diagnosis.too_few(overall.ratings.n)
    coefficient = coefficient_of(audit)
    weights = weights_called(audit) if coefficient.ordered else {}
    checks, known = tuple(audit.validators), scaled(audit.metrics, weights)
    missing_names = [*unseen(audit.hard_flags, type(audit).hard_flags, frozenset(whole.flags), counts["read"])]
    missing_names += idle_aliases(audit.aliases, audit.rules(settings.raters), whole) if counts["read"] else []
    inputs = evidence.inputs()
    results = ConsistencyResults(
        whole, counts, settings, decider, taken, context.limits, checks, known,
        inputs=inputs,
        by_file=RATER in evidence.columns,
        placed=placed,
        orders=None if shown is None else order_findings(shown, placed, settings.reference, settings.seed),
        alpha=audit.alpha,
        left_out=left_out(audit.metrics, settings.unfit),
        weights=weights_used(audit),
        coefficient=coefficient,
        bounds=audit.bounds,
        truth_files=audit.truth_files,
    )  # fmt: skip
    agreement = Agreement(audit, results)
    rows = RaterRows(context, audit, results, table, opened)
    questions = heard(rows, agreement)
    noun = "answer" if {ANSWER, "answer"} & {*evidence.columns} else "item"
    apart = off(agreement, questions.findings, rows)
    tests = stand_ins(overall.everyone, audit, apart)
    first = ScreenFacts(results, apart, noun, tests)
    return Outcome(
        counts=counts,
        readings=settings.readings(list(decider.policies)),
        samples=[questions.measured(one, one.reading.name == "all" and not one.cell) for one in taken],
        inputs=inputs,
        sections=partial(write_sections, first, questions.sections(context.limits.max_rows)),
        warnings=[*evidence.warnings, *audit.remarks(), *results.warnings(), *missing_names, *identical(results)],
        tables={
            **table.closed,
            **table.by_item(settings.reference),
            **pair_table(overall.everyone, context, audit),
            **questions.merged("tables"),
        },
        absent=results.left_out,
        weights=weights,
        answer=answer_of(first, agreement, questions, context.guessed),
        titles={rater: settings.titles[rater] for rater in settings.raters if rater in settings.titles},
        open="; ".join([*disjoint, *([few] if few and audit.typing == "strict" else [])]),
        **questions.outcome,
    )
