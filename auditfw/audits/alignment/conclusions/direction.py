"""Where direction agreement costs nothing: no intended number and no baseline value can be negative."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from auditfw.audits.alignment.actual import MISSING, SCORED
from auditfw.audits.alignment.cell_counts import AlignmentCounts, KeyTally
from auditfw.core.digits import fixed
from auditfw.core.document import some
from auditfw.formulas.alignment import AlignmentRule
from auditfw.kinds.scenarios import Weights

from .comparison import DrawnFigures

KEYS_NAMED = 3
MAGNITUDE = Weights(0.0, 1.0)


@dataclass(frozen=True)
class FreeDirection:
    """The keys of which direction is free, how many keys there are, and the score by magnitude alone."""

    keys: tuple[str, ...]
    of: int
    magnitude_alone: float | None

    @property
    def text(self) -> str:
        """What to say of it, "" where direction is free of no key or does not weigh."""
        if not self.keys:
            return ""
        which = f"all {some(self.of, 'key')}" if len(self.keys) == self.of else _listed(self.keys, self.of)
        text = f"Direction tests nothing for {which}: no negative value is intended, so every outcome above 0 scores 1"
        if self.magnitude_alone is None:
            return f"{text}."
        return f"{text}; by magnitude alone the score is {fixed(self.magnitude_alone, 2)}."


def free_direction(total: AlignmentCounts, rule: AlignmentRule, figures: DrawnFigures) -> FreeDirection:
    """The keys of which direction is free; none where direction does not weigh."""
    keys = tuple(key for key, one in total.keys.items() if _is_free(one)) if rule.weights.direction else ()
    alone = None
    if keys and len(figures.drawn) and not np.isnan(figures.overall).all():
        alone = DrawnFigures.reweighted(figures, replace(rule, weights=MAGNITUDE)).mean
    return FreeDirection(keys, len(total.keys), alone)


def _is_free(one: KeyTally) -> bool:
    """Whether all that is meant of a key is at least 0, and not always 0: there the outcome's size counts."""
    meant = sum(n for code, n in one.counts.items() if code <= MISSING)
    return bool(one.counts[SCORED]) and not one.levels["signed"] and one.levels["zero"] < meant


def _listed(keys: tuple[str, ...], of: int) -> str:
    more = f" and {len(keys) - KEYS_NAMED} more" if len(keys) > KEYS_NAMED else ""
    return f"{', '.join(keys[:KEYS_NAMED])}{more} ({len(keys):,} of {some(of, 'key')})"
