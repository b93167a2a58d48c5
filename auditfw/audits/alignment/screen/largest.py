"""The largest miss of an outcome: what came for what was meant, kept while the scenarios come."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from auditfw.audits.alignment.actual import NONFINITE, SCORED
from auditfw.audits.alignment.intended import Floats
from auditfw.audits.alignment.key_scores import KeyScores


class LargestMiss(NamedTuple):
    """How far apart the two are at most (-1 where none came for a number), what came, the ends of what was meant."""

    apart: float = -1.0
    actual: float = np.nan
    low: float = np.nan
    high: float = np.nan


NO_MISS = LargestMiss()


def distances(one: KeyScores) -> Floats:
    """How far each outcome is from what was meant, in its own unit; -1 where no number was meant or none came.

    An outcome that is not finite is infinitely far.
    """
    with np.errstate(all="ignore"):
        apart = np.where(one.codes == SCORED, np.abs(one.compared.actual - one.compared.target), -1.0)
    return np.where(one.codes == NONFINITE, np.inf, np.where(np.isnan(apart), -1.0, apart))


def largest_of(one: KeyScores, apart: Floats, rows: Floats | None) -> LargestMiss:
    """The first of the largest misses in these rows (None: in all), which are `apart` so far."""
    own = apart if rows is None else apart[rows]
    if not own.size or own.max() < 0:
        return NO_MISS
    at = int(np.argmax(own)) if rows is None else int(rows[np.argmax(own)])
    of = one.compared
    return LargestMiss(float(apart[at]), float(of.actual[at]), float(of.low[at]), float(of.high[at]))
