"""What one rater does whatever the items: one label throughout, one label too often, or a lean to one side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

from auditfw.audits.answers import interval
from auditfw.audits.consistency.conclusions.renaming import distinct
from auditfw.audits.row_places import located
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.core.results.findings import Finding, FindingKind
from auditfw.formulas.multiple import holm
from auditfw.kinds.registry import declare

from .rated import against, called, rated
from .rater_rows import RaterRows

if TYPE_CHECKING:
    from auditfw.formulas.judges.single_raters import Constant, Lazy, Lean

ALPHA = 0.001
CONSTANT = FindingKind("one_rater_constant", "A rater that gives one label throughout.", ("lazy_rater", "leans"))
LEANS = FindingKind("leans", "Raters that differ from the others to one side.", screen=False)
LAZY = FindingKind("lazy_rater", "Raters that give one label far more often than the others do.", ("leans",))


@declare("question", "single_raters")
class SingleRaters:
    """What each rater does whatever the items."""

    finds: ClassVar[tuple[FindingKind, ...]] = (CONSTANT, LEANS, LAZY)

    def __call__(self, rows: RaterRows) -> Iterator[Finding]:
        """Of each kind the rater of which that is least by chance."""
        for ask in (_constant, _leans, _lazy):
            yield from ask(rows)


def _constant(rows: RaterRows) -> Iterator[Finding]:
    from auditfw.formulas.judges.single_raters import constant

    raters = list(constant(rows.of(rated)))
    if not raters:
        return
    first: Constant = min(raters, key=lambda one: (one.p, one.rater))
    times = len(rows.of(rated).candidates)
    p, label = min(1.0, first.p * times), distinct(rows.of(rated).names[first.label])
    who = called(rows, first.rater)
    text = f"{who} gives every one of {some(first.n, 'item')} the label {label}"
    text += f"; {some(len(raters) - 1, 'more rater')} one label, too." if len(raters) > 1 else "."
    yield CONSTANT(
        len(raters),
        times,
        text,
        detail={"raters": [rows.labels.raters[one.rater] for one in raters if one.p * times <= ALPHA]},
        effect="unknown" if p <= ALPHA else "reported",
        p=p,
        brief=f"{who} gives one label",
        next=f"Look where the labels of {who} come from: is it a default, or a column of another thing?",
        **located(rows, (rows.of(rated).codes[first.rater] == first.label).nonzero()[0]),
    )


def _leans(rows: RaterRows) -> Iterator[Finding]:
    from auditfw.formulas.judges.single_raters import leans

    raters = list(leans(rows.of(rated)))
    kept = [(p, one) for p, one in zip(holm([one.p for one in raters]), raters, strict=True) if p <= ALPHA]
    if not kept:
        return
    p, first = min(kept, key=lambda one: (one[0], one[1].rater))
    more = f"; so {some(len(kept) - 1, 'more rater')}" if len(kept) > 1 else ""
    yield LEANS(
        len(kept), len(raters), f"{_leaning(rows, first)}{more}.", p=p, brief=f"{called(rows, first.rater)} leans"
    )


def _leaning(rows: RaterRows, lean: Lean) -> str:
    who, whom = called(rows, lean.rater), against(rows, lean.rater)
    if lean.mean is None or lean.low is None or lean.high is None:
        return f"{who} differs from {whom} in one direction more often than in the other, on {some(lean.n, 'item')}"
    side, (low, high) = ("above", (lean.low, lean.high)) if lean.mean > 0 else ("below", (-lean.high, -lean.low))
    size = f"{fixed(abs(lean.mean), 2)} {interval(low, high)}"
    return f"{who} is {size} {side} {whom} on the mean of {some(lean.n, 'item')}"


def _lazy(rows: RaterRows) -> Iterator[Finding]:
    from auditfw.formulas.judges.single_raters import lazy

    times = len(rows.of(rated).candidates)
    raters: list[Lazy] = [one for one in lazy(rows.of(rated)) if one.p * times <= ALPHA]
    if not raters:
        return
    first = min(raters, key=lambda one: (one.p, one.rater))
    who, label = called(rows, first.rater), distinct(rows.of(rated).names[first.label])
    own, other = (fixed(100 * n / first.n, 0) for n in (first.own, first.other))
    text = f"{who} gives {label} to {own} % of {some(first.n, 'item')}, {against(rows, first.rater)} to {other} %"
    text += f"; {some(len(raters) - 1, 'more rater')} one label as often." if len(raters) > 1 else "."
    where = (rows.of(rated).codes[first.rater] == first.label).nonzero()[0]
    p, names = min(1.0, first.p * times), [rows.labels.raters[one.rater] for one in raters]
    brief, detail = f"{who} gives {label} to {own} %", {"raters": names}
    yield LAZY(len(raters), times, text, p=p, brief=brief, detail=detail, **located(rows, where))
