"""What all audits need to draw their answer: the status that follows from rules, and the words for numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from auditfw.core.digits import fixed, p_text
from auditfw.core.records import ORDER, Answer, AnswerRule, AnswerStatus, Value


def status_of(rules: Iterable[AnswerRule], decides: Mapping[str, AnswerStatus]) -> AnswerStatus:
    """The first of broken, fragile, unknown that a rule which fired stands for; stable where none did."""
    fired = {decides[rule.rule] for rule in rules if rule.fired and rule.rule in decides}
    return next((status for status in ORDER if status in fired), "stable")


def nothing_audited(next_step: str) -> Answer:
    """The answer where no trial was audited."""
    return Answer("unknown", "Nothing was audited: there is no number to believe.", [], next_step, "No trial.")


def points(value: float) -> str:
    """A shift in percentage points."""
    return f"{fixed(value, 2, signed=round(value, 2) > 0)} points"


def interval(low: float, high: float, digits: int = 2) -> str:
    """An interval in brackets."""
    return f"[{fixed(low, digits)}, {fixed(high, digits)}]"


def chance(p: float) -> str:
    """An adjusted p-value as part of a sentence."""
    shown = p_text(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def named(cell: Mapping[str, Value]) -> str:
    """A cell in words: `model = small, seed = 1`."""
    return ", ".join(f"{name} = {value}" for name, value in cell.items())
