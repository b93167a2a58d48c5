"""Outcomes of the other sign, of one value throughout, and exchanged with each other."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from .pairs import CLEAR, LEAST, MOSTLY, OutcomePairs

SIZES = log(2)
APART, APART_IN, CLOSE = 0.25, 0.5, 0.5
LEAST_MISSED, MISSED, RANGE = 3, 0.3, 0.1


@dataclass(frozen=True)
class OutcomeFault:
    """A fault of an outcome in `n` of `of` scenarios: `size` is the median ratio of sizes, or the value throughout."""

    n: int
    of: int
    size: float

    @property
    def share(self) -> float:
        """The share of the scenarios in which it is so."""
        return self.n / self.of


def outcome_sign(pairs: OutcomePairs) -> OutcomeFault | None:
    """Whether an outcome comes with the other sign in 90 % of the scenarios, its sizes about one factor.

    That is: 80 % of the ratios of sizes are within a factor 2 of their median. At least 6 scenarios in which neither
    number is 0.
    """
    used = pairs.without_zeros
    turned = int((np.sign(used.intended) != np.sign(used.actual)).sum())
    if len(used) < LEAST or turned < MOSTLY * len(used):
        return None
    sizes = np.log(np.abs(used.actual)) - np.log(np.abs(used.intended))
    middle = float(np.median(sizes))
    if (np.abs(sizes - middle) <= SIZES).mean() < CLEAR:
        return None
    return OutcomeFault(turned, len(pairs.complete), float(np.exp(middle)))


def outcome_constant(pairs: OutcomePairs) -> OutcomeFault | None:
    """Whether an outcome has one value in 90 % of at least 6 scenarios while what is intended differs.

    It must miss in 30 % of these, and in 3: by more than the room; and what is intended there must range over more
    than twice the room and 10 % of the largest intended size.
    """
    used, n = pairs.complete, len(pairs.complete)
    if n < LEAST:
        return None
    values, counts = np.unique(used.actual, return_counts=True)
    value, most = float(values[counts.argmax()]), int(counts.max())
    rows = used.actual == value
    missed = int((used.error > used.room)[rows].sum())
    differ = max(2 * float(used.room[rows].max()), RANGE * float(np.abs(used.intended).max()))
    if most < MOSTLY * n or missed < max(LEAST_MISSED, MISSED * most) or np.ptp(used.intended[rows]) <= differ:
        return None
    return OutcomeFault(most, n, value)


def outcomes_exchanged(first: OutcomePairs, second: OutcomePairs) -> OutcomeFault | None:
    """Whether two outcomes are exchanged: each is nearer to what is intended of the other, in 90 % of the scenarios.

    Seen where the two intended numbers differ by more than 25 %, which must be in at least 6 scenarios and half of
    them; there the exchange halves both mean errors and brings both to within 50 % (and the room) in 80 %.
    """
    everywhere = first.has_both & second.has_both
    n = int(everywhere.sum())
    sizes = np.maximum(np.abs(first.intended), np.abs(second.intended))
    rows = everywhere & (np.abs(first.intended - second.intended) > APART * sizes)
    seen = int(rows.sum())
    if seen < LEAST or seen < APART_IN * n:
        return None
    close, nearer = np.ones(seen, bool), np.ones(seen, bool)
    for of, other in ((first, second), (second, first)):
        before, after = of.error[rows], np.abs(other.actual - of.intended)[rows]
        if after.mean() > before.mean() / 2:
            return None
        nearer &= after < before
        close &= after <= CLOSE * np.abs(of.intended[rows]) + of.room[rows]
    if nearer.mean() < MOSTLY or close.mean() < CLEAR:
        return None
    return OutcomeFault(int(nearer.sum()), seen, 1.0)
