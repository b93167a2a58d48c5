"""How much the loops that a stop rule is known for differ from all of them: they are no random part of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Flags = NDArray[np.bool_]


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
