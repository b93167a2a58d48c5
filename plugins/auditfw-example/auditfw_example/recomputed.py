"""A whole audit: are stored numbers those that a second computation gives?

A batch goes in, counts by cell come out; counts merge, and go to the metrics: the shape of auditfw's own audits.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from heapq import nlargest
from typing import Any, ClassVar

import auditfw

STORED, RECOMPUTED = auditfw.Reading("stored", "reference"), auditfw.Reading("recomputed", "candidate")
Worst = tuple[float, str, float | None, float | None]  # how far apart, the trial, its two numbers


@dataclass
class DifferenceCounts:
    """The trials of one cell: how many have two finite numbers, how many of these differ, the largest difference."""

    paired: int = 0
    unpaired: int = 0
    differing: int = 0
    largest: float = 0.0

    def add(self, other: DifferenceCounts) -> None:
        """Adds further trials: exact in any order, so that any number of processes gives the same."""
        self.paired, self.unpaired = self.paired + other.paired, self.unpaired + other.unpaired
        self.differing, self.largest = self.differing + other.differing, max(self.largest, other.largest)


def counts_of(gap: float | None, tolerance: float) -> DifferenceCounts:
    """One trial; one without a difference has a number that is missing or not finite."""
    return DifferenceCounts(0, 1) if gap is None else DifferenceCounts(1, 0, int(gap > tolerance), gap)


@dataclass
class BatchDifferences:
    """What one batch came to: its counts by cell, its rows of trials.parquet, its trials that differ most."""

    rows: dict[str, list[Any]]
    counts: Counter[str]
    notes: Counter[str]
    cells: dict[auditfw.Cell, DifferenceCounts] = field(default_factory=dict)
    worst: list[Worst] = field(default_factory=list)


@dataclass(frozen=True)
class Comparer:
    """The work on one batch, as it is sent to every process."""

    by: tuple[str, ...]
    tolerance: float
    most: int

    def __call__(self, task: auditfw.Task) -> BatchDifferences:
        columns = (batch := task()).columns
        pairs = list(zip(map(number, columns["stored"]), map(number, columns["recomputed"]), strict=True))
        gaps = [None if a is None or b is None else abs(a - b) for a, b in pairs]
        status = ["missing" if gap is None else "audited" for gap in gaps]
        rows = {"id": list(columns["id"]), **{name: list(columns[name]) for name in self.by}, "status": status}
        rows |= {"stored": [a for a, _ in pairs], "recomputed": [b for _, b in pairs], "difference": gaps}
        done = BatchDifferences(rows, Counter(status) + batch.dropped, batch.notes)
        for i, gap in enumerate(gaps):
            cell = tuple(columns[name][i] for name in self.by)
            done.cells.setdefault(cell, DifferenceCounts()).add(counts_of(gap, self.tolerance))
        kept = [(gap, str(columns["id"][i]), *pairs[i]) for i, gap in enumerate(gaps) if gap and gap > self.tolerance]
        done.worst = nlargest(self.most, kept)
        return done


def number(value: Any) -> float | None:
    """The finite number that a value is or spells; None for anything else."""
    with suppress(TypeError, ValueError, OverflowError):
        return found if math.isfinite(found := float(value)) else None
    return None


@auditfw.register("metric", "differing")
@dataclass(frozen=True)
class Differing:
    """Gives the share of trials whose two numbers differ by more than the tolerance, in percent."""

    roles: ClassVar[frozenset[auditfw.Role]] = frozenset({"candidate"})
    takes: ClassVar[type] = DifferenceCounts
    unit: ClassVar[str] = "%"
    digits: ClassVar[int] = 2

    def __call__(self, sample: DifferenceCounts) -> auditfw.Estimate:
        if sample.paired:
            return auditfw.Estimate(100 * sample.differing / sample.paired, sample.paired, sample.unpaired)
        return auditfw.Estimate(None, 0, sample.unpaired, undefined="no trial with two numbers")


@auditfw.register("audit", "recomputed")
@dataclass(frozen=True)
class Recomputed:
    """Compares stored numbers with recomputed ones, trial by trial."""

    name: ClassVar[str] = "recomputed"
    source: auditfw.Source
    tolerance: float = 1e-9

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise auditfw.UsageError("tolerance", "expected a number of 0 or more", self.tolerance)

    def look(self, by: Sequence[str]) -> list[str]:
        """What `auditfw check` says: opens the source, and reads nothing."""
        evidence = self.source.open(["stored", "recomputed", *by], ["id"])
        return [f"trials: {evidence.counted()}", f"columns: {', '.join(evidence.columns)}"]

    def run(self, context: auditfw.Context) -> auditfw.Outcome:
        """Reads, compares and counts every trial."""
        evidence = self.source.open(["stored", "recomputed", *context.by], ["id"])
        inputs, counts, notes, worst = auditfw.InputSums(evidence), Counter[str](), Counter[str](), list[Worst]()
        cells: dict[auditfw.Cell, DifferenceCounts] = {}

        def take(part: BatchDifferences) -> auditfw.TakenBatch:
            context.trials.add(part.rows)
            counts.update(part.counts)
            notes.update(part.notes)
            for cell, found in part.cells.items():
                cells.setdefault(cell, DifferenceCounts()).add(found)
            worst[:] = nlargest(context.limits.max_examples, [*worst, *part.worst])
            return auditfw.TakenBatch(len(part.rows["id"]), len(cells))

        work = Comparer(context.by, self.tolerance, context.limits.max_examples)
        auditfw.collect(context, work, auditfw.Batches(evidence.tasks, evidence.rows), take)
        samples, buckets = samples_of(cells, context.by), {"read": counts.total(), "audited": 0, **counts}
        sections, warnings = partial(_sections, worst, samples[0].data), [*evidence.warnings, *auditfw.remarks(notes)]
        answer = answer_of(samples[0].data)
        return auditfw.Outcome(buckets, [STORED, RECOMPUTED], samples, inputs(), sections, warnings, answer=answer)


def answer_of(whole: DifferenceCounts) -> auditfw.Answer:
    """What follows: status, headline with the number that decides, why, what to do, what was looked at, the rule."""
    differ = whole.differing > 0
    numbers: tuple[float | None, ...] = (float(whole.differing), None, None, None, 0.0)  # value, its ends, p, bound
    asks, words = "Does any stored number differ?", ("trials that differ", "", "above", None, "fragile")
    rule = auditfw.AnswerRule("differ", "recomputed", {}, *numbers, differ, asks, *words)
    scope = f"{whole.paired:,} trials with two numbers, {whole.unpaired:,} without."
    if not whole.paired:
        return auditfw.Answer("unknown", "No trial has two numbers.", [], "Fill in the column recomputed.", scope)
    if not differ:
        return auditfw.Answer("stable", "All stored numbers are right.", [], "Use them.", scope, [rule])
    headline = f"{whole.differing:,} of {whole.paired:,} stored numbers are not what comes out again."
    because = [f"The largest difference is {whole.largest:g}."]
    return auditfw.Answer(
        "fragile", headline, because, "Look at those that differ most.", scope, [rule], [[0]], [scope]
    )


def samples_of(cells: dict[auditfw.Cell, DifferenceCounts], by: Sequence[str]) -> list[auditfw.Sample]:
    """The sample of all trials, then one of each cell."""
    whole, keys = DifferenceCounts(), auditfw.sorted_cells(cells)
    for one in cells.values():
        whole.add(one)
    named = zip(auditfw.named_cells(keys, by), keys, strict=True) if by else ()
    return [auditfw.Sample(RECOMPUTED, name, one) for name, one in (({}, whole), *((n, cells[k]) for n, k in named))]


def _sections(worst: Sequence[Worst], whole: DifferenceCounts, _: Any) -> list[auditfw.Section]:
    """What the reports show beside the answer, the measurements and the gates."""
    note = auditfw.Note(f"{whole.differing:,} of {whole.paired:,} trials differ, by at most {whole.largest:g}.")
    rows = [[name, f"{stored:g}", f"{again:g}", f"{gap:g}"] for gap, name, stored, again in worst]
    table = auditfw.Table(["trial", "stored", "recomputed", "difference"], rows, "<>>>")
    return [auditfw.Section("Numbers that Differ Most", [note, table], console=True)]
