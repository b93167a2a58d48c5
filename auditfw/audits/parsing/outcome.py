"""From the counts of all batches to the outcome: readings, samples, sections, warnings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from auditfw.audits.parsing.conclusions.by_item import item_table, rows_by_item
from auditfw.audits.parsing.conclusions.by_value import RuledOutcome, rule_warnings
from auditfw.audits.parsing.conclusions.claims import LabelRates
from auditfw.audits.parsing.conclusions.items import UNCOUNTED, crossed_items, items_of
from auditfw.audits.parsing.conclusions.order import read_statements, with_turned
from auditfw.audits.parsing.conclusions.origin import (
    labelled_in,
    missed_by,
    reproduction_of,
    with_reproduction,
)
from auditfw.audits.parsing.conclusions.published import PublishedFigures, compared
from auditfw.audits.parsing.conclusions.published_table import PublishedTable
from auditfw.audits.parsing.conclusions.search import RuleSearch
from auditfw.audits.parsing.engine.grid import BaselineRule, with_rules
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.engine.shared_results import shared_of
from auditfw.audits.parsing.engine.verify import changing
from auditfw.audits.parsing.kept.flips import FlipDraw
from auditfw.audits.parsing.probe.argument import Bounds, probe_argument, reproducing, unknown_rule
from auditfw.audits.parsing.probe.lossy import LOSSY, sentences
from auditfw.audits.parsing.probe.scorers import probed, with_probe
from auditfw.core.document import some
from auditfw.core.errors import AuditError, IncompleteError, NothingAudited
from auditfw.core.native import kernel_name
from auditfw.core.notes import remarks
from auditfw.core.records import Input, Reading
from auditfw.kinds.context import Context, Outcome, Sample
from auditfw.kinds.evidence import Evidence

from . import unmapped
from .answer import answer_of
from .counts import ParsingCounts
from .report import write_sections
from .results import ParsingResults
from .samples import ComparedReading, LabelRules, samples
from .settings import SEARCH, STORED_LABEL, ParsingSettings
from .table import STORED
from .warnings import (
    few_of_other_kinds,
    kept_signs,
    late_trials,
    likely_nulls,
    no_labels,
    slow_patterns,
    unread_truths,
    void_truths,
)


@dataclass(frozen=True)
class Scored:
    """The merged outcome of all batches, with what it was computed from.

    `baseline` and `reference` are numbers of readings in the plan. `inputs` waits for the checksums of the files.
    """

    whole: ParsingCounts
    flips: FlipDraw
    plan: ReadingPlan
    names: list[str]
    baseline: int | None
    reference: int
    evidence: Evidence
    inputs: Callable[[], list[Input]]
    search: RuleSearch | None = None
    figures: PublishedTable | None = None
    ruled: RuledOutcome | None = None

    @property
    def has_stored(self) -> bool:
        return "stored" in self.evidence.columns

    @property
    def reference_name(self) -> str:
        return STORED_LABEL if self.reference == STORED else self.plan.names()[self.reference]

    @property
    def baseline_name(self) -> str | None:
        if self.search is not None and self.search.written:
            return SEARCH if self.search.rule is None else self.search.rule.name
        return None if self.baseline is None else self.plan.names()[self.baseline]

    def blind(self) -> dict[str, str]:
        """For each reading whose column the source does not have, the reason why it has no label."""
        columns = self.evidence.columns
        read = {
            name: self.plan.parsers[p].part.column
            for name, (p, _) in zip(self.plan.names(), self.plan.readings, strict=True)
        }
        absent = {STORED_LABEL: "stored", **read}
        searched = {SEARCH: self.search.sentence} if self.search is not None else {}
        return searched | {
            name: self.evidence.lacks(column) for name, column in absent.items() if column not in columns
        }

    def compared(self) -> dict[str, int]:
        """The readings that are compared with the reference, by name, with their numbers."""
        return {reading.name: number for reading, number, _ in self.readings() if reading.role == "candidate"}

    def readings(self) -> list[ComparedReading]:
        """Every reading with what it is compared with: the reference, stored labels, the others."""
        places = self.plan.names()
        stored = self.reference == STORED
        others = [(STORED_LABEL, STORED)] if not stored and self.has_stored else []
        others += [(name, places.index(name)) for name in self.names]
        readings = [ComparedReading(Reading(self.reference_name, "reference"), self.reference, self.reference)]
        readings += [ComparedReading(Reading(name, "candidate"), number, self.reference) for name, number in others]
        return readings + self._baseline()

    def _baseline(self) -> list[ComparedReading]:
        """What is compared with the stored labels: the configured rule, or the one that was searched."""
        name, number = self.baseline_name, UNCOUNTED if self.baseline is None else self.baseline
        if self.search is not None and self.search.written:
            number = UNCOUNTED if self.search.rule is None else STORED
        elif self.baseline is None and self.search is not None:
            name = SEARCH  # the configured one cannot be read
        return [] if name is None else [ComparedReading(Reading(name, "baseline"), number)]


def outcome_of(audit: ParsingSettings, scored: Scored, context: Context) -> Outcome:
    """What a parsing audit found, before it is measured. Raises NothingAudited."""
    whole, evidence = scored.whole, scored.evidence
    counts = {"read": whole.counts.total(), "audited": whole.counts["audited"]}
    counts |= {bucket: n for bucket, n in sorted(whole.counts.items()) if n and bucket != "audited"}
    if counts["read"] == 0:
        raise NothingAudited("source", "no row was read", None, "check the path, the query and the filters")
    readings = scored.readings()
    why = "no trial with both labels"
    crossed, table = crossed_items(whole.table, audit.undefined), whole.table
    by_item = items_of(crossed, scored.baseline, shared_of(audit.source))
    taken = samples(table, readings, context.by, LabelRules(audit.undefined, why, scored.blind()), by_item)
    reproduction = reproduction_of(scored.search, table, scored.baseline)
    taken = with_reproduction(taken, scored.ruled.reproduction() if scored.ruled is not None else reproduction)
    absent = audit.absent(evidence, scored.baseline)
    compared = any(reading.role == "baseline" for reading, *_ in readings)
    if not (compared or counts["audited"]):
        absent.setdefault("mismatches", "no row was audited")
    if "mismatches" in absent and not compared:
        absent["unreproduced"] = absent["mismatches"]
    numbers = {reading.name: number for reading, number, _ in readings if reading.role != "baseline"}
    rates = LabelRates(context.by, table, taken, numbers, crossed)
    statements = read_statements(context.claims, rates, audit.alpha)
    taken = with_turned(taken, statements.orders)
    stored_by, further = _rule_of_stored(audit, scored, taken)
    probe = probed([scored.plan, *further], whole.probe, evidence.columns, audit.undefined, counts["audited"])
    scorer, unknown = (
        stored_by if scored.reference == STORED else scored.reference_name,
        unknown_rule(audit.labels, labelled_in(table)),
    )
    taken = with_probe(taken, probe.rates, {STORED_LABEL: stored_by})
    results = ParsingResults(
        whole=whole,
        plan=scored.plan,
        reference=scored.reference_name,
        candidates=scored.names,
        baseline=scored.baseline_name,
        by=context.by,
        limits=context.limits,
        seed=context.seed,
        counts=counts,
        absent=absent,
        samples=taken,
        markers=tuple(audit.markers),
        delimiter=audit.delimiter,
        columns=evidence.columns,
        by_item=rows_by_item(crossed, scored.reference, scored.compared()),
        statements=statements,
        probe=probe,
        probed=probe_argument(Bounds(audit.either_way, audit.margin), probe, scorer, unknown),
        scorer=scorer,
        unknown_rule=unknown,
        search=scored.search,
        ruled=scored.ruled,
        figures=_figures(audit, scored, taken),
        lossy=audit.lossy_in(scored.plan, whole.kinds),
        asked=audit.asked_in(scored.plan, whole.kinds),
        draw=scored.flips,
        signs=audit.signs,
    )
    incomplete = _incomplete(audit, whole, counts)
    answer = answer_of(audit, results, incomplete)
    return Outcome(
        counts=counts,
        readings=[reading for reading, *_ in readings],
        samples=taken,
        inputs=scored.inputs(),
        sections=partial(write_sections, results),
        answer=answer,
        warnings=[*evidence.warnings, *_warnings(audit, scored), *sentences(results.lossy)],
        absent=absent,
        incomplete=incomplete,
        tables={**item_table(results.by_item, context)},
        notes={"paths": dict(sorted(whole.paths.items())), "kernel": kernel_name()},
        titles=dict.fromkeys(results.lossy, LOSSY),
    )


def _rule_of_stored(
    audit: ParsingSettings, scored: Scored, taken: Sequence[Sample]
) -> tuple[str | None, list[ReadingPlan]]:
    """The rule that gives all stored labels, by name, and a plan of it where it is no reading; None: none is known."""
    rule, names = None if scored.search is None else scored.search.rule, scored.plan.names()
    if rule is not None:
        return rule.name, [] if rule.name in names else [_plan_of(audit, rule.name, "", {"": rule.baseline})]
    configured, better = audit.configured, None if scored.ruled is None else scored.ruled.replacements
    if better and configured is not None:
        name, rules = f"{scored.baseline_name} (corrected)", {**(configured.rules or {}), **better}
        return name, [_plan_of(audit, name, configured.column or "", rules)]
    same = reproducing(scored.baseline_name, next((s.data for s in taken if s.reading.role == "baseline"), None))
    table = scored.whole.table
    if same is None and scored.reference == STORED and audit.labels == "rule" and all(labelled_in(table)):
        same = next((name for number, name in enumerate(names) if not missed_by(table, number)), None)
    return same, []


def _plan_of(audit: ParsingSettings, name: str, column: str, rules: Mapping[str, BaselineRule]) -> ReadingPlan:
    """A plan of rules by value alone."""
    return with_rules(ReadingPlan((), (), audit.matcher, ()), name, column, rules)


def _figures(audit: ParsingSettings, scored: Scored, taken: Sequence[Sample]) -> PublishedFigures | None:
    """How published figures compare with the samples, where there are any."""
    if audit.published is None or scored.figures is None or not scored.whole.counts["audited"]:
        return None
    return compared(audit.published, scored.figures, taken, scored.reference_name)


def _incomplete(audit: ParsingSettings, whole: ParsingCounts, counts: Mapping[str, int]) -> AuditError | None:
    if whole.unsteady:
        return changing(whole.unsteady[0])
    failed, tried = whole.failed, whole.failed + counts["audited"]
    if not failed or failed / tried <= audit.max_error_rate:
        return None
    shown = "; ".join(whole.problems)
    return IncompleteError(
        "audit",
        f"a component failed on {failed} of {some(tried, 'trial')}",
        shown,
        "fix it, or allow failures with audit.max_error_rate",
    )


def _warnings(audit: ParsingSettings, scored: Scored) -> list[str]:
    whole, plan, evidence = scored.whole, scored.plan, scored.evidence
    warnings = [*remarks(whole.notes), *unmapped.warning(whole), *rule_warnings(audit, whole)]
    warnings += [f"a component failed: {problem}" for problem in whole.problems]
    warnings += late_trials(whole.counts["timeout"], whole.over)
    warnings += likely_nulls(whole.suspects) + few_of_other_kinds(whole.kinds)
    warnings += void_truths(whole.table, plan, audit.undefined) + unread_truths(whole.unread, plan)
    warnings += kept_signs(whole.signed, plan)
    warnings += slow_patterns(parser=audit.parsers, normalizer=audit.normalizers)
    warnings += no_labels(evidence, whole.table, scored.reference_name)
    blind = [name for name, part in audit.parsers.items() if part.column not in evidence.columns]
    if blind:
        warnings.append(f"the source has no column 'parsed_text': undefined for parser {', '.join(blind)}")
    return warnings
