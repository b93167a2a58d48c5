"""The one order of work: evidence → samples → measurements → gates → verdict → reports. Nothing flows back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import isinf
from typing import Any, Literal

from auditfw.core.document import Section
from auditfw.core.errors import AuditError, IncompleteError, UsageError, nearest
from auditfw.core.records import Estimate, GateCells, GateResult, Measurement, Range, Result, Verdict
from auditfw.core.tables import TrialTable
from auditfw.kinds.capabilities import capability
from auditfw.kinds.component_index import shipped
from auditfw.kinds.context import MOST_CELLS, Audit, Claim, Context, Engine, Outcome, ReportLimits, Sample, Variants
from auditfw.kinds.metric_styles import styles_of, with_measures
from auditfw.kinds.metrics import Gate, Metric, Report

from .claim_report import check_reports, kept_for, shown_sections
from .claims import check_claims
from .sweep_settings import MOST_JOBS, SweepTable, failures_borne

LISTED_CELLS = 1_000  # of one gate
Guessed = Literal["source.columns", "audit.raters", "audit.humans", "audit.reference", "by"]


@dataclass(frozen=True)
class Run:
    """A whole run, as the config tree gives it; `guessed` are settings that nobody typed, and it says so."""

    audit: Audit
    engine: Engine
    metrics: dict[str, Metric] = field(default_factory=dict)
    gates: dict[str, Gate] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    reports: dict[str, Report] = field(default_factory=dict)
    report: ReportLimits = field(default_factory=ReportLimits)
    by: tuple[str, ...] | None = None
    seed: int = 0
    objective: str | None = None
    resume: str | None = None
    sweep: SweepTable = field(default_factory=SweepTable)
    on_error: str = "continue"
    max_jobs: int | None = MOST_JOBS
    max_cells: int | None = MOST_CELLS
    guessed: tuple[Guessed, ...] = ()

    def __post_init__(self) -> None:
        failures_borne(self.on_error)
        if self.by is None:
            parts = [capability(self.audit, name) for name in ("source", "scenarios")]
            own = [tuple(by) for part in parts if (by := capability(part, "by", ()))]
            object.__setattr__(self, "by", next(iter(own), ()))
        object.__setattr__(self, "metrics", with_measures(self.audit, self.metrics))
        if len(set(self.cells)) < len(self.cells):
            raise UsageError("by", "a column is named more than once", ", ".join(self.cells), "name each once")
        if self.report.who is not None and self.report.who not in self.cells:
            do = f"{nearest(self.report.who, self.cells)}; add it to by=[…] to compare its values"
            raise UsageError("report.who", f"'{self.report.who}' is no column of by", None, do)

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the cells: those of `by`, where that was null the source's own, or the scenario set's."""
        return self.by or ()

    @property
    def limits(self) -> ReportLimits:
        """How much the reports show; exhibits to look through only where a chosen report has them."""
        browses = any(capability(part, "browses", False) for part in self.reports.values())
        return self.report if browses else replace(self.report, max_exhibits=0)


@dataclass(frozen=True)
class Stamp:
    """What identifies a run: hash of its settings, versions of what it ran with, its folder if it has one.

    `variants` builds what is shipped, for an audit that asks.
    """

    config_hash: str
    versions: dict[str, str]
    folder: str | None = None
    variants: Variants = dict


@dataclass(frozen=True)
class Measured:
    """What a run came to before any gate is asked: the outcome, its measurements and sections, the table of trials."""

    outcome: Outcome
    measurements: list[Measurement]
    sections: list[Section]
    trials: Any


Progress = Callable[[int, int | None], None]


def run(plan: Run, stamp: Stamp, progress: Progress = lambda done, total: None) -> Result:
    """Runs an audit to its result; writes the tables of its trials into the folder if there is one.

    Raises AuditError for unusable configuration or data.
    """
    return conclude(plan, stamp, measured(plan, stamp, progress))


def measured(plan: Run, stamp: Stamp, progress: Progress) -> Measured:
    """Audits the trials and takes the measurements. Raises AuditError."""
    return measured_by(plan, *observed(plan, stamp, progress))


def observed(plan: Run, stamp: Stamp, progress: Progress) -> tuple[Outcome, Any]:
    """What the audit came to, before any metric, and the table of its trials. Raises AuditError."""
    check_plan(plan)
    styles_of(plan.metrics)
    trials = TrialTable(stamp.folder)
    context = Context(
        engine=plan.engine,
        by=plan.cells,
        seed=plan.seed,
        limits=plan.limits,
        trials=trials,
        progress=progress,
        folder=stamp.folder,
        resume=plan.resume,
        max_cells=plan.max_cells,
        claims=plan.claims,
        variants=stamp.variants,
        keeps=kept_for(plan.reports, plan.metrics),
        guessed=plan.guessed,
    )
    return plan.audit.run(context), trials.close()


