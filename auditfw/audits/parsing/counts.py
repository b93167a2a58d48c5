"""What batches came to, and how they are merged: exact, whatever the number of processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from auditfw.audits.batches import TakenBatch
from auditfw.audits.parsing.conclusions.rule_passes import BatchDraw, TrialDraw
from auditfw.audits.parsing.kept.flips import FlipDraw
from auditfw.audits.parsing.kept.texts import TextsTable, TrialTexts
from auditfw.audits.parsing.probe.draw import ProbeDraw, ProbeRows
from auditfw.core.records import Refusal
from auditfw.kinds.context import Context

from .scored_batch import STATUS
from .table import BatchLabels, LabelTable
from .trials import Trial, TrialBatch

MISMATCHES_SHOWN = 10
VERY_LATE = 20  # trials that reach a deadline
SUMMED = ("counts", "facts", "notes", "unread", "paths", "alone", "kinds", "signed", "unmapped", "suspects", "ruleless")


@dataclass
class ParsingCounts:
    """What one batch came to.

    `kinds` counts the truths by what they are: numbers, letters …; `unread`, for each reading, the trials whose truth
    its matcher cannot read, by reason; `signed`, for each reading, the answers that are wrong by their $ alone.
    `labels` are those of a batch, `table` those of all; `flips` the trials of a batch whose texts are kept, `drawn` all
    of them; `mismatches` the first that the baseline labels otherwise than stored. `probe_rows` are those
    of the batch that may be drawn for the probe, `probe` the draw of all batches; `alone` counts the trials where only
    the stored answer or only a parser's is there, by parser, which of the two, item and stored label. Where trials lack
    an item the run ends. Where rows have rules of their own, `ruleless` counts those whose value has none.
    """

    counts: Counter[str] = field(default_factory=Counter)
    labels: BatchLabels | None = None
    table: LabelTable = field(default_factory=LabelTable)
    facts: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)
    first_unmapped: tuple[str, str] = ("", "")  # id and label of the first such row
    suspects: Counter[str] = field(default_factory=Counter)
    ruleless: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    unread: Counter[tuple[int, Refusal]] = field(default_factory=Counter)
    signed: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    paths: Counter[str] = field(default_factory=Counter)
    rows: dict[str, list[Any]] = field(default_factory=dict)
    flips: list[Trial] = field(default_factory=list)
    drawn: FlipDraw | None = None
    mismatches: list[Trial] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    probe_rows: ProbeRows | None = None
    probe: ProbeDraw = field(default_factory=ProbeDraw)
    rule_draw: BatchDraw | None = None  # of a batch
    trial_draw: TrialDraw | None = None  # of all batches, where each gives one
    alone: Counter[tuple[str, str, str | None, int]] = field(default_factory=Counter)
    over: bool = False  # it ended before its last row: it could only be incomplete
    without_item: int = 0
    first_without_item: str = ""  # the id of the first such trial
    texts: TrialTexts | None = None  # of a batch, where a report needs them

    @property
    def failed(self) -> int:
        """How many trials a component failed on."""
        return self.counts["error"] + self.counts["timeout"]

    def take_trials(self, trials: TrialBatch) -> None:
        """Notes the kinds of truths, and what is odd: truths that look like null, stored labels that say nothing."""
        self.kinds = Counter(trials.kinds)
        self.suspects, self.unmapped = Counter(trials.suspects), Counter(trials.unmapped)
        self.first_unmapped = trials.first_unmapped
        if trials.items is not None and None in trials.items:
            self.without_item = trials.items.count(None)
            self.first_without_item = str(trials.ids[trials.items.index(None)])

    def merge(self, other: ParsingCounts) -> None:
        """Adds the outcome of a later batch."""
        for name in SUMMED:
            getattr(self, name).update(getattr(other, name))
        self.first_unmapped = self.first_unmapped if self.first_unmapped[0] else other.first_unmapped
        self.first_without_item = self.first_without_item if self.without_item else other.first_without_item
        self.without_item += other.without_item
        if other.labels is not None:
            self.table.take(other.labels)
        if other.probe_rows is not None:
            self.probe.take(other.probe_rows)
        self.trial_draw = self.trial_draw and self.trial_draw.with_batch(other.rule_draw)
        if self.drawn is not None:
            self.drawn.take(other.flips)
        self.problems = (self.problems + other.problems)[:3]
        self.mismatches = (self.mismatches + other.mismatches)[:MISMATCHES_SHOWN]
        self.differing = (self.differing + other.differing)[:MISMATCHES_SHOWN]
        self.unsteady = (self.unsteady + other.unsteady)[:MISMATCHES_SHOWN]

    def taker(
        self,
        context: Context,
        texts: TextsTable | None = None,
        errors: float | None = None,
    ) -> Callable[[ParsingCounts], TakenBatch]:
        """What takes in one batch's counts after another: its rows go to the table of trials, its texts to theirs.

        Once very many trials reach a deadline, and more trials have failed than the `errors` that the run allows, it is
        over.
        """

        def take(part: ParsingCounts) -> TakenBatch:
            rows = 0
            if part.rows:
                context.trials.add(part.rows)
                rows = len(part.rows[STATUS])
            if texts is not None and part.texts is not None:
                texts.add(part.texts)
            self.merge(part)
            self.over = errors is not None and self.counts["timeout"] >= VERY_LATE and self.failed > errors
            return TakenBatch(rows, len(self.table.cells), self.over)

        return take
