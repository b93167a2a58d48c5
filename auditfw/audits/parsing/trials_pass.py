"""One pass over the trials, for one run or for several over the same ones: what its batches come to, and for whom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from auditfw.audits.batches import Batches, TakenBatch, collect_checked
from auditfw.audits.parsing.engine.shared_results import SharedResults
from auditfw.audits.parsing.kept.flips import FlipDraw
from auditfw.audits.parsing.kept.near import NearDraw
from auditfw.audits.parsing.kept.texts import TextsTable
from auditfw.audits.parsing.probe.draw import ProbeDraw, ProbeRows
from auditfw.core.tables import TrialTable
from auditfw.kinds.context import Context
from auditfw.kinds.evidence import Evidence

from .columns import BUCKET, written
from .counts import ReadingCounts, RowCounts
from .run_work import RunWork
from .scored_trials import ScoredTrials
from .scoring import ParsedBatch, ParsingScorer, RunBatch
from .table import LabelTable
from .trials import LATE

VERY_LATE = 20  # trials that reach a deadline
HEAVY = 10  # so many usual trials are worth one whose matcher is slow: a second batch is worth a second process


@dataclass
class _RunTrials:
    """What the batches come to for one run; on `errors` trials components may fail, None: on any number."""

    work: RunWork
    flips: FlipDraw
    probe: ProbeDraw
    errors: float | None = None
    texts: TextsTable | None = None
    counts: ReadingCounts = field(default_factory=ReadingCounts)

    @cached_property
    def near(self) -> NearDraw:
        """What is drawn for other forms of the truths."""
        return NearDraw(self.work.near)

    @cached_property
    def tables(self) -> dict[str, Any]:
        """Its further tables, closed."""
        return {} if self.texts is None else self.texts.close()

    def take(self, part: RunBatch) -> None:
        self.counts.merge(part.counts)
        self.flips.take(part.flips)
        self.near.take(part.near)
        if self.texts is not None and part.texts is not None:
            self.texts.add(part.texts)

    @property
    def over(self) -> bool:
        """Whether very many trials reached a deadline, and more have failed than the run allows."""
        failed = self.counts.failed
        return self.errors is not None and failed[LATE] >= VERY_LATE and failed.total() > self.errors


class TrialsPass:
    """What the batches of a pass come to; their rows go to the table of trials as they come."""

    def __init__(self, scorer: ParsingScorer, trials: TrialTable, errors: Sequence[float | None]) -> None:
        self.scorer, self.trials, self.rows, self.table = scorer, trials, RowCounts(), LabelTable()
        probes: dict[tuple[int, int], ProbeDraw] = {}
        self.runs = [
            _RunTrials(
                work,
                FlipDraw(work.flips, work.tracer(scorer.signs)),
                probes.setdefault((work.probe, work.seed), ProbeDraw(work.probe)),
                most,
            )
            for work, most in zip(scorer.works, errors, strict=True)
        ]

    def read(self, context: Context, evidence: Evidence) -> None:
        """Has the engine work on all batches. Raises AuditError."""
        heavy = any(work.plan.slow for work in self.scorer.works)
        weight = None if evidence.rows is None or not heavy else evidence.rows * HEAVY
        collect_checked(context, self.scorer, Batches(evidence.tasks, evidence.rows, weight), self._take)

    def _take(self, part: ParsedBatch) -> TakenBatch:
        self.trials.add(part.columns)
        self.rows.merge(part.counts)
        self.table.take(part.labels)
        for run, one in zip(self.runs, part.runs, strict=True):
            run.take(one)
        self._take_probes([one.probe for one in part.runs])
        over = any(run.over for run in self.runs)
        return TakenBatch(len(part.columns[BUCKET]), len(self.table.cells), over)

    def _take_probes(self, parts: Sequence[ProbeRows | None]) -> None:
        """Adds the rows for the probe: runs whose rows were the same so far have one draw."""
        groups: dict[tuple[int, int], tuple[ProbeDraw, ProbeRows, list[_RunTrials]]] = {}
        for run, rows in zip(self.runs, parts, strict=True):
            if rows is not None:
                groups.setdefault((id(run.probe), id(rows)), (run.probe, rows, []))[2].append(run)
        apart = Counter(draw for draw, _ in groups)
        for (number, _), (draw, rows, runs) in groups.items():
            own = draw.copy() if apart[number] > 1 else draw
            own.take(rows)
            for run in runs:
                run.probe = own

    def of(self, run: int, context: Context, shared: SharedResults) -> ScoredTrials:
        """The part of one run, whose context has the table of its trials."""
        own = self.runs[run]
        failed = bool(own.counts.failed)
        columns = written(self.scorer.written[run], self.scorer.by, self.trials.names, failed)
        context.trials.show(columns, self.trials)
        table = shared.once(("table", run), lambda: self.table.of(self.scorer.columns[run]))
        return ScoredTrials(
            own.work, self.rows, own.counts, table, own.flips, own.probe, own.near, own.over, own.tables, shared
        )