def measured_by(plan: Run, outcome: Outcome, trials: Any) -> Measured:
    """An outcome with the measurements of a run's metrics, and the sections that show them. Raises AuditError."""
    measurements = measure(plan.metrics, outcome)
    changing = unsteady(plan.metrics, outcome) if outcome.incomplete is None else None
    outcome = outcome if changing is None else replace(outcome, incomplete=changing)
    return Measured(outcome, measurements, shown_sections(outcome.sections(measurements), plan.report), trials)


def conclude(plan: Run, stamp: Stamp, run: Measured) -> Result:
    """The result of a run: what its gates say of the measurements, and the verdict. Raises AuditError."""
    outcome, measurements, reference = run.outcome, run.measurements, reference_of(run.outcome)
    gates, left_out = judge(plan.gates, measurements, outcome)
    conflicts = contradictions(plan.gates, reference)
    verdict = verdict_of([gate.status for gate in gates], outcome.open)
    return Result(
        audit=plan.audit.name,
        verdict=verdict,
        exit_code=exit_code(verdict, outcome),
        counts=outcome.counts,
        by=plan.cells,
        measurements=measurements,
        gates=gates,
        warnings=[*outcome.warnings, *left_out, *conflicts, *([outcome.open] if outcome.open else [])],
        inputs=outcome.inputs,
        config_hash=stamp.config_hash,
        seed=plan.seed,
        versions=stamp.versions,
        sections=list(run.sections),
        folder=stamp.folder,
        trials=run.trials,
        tables=outcome.tables,
        cells=judge_cells(plan.gates, measurements, reference, [gate.name for gate in gates]),
        styles=styles_of(plan.metrics, outcome.weights),
        answer=outcome.answer,
        reference=reference,
        **plan.report.of_terminal,
        titles=outcome.titles,
        findings=outcome.findings,
        not_checked=outcome.not_checked,
        document=outcome.document,
    )


def measure(metrics: Mapping[str, Metric], outcome: Outcome) -> list[Measurement]:
    """Takes every metric of every sample its roles admit: metrics as configured, samples in the audit's order."""
    samples: dict[tuple[str, str], list[Sample]] = {}
    for sample in outcome.samples:
        samples.setdefault((sample.reading.name, sample.reading.role), []).append(sample)
    measurements: list[Measurement] = []
    for name, metric in metrics.items():
        for reading in outcome.readings:
            if reading.role not in metric.roles:
                continue
            cells_only = capability(metric, "cells_only", False)
            own = samples.get((reading.name, reading.role), [])
            if not all(isinstance(s.data, capability(metric, "takes", object)) for s in own):
                raise UsageError(
                    f"metrics.{name}", "is not a metric of this audit", None, "leave it out of metric=[...]"
                )
            chosen = [s for s in own if s.cell or not cells_only]
            at_once = capability(metric, "at_once")
            estimated = [metric(s.data) for s in chosen] if at_once is None else at_once([s.data for s in chosen])
            kept = [(s, e) for s, e in zip(chosen, estimated, strict=True) if e is not None]
            estimates = _across(metric, [e for _, e in kept])
            measurements += [
                Measurement(name, reading.name, s.cell, e) for (s, _), e in zip(kept, estimates, strict=True)
            ]
    return measurements


def unsteady(metrics: Mapping[str, Metric], outcome: Outcome) -> AuditError | None:
    """Names the first metric of a user's own that gives two values for the same sample, None where none does."""
    for name, metric in metrics.items():
        if shipped(type(metric).__module__):
            continue
        for sample in outcome.samples:
            if sample.reading.role in metric.roles and isinstance(sample.data, capability(metric, "takes", object)):
                if repr(metric(sample.data)) != repr(metric(sample.data)):
                    do = "make its value depend on its sample alone"
                    return IncompleteError(f"metrics.{name}", "gives different values for the same sample", None, do)
                break
    return None


def _across(metric: Metric, estimates: list[Estimate]) -> Sequence[Estimate]:
    across = capability(metric, "across")
    return estimates if across is None else across(estimates)


def check_plan(plan: Run) -> None:
    """Refuses what cannot be run whatever the data is. Raises UsageError."""
    check_gates_known(plan)
    check_reports(plan.reports, plan.audit, plan.report.texts)
    check_claims(plan.claims, plan.cells, plan.audit.name, capability(plan.audit, "claimed", ()))
    if plan.resume is not None and not capability(plan.audit, "resumes", False):
        raise UsageError("resume", f"the {plan.audit.name} audit keeps no journal to resume from", plan.resume)


def check_gates_known(plan: Run) -> None:
    """Refuses a gate on a metric that is not chosen, before anything runs."""
    for name, gate in plan.gates.items():
        for metric, _ in gate.metrics():
            if metric not in plan.metrics:
                raise UsageError(
                    f"gates.{name}.metric",
                    f"no metric '{metric}' in this run",
                    None,
                    nearest(metric, list(plan.metrics)),
                )
            _check_bounds(f"gates.{name}", gate, metric, capability(plan.metrics[metric], "range"))
    if plan.objective is not None:
        metric = plan.objective.split("@")[0]
        if metric not in plan.metrics:
            raise UsageError("objective", f"no metric '{metric}' in this run", plan.objective, "write metric@reading")


