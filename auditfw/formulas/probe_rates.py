"""What the probe of a scorer comes to: shares of trials by item, from columns of whole Python values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import compress

from .clusters import ClusteredRate, ItemSums, rate_of
from .shifts import ClusteredShift, ShiftSums, shift_of

UNDRAWN = "no trial was drawn for the probe (audit.probe)"


@dataclass(frozen=True)
class ProbeRates:
    """What the probe says of one reading's scorer, on the trials drawn; shares from 0 to 1, None where undefined.

    - `own`: answers accepted for their own truth, of the trials that have a partner; `luck`: for the truth of that
      partner, the next item of the cell; `skill` the difference; `most_frequent`: the share of the truth that most
      partners have, the most that one answer can get;
    - `either_way`: of the answers accepted for their own truth those also accepted for the next different one;
    - `constant`: of the trials those on which the constant answer is accepted that does best.

    `why_luck` and `why_either_way` are the reasons where these are undefined, `why` where nothing is known.
    """

    own: ClusteredRate | None = None
    luck: ClusteredRate | None = None
    skill: ClusteredShift | None = None
    most_frequent: float | None = None
    either_way: ClusteredRate | None = None
    constant: ClusteredRate | None = None
    why: str = UNDRAWN
    why_luck: str = UNDRAWN
    why_either_way: str = UNDRAWN


def rate_by_item(items: Sequence[Hashable], successes: Sequence[bool]) -> ClusteredRate | None:
    """The share of successes of trials with these items; None of no trial."""
    trials, wins = Counter(items), Counter(compress(items, successes))
    return rate_of_items(list(trials.values()), [wins[item] for item in trials])


def rate_of_items(trials: Sequence[int], successes: Sequence[int]) -> ClusteredRate | None:
    """The same from the numbers of each item, each with a trial."""
    if not trials:
        return None
    pairs = list(zip(trials, successes, strict=True))
    sums = ItemSums(
        items=len(pairs), trials=sum(trials), successes=sum(successes), size_squares=sum(m * m for m in trials),
        success_squares=sum(s * s for s in successes), cross=sum(m * s for m, s in pairs), largest=max(trials),
        holding=sum(1 for s in successes if s), lacking=sum(1 for m, s in pairs if s < m),
    )  # fmt: skip
    return rate_of(sums)


def shift_by_item(items: Sequence[Hashable], changes: Sequence[int]) -> ClusteredShift | None:
    """The mean of changes (-1, 0, 1) of trials with these items; None of no trial."""
    if not items:
        return None
    up, down = (Counter(compress(items, (change == sign for change in changes))) for sign in (1, -1))
    trials = Counter(items)
    m, d = list(trials.values()), [up[item] - down[item] for item in trials]
    whole = ShiftSums(
        items=len(m), trials=sum(m), total=sum(d), absolute=sum(map(abs, d)), size_squares=sum(a * a for a in m),
        squares=sum(b * b for b in d), cross=sum(a * b for a, b in zip(m, d, strict=True)),
        changed=sum(1 for b in d if b),
    )  # fmt: skip
    return shift_of(whole)
