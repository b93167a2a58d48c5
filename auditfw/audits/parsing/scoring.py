"""What one process does with one batch: its trials labelled under every reading, for one run or for several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from auditfw.audits.batches import Batches, Lay, TakenBatch, as_they_are, collect_checked
from auditfw.audits.parsing.engine.kernels import Kernel, Scores, Signs, by_row, kernel, sound, without_stored
from auditfw.audits.parsing.engine.shared_results import SharedResults
from auditfw.audits.parsing.engine.verify import BATCHES, CommonPlan, sign_keepers, spaced, wrong_by_sign
from auditfw.audits.parsing.kept.flips import FlipBars, FlipDraw
from auditfw.audits.parsing.kept.near import NearDraw, NearRows, NearSieve
from auditfw.audits.parsing.kept.row_facts import RowEnds
from auditfw.audits.parsing.kept.texts import TEXTS, TextsTable, TrialTexts, texts_of
from auditfw.audits.parsing.probe.draw import DrawSieve, ProbeDraw, ProbeRows
from auditfw.audits.parsing.probe.stored_text import alone, probe_rows
from auditfw.core.native import Name, kernel_name
from auditfw.core.records import Batch
from auditfw.core.remote.parts import LaidRows
from auditfw.core.tables import PackedRows, TrialTable
from auditfw.formulas.texts.patterns import forget_late
from auditfw.kinds.capabilities import capability
from auditfw.kinds.context import Context, Task
from auditfw.kinds.evidence import Evidence

from .columns import RunColumns, RunWork, ScoredTrials, sent, written
from .scored_batch import MISMATCHES_SHOWN, ReadingCounts, RowCounts, ScoredBatch
from .settings import ParsingSettings
from .table import BatchLabels, LabelTable
from .trials import LATE, Labels, Trial, TrialBatch

Probes = dict[tuple[int, int, bytes], ProbeRows]  # of a batch, by the number of trials, the seed and the sound rows


@dataclass
class RunBatch:
    """What a batch comes to for one run: its counts, and the trials whose texts are kept."""

    counts: ReadingCounts
    flips: list[Trial]
    probe: ProbeRows | None = None
    texts: TrialTexts | None = None
    near: NearRows | None = None


@dataclass
class ParsedBatch:
    """What a batch comes to: its rows of the table of trials, its labels, and what each run has of it."""

    columns: dict[str, Any] | PackedRows | LaidRows | None  # None: they are among those of a batch before it
    labels: BatchLabels
    counts: RowCounts
    runs: list[RunBatch]
    height: int


@dataclass(frozen=True)
class ParsingScorer:
    """The work on one batch, for one run or several over the same trials, as it is sent to every process."""

    works: tuple[RunWork, ...]
    by: tuple[str, ...]
    truth: Any
    labels: Labels
    signs: Signs
    kernel: Name
    ends: RowEnds

    @property
    def alone(self) -> bool:
        """Whether there is one run: then a worker that leaves its rows elsewhere writes them as the run does."""
        return len(self.works) == 1

    @cached_property
    def common(self) -> CommonPlan:
        """What all runs read, each reading once."""
        return CommonPlan([work.plan.scored for work in self.works])

    @cached_property
    def columns(self) -> list[list[int]]:
        """For each run the number of the column of label codes of each of its readings; equal readings have one."""
        known: dict[tuple[int, int], int] = {}
        return [[known.setdefault(key, len(known)) for key in keys] for keys in map(self._keys, range(len(self.works)))]

    def _keys(self, run: int) -> list[tuple[int, int]]:
        """What each reading of a run goes by: its number among all, with rules by value those of this run alone."""
        plan = self.works[run].plan
        numbers = dict(zip(plan.scored.readings, self.common.readings[run], strict=True))
        each = enumerate(plan.readings)
        return [(-1, numbers[place]) if plan.places(i) is None else (run, i) for i, place in each]

    @cached_property
    def written(self) -> list[RunColumns]:
        """For each run which of the columns that are sent it writes."""
        parts = zip(self.works, self.columns, self.common.parsers, strict=True)
        return [RunColumns(run, work, labels, parsers) for run, (work, labels, parsers) in enumerate(parts)]

    @cached_property
    def _kernel(self) -> Kernel:
        forget_late()
        return kernel(self.kernel, self.common.plan, self.signs)

    @cached_property
    def _runs(self) -> list[_RunScorer]:
        return [_RunScorer(self, run) for run in range(len(self.works))]

    @cached_property
    def _checked(self) -> list[None]:
        return []

    def batches_checked(self) -> int:
        """How many batches this process has verified before; counts one more."""
        before = len(self._checked)
        if before < BATCHES:
            self._checked.append(None)
        return before

    def __call__(self, task: Task) -> ParsedBatch:
        batch = task()
        trials = TrialBatch(batch, self.truth, self.by, self.labels, self.common.plan.needs)
        scores = self._kernel.score(trials.raw, trials.parsed, trials.truths)
        scores = replace(scores, answers=lru_cache(maxsize=None)(scores.answers))
        unsound = len(self.works) > 1 and not all(sound(scores.labels, len(trials.kept)))
        scored = [run.scored(batch, trials, scores, unsound) for run in self._runs]
        few = bool(trials.kept) and self.batches_checked() < BATCHES
        counts = [run.verified(one, few) for run, one in zip(self._runs, scored, strict=True)]
        probes: Probes = {}
        parts = zip(self._runs, scored, counts, strict=True)
        runs = [run.of(scored_batch, counted, probes) for run, scored_batch, counted in parts]
        own: dict[int, bytes] = {}
        for numbers, one in zip(self.columns, scored, strict=True):
            for number, codes in zip(numbers, one.labels, strict=True):
                own.setdefault(number, bytes(codes))
        labels = [bytes(trials.stored), *(own[number] for number in range(len(own)))]
        rows = RowCounts.of(trials)
        rows.notes, rows.buckets = Counter(batch.notes), rows.buckets + Counter(batch.dropped)
        facts, rows.facts = self.ends.of(batch, trials.by)
        columns = sent(self.written, trials, scored, labels, facts)
        return ParsedBatch(columns, BatchLabels(labels, *trials.numbered), rows, runs, trials.rows)

    def pack(self, parts: list[ParsedBatch], lay: Lay = as_they_are) -> list[ParsedBatch]:
        """The same, with the rows of all of them as one file at the first, where `lay` left it."""
        columns, shown = [part.columns for part in parts if isinstance(part.columns, dict)], None
        if self.alone and lay is not as_they_are:
            failed = any(part.runs[0].counts.failed for part in parts)
            shown = written(self.written[0], self.by, list(columns[0]), failed)
        packed = lay(PackedRows.of(columns, shown))
        return [replace(part, columns=None if number else packed) for number, part in enumerate(parts)]

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}


class _RunScorer:
    """The work of one run in this process: of the scores that are made for all those of its readings."""

    def __init__(self, scorer: ParsingScorer, run: int) -> None:
        self.work, self._kernel_name, self._signs = scorer.works[run], scorer.kernel, scorer.signs
        common = scorer.common
        self._parsers, self._readings = common.parsers[run], common.readings[run]
        self._paths = [scorer._kernel.scorer.path(common.ends[run][n]) for _, n in self.work.plan.readings]
        self._sign_keepers = sign_keepers(self.work.plan)
        self._bars, self._sieve = FlipBars(self.work.flips), DrawSieve(self.work.probe)
        self._near = NearSieve(self.work.near)
        self._mismatches_shown = 0  # batches come in order, and the first ones are shown

    @cached_property
    def _kernel(self) -> Kernel:
        return kernel(self._kernel_name, self.work.plan.scored, self._signs)

    def scored(self, batch: Batch, trials: TrialBatch, common: Scores, unsound: bool) -> ScoredBatch:
        """The batch as this run reads it.

        Where a component failed under a reading of any run, signs and problems are counted by this run's readings.
        """
        work, plan = self.work, self.work.plan

        def answers(row: int) -> list[str | None]:
            every = common.answers(row)
            return [every[p] for p in self._parsers]

        labels, unread = ([of[r] for r in self._readings] for of in (common.labels, common.unread))
        own = self._kernel.score(trials.raw, trials.parsed, trials.truths) if unsound else common
        scores = by_row(Scores(labels, own.facts, answers, own.problems, unread), plan, trials.values)
        scores = without_stored(scores, plan, trials.unstored, trials.values)
        whole = sound(scores.labels, len(trials.kept))
        return ScoredBatch(plan, batch, trials, scores, whole, work.flips.reference, work.seed)

    def verified(self, scored: ScoredBatch, few: bool) -> ReadingCounts:
        """What computing some trials again shows: those of the share that is asked for, and a `few` others."""
        counts = ReadingCounts(facts=scored.scores.facts, problems=list(scored.scores.problems))
        ranks, share = scored.ranks, int(self.work.verify * 2**64)
        drawn = {i for i, rank in enumerate(ranks) if int.from_bytes(rank) < share} if share else set()
        if few:
            drawn.update(spaced(int.from_bytes(ranks[0]), len(ranks)))
        scored.verify([i for i in sorted(drawn) if scored.sound[i]], counts)
        return counts

    def of(self, scored: ScoredBatch, counts: ReadingCounts, probes: Probes) -> RunBatch:
        """What the batch comes to; `probes` are the rows for the probe that other runs' work has found."""
        work, trials = self.work, scored.trials
        texts = trials.raw, trials.parsed
        counts.signed = wrong_by_sign(work.plan, self._sign_keepers, scored.labels, texts, trials.truths)
        for path in self._paths if trials.kept else ():  # a path that nothing took is not named
            counts.paths[path] += len(trials.kept)
        counts.failed, counts.unread = scored.failed, scored.unread
        counts.alone = alone(trials, scored.labels, work.plan, scored.sound)
        if work.baseline is not None:
            left = MISMATCHES_SHOWN - self._mismatches_shown
            counts.mismatches = scored.mismatches(work.baseline, work.flips.undefined, left)
            self._mismatches_shown += len(counts.mismatches)
        kept = RunBatch(counts, self._bars.of(scored))
        if TEXTS in work.keeps:
            kept.texts = texts_of(scored)
        if work.probe and (trials.items is None or None not in trials.items):
            key = work.probe, work.seed, bytes(scored.sound)
            if key not in probes:  # a sieve that lets more through than another makes no difference to the draw
                items = None if trials.numbered[1] is None else trials.numbered[1].values
                probes[key] = probe_rows(self._sieve, scored, work.seed, items)
            kept.probe = probes[key]
        if work.near and (trials.items is None or None not in trials.items):
            kept.near = self._near.of(scored, work.seed)
        return kept


