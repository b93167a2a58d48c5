"""Questions about many refine loops, as arrays of a value each: right answers lost, loops that a rule is known for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .sign_flips import sign_flips

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Falls:
    """Of `compared` loops `right` are right after one attempt; `falls` of these are wrong at the stop.

    `rises` are wrong after one attempt and right at the stop; `p` is how often chance alone gives so many more falls
    than rises.
    """

    compared: int
    right: int
    falls: int
    rises: int
    p: float


def falls_of(first: Flags, last: Flags, items: NDArray[np.integer[Any]] | None = None) -> Falls:
    """Falls and rises of loops whose tests are known `first`, after one attempt, and `last`, at the stop.

    `items` numbers the problem of each loop, from 0: loops of one problem rise and fall together, so that chance
    reverses all of them or none. None: each has its own.
    """
    import numpy as np

    fell, rose = first & ~last, last & ~first
    change = fell.astype(np.int64) - rose
    sums = change if items is None else np.bincount(items, weights=change).astype(np.int64)
    flips = sign_flips(sums)
    return Falls(
        compared=len(first),
        right=int(first.sum()),
        falls=int(fell.sum()),
        rises=int(rose.sum()),
        p=flips.p / 2 if flips.total > 0 else 1.0,
    )


@dataclass(frozen=True)
class KnownPart:
    """A rule is known for `known` of `of` loops; the shares solved of those and of all, by the rule that ran."""

    known: int
    of: int
    share: float
    share_of_all: float

    @property
    def unknown(self) -> int:
        """The loops that it is not known for."""
        return self.of - self.known

    @property
    def apart(self) -> float:
        """How far the two shares are from each other."""
        return abs(self.share - self.share_of_all)


def known_part(known: Flags, solved: Flags) -> KnownPart | None:
    """What a rule is `known` for, of loops that were `solved` by the rule that ran; None: for all of them, or none."""
    n, part = len(known), int(known.sum())
    if not 0 < part < n:
        return None
    return KnownPart(part, n, int(solved[known].sum()) / part, int(solved.sum()) / n)
