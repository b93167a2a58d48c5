"""What the sections of the parsing audit are made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditfw.audits.answers import Argument
from auditfw.audits.orders import ReadStatements
from auditfw.audits.parsing.conclusions.by_value import RuledOutcome
from auditfw.audits.parsing.conclusions.published import PublishedFigures
from auditfw.audits.parsing.conclusions.search import RuleSearch
from auditfw.audits.parsing.engine.kernels import NO_SIGNS, Signs
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.kept.flips import NO_FLIPS, FlipDraw
from auditfw.audits.parsing.probe.lossy import Lossy
from auditfw.audits.parsing.probe.scorers import ProbeResults
from auditfw.core.records import Measurement
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import ReportLimits, Sample

from .counts import ParsingCounts
from .settings import STORED_LABEL

Numbers = Mapping[tuple[str, str], Measurement]  # the overall measurements by metric and reading


@dataclass(frozen=True)
class ParsingResults:
    """All that the sections are made from.

    `scorer` is the rule that gives the labels of the reference, None where none is known, and `unknown_rule` why;
    `probed` what follows from the probe of it. `lossy` are the readings that accept wrong answers, `asked` all that
    were asked.
    """

    whole: ParsingCounts
    plan: ReadingPlan
    reference: str
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
    by_item: Mapping[str, list[Any]] = field(default_factory=dict)
    statements: ReadStatements = field(default_factory=ReadStatements)
    probe: ProbeResults = field(default_factory=ProbeResults)
    probed: Argument = field(default_factory=Argument)
    scorer: str | None = None
    unknown_rule: str = ""
    search: RuleSearch | None = None
    ruled: RuledOutcome | None = None
    figures: PublishedFigures | None = None
    lossy: Lossy = field(default_factory=dict)
    asked: Sequence[str] = ()
    draw: FlipDraw = field(default_factory=lambda: FlipDraw(NO_FLIPS))
    signs: Signs = NO_SIGNS

    @property
    def rule(self) -> str | None:
        """The name of the rule of the stored labels: the one that was searched, else the configured one."""
        searched = self.search.rule if self.search is not None else None
        return self.baseline if searched is None else searched.name

    @property
    def rule_to_set(self) -> bool:
        """Whether the rule of the stored labels is known from a search that was not asked for."""
        return self.search is not None and self.search.rule is not None and not self.search.written

    @property
    def sound_rule(self) -> bool:
        """Whether the reading that the reference is, or that gives its labels, is of this run and not lossy."""
        own = self.rule if self.reference == STORED_LABEL else self.reference
        return own in self.asked and own not in self.lossy

    @property
    def reference_words(self) -> str:
        """The labels of the reference, in words."""
        if self.ruled is not None and self.reference == self.baseline:
            return f"the labels of each {self.ruled.column}'s rule"
        return "the stored labels" if self.reference == STORED_LABEL else f"the labels of {self.reference}"

    @property
    def flips(self) -> int:
        """How many trials change their label under any candidate."""
        flips = self.draw.settings
        return self.whole.table.flips(range(flips.candidates), flips.reference, flips.undefined)

    @property
    def compared(self) -> list[str]:
        """The names of all that is compared with the reference: the candidates, before them stored labels."""
        return [name for name in self.overall if name not in self.candidates] + list(self.candidates)

    def deciding(self, named: Sequence[str] | None, lossy: bool = False) -> list[str]:
        """The readings that decide: those with equal labels throughout once, the rule of the reference not at all.

        Where none are `named` all do but lossy ones; with `lossy` these, too.
        """
        kinds = self._kinds
        own = {STORED_LABEL: self.rule, self.baseline: STORED_LABEL}.get(self.reference)
        first: dict[int, str] = {}
        for name in self.compared:
            wanted = (lossy or name not in self.lossy) if named is None else name in named
            if wanted and name != own and self.overall[name].data.paired:
                first.setdefault(kinds[name], name)
        return list(first.values())

    @cached_property
    def _kinds(self) -> dict[str, int]:
        """A number for each reading: the same for those with equal labels throughout."""
        alike = self.whole.table.alike(len(self.plan.readings), self.draw.settings.undefined)
        return dict(zip((STORED_LABEL, *self.plan.names()), alike, strict=True))

    def barred(self, named: Sequence[str] | None) -> Lossy:
        """The lossy readings that would decide if they were sound, where no other does."""
        others = [] if self.deciding(named) else self.deciding(named, lossy=True)
        return {name: self.lossy[name] for name in others if name in self.lossy}

    @cached_property
    def cells(self) -> dict[str, list[Sample]]:
        """The samples of the cells of each reading that is compared with the reference."""
        by_name: dict[str, list[Sample]] = {}
        for sample in self.samples:
            if sample.cell and sample.reading.role == "candidate":
                by_name.setdefault(sample.reading.name, []).append(sample)
        return by_name

    @cached_property
    def overall(self) -> dict[str, Sample]:
        """The overall sample of each reading that is compared with the reference."""
        return {s.reading.name: s for s in self.samples if not s.cell and s.reading.role == "candidate"}

    @cached_property
    def reference_labels(self) -> LabelCounts:
        """The labels of the reference."""
        labels: LabelCounts = next(s.data for s in self.samples if not s.cell and s.reading.role == "reference")
        return labels

    @cached_property
    def reproduced(self) -> LabelCounts | None:
        """The labels of the baseline beside the stored ones; None where there is none of the two."""
        return next((s.data for s in self.samples if not s.cell and s.reading.role == "baseline"), None)

    def paired(self, name: str) -> list[Sample]:
        """The samples of a candidate's cells in which some trial has both labels."""
        return [s for s in self.cells.get(name, []) if s.data.paired]
