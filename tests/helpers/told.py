"""What a person is told of a run's findings: those with an effect, and those on the first screen."""

from __future__ import annotations

from auditfw.core.records import Result
from auditfw.core.results.findings import FACTS, Finding

EFFECTS = ("fragile", "broken", "unknown")


def acting(result: Result) -> list[Finding]:
    """The findings with an effect, as they are listed."""
    return [one for one in result.findings if one.effect in EFFECTS]


def seen(result: Result) -> set[str]:
    """The kinds that a person reads: those of the answer, and the first of the facts."""
    assert result.answer is not None
    rest = [one for one in result.findings if one.shown and one.kind not in result.answer.kinds]
    facts = sorted(rest, key=lambda one: (one.points is None, -(one.points or 0.0)))[:FACTS]
    return {*result.answer.kinds, *(one.kind for one in facts)}
