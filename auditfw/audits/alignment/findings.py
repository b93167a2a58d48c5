"""What a run found beyond its numbers: whether it is complete, what to warn of, what is free, what explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from auditfw.core.digits import fixed
from auditfw.core.document import Section, some
from auditfw.core.errors import AuditError, IncompleteError, nearest
from auditfw.core.imports import np
from auditfw.core.notes import remarks
from auditfw.formulas.outcomes.ranges import MissRange
from auditfw.kinds.capabilities import capability

from .actual import FAILED, NONFINITE, STATUS
from .conclusions.comparison import (
    DrawnFigures,
    FreeDirection,
    ScoredWeights,
    all_figures,
    free_direction,
    scored_weights,
)
from .conclusions.missed import MissedScenarios, missed_rule, missed_scenarios
from .conclusions.sensitivity import sensitivity_section
from .counts import AlignmentResults
from .explain import Causes, explain
from .null_models import rescaled
from .scenario_sample import Drawn
from .settings import AlignmentSettings

FLOOR_MATTERS = 0.05
LARGER = 1e6
KEYS_SHOWN = 8
KEYS_COMPARED = 1_000


@dataclass
class AlignmentFindings:
    """The findings of one run; `scales` gives for each key its combined score as it is and where no floor acts.

    `figures` are those of the scenarios drawn, under the deciding weights ("") and under the others by name; `missed`
    says which of them miss, `rule` at which values of a parameter.
    """

    figures: Mapping[str, DrawnFigures]
    free_direction: FreeDirection
    scores: Sequence[ScoredWeights]
    sensitivity: Sequence[Section] = ()
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    causes: Causes | None = None
    missed: MissedScenarios = field(default_factory=MissedScenarios)
    rule: MissRange | None = None
    open: str = ""
    incomplete: AuditError | None = None

    @property
    def first(self) -> DrawnFigures:
        """The figures under the deciding weights."""
        return self.figures[""]

    @property
    def drawn(self) -> Drawn:
        """The scenarios drawn."""
        return self.first.drawn

    @property
    def free(self) -> Mapping[str, float]:
        """The mean overall score of each null simulator."""
        return self.first.free

    @classmethod
    def of(cls, results: AlignmentResults, audit: AlignmentSettings) -> AlignmentFindings:
        """Looks a run over."""
        drawn, rule = results.drawn(), results.work.rule
        with np.errstate(all="ignore"):
            first = DrawnFigures(drawn, rule, audit.key_weights, results.context.seed, audit.tolerance)
            figures = all_figures(first, results.work.other_rules)
            weights = {"": audit.weights, **audit.other_weights}
            scores = scored_weights(weights, results.total(), figures)
            findings = cls(figures, free_direction(results.total(), rule, first), scores)
            scales = {one.key: (rescaled(one, rule, 1.0), rescaled(one, rule, LARGER)) for one in drawn.keys}
            findings.scales = {key: (a, b) for key, (a, b) in scales.items() if a is not None and b is not None}
            findings.causes = explain(drawn, results.varied, results.context.seed)
        findings.missed = missed_scenarios(results, drawn)
        findings.rule = missed_rule(results, drawn, findings.missed)
        if results.every is not None:
            most = results.context.limits.max_rows
            drawn = results.every.drawn()
            findings.sensitivity = [sensitivity_section(drawn, results.varied, results.context.seed, most)]
        findings.open = _open(results, audit)
        findings.incomplete = _incomplete(results, audit)
        warnings = _run_warnings(results, findings.incomplete is None)
        warnings += _unused_weights(results, audit.key_weights)
        runs_code = bool(capability(audit.simulator, "starts"))
        if runs_code and findings.incomplete is None:
            warnings += _undeclared(results)
        warnings += results.partners.warnings()
        findings.warnings = [*capability(audit.simulator, "remarks", ()), *warnings, *findings.floors(audit.floor)]
        return findings

    def floors(self, floor: float) -> list[str]:
        """The keys whose score depends on the unit they are written in."""
        sensitive = {key: ends for key, ends in self.scales.items() if abs(ends[0] - ends[1]) > FLOOR_MATTERS}
        warnings = [
            f"the floor changes the score of '{key}': combined is {fixed(as_is, 3)} with it and {fixed(free, 3)} "
            f"without; set audit.floor (now {floor:g}) to a size below which '{key}' does not matter"
            for key, (as_is, free) in list(sensitive.items())[:KEYS_SHOWN]
        ]
        return _shortened(warnings, len(sensitive), "the floor changes the score of {}", "more key")


def _open(results: AlignmentResults, audit: AlignmentSettings) -> str:
    """Why no verdict can be a pass: scenarios that gave nothing are no evidence."""
    n = results.buckets["missing"]
    if not n or audit.no_data == "zero":
        return ""
    have, them = ("it has", "it") if n == 1 else ("they have", "them")
    return (
        f"{n:,} of {some(results.scenarios, 'scenario')} returned none of the intended outcomes (first: scenario "
        f"{results.first_empty}); {have} no score, so the verdict stays open (audit.no_data=zero scores {them} 0)"
    )


def _incomplete(results: AlignmentResults, audit: AlignmentSettings) -> AuditError | None:
    """The run is incomplete where more outcomes failed than allowed."""
    counts = results.counts()
    failed = sum(counts.get(STATUS[code], 0) for code in FAILED)
    tried = sum(counts.get(bucket, 0) for bucket in ("audited", "missing", "nonfinite")) + failed
    if not failed or failed / tried <= audit.max_error_rate:
        return None
    scenarios = sum(results.buckets[STATUS[code]] for code in FAILED)
    return IncompleteError(
        "simulator",
        f"failed in {scenarios:,} of {some(results.scenarios, 'scenario')}",
        "; ".join(results.problems),
        "fix it, or allow failures with audit.max_error_rate",
    )


def _undeclared(results: AlignmentResults) -> list[str]:
    """Parameters that only some scenarios give, of a simulator that names none: a misspelt one looks like these."""
    if results.work.rules.limits is not None:
        return []
    some_only = [(name, spread.given) for name, spread in results.params.items() if spread.given < results.scenarios]
    warnings = [
        f"only {n:,} of {some(results.scenarios, 'scenario')} set parameter '{name}', and the simulator declares no "
        f"parameters, so a misspelled name would go unnoticed; declare all: simulator.bounds={{{name}: [null, null]}}"
        for name, n in some_only[:KEYS_SHOWN]
    ]
    return _shortened(warnings, len(some_only), "and {} of this kind", "more parameter")


def _run_warnings(results: AlignmentResults, problems: bool) -> list[str]:
    notes = remarks(Counter({str(note): n for note, n in results.notes.items()}))
    warnings = _shortened(notes[:KEYS_SHOWN], len(notes), "and {} of this kind", "more remark")
    warnings += [
        f"{why} (first: scenario {first}): {n:,}" for why, (n, first) in list(results.remarks.items())[:KEYS_SHOWN]
    ]
    warnings += [f"the simulator failed: {problem}" for problem in results.problems if problems]
    counts = results.counts()
    if counts.get(STATUS[NONFINITE]):
        warnings.append(f"non-finite outcomes score 0: {counts[STATUS[NONFINITE]]:,}")
    return warnings


def _unused_weights(results: AlignmentResults, key_weights: Mapping[str, float]) -> list[str]:
    """The weights of keys that no scenario means."""
    meant = results.total().keys
    known, lacking = list(meant)[:KEYS_COMPARED], [key for key in key_weights if key not in meant]
    warnings = [
        f"audit.key_weights: no scenario intends '{key}', so its weight has no effect - {nearest(key, known)}"
        for key in lacking[:KEYS_SHOWN]
    ]
    return _shortened(warnings, len(lacking), "audit.key_weights: and {} without effect", "more key")


def _shortened(warnings: list[str], n: int, more: str, noun: str, plural: str = "") -> list[str]:
    """The first of `n` findings, and how many are left out."""
    return warnings if n <= len(warnings) else [*warnings, more.format(some(n - len(warnings), noun, plural))]
