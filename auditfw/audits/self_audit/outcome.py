"""From the counted loops to the outcome: samples, sections, warnings."""

from __future__ import annotations

from collections import Counter
from functools import partial

from auditfw.audits.findings import HeardQuestions, QuestionsAsked
from auditfw.core.document import some, verb
from auditfw.core.errors import AuditError, IncompleteError
from auditfw.core.notes import remarks
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Outcome

from .charts import PageProblems
from .conclusions.answer import answer_of, own_arguments, paying_of
from .counts import LoopTable
from .journal import OFTEN, records
from .questions.loop_rows import LoopRows
from .report import LoopResults, write_sections
from .samples import samples
from .settings import SelfAuditSettings
from .trials import StoredProblems


def outcome_of(audit: SelfAuditSettings, tally: LoopTable, gathered: StoredProblems, context: Context) -> Outcome:
    """What a self-audit found, before it is measured."""
    counts = {"read": gathered.counts["read"], "audited": tally.counts["audited"]}
    further = Counter(gathered.counts) + Counter({"error": tally.counts["error"], "not_run": tally.left})
    counts |= {bucket: n for bucket, n in sorted(further.items()) if n and bucket not in counts}
    rules, page = tuple(audit.stop_rules), _page_problems(audit, tally, gathered, context)
    heard = HeardQuestions.of(QuestionsAsked.of(LoopRows(context, audit, tally, gathered)), own_arguments(audit, tally))
    parts = audit.stop, audit.clock, context.by, context.limits, counts, audit.tier, rules, page
    results, incomplete = LoopResults(tally, *parts, heard, paying_of(audit, tally)), _incomplete(audit, tally)
    return Outcome(
        counts=counts,
        readings=audit.readings(gathered.labelled),
        samples=[heard.measured(one, one.reading.role == "reference" and not one.cell) for one in samples(tally)],
        inputs=gathered.evidence.inputs(),
        sections=partial(write_sections, results),
        warnings=[*gathered.evidence.warnings, *_warnings(audit, tally, gathered)],
        answer=answer_of(audit, tally, heard.arguments, incomplete),
        tables=heard.merged("tables"),
        incomplete=incomplete,
        absent={} if gathered.labelled else {"contradictions": "the source has no column 'stored'"},
        notes={"requests_of_this_run": tally.requested, "clock": audit.clock, "tier": audit.tier},
        **heard.outcome,
    )


def _page_problems(
    audit: SelfAuditSettings, tally: LoopTable, gathered: StoredProblems, context: Context
) -> PageProblems | None:
    """The problems that a page shows: the journal has their attempts, whichever process wrote it."""
    if not tally.browsed or context.folder is None:
        return None
    problems = (one.problem for one in gathered.problems)
    return PageProblems.of(tally, problems, partial(records, context.folder), audit.stop.ties)


def _incomplete(audit: SelfAuditSettings, tally: LoopTable) -> AuditError | None:
    failed, tried = tally.counts["error"], tally.counts.total()
    if not failed or failed / tried <= audit.max_error_rate:
        return None
    do = "fix it, or allow failures with audit.max_error_rate"
    if tally.streak.over:
        left = f" with {some(tally.left, 'problem')} not run" if tally.left else ""
        do = f"fix {tally.streak.fault}: the same error {OFTEN} times in a row ended the run{left}"
    return IncompleteError("solver", f"failed on {failed} of {some(tried, 'problem')}", "; ".join(tally.problems), do)


def _warnings(audit: SelfAuditSettings, tally: LoopTable, gathered: StoredProblems) -> list[str]:
    warnings = remarks(gathered.notes)
    if n := len(tally.reopened):
        listed = ", ".join(tally.reopened[:10])
        warnings.append(
            f"{some(n, 'request')} {verb(n, 'was', 'were')} open when the run was killed, and "
            f"{verb(n, 'counts', 'count')} as used up: {listed}; "
            "audit.retry_unfinished=true repeats them"
        )
    unreported = sum(one.unreported for one in tally.done)
    if unreported and (audit.stop.max_cost is not None or capability(audit.stop, "max_tokens") is not None):
        warnings.append(
            f"{some(unreported, 'reply', 'replies')} did not report "
            f"{verb(unreported, 'its', 'their')} usage: a budget of tokens or cost cannot be enforced there"
        )
    if audit.tier == "process":
        warnings.append("candidate programs ran with limits only (tier process): they could read files and the network")
    return warnings
