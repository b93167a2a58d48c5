"""Which of several raters is off: by the rules of the answer and the findings in the data, and by no further one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from auditfw.audits.consistency.conclusions.agreement import BY_CHANCE, NO_SHARED_LABEL, Agreement
from auditfw.audits.consistency.conclusions.bounds import MISSED
from auditfw.audits.consistency.questions.rater_rows import RaterRows
from auditfw.audits.findings import TableFindings


def off(agreement: Agreement, findings: TableFindings, rows: RaterRows) -> frozenset[str]:
    """The raters that agree no better than chance, miss a bound that others meet, or of which a finding speaks."""
    if len(rows.readings) <= 2:
        return frozenset()
    return frozenset([*_by_rules(agreement), *_named(findings)]).intersection(rows.readings)


def _by_rules(agreement: Agreement) -> Iterator[str]:
    names = {f"{bound.name}_{MISSED.name}" for bound in agreement.bounds}
    asked = [rule for rule in agreement.rules if not rule.cell]
    yield from (rule.reading for rule in asked if rule.fired and rule.rule in (BY_CHANCE.name, NO_SHARED_LABEL.name))
    for name in names:
        missed = {rule.reading for rule in asked if rule.fired and rule.rule == name}
        if missed != set(agreement.results.candidates):  # which nobody meets tells no rater from another
            yield from missed


def _named(findings: TableFindings) -> Iterator[str]:
    for one in findings.listed:
        if not one.known:
            detail: Any = one.detail.get("raters")
            yield from detail if isinstance(detail, list) else ()
            yield from (rater for rater, _ in one.detail.get("renamed", ()))
