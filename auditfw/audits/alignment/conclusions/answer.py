"""What follows from the scores: every argument in its place, joined to one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.findings import AlignmentFindings
from auditfw.audits.alignment.null_models import NOTHING
from auditfw.audits.alignment.screen import divided_text, values_missing
from auditfw.audits.alignment.settings import AlignmentSettings
from auditfw.audits.answers import (
    INCOMPLETE,
    RULES,
    Argument,
    Reason,
    Statement,
    concluded,
    incomplete_argument,
    nothing_audited,
    with_interval,
)
from auditfw.audits.findings import HeardQuestions
from auditfw.core.digits import NOISE, fixed
from auditfw.core.document import some, verb
from auditfw.core.errors import AuditError
from auditfw.core.records import Answer

from .arguments import (
    MOSTLY_MISSED,
    MUST_MISSED,
    NO_BETTER,
    NOT_EXCLUDED,
    MissRule,
    assumed_text,
    difference_text,
    musts_argument,
    nulls_argument,
    weights_argument,
)
from .comparison import ACTUAL

NO_DATA = RULES["no_data"]
MUSTS, BASELINES = (MOSTLY_MISSED.name, MUST_MISSED.name), (NO_BETTER.name, NOT_EXCLUDED.name)
BETTER, MOST_MISSED = "BETTER THAN GUESSING", 0.05  # what is intended is missed in a larger share than that
LOOK = "check the scenarios' path and filters, and why outcomes were not scored (Coverage)"


def answer_of(
    audit: AlignmentSettings, results: AlignmentResults, findings: AlignmentFindings, heard: HeardQuestions
) -> Answer:
    """The answer of an alignment audit, with what its questions say; without an outcome that came there is none."""
    if not results.counts().get("audited") and all(one.effect == "reported" for one in heard.findings.listed):
        return nothing_audited(LOOK)
    came = concluded(heard.arguments, lambda: _stable(results, findings, heard.arguments), "alignment")
    missed, meant = _missed(results)
    guessing = came.status == "stable" and not results.musts.scenarios and missed > MOST_MISSED * meant
    return replace(came, words=BETTER) if guessing else came


def _missed(results: AlignmentResults) -> tuple[int, int]:
    """How many outcomes are not what was intended, and how many were, in scenarios that ran."""
    keys = results.total().keys.values()
    meant, met = sum(one.ran for one in keys), sum(one.met for one in keys)
    return meant - met, meant


def own_arguments(audit: AlignmentSettings, results: AlignmentResults, findings: AlignmentFindings) -> list[Argument]:
    """Every argument of the audit itself; where no outcome came that alone."""
    if not results.counts().get("audited"):
        return [Argument(scope=["No trials"])]
    figures = findings.first
    musts, nulls = (
        musts_argument(audit, results.musts, _divided(results, findings)),
        nulls_argument(audit, results, figures),
    )
    arguments = [
        Argument(scope=_scope(audit, results, findings)),
        musts,
        nulls,
        weights_argument(audit, findings.scores, findings.free_direction),
    ]
    if findings.open:
        arguments.append(_open(findings.open, results))
    if findings.incomplete is not None:
        arguments.insert(0, _incomplete(findings.incomplete))
    return arguments


def _divided(results: AlignmentResults, findings: AlignmentFindings) -> MissRule | None:
    """The rule by which scenarios miss a requirement; None where none do, or no parameter divides them."""
    rule, n = findings.rule, len(findings.drawn)
    if rule is None or not results.musts.missed:
        return None
    sampled = f"of {some(n, 'scenario')} sampled, " if n < results.total().scenarios else ""
    exactly = rule.here[0] == rule.here[1] and not rule.elsewhere[0]
    return MissRule(sampled + divided_text(rule), values_missing(rule), exactly)


def _stable(results: AlignmentResults, findings: AlignmentFindings, arguments: Sequence[Argument]) -> Statement:
    figures, first = findings.first, findings.scores[0]
    tried = [rule for argument in arguments for rule in argument.rules]
    score = with_interval(f"score {fixed(first.score, 2)}", first.low, first.high)
    musts = results.musts
    must = f"met in all {some(musts.scenarios, 'scenario')}" if musts.scenarios else ""
    because: list[Reason] = []
    do = "Report the score with its interval, beside that of the trivial baseline."
    if first.above is None:
        headline = f"Every required outcome is {must}; {score}."
        nothing = figures.free.get(NOTHING)
        if nothing is not None and nothing >= figures.compared_mean - NOISE:
            because = [Reason(f"Doing nothing (trivial baseline {NOTHING}) scores as much: {fixed(nothing, 2)}.")]
        return Statement(headline, because, do)
    headline = f"Better than every trivial baseline by {difference_text(first.above)}: {score}."
    missed, meant = _missed(results)
    if missed and not must:
        of = f"{missed:,} of {some(meant, 'outcome')} {verb(missed, 'is', 'are')} not what was intended"
        headline = f"Better than every trivial baseline by {difference_text(first.above)}, but {of}."
        do = "Look at those that miss, and say what must hold (level: must)"
    free = f"The best trivial baseline, {first.best}, scores {fixed(figures.free[first.best], 2)}."
    because = (
        [Reason(f"Every required outcome (level: must) is {must}.", [one for one in tried if one.rule in MUSTS])]
        if must
        else []
    )
    because.append(Reason(free, [one for one in tried if one.rule in BASELINES]))
    return Statement(headline, because, do)


def _scope(audit: AlignmentSettings, results: AlignmentResults, findings: AlignmentFindings) -> list[str]:
    """What was looked at, and what was not."""
    total = results.total()
    varied = some(len(results.varied), "parameter") if results.varied else "no parameter"
    n = len(total.items.get("", {}))
    items = f" of {some(n, 'item')}" if n else ""
    parts = [f"{some(total.scenarios, 'scenario')}{items}, {some(len(total.keys), 'key')}; {varied} varied"]
    assumed = assumed_text(results)
    parts[0] += f"; {assumed}" if assumed else ""
    if audit.simulator.stochastic and audit.replicates == 1:
        parts.append("The stochastic simulator ran once per scenario, so its noise is unknown (audit.replicates=10)")
    lost = sum(n for bucket, n in results.counts().items() if bucket not in ("read", "audited"))
    read = some(results.counts()["read"], "outcome")
    parts += [f"{lost:,} of {read} {verb(lost, 'was', 'were')} not scored"] if lost else []
    return [*parts, *results.partners.scope()]


def _open(why: str, results: AlignmentResults) -> Argument:
    """Scenarios that gave nothing are no evidence of what they do."""
    n = results.buckets["missing"]
    rule = NO_DATA(ACTUAL, float(n), bound=0.0, fired=True)
    headline = f"{n:,} of {some(results.scenarios, 'scenario')} returned no outcome, so their score is unknown."
    do = "Fix the cause (see the warnings), or score them 0: audit.no_data=zero"
    return Argument([rule], {"unknown": Statement(headline, [], do)})


def _incomplete(error: AuditError) -> Argument:
    """The simulator failed more often than the run allows."""
    return incomplete_argument(
        INCOMPLETE(ACTUAL, fired=True), error, "Fix the simulator and run again.", numbers="scores"
    )
