"""Labels by rules of the rows: every rule has labelled all rows, and each row keeps the label of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from auditfw.core.records import Refusal

from .kernels import Scores, sound
from .plan import BLANK, MISSING, ReadingPlan


def by_row(scores: Scores, plan: ReadingPlan, values: Sequence[str]) -> Scores:
    """The scores of a plan from those of `plan.scored`, some by the rule of each row's value.

    These are the last reading, and those that compare by the same rules.

    A rule that fails on a row that is not its own does no harm. Every value has a rule.
    """
    if plan.ruled is None:
        return scores
    numbers = {place: i for i, place in enumerate(plan.scored.readings)}
    labels: list[bytearray] = []
    unread: list[dict[int, Refusal]] = []
    for reading, place in enumerate(plan.readings):
        places = plan.places(reading)
        if places is None:
            labels.append(scores.labels[numbers[place]])
            unread.append(scores.unread[numbers[place]])
            continue
        of = [numbers[places[value]] for value in values]
        labels.append(bytearray(scores.labels[number][row] for row, number in enumerate(of)))
        several = [(number, scores.unread[number]) for number in sorted(set(of))]
        unread.append({row: one for number, rows in several for row, one in rows.items() if of[row] == number})
    problems = [] if all(sound(labels, len(values))) else scores.problems
    return replace(scores, labels=labels, problems=problems, unread=unread)


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