def scorer_of(audit: ParsingSettings, works: Sequence[RunWork], by: tuple[str, ...]) -> ParsingScorer:
    """The work for several runs that read trials as this audit does, or for its own alone."""
    labels = Labels(
        frozenset(audit.stored_true), frozenset(audit.stored_false), audit.unknown_stored == "count", audit.row_rules
    )
    return ParsingScorer(tuple(works), by, audit.truth, labels, audit.signs, kernel_name(), audit.ends)


# One pass over the trials, for one run or for several over the same ones: what its batches come to, and for whom.

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
        self.laid = False  # whether the rows come from shared storage
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
        if capability(context.engine, "parts") is not None:
            self.trials.most_joined = capability(context.engine, "most_joined")
        heavy = any(work.plan.slow for work in self.scorer.works)
        weight = None if evidence.rows is None or not heavy else evidence.rows * HEAVY
        batches = Batches(evidence.tasks, evidence.rows, weight, evidence.unsummed)
        collect_checked(context, self.scorer, batches, self._take)

    def _take(self, part: ParsedBatch) -> TakenBatch:
        if isinstance(part.columns, dict):
            self.trials.add(part.columns)
        elif part.columns is not None:
            self.laid = isinstance(part.columns, LaidRows)
            self.trials.add_packed(part.columns.packed())
        self.rows.merge(part.counts)
        self.table.take(part.labels)
        for run, one in zip(self.runs, part.runs, strict=True):
            run.take(one)
        self._take_probes([one.probe for one in part.runs])
        over = any(run.over for run in self.runs)
        return TakenBatch(part.height, len(self.table.cells), over)

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
        if not (self.laid and self.scorer.alone):
            columns = written(self.scorer.written[run], self.scorer.by, self.trials.names, failed)
            context.trials.show(columns, self.trials)
        table = shared.once(("table", run), lambda: self.table.of(self.scorer.columns[run]))
        return ScoredTrials(
            own.work, self.rows, own.counts, table, own.flips, own.probe, own.near, own.over, own.tables, shared
        )
