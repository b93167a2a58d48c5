"""The scenarios to look through: the first that gave nothing, and those of the lowest scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from auditfw.core.records import Value

from .actual import FAILED, MISSING, SCENARIO_STATUS
from .scenario_sample import Drawn, SampledScenarios, combined_parts
from .scoring import OutcomeBlock

FAILED_SHARE = 4  # at most one in so many


@dataclass(frozen=True)
class ScenarioRemarks:
    """What else is shown of a scenario: its cell, its bucket, and why it failed."""

    cell: Mapping[str, Value]
    status: str
    why: str


@dataclass
class Lowest:
    """Collects at most `most` scenarios: of those that gave nothing the first, and else the lowest scores.

    Of equal scores the first; blocks must come in the order of their scenarios.
    """

    most: int
    remarks: dict[int, ScenarioRemarks] = field(default_factory=dict)
    _parts: list[SampledScenarios] = field(default_factory=list)
    _bar: float = np.inf
    _failed: int = 0

    def add(self, block: OutcomeBlock) -> None:
        """Looks at the scenarios of a block."""
        if not self.most:
            return
        bare = np.isnan(block.overall) & np.isin(block.scenario, (*FAILED, MISSING))
        failed = np.flatnonzero(bare)[: max(1, self.most // FAILED_SHARE) - self._failed]
        self._failed += failed.size
        low = np.flatnonzero(block.overall < self._bar)
        low = low[np.argsort(block.overall[low], kind="stable")[: self.most]]
        rows = np.sort(np.concatenate([failed, low]))
        if not rows.size:
            return
        self._parts.append(SampledScenarios.of(block, rows, np.nan_to_num(block.overall[rows], nan=-1.0)))
        for i in rows.tolist():
            cell = {name: column[i] for name, column in block.by.items()}
            status = SCENARIO_STATUS[block.scenario[i]]
            self.remarks[block.start + i] = ScenarioRemarks(cell, status, block.why.get(i, ""))
        if sum(len(part.labels) for part in self._parts) > 4 * self.most:
            self._trim()

    def _trim(self) -> None:
        ranks = np.concatenate([part.ranks for part in self._parts])
        if ranks.size <= self.most:
            return
        kept = np.zeros(ranks.size, bool)
        order = np.argsort(ranks, kind="stable")[: self.most]
        kept[order] = True
        self._bar = float(ranks[order[-1]])
        ends = np.cumsum([len(part.labels) for part in self._parts])
        parts = zip(self._parts, np.split(kept, ends[:-1]), strict=True)
        self._parts = [part.taken(np.flatnonzero(own)) for part, own in parts if own.any()]
        numbers = {int(number) for part in self._parts for number in part.numbers}
        self.remarks = {number: one for number, one in self.remarks.items() if number in numbers}

    def drawn(self) -> tuple[Drawn, list[int]]:
        """The scenarios, and their places among these: what gave nothing first, then by score."""
        if not self._parts:
            return combined_parts([]), []
        self._trim()
        ranks = np.concatenate([part.ranks for part in self._parts])
        return combined_parts(self._parts), np.argsort(ranks, kind="stable").tolist()
