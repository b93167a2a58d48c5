"""Mismatches with the best rule that gather at one value or in one span of rows: labels of two graders?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from auditfw.audits.row_places import located, place
from auditfw.core.digits import fixed
from auditfw.core.results.findings import CellCount, Effect, Finding, FindingKind, NotChecked
from auditfw.core.statistics import wilson
from auditfw.kinds.questions import LabelRows
from auditfw.kinds.registry import declare

from .row_facts import STORED, KnownRule, RowFacts, cell_of, facts, no_value, unchecked

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from auditfw.formulas.rows.graders import Gathered

KIND = FindingKind(
    "graders_mixed", "Labels that the best rule misses at one value of a column, or in a row of rows.", needs=STORED
)
RULES = ("no_rule", "two_grades")


@declare("question", "graders_mixed")
class GradersMixed:
    """Whether the labels that the best rule misses gather at one value of a column, or in a row of rows."""

    finds: ClassVar[tuple[FindingKind, ...]] = (KIND,)

    def __call__(self, rows: LabelRows) -> Iterator[Finding | NotChecked]:
        """Values by an exact test, else the span by its likelihood."""
        from auditfw.formulas.rows.graders import gathered
        from auditfw.formulas.rows.groups import Grouping

        known = facts(rows)
        if known.best is None:
            why = "no reading labels these trials" if known.labels else no_value(STORED)
            yield from unchecked(KIND, rows, why)
            return
        grouping = Grouping(known.labelled, [column.numbers for column in known.unruled])
        one = gathered(known.best.misses, grouping)
        if one is not None and not known.reproduced:
            yield _finding(known, known.best, one)


def _finding(known: RowFacts, best: KnownRule, one: Gathered) -> Finding:
    cell = cell_of(one.group, known.unruled)
    inside = one.group.between(one.first, one.last)
    total = one.mismatches + one.elsewhere
    at = " and ".join(f"{name} = {value}" for name, value in cell.items())
    if not cell:
        at = f"between {place(known.rows, one.first)} and {place(known.rows, one.last)}"
    many = f"All {total:,}" if not one.elsewhere else f"{one.mismatches:,} of {total:,}"
    text = f"{many} labels that {best.name} misses are {'where ' if cell else ''}{at}"
    other = _other_rule(known, best, inside)
    text += f"; {other} gives those." if other else ": another grader?"
    elsewhere = one.elsewhere / max(1, one.others)
    explained = RULES if wilson(one.elsewhere, max(1, one.others))[0] <= known.mismatch else ()
    close = _close(known, one)
    further: dict[str, Any] = {"rule": best.name, "rows": one.rows, "elsewhere": one.elsewhere}
    effect: Effect = "fragile" if close else "reported"
    return KIND(
        one.mismatches,
        total,
        text,
        effect=effect,
        points=100 * one.mismatches / known.labels,
        p=one.p,
        cells=[CellCount(cell, one.mismatches)] if cell else [],
        explains=explained,
        detail={**further, **close, "share": one.share, "share_elsewhere": elsewhere},
        headline=_headline(known, one, close, at),
        brief=f"{one.mismatches:,} mismatches {'where ' if cell else ''}{at}",
        next=_next(cell, at),
        **located(known.rows, inside[best.misses[inside]]),
    )


def _other_rule(known: RowFacts, best: KnownRule, inside: NDArray[np.intp]) -> str:
    """A rule that gives the labels there, where the best of all does not; "" for none."""
    for name, right in known.telling.items():
        missed = int((known.right[inside] != right[inside]).sum())
        if name != best.name and missed <= known.mismatch * len(inside):
            return name
    return ""


def _close(known: RowFacts, one: Gathered) -> dict[str, Any]:
    """The value whose resolved difference from this one is smaller than the share of mismatches here."""
    for column, labels in known.pairs if not one.group.whole else ():
        if column.name == known.unruled[one.group.column].name:
            for other, lead in labels.within(one.group.value, one.share):
                return {"other": column.values[other], "difference": 100 * lead}
    return {}


def _headline(known: RowFacts, one: Gathered, close: dict[str, Any], at: str) -> str:
    if not close:
        return ""
    value = known.unruled[one.group.column].value(one.group.value)
    apart = fixed(abs(close["difference"]), 1)
    share = fixed(100 * one.share, 1)
    return f"{value} and {close['other']} are {apart} points apart, and {share} % of the labels of {at} are of no rule"


def _next(cell: dict[str, Any], at: str) -> str:
    if not cell:
        return f"Ask who labelled the rows {at}"
    return f"Ask who labelled {at}; a rule for each value: audit.baseline={{by: {next(iter(cell))}, rules: {{…}}}}"