def _check_bounds(where: str, gate: Gate, metric: str, limits: Range | None) -> None:
    """Refuses a bound outside of what a metric can be: a share of 90 was meant as 90 percent."""
    if limits is None or capability(gate, "span") is None:
        return
    *_, low, high = capability(gate, "span")()
    for key, bound in (("min", low), ("max", high)):
        if not isinf(bound) and not limits[0] <= bound <= limits[1]:
            hundredth = f"{bound / 100:.2f}" if bound == round(bound) else f"{bound / 100:g}"
            meant = limits[1] == 1 and 2 <= bound <= 100
            do = f"did you mean {hundredth}?" if meant else "write a number in that range"
            raise UsageError(f"{where}.{key}", f"{metric} is always {_within(*limits)}", bound, do)


def contradictions(gates: Mapping[str, Gate], reference: str | None = None) -> list[str]:
    """Says of each two gates on the same number that nothing can meet both.

    A gate on every candidate bounds the number of a named reading too, where that is not the reference.
    """
    declared = ((name, capability(gate, "span")) for name, gate in gates.items())
    spans = [(name, *span()) for name, span in declared if span is not None]
    messages = []
    for (one, what, reading, low, high), (other, same, second, least, most) in combinations(spans, 2):
        named = {name for name in (reading, second) if name is not None}
        alike = reading == second or (reference is not None and named != {reference} and len(named) == 1)
        if what == same and alike and (low > most or least > high):
            number = f"{what}@{named.pop()}" if named else what
            messages.append(
                f"gates {one} and {other} cannot both pass: {number} {_within(low, high)} and {_within(least, most)}"
            )
    return messages


def _within(low: float, high: float) -> str:
    if isinf(low) or isinf(high):
        return f"<= {high:g}" if isinf(low) else f">= {low:g}"
    return f"in [{low:g}, {high:g}]"


def reference_of(outcome: Outcome) -> str:
    """The name of the reading that the others are compared with, "" where there is none."""
    return next((r.name for r in outcome.readings if r.role == "reference"), "")


def judge(
    gates: Mapping[str, Gate], measurements: Sequence[Measurement], outcome: Outcome
) -> tuple[list[GateResult], list[str]]:
    """Applies every gate; an optional one whose metric the input cannot have is left out with a warning."""
    results: list[GateResult] = []
    left_out: list[str] = []
    reference = reference_of(outcome)
    for name, gate in gates.items():
        reasons = [outcome.absent[metric] for metric, _ in gate.metrics() if metric in outcome.absent]
        if reasons and capability(gate, "optional", False):
            left_out.append(f"gate {name} left out: {reasons[0]}")
            continue
        on_outcome = capability(gate, "judge_outcome")
        try:
            known = [*measurements, *_absent(gate, measurements, outcome)] if reasons else measurements
            results.append(on_outcome(name, outcome) if on_outcome else gate(name, known, reference))
        except AuditError as error:
            raise UsageError(f"gates.{name}.{error.where}".rstrip("."), error.what, error.found, error.do) from None
    return results, left_out


def _absent(gate: Gate, measurements: Sequence[Measurement], outcome: Outcome) -> Iterator[Measurement]:
    """Undefined numbers, with the reason, for metrics of a gate that this input cannot have and nothing measured."""
    known = {m.metric for m in measurements}
    first = next((r.name for r in outcome.readings if r.role == "candidate"), "")
    for metric, reading in gate.metrics():
        if metric in outcome.absent and metric not in known:
            yield Measurement(metric, reading or first, {}, Estimate(None, undefined=outcome.absent[metric]))


def judge_cells(
    gates: Mapping[str, Gate], measurements: Sequence[Measurement], reference: str, judged: Sequence[str]
) -> list[GateCells]:
    """What the gates that judge cells say of each, for those gates that were applied."""
    each = ((name, capability(gates[name], "cells")) for name in judged)
    judged_cells = [cells(name, measurements, reference, LISTED_CELLS) for name, cells in each if callable(cells)]
    return [one for one in judged_cells if one is not None]


def verdict_of(statuses: Sequence[str], unsettled: str = "") -> Verdict:
    """A failed gate fails the run; an inconclusive one, or an unsettled input, leaves it open; no gates, no verdict."""
    if "fail" in statuses:
        return "fail"
    if "inconclusive" in statuses or (statuses and unsettled):
        return "inconclusive"
    return "pass" if statuses else "none"


def exit_code(verdict: Verdict, outcome: Outcome) -> int:
    """0 passed or no gates, 1 failed or inconclusive, 4 incomplete, 5 nothing audited."""
    if outcome.incomplete is not None:
        return outcome.incomplete.exit_code
    if outcome.counts.get("audited", 0) == 0:
        return 5
    return 1 if verdict in ("fail", "inconclusive") else 0
