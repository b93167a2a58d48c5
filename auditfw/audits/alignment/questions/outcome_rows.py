"""The table of outcomes of a run as questions see it: a row a scenario and key, and the scenarios drawn by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditfw.audits.alignment.actual import MISSING, NONFINITE, NOT_MEANT, SCORED
from auditfw.audits.alignment.cell_counts import BOUNDED, MUST, KeyTally
from auditfw.audits.alignment.counts import AlignmentResults
from auditfw.audits.alignment.findings import AlignmentFindings
from auditfw.audits.alignment.samples import ACTUAL, INTENDED
from auditfw.audits.alignment.settings import AlignmentSettings
from auditfw.audits.table_rows import TableRows
from auditfw.core.imports import np
from auditfw.formulas.outcomes.factors import OutcomePairs
from auditfw.kinds.evidence import Evidence


@dataclass(frozen=True)
class AskedOutcome:
    """One outcome: the `pairs` of the scenarios drawn, how many outcomes of them are intended, and its whole `tally`.

    `must` says that it has to be met, `declared` that it says itself when it is.
    """

    key: str
    pairs: OutcomePairs
    intended: int
    tally: KeyTally
    must: bool

    @property
    def declared(self) -> bool:
        return self.tally.levels["assumed"] < self.tally.counts.total()

    @property
    def met(self) -> int:
        """In how many scenarios it is met."""
        return self.tally.met

    @property
    def scored(self) -> int:
        """In how many scenarios a number came."""
        return self.tally.counts[SCORED] + self.tally.counts[NONFINITE]

    @property
    def missing(self) -> int:
        """In how many scenarios the simulator did not fail, but returned no number for it."""
        return self.tally.counts[MISSING]


@dataclass
class OutcomeRows(TableRows):
    """The rows of an alignment run, as `LabelRows` says; its readings are the actual and the intended outcomes."""

    settings: AlignmentSettings
    results: AlignmentResults
    figures: AlignmentFindings
    evidence: Evidence
    audit: str = field(default="alignment", init=False)
    readings: Sequence[str] = field(default=(ACTUAL.name, INTENDED.name), init=False)
    reference: str = field(default=ACTUAL.name, init=False)

    @property
    def columns(self) -> Sequence[str]:
        return self.evidence.columns

    @property
    def item(self) -> str:
        return "declared" if self.results.total().items.get("") else "none"

    @property
    def drawn(self) -> int:
        """How many scenarios were drawn: what is asked outcome by outcome is asked of these."""
        return len(self.figures.drawn)

    @property
    def sampled(self) -> str:
        """How scenarios are called in a sentence."""
        return "scenario" if self.drawn == self.results.total().scenarios else "sampled scenario"

    def name(self, place: int) -> str:
        """The name of one of the scenarios drawn."""
        label = self.figures.drawn.labels[place]
        return str(int(self.figures.drawn.numbers[place])) if label is None else label

    @cached_property
    def outcomes(self) -> Sequence[AskedOutcome]:
        """Every intended outcome, by first appearance."""
        tallies, columns = self.results.total().keys, {one.key: one for one in self.figures.drawn.keys}
        return [self._outcome(key, columns.get(key), tally) for key, tally in tallies.items()]

    def _outcome(self, key: str, scores: Any, tally: KeyTally) -> AskedOutcome:
        must = tally.levels[MUST if self.results.requirements.named else BOUNDED] > 0
        if scores is None:
            none = np.full(self.drawn, np.nan)
            return AskedOutcome(key, OutcomePairs(none, none, none), 0, tally, must)
        intended, room = scores.numbers_meant(self.settings.tolerance)
        actual = np.where(scores.codes == SCORED, scores.compared.actual, np.nan)
        return AskedOutcome(
            key, OutcomePairs(intended, actual, room), int((scores.codes != NOT_MEANT).sum()), tally, must
        )
