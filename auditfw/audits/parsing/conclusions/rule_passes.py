"""What a search for the rule of the labels reads of the evidence: a seeded draw of trials, in the end all of them."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import compress
from operator import add, itemgetter
from typing import Any

from auditfw.audits.parsing.conclusions.items import CrossedItems
from auditfw.audits.parsing.engine.kernels import NO_SIGNS, Column, Kernel, kernel
from auditfw.audits.parsing.engine.plan import BLANK, FALSE, MISSING, TIMEOUT, TRUE, UNDEFINED, ReadingPlan
from auditfw.audits.parsing.engine.reference import Truth
from auditfw.audits.parsing.table import STORED, BatchLabels, LabelTable, NumberedColumn
from auditfw.audits.parsing.trials import Labels, TrialBatch
from auditfw.core.native import Name
from auditfw.core.sampling import ranked
from auditfw.formulas.label_counts import LabelCounts
from auditfw.kinds.context import Task

DRAW = "rule"  # the section of the seeded draw
WRONG, RIGHT, NEITHER = 0, 1, 2

# A label code as a label: a truth that normalises to nothing makes a wrong answer, one that failed is neither.
AS_LABEL = bytes({TRUE: RIGHT, FALSE: WRONG, BLANK: WRONG, UNDEFINED: WRONG}.get(code, NEITHER) for code in range(256))
IF_EQUAL = bytes([TRUE, *[FALSE] * 255])  # by the difference of two labels
FOURFOLD = bytes(4 * label % 256 for label in range(256))  # a label becomes the upper part of a pair


@dataclass(frozen=True)
class Stratum:
    """The trials whose stored label is `right` or not, and differs from that of the configured rule or not."""

    differs: bool
    right: bool


@dataclass(frozen=True)
class DrawnTrial:
    """A trial as rules read it."""

    raw: str | None
    parsed: str | None
    truth: Truth


Ranked = tuple[bytes, DrawnTrial]


@dataclass(frozen=True)
class TrialReader:
    """How a batch is read: its truths and stored labels."""

    truth: Any
    labels: Labels
    kernel: Name

    def trials(self, task: Task) -> TrialBatch:
        return TrialBatch(task(), self.truth, (), self.labels)

    def scores(self, plan: ReadingPlan) -> Kernel:
        return kernel(self.kernel, plan, NO_SIGNS)


@dataclass
class BatchDraw:
    """The trials of one batch that may be drawn, and how many there are of each stratum."""

    sizes: Counter[Stratum]
    rows: dict[Stratum, list[Ranked]]
    read: int


@dataclass
class DrawTrials:
    """The work of the first pass: draws trials by rank, so many of each stratum; `plan` is the configured rule alone.

    Without one all trials count as different: nothing is known of any.
    """

    reader: TrialReader
    plan: ReadingPlan | None
    seed: int
    most: tuple[int, int]  # of those that agree with the configured rule, and of those that differ

    @cached_property
    def _kernel(self) -> Kernel | None:
        return None if self.plan is None else self.reader.scores(self.plan)

    @cached_property
    def _bars(self) -> dict[Stratum, list[bytes]]:
        return {}

    def __call__(self, task: Task) -> BatchDraw:
        trials = self.reader.trials(task)
        own = None if self._kernel is None else self._kernel.score(trials.raw, trials.parsed, trials.truths).labels[0]
        return self.of(trials, own)

    def of(self, trials: TrialBatch, own: bytearray | None) -> BatchDraw:
        """The draw from a batch's trials, to which the configured rule gives these label codes."""
        strata = _strata(trials.stored.translate(AS_LABEL), None if own is None else own.translate(AS_LABEL))
        rows = {stratum: self._drawn(stratum, numbers, trials) for stratum, numbers in strata.items()}
        return BatchDraw(Counter({one: len(numbers) for one, numbers in strata.items()}), rows, trials.rows)

    def _drawn(self, stratum: Stratum, numbers: list[int], trials: TrialBatch) -> list[Ranked]:
        """Those of a batch that are still among the first of all that this process has seen."""
        most, bars = self.most[stratum.differs], self._bars.setdefault(stratum, [])
        bar = bars[-1] if bars and len(bars) >= most else None
        kept = heapq.nsmallest(most, ranked((self.seed, DRAW), trials.names, numbers, bar)) if most else []
        bars[:] = heapq.nsmallest(most, [*bars, *(one for one, _ in kept)])
        raw, parsed = trials.raw, trials.parsed
        return [
            (one, DrawnTrial(raw[i] if raw else None, parsed[i] if parsed else None, trials.truths[i]))
            for one, i in kept
        ]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_kernel", "_bars")}


