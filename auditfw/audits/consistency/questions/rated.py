"""What the questions about raters share: their labels as formulas read them, and how raters and rows are called."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from auditfw.audits.consistency.conclusions.agreement import BY_CHANCE, NO_SHARED_LABEL
from auditfw.audits.consistency.conclusions.bounds import MISSED, MISSED_IN_CELL, OPEN, bounds_of
from auditfw.formulas.agreement import scorer

from .rater_rows import RaterRows

if TYPE_CHECKING:
    from auditfw.formulas.judges.others import RatedItems

CHANCE = (BY_CHANCE.name, NO_SHARED_LABEL.name)  # what the answer says of a pair that does not agree at all


def rated(rows: RaterRows) -> RatedItems:
    """The labels of all raters, for formulas."""
    from auditfw.formulas.judges.others import RatedItems

    labels = rows.labels
    return RatedItems(labels.names, labels.codes, labels.reference, rows.items, rows.settings.values or None)


def called(rows: RaterRows, rater: int) -> str:
    """A rater in words."""
    return rows.results.settings.called(rows.labels.raters[rater])


def against(rows: RaterRows, rater: int) -> str:
    """What a rater is held against, in words."""
    reference, raters = rows.labels.reference, rows.labels.raters
    if reference is not None:
        return called(rows, reference)
    return called(rows, 1 - rater) if len(raters) == 2 else "what most others say"


def listed(counts: Sequence[tuple[str, int]], most: int = 3) -> str:
    """Who has how many, the most first: `r2 × 30, r3 × 19`."""
    ranked = sorted((one for one in counts if one[1]), key=lambda one: -one[1])
    more = f", and {len(ranked) - most:,} more" if len(ranked) > most else ""
    return ", ".join(f"{name} × {n:,}" for name, n in ranked[:most]) + more


def kappa_rules(rows: RaterRows, kind: str, raters: Collection[int]) -> tuple[str, ...]:
    """The rules of the answer on agreement that a fault of these raters explains; none where it is known already.

    Those of bounds only where nobody else is looked at: a rule is explained for all raters at once.
    """
    if kind in rows.settings.known:
        return ()
    rest = [rater for rater in rows.of(rated).candidates if rater not in raters]
    bounds = [f"{bound.name}_{kind.name}" for bound in bounds_of(rows.settings) for kind in BOUNDS]
    return (*CHANCE, *bounds) if not rest else CHANCE if all(_agrees(rows, rater) for rater in rest) else ()


BOUNDS = (MISSED, OPEN, MISSED_IN_CELL)


def _agrees(rows: RaterRows, rater: int) -> bool:
    """Whether the kappa of another rater is above what chance makes likely."""
    judged = rows.results.overall.get(rows.labels.raters[rater])
    pair = None if judged is None else judged.pair()
    kappa = None if pair is None else scorer.kappa(pair.table)
    return kappa is not None and kappa >= float(rows.settings.chance)
