"""Which of several raters is off: by the rules of the answer and the findings in the data, and by no further one.

And what follows: who it is, how well it agrees with the others, and the command that goes on without it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from auditfw.audits.answers import Argument, Reason, enumerated
from auditfw.audits.consistency.questions.rater_rows import RaterRows
from auditfw.audits.findings import TableFindings
from auditfw.core.document import verb
from auditfw.core.escaping import typed
from auditfw.core.results.findings import Finding
from auditfw.core.results.latest import NextStep

from .agreement import BY_CHANCE, NO_SHARED_LABEL, Agreement
from .bounds import MISSED, BoundedNumber
from .stand_in import kept_people, listed

if TYPE_CHECKING:
    from auditfw.audits.consistency.screen.facts import ScreenFacts

MOST_LEFT = 12  # raters of a command


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


def reasons_off(facts: ScreenFacts, findings: TableFindings) -> list[Finding]:
    """The finding that says why a rater is off, if one does."""
    about = (one for one in findings.listed if not one.known and one.shown)
    return [one for one in about if {*facts.off}.intersection(one.detail.get("raters", ()))][:1]


def off_argument(facts: ScreenFacts, reasons: Sequence[Finding], humans: Sequence[str]) -> Argument:
    """Who is off, as a notice, and as the next step the command without them; it decides nothing.

    `humans` are those that a user named, which the command must name anew.
    """
    raters = [rater for rater in facts.raters if rater in facts.off]
    if not raters or not facts.sound:
        return Argument()
    who, (own, theirs) = enumerated(list(map(facts.called, raters))), facts.off_means
    text = f"{who} {verb(len(raters), 'is', 'are')} off"
    if own and theirs:
        text += f": mean {facts.coefficient.words} with the others {own}, theirs {theirs}"
    brief = [one.brief for one in reasons]
    left = [rater for rater in facts.raters if rater not in facts.off]
    step = f"Look at what {who} labelled"
    if facts.results.settings.reference in left and len(left) <= MOST_LEFT:
        step = NextStep(f"Without {who}: auditfw rerun ", f" {_words(left, humans)}")
    return Argument(notices=[Reason("; ".join([text, *brief]) + ".")], first=step)


def _words(left: Sequence[str], humans: Sequence[str]) -> str:
    words = [f"audit.raters={listed(left)}"]
    if not set(humans) <= set(left):
        words.append(f"audit.humans={listed(kept_people(humans, left))}")
    return " ".join(map(typed, words))


def without_off(agreement: Agreement, off: Sequence[str]) -> str:
    """How well the worst of the others agrees with the reference, where the worst of all is off; else "".

    Where the others meet the bound, what would change the answer is that those that are off agree with them.
    """
    if not agreement.missed or agreement.reference in off or not off:
        return ""
    first = agreement.missed[0]
    rest = [n for n in agreement.whole if n.bound is first.bound and n.sample.reading.name not in off]
    rest = [n for n in rest if n.sample.reading.role == "candidate"]
    if first.sample.reading.name not in off or not rest:
        return ""
    worst = max(rest, key=lambda number: number.shortfall)
    if not worst.missed and not worst.open:
        return ""
    text = agreement.text(worst) if worst.agreed else agreement.text(worst)[:1].lower() + agreement.text(worst)[1:]
    return f"Without {enumerated(list(map(agreement.called, off)))}, {text}, {_side(worst)}."


def _side(number: BoundedNumber) -> str:
    """Where a number that does not meet its bound is to it."""
    return f"{number.bound.side} {number.limit}, too" if number.missed else f"not clearly {number.wanted}"
