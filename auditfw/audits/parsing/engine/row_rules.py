"""Labels by rules of the rows: every rule has labelled all rows, and each row keeps the label of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditfw.core.records import Refusal

from .kernels import Scores, sound
from .plan import BLANK, MISSING, ReadingPlan


def by_row(scores: Scores, plan: ReadingPlan, values: Sequence[str]) -> Scores:
    """The scores of a plan from those of `plan.scored`: the last reading is that of the rule of each row's value.

    A rule that fails on a row that is not its own does no harm. Every value has a rule.
    """
    if plan.ruled is None:
        return scores
    numbers = {place: i for i, place in enumerate(plan.scored.readings)}
    rule_of = {value: numbers[place] for value, place in plan.ruled.places.items()}
    of = list(map(rule_of.__getitem__, values))
    unread: dict[int, Refusal] = {}
    for number in sorted(set(of)):
        refusals = scores.unread[number]
        unread |= {row: refusal for row, refusal in refusals.items() if of[row] == number}
    columns = scores.labels
    own = bytearray(columns[number][row] for row, number in enumerate(of))
    shown = [numbers[place] for place in plan.readings[:-1]]
    labels = [*(columns[i] for i in shown), own]
    problems = [] if all(sound(labels, len(of))) else scores.problems
    return replace(scores, labels=labels, problems=problems, unread=[*(scores.unread[i] for i in shown), unread])


def without_stored(scores: Scores, plan: ReadingPlan, rows: Sequence[int], values: Sequence[str | None]) -> Scores:
    """The scores where nothing was stored of some rows: what reads the stored text has no label there."""
    if not rows:
        return scores
    labels = [bytearray(codes) for codes in scores.labels]
    for reading, codes in enumerate(labels):
        for row in rows:
            parser, _ = plan.place(reading, values[row] if values else None)
            if codes[row] == BLANK and plan.parsers[parser].part.column == "parsed_text":
                codes[row] = MISSING
    return replace(scores, labels=labels)
