"""Numbers of a rater on another scale than the others': multiplied, moved by steps, or reversed.

Tried is only what the ranges allow. What decides is Lin's concordance, that is kappa with quadratic weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .others import NONE, Numbers, RatedItems
from .rises import ONCE, RowWeights, concordance, rise

Change = Literal["factor", "step", "reversed"]

FEWEST = 6  # items
FACTORS = (10.0, 100.0, 5.0, 4.0, 2.0, 1 / 10, 1 / 100, 1 / 5, 1 / 4, 1 / 2)
STEPS = (-3.0, -2.0, -1.0, 1.0, 2.0, 3.0)
TRIES = len(FACTORS) + len(STEPS) + 1
LEVEL, STEP_LEVEL = 0.01, 1e-3
RISEN, STEP_RISEN = 0.2, 0.03  # the lower end of the rise
REACHED = 0.3  # of the concordance with a factor, or reversed
NEAR = (0.7, 1.3)  # times the largest size of the others
WIDER = 1.3  # times its own range, at most, for a reversal
FEW = 24  # values of a scale with steps
STRANGE, KNOWN = 0.01, 0.97  # share of labels that the others never give, and of those that they do once moved
DIGITS, MOST_PAIRS = 6, 1 << 20


@dataclass(frozen=True)
class RaterScale:
    """What brings a rater's numbers to the scale of the others: `change` by `by`, or from `by` down for a reversal.

    It is of `rows` items; `gained` more of them agree then, and concordance rises from `before` to `after`. `p` is
    adjusted.
    """

    rater: int
    change: Change
    by: float
    rows: int
    gained: int
    before: float
    after: float
    p: float


def changed(scale: RaterScale, number: float) -> float:
    """A number of the rater on the scale of the others."""
    if scale.change == "reversed":
        return scale.by - number
    return number + scale.by if scale.change == "step" else number * scale.by


def rater_scales(rated: RatedItems) -> list[RaterScale]:
    """Of each rater the change after which it agrees most, where one is no luck; none of labels that are no numbers."""
    if not rated.numeric:
        return []
    scales = []
    for rater in rated.candidates:
        tried = list(_tried(rated, rater))
        if tried:
            scales.append(max(tried, key=lambda one: one.after))
    return scales


def _tried(rated: RatedItems, rater: int) -> Iterator[RaterScale]:
    """The changes of a rater that the ranges allow and that are no luck."""
    own, other, weights = _pairs(rated, rater)
    own_counts, total = rated.counts[rater], rated.counts.sum(0)
    theirs = rated.counts[rated.reference] if rated.reference is not None else total - own_counts
    rest = np.unique(rated.numbers[:-1][theirs > 0])
    rest = rest[np.isfinite(rest)]
    n = int(weights.counts.sum() if weights.counts is not None else len(own))
    if n < FEWEST or not len(rest):
        return
    before = None
    for change, by, brought in _changes(own, rest, weights):
        before = before or concordance(own, other, weights)
        after = concordance(brought, other, weights)
        risen = rise(after, before, weights)
        step = change == "step"
        p = min(1.0, risen.p * TRIES * len(rated.candidates))
        sure = p <= (STEP_LEVEL if step else LEVEL) and risen.low > (STEP_RISEN if step else RISEN)
        if sure and (step or after.value >= REACHED):
            gained = weights.mean((brought == other).astype(float)) - weights.mean((own == other).astype(float))
            yield RaterScale(rater, change, by, n, round(gained * n), before.value, after.value, p)


def _pairs(rated: RatedItems, rater: int) -> tuple[Numbers, Numbers, RowWeights]:
    """The numbers of both where both gave one: each two of them once, where items are not several trials of one."""
    own, k = rated.codes[rater], len(rated.names) + 1
    alone = rated.reference is not None or len(rated.codes) == 2
    if rated.groups is None and alone and k * k <= MOST_PAIRS:
        codes = (own.astype(np.int32) + 1) * k + rated.against(rater) + 1
        counts = np.bincount(codes, minlength=k * k)
        pairs = np.flatnonzero(counts)
        x, y = rated.numbers[pairs // k + NONE], rated.numbers[pairs % k + NONE]
        both = np.isfinite(x) & np.isfinite(y)
        return x[both], y[both], RowWeights(counts[pairs][both])
    x, y = rated.numbers[own], rated.numbers_against(rater)
    both = np.isfinite(x) & np.isfinite(y)
    return x[both], y[both], ONCE if rated.groups is None else RowWeights(groups=rated.groups[both])


def _changes(own: Numbers, rest: Numbers, weights: RowWeights) -> Iterator[tuple[Change, float, Numbers]]:
    """A factor brings the largest number to that of the others, a step mends numbers that the others never give, a
    reversal is of one and the same range."""
    top, far = np.abs(rest).max(), np.abs(own).max()
    for factor in FACTORS:
        if NEAR[0] * top <= far * factor <= NEAR[1] * top:
            yield "factor", factor, np.round(own * factor, DIGITS)
    if len(rest) <= FEW and weights.mean((~np.isin(own, rest)).astype(float)) >= STRANGE:
        for step in STEPS:
            moved = np.round(own + step, DIGITS)
            if weights.mean(np.isin(moved, rest).astype(float)) >= KNOWN:
                yield "step", step, moved
    low, high = min(rest.min(), own.min()), max(rest.max(), own.max())
    if high - low <= WIDER * max(float(np.ptp(own)), 1e-9):
        yield "reversed", float(low + high), low + high - own
