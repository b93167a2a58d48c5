"""What follows from the judgements for the agreement: every argument in its place, joined to one answer."""

from __future__ import annotations

from dataclasses import replace

from auditfw.audits.answers import Argument, concluded, nothing_audited, stands_alone
from auditfw.audits.findings import HeardQuestions, QuestionsAsked
from auditfw.core.records import Answer

from .conclusions.agreement import Agreement
from .conclusions.coverage import coverage_argument, joins_scope
from .conclusions.identity import identity_argument
from .conclusions.order_answer import order_argument
from .conclusions.renaming import one_sided
from .conclusions.settling import what_would_change
from .conclusions.stand_in import stand_in_argument
from .questions.rater_rows import RaterRows
from .results import ConsistencyResults
from .settings import ConsistencySettings

LOOK = "check the paths, the filters and why records were not audited (Coverage)"


def answer_of(results: ConsistencyResults, agreement: Agreement, heard: HeardQuestions) -> Answer:
    """The answer of a consistency audit, with what its questions say."""
    if not results.counts.get("audited"):
        return nothing_audited(LOOK)
    answer = concluded(heard.arguments, agreement.stable, "consistency")
    return replace(answer, change=what_would_change(agreement, answer, stands_alone(heard.arguments)))


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
        stand_in_argument(results.stand_ins, results.settings.called),
        agreement.argument(),
    ]