def _strata(stored: bytes | bytearray, own: bytes | bytearray | None) -> dict[Stratum, list[int]]:
    """The rows of each stratum, by their stored labels and those of the configured rule; None: all differ."""
    others = bytes([NEITHER]) * len(stored) if own is None else own
    pairs = bytes(map(add, stored, others.translate(FOURFOLD)))
    strata: dict[Stratum, list[int]] = {}
    for pair in frozenset(pairs):
        other, label = divmod(pair, 4)
        if label != NEITHER:
            rows = compress(range(len(pairs)), pairs.translate(_only(pair)))
            strata.setdefault(Stratum(label != other, label == RIGHT), []).extend(rows)
    return strata


@lru_cache
def _only(code: int) -> bytes:
    """What translates this code to 1 and others to 0."""
    return bytes(one == code for one in range(256))


@dataclass
class TrialDraw:
    """The trials drawn from all batches by stratum, in the order of their ranks, and the sizes of the strata."""

    most: tuple[int, int]
    sizes: Counter[Stratum] = field(default_factory=Counter)
    rows: dict[Stratum, list[Ranked]] = field(default_factory=dict)

    def take(self, batch: BatchDraw) -> None:
        """Adds a batch."""
        self.sizes.update(batch.sizes)
        for stratum, rows in batch.rows.items():
            both = [*self.rows.get(stratum, []), *rows]
            self.rows[stratum] = sorted(both, key=itemgetter(0))[: self.most[stratum.differs]]

    @property
    def strata(self) -> list[Stratum]:
        """The strata that hold a trial: those that differ from the configured rule first."""
        order = [Stratum(differs, right) for differs in (True, False) for right in (True, False)]
        return [one for one in order if self.rows.get(one)]

    def part(self, start: int, end: int) -> tuple[list[tuple[Stratum, int]], list[DrawnTrial]]:
        """The trials from one place in each stratum's draw to another: how many of each, and they in this order."""
        parts = [(one, self.rows[one][start:end]) for one in self.strata]
        return [(one, len(ranked)) for one, ranked in parts], [trial for _, ranked in parts for _, trial in ranked]

    @property
    def drawn(self) -> int:
        return sum(map(len, self.rows.values()))


def labels_of(reader: TrialReader, plan: ReadingPlan, trials: Sequence[DrawnTrial]) -> tuple[list[bytes], list[bool]]:
    """The labels of drawn trials under each rule of a plan, and for each whether it ran out of time on one."""
    raw: Column = [one.raw for one in trials]
    parsed: Column = [one.parsed for one in trials]
    scores = reader.scores(plan).score(raw, parsed, [one.truth for one in trials])
    return [bytes(codes.translate(AS_LABEL)) for codes in scores.labels], [TIMEOUT in one for one in scores.labels]


@dataclass
class BatchAgreement:
    """How many trials of a batch have a stored label, and how many of these each rule gives it to.

    `kinds` says of each rule which of the labels it gives. `items` are the trials by item, where the source has them:
    for each rule TRUE where it agrees.
    """

    labelled: int
    agreed: list[int]
    kinds: list[set[int]]
    items: BatchLabels | None
    read: int


