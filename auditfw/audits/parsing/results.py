"""What the sections of the parsing audit are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.core.records import Measurement
from auditfw.kinds.context import ReportLimits, Sample

from .counts import ParsingCounts

Numbers = Mapping[tuple[str, str], Measurement]  # the overall measurements by metric and reading


@dataclass(frozen=True)
class ParsingResults:
    """All that the sections are made from."""

    whole: ParsingCounts
    plan: ReadingPlan
    candidates: Sequence[str]
    baseline: str | None
    by: Sequence[str]
    limits: ReportLimits
    seed: int
    counts: Mapping[str, int]
    absent: Mapping[str, str]
    samples: Sequence[Sample]
    markers: Sequence[str]
    delimiter: str
    columns: Sequence[str] = ("raw_text", "parsed_text", "stored")

    @cached_property
    def cells(self) -> dict[str, list[Sample]]:
        """The samples of the cells of each candidate."""
        by_name: dict[str, list[Sample]] = {}
        for sample in self.samples:
            if sample.cell and sample.reading.role == "candidate":
                by_name.setdefault(sample.reading.name, []).append(sample)
        return by_name

    @cached_property
    def overall(self) -> dict[str, Sample]:
        """The overall sample of each candidate."""
        return {s.reading.name: s for s in self.samples if not s.cell and s.reading.role == "candidate"}

    def paired(self, name: str) -> list[Sample]:
        """The samples of a candidate's cells in which some trial has both labels."""
        return [s for s in self.cells.get(name, []) if s.data.paired]
