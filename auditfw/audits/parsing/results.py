"""The label table of a run with the names of its columns: what every question is asked of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from auditfw.audits.parsing.conclusions.items import UNCOUNTED, CrossedItems, crossed_items, items_of
from auditfw.audits.parsing.conclusions.published_table import PublishedTable
from auditfw.audits.parsing.conclusions.search import RuleSearch
from auditfw.audits.parsing.engine.plan import ReadingPlan
from auditfw.audits.parsing.kept.flips import FlipDraw
from auditfw.core.records import Measurement, Reading
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import Context, Sample
from auditfw.kinds.evidence import Evidence

from .columns import ScoredTrials
from .samples import ComparedReading, LabelRules, samples
from .settings import SEARCH, STORED_LABEL, ParsingSettings
from .table import STORED, LabelTable

F = TypeVar("F")
Numbers = Mapping[tuple[str, str], Measurement]  # the overall measurements by metric and reading


@dataclass(frozen=True)
class ParsingResults:
    """The labels of a run, whose readings go by name here.

    `candidates` are the names of those that are compared; `facts` are what questions came to, by the function that
    asks.
    """

    settings: ParsingSettings
    context: Context
    evidence: Evidence
    whole: ScoredTrials
    candidates: Sequence[str]
    search: RuleSearch | None = None
    figures: PublishedTable | None = None
    facts: dict[Callable[[Any], Any], Any] = field(default_factory=dict)

    def of(self, ask: Callable[[ParsingResults], F]) -> F:
        """What a question comes to, asked once."""
        if ask not in self.facts:
            self.facts[ask] = ask(self)
        facts: F = self.facts[ask]
        return facts

    @property
    def plan(self) -> ReadingPlan:
        return self.whole.work.plan

    @property
    def draw(self) -> FlipDraw:
        return self.whole.flips

    @property
    def numbers(self) -> tuple[int, int | None]:
        """Which readings of the plan are the reference and the baseline."""
        return self.whole.work.flips.reference, self.whole.work.baseline

    @property
    def table(self) -> LabelTable:
        return self.whole.table

    @cached_property
    def counts(self) -> dict[str, int]:
        """The rows read, those audited, and the others by their cause."""
        counts = self.whole.counts
        further = {bucket: n for bucket, n in sorted(counts.items()) if n and bucket != "audited"}
        return {"read": counts.total(), "audited": counts["audited"], **further}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All readings of the plan, in order."""
        return self.plan.names()

    @cached_property
    def reference(self) -> str:
        return STORED_LABEL if self.numbers[0] == STORED else self.names[self.numbers[0]]

    @cached_property
    def baseline(self) -> str | None:
        if self.search is not None and self.search.written:
            return SEARCH if self.search.rule is None else self.search.rule.name
        return None if self.numbers[1] is None else self.names[self.numbers[1]]

    @cached_property
    def readings(self) -> list[ComparedReading]:
        """Every reading with what it is compared with: the reference, stored labels, the others, the baseline."""
        reference, baseline = self.numbers
        compared = [ComparedReading(Reading(self.reference, "reference"), reference, reference)]
        if reference != STORED and STORED_LABEL in self.evidence.columns:
            compared.append(ComparedReading(Reading(STORED_LABEL, "candidate"), STORED, reference))
        places = self.names.index
        compared += [ComparedReading(Reading(of, "candidate"), places(of), reference) for of in self.candidates]
        name, number = self.baseline, UNCOUNTED if baseline is None else baseline
        if self.search is not None and self.search.written:
            number = UNCOUNTED if self.search.rule is None else STORED
        elif self.search is not None and baseline is None:
            name = SEARCH  # the configured one cannot be read
        return compared if name is None else [*compared, ComparedReading(Reading(name, "baseline"), number)]

    @cached_property
    def absent(self) -> dict[str, str]:
        """For each metric that this input cannot give the reason why."""
        absent = self.settings.absent(self.evidence, self.numbers[1])
        compared = self.readings[-1].reading.role == "baseline"
        if not (compared or self.counts["audited"]):
            absent.setdefault("mismatches", "no row was audited")
        return absent if compared or not absent else {**absent, "unreproduced": absent["mismatches"]}

    @cached_property
    def crossed(self) -> CrossedItems | None:
        """The labels by item; None where the source has no items."""
        key = "crossed", self.table, self.settings.undefined
        return self.whole.shared.once(key, lambda: crossed_items(self.table, self.settings.undefined))

    @property
    def samples(self) -> list[Sample]:
        """The labels of every reading beside those of the reference, overall and by cell."""
        return self.of(samples_of)

    @property
    def rule(self) -> str | None:
        """The name of the rule of the stored labels: the one that was searched, else the configured one."""
        searched = self.search.rule if self.search is not None else None
        return self.baseline if searched is None else searched.name

    @property
    def reference_words(self) -> str:
        """The labels of the reference, in words."""
        if self.settings.ruled_by is not None and self.reference == self.baseline:
            return f"the labels of each {self.settings.ruled_by}'s rule"
        return "the stored labels" if self.reference == STORED_LABEL else f"the labels of {self.reference}"

    @property
    def judged(self) -> bool:
        """Whether the reference is the labels of a judge."""
        return self.settings.labels == "judge" and self.reference == STORED_LABEL

    @property
    def compared(self) -> list[str]:
        """The names of all that is compared with the reference: the candidates, before them stored labels."""
        return [name for name in self.overall if name not in self.candidates] + list(self.candidates)

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

    @property
    def reference_labels(self) -> LabelCounts:
        """The labels of the reference."""
        labels: LabelCounts = self.samples[0].data
        return labels

    @property
    def reproduced(self) -> LabelCounts | None:
        """The labels of the baseline beside the stored ones; None where there is none of the two."""
        return next((s.data for s in self.samples if not s.cell and s.reading.role == "baseline"), None)

    def paired(self, name: str) -> list[Sample]:
        """The samples of a candidate's cells in which some trial has both labels."""
        return [s for s in self.cells.get(name, []) if s.data.paired]


def samples_of(results: ParsingResults) -> list[Sample]:
    """The samples of all readings; those whose column the source lacks say so."""
    plan, evidence, undefined = results.plan, results.evidence, results.settings.undefined
    blind = {} if results.search is None else {SEARCH: results.search.sentence}
    for name, column in (
        (STORED_LABEL, STORED_LABEL),
        *((name, plan.parsers[p].part.column) for name, (p, _) in zip(results.names, plan.readings, strict=True)),
    ):
        if column not in evidence.columns:
            blind[name] = evidence.lacks(column)
    shared, asked = results.whole.shared, (results.readings, results.context.by, LabelRules(undefined, blind=blind))
    by_item = items_of(results.crossed, results.numbers[1], shared)
    return shared.once(("samples", results.table, asked), lambda: samples(results.table, *asked, by_item))