@dataclass
class CheckRules:
    """The work of the last pass: on how many trials each of a few rules agrees with the stored label."""

    reader: TrialReader
    plan: ReadingPlan

    @cached_property
    def _kernel(self) -> Kernel:
        return self.reader.scores(self.plan)

    def __call__(self, task: Task) -> BatchAgreement:
        trials = self.reader.trials(task)
        there = None if MISSING not in trials.stored else [code != MISSING for code in trials.stored]
        stored = _labels(trials.stored, there)
        scores = self._kernel.score(trials.raw, trials.parsed, trials.truths)
        labels = [_labels(codes, there) for codes in scores.labels]
        agreements = [_agreements(stored, one) for one in labels]
        items = None
        if trials.items is not None:
            own = trials.items if there is None else compress(trials.items, there)
            items = BatchLabels([stored, *agreements], NumberedColumn.of([()] * len(stored)), NumberedColumn.of(own))
        kinds = [{label for label in (WRONG, RIGHT) if label in one} for one in labels]
        return BatchAgreement(len(stored), [one.count(TRUE) for one in agreements], kinds, items, trials.rows)

    def __getstate__(self) -> dict[str, Any]:
        return {"reader": self.reader, "plan": self.plan}


def _labels(codes: bytearray, there: Sequence[bool] | None) -> bytes:
    """Label codes as labels, those of the trials that have a stored one (None: all have)."""
    labels = codes.translate(AS_LABEL)
    return bytes(labels if there is None else compress(labels, there))


def _agreements(stored: bytes, labels: bytes) -> bytearray:
    """Whether a rule gives each trial its stored label, as label codes: TRUE where it does, else FALSE."""
    apart = int.from_bytes(stored) ^ int.from_bytes(labels)  # a byte for each trial, all at once
    return bytearray(apart.to_bytes(len(stored)).translate(IF_EQUAL))


@dataclass
class Agreements:
    """The agreement of a few rules with all stored labels."""

    rules: int
    labelled: int = 0
    agreed: array[int] = field(init=False)
    kinds: list[set[int]] = field(init=False)
    items: LabelTable = field(default_factory=LabelTable)

    def __post_init__(self) -> None:
        self.agreed = array("q", [0] * self.rules)
        self.kinds = [set() for _ in range(self.rules)]

    def take(self, batch: BatchAgreement) -> None:
        """Adds a batch."""
        self.labelled += batch.labelled
        for i, n in enumerate(batch.agreed):
            self.agreed[i] += n
            self.kinds[i] |= batch.kinds[i]
        if batch.items is not None:
            self.items.take(batch.items)

    def constant(self, rule: int) -> bool:
        """Whether a rule gives one label throughout."""
        return len(self.kinds[rule]) < 2

    def counts(self, rule: int) -> LabelCounts:
        """A rule's agreement as labels: right where it gives the stored label, wrong where not; by item if possible."""
        agreed = self.agreed[rule]
        counts = LabelCounts(agreed, self.labelled - agreed, 0, 0, 0, 0, 0, 0)
        if not self.items.items:
            return counts
        items, _ = CrossedItems(self.items, "zero").of(rule, STORED)
        return LabelCounts(agreed, self.labelled - agreed, 0, 0, 0, 0, 0, 0, items=items)


@dataclass(frozen=True)
class PickedAgreements:
    """The agreement of rules that were checked in one pass or several, each with its number there."""

    picked: Sequence[tuple[Agreements, int]]

    @property
    def labelled(self) -> int:
        return self.picked[0][0].labelled

    @property
    def agreed(self) -> list[int]:
        return [checked.agreed[number] for checked, number in self.picked]

    def constant(self, rule: int) -> bool:
        """Whether a rule gives one label throughout."""
        checked, number = self.picked[rule]
        return checked.constant(number)

    def counts(self, rule: int) -> LabelCounts:
        """A rule's agreement as labels."""
        checked, number = self.picked[rule]
        return checked.counts(number)
