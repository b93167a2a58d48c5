"""What follows from the judgements for the agreement: every argument in its place, joined to one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditfw.audits.answers import Argument, concluded, nothing_audited, stands_alone
from auditfw.audits.findings import HeardQuestions, QuestionsAsked
from auditfw.core.records import Answer

from .conclusions.agreement import Agreement
from .conclusions.corrected import led_by_rate
from .conclusions.off import off_argument, reasons_off, without_off
from .conclusions.order_report import identity_argument
from .conclusions.renaming import one_sided
from .conclusions.settling import coverage_argument, joins_scope, order_argument, what_would_change
from .conclusions.stand_in import stand_in_argument
from .questions.rater_rows import RaterRows
from .results import ConsistencyResults
from .screen.facts import ScreenFacts
from .settings import ConsistencySettings

LOOK = "check the paths, the filters and why records were not audited (Coverage)"


def answer_of(facts: ScreenFacts, agreement: Agreement, heard: HeardQuestions, guessed: Sequence[str]) -> Answer:
    """The answer of a consistency audit, with what its questions say, who is off, and who may stand in for whom.

    `guessed` are the settings that nobody typed.
    """
    if not facts.results.counts.get("audited"):
        return nothing_audited(LOOK)
    reasons = reasons_off(facts, heard.findings)
    apart = off_argument(facts, reasons, () if "audit.humans" in guessed else agreement.settings.humans)
    arguments = [apart, stand_in_argument(facts.stand_ins, facts.called), *heard.arguments]
    answer = concluded(arguments, lambda: led_by_rate(heard.arguments, agreement.stable()), "consistency")
    off = [rater for rater in facts.raters if rater in facts.off]
    change = without_off(agreement, off) or what_would_change(agreement, answer, stands_alone(arguments))
    return replace(answer, change=change, kinds=[*dict.fromkeys((*answer.kinds, *(one.kind for one in reasons)))])


def heard(rows: RaterRows, agreement: Agreement) -> HeardQuestions:
    """What the questions of the table say beside the arguments of the answer; nothing of a table without a row."""
    if not rows.n:
        return HeardQuestions.of(QuestionsAsked(rows), [])
    return HeardQuestions.of(QuestionsAsked.of(rows), arguments(rows.settings, rows.results, agreement))


def arguments(settings: ConsistencySettings, results: ConsistencyResults, agreement: Agreement) -> list[Argument]:
    """Every argument of the audit itself, those that matter most first."""
    return [
        Argument(scope=agreement.scope()),
        identity_argument(results),
        Argument(scope=joins_scope(results)),
        Argument(scope=one_sided(settings, results)),
        coverage_argument(settings, results),
        order_argument(settings, results),
        agreement.argument(),
    ]
