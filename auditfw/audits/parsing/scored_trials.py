"""What a pass over all trials came to, for one run: what its questions are asked of."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from auditfw.audits.parsing.engine.shared_results import SharedResults
from auditfw.audits.parsing.kept.flips import FlipDraw
from auditfw.audits.parsing.kept.near import NearDraw
from auditfw.audits.parsing.probe.draw import ProbeDraw

from .counts import ReadingCounts, RowCounts
from .run_work import RunWork
from .table import LabelTable


@dataclass
class ScoredTrials:
    """What all batches came to for one run; `over`: it ended before its last row, for it could only be incomplete."""

    work: RunWork
    rows: RowCounts
    readings: ReadingCounts
    table: LabelTable
    flips: FlipDraw
    probe: ProbeDraw
    near: NearDraw = field(default_factory=NearDraw)
    over: bool = False
    tables: dict[str, Any] = field(default_factory=dict)  # further ones, closed
    shared: SharedResults = field(default_factory=SharedResults)  # with other runs over the same trials

    @property
    def counts(self) -> Counter[str]:
        """The buckets of all rows that were read."""
        counts = self.rows.buckets + self.readings.failed
        counts["audited"] -= self.failed
        return counts

    @property
    def failed(self) -> int:
        """How many trials a component failed on."""
        return self.readings.failed.total()
