"""The scenarios to look through: the first that gave nothing, and those of the lowest scores."""

from __future__ import annotations

from dataclasses import dataclass

from auditfw.core.imports import np

from .actual import FAILED, MISSING
from .scenario_sample import Drawn, ScenarioDraw
from .scoring import OutcomeBlock

FAILED_SHARE = 4  # at most one in so many
WORST = 10


@dataclass
class Lowest:
    """The scenarios of the lowest scores, `WORST` at least; of `most` to look through some that gave nothing."""

    most: int
    _failed: int = 0

    def __post_init__(self) -> None:
        self._room = max(1, self.most // FAILED_SHARE) if self.most else 0
        self._draw = ScenarioDraw(max(self.most, WORST + self._room))

    def add(self, block: OutcomeBlock) -> None:
        """Looks at the scenarios of a block: these must come in their order."""
        bare = np.isnan(block.overall)
        rows = np.flatnonzero(~bare)
        if bare.any() and self._failed < self._room:
            failed = np.flatnonzero(bare & np.isin(block.scenario, (*FAILED, MISSING)))[: self._room - self._failed]
            self._failed += failed.size
            rows = np.sort(np.concatenate([failed, rows]))
        self._draw.add(block, rows, np.nan_to_num(block.overall[rows], nan=-1.0))

    def drawn(self) -> tuple[Drawn, list[int]]:
        """The scenarios, and their places among these: what gave nothing first, then by score."""
        drawn = self._draw.drawn()
        return drawn, np.argsort(drawn.ranks, kind="stable").tolist()
