"""What one process does with one batch: its trials labelled under every reading, and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from auditfw.audits.parsing.conclusions.rule_passes import BatchDraw, DrawTrials, EarlyDraw, TrialDraw
from auditfw.audits.parsing.conclusions.tracing import CauseTracer, RowTracer
from auditfw.audits.parsing.engine.currency import sign_keepers, wrong_by_sign
from auditfw.audits.parsing.engine.kernels import Kernel, Scores, Signs, kernel, sound
from auditfw.audits.parsing.engine.plan import MISSING, PROBLEMS_KEPT, TIMEOUT, ReadingPlan
from auditfw.audits.parsing.engine.row_rules import by_row, without_stored
from auditfw.audits.parsing.engine.verify import BATCHES, again, foreign_parts, spaced, trial_of, unsteady
from auditfw.audits.parsing.kept.batch_texts import texts_of
from auditfw.audits.parsing.kept.flips import FlipBars, FlipSettings, Tracer
from auditfw.audits.parsing.kept.samples import SCORES, sample_columns
from auditfw.audits.parsing.kept.texts import TEXTS
from auditfw.audits.parsing.probe.draw import DrawSieve, ProbeRows
from auditfw.audits.parsing.probe.rows import probe_rows
from auditfw.audits.parsing.probe.stored_text import alone
from auditfw.core.native import Name, kernel_name
from auditfw.core.records import Batch
from auditfw.formulas.texts.patterns import forget_late
from auditfw.kinds.context import Context, ReportLimits, Task

from .counts import MISMATCHES_SHOWN, ParsingCounts
from .scored_batch import LABELS, BatchMemo, ScoredBatch, facts_of, labels_of, rows_of, status_of
from .settings import ParsingSettings
from .trials import Labels, TrialBatch


@dataclass
class ParsingScorer:
    """The work on one batch, as it is sent to every process."""

    plan: ReadingPlan
    by: tuple[str, ...]
    seed: int
    signs: Signs
    kernel: Name
    stored_true: frozenset[str]
    stored_false: frozenset[str]
    truth: Any
    baseline: int | None
    flips: FlipSettings
    keep_text: bool
    verify: float
    probe: int = 0  # trials that are drawn for it
    counted: bool = False  # rows whose stored label is neither true nor false, in place of refusing them
    row_rules: tuple[str, frozenset[str]] | None = None  # a column, and those of its values that have a rule
    keeps: frozenset[str] = frozenset()  # what reports need of each trial
    early: EarlyDraw | None = None  # for a search of the rule of the labels

    @cached_property
    def _kernel(self) -> Kernel:
        forget_late()
        return kernel(self.kernel, self.plan.scored, self.signs)

    @cached_property
    def _sign_keepers(self) -> list[int]:
        return sign_keepers(self.plan)

    @cached_property
    def _bars(self) -> FlipBars:
        return FlipBars(self.flips)

    def reading_of(self, rule: ReadingPlan | None) -> int | None:
        """The number of the baseline, where that is the one reading of this plan."""
        if rule is None or self.baseline is None or self.plan.ruled is not None:
            return None
        p, n = self.plan.readings[self.baseline]
        own = self.plan.parsers[p].part, self.plan.normalizers[n].part, self.plan.matcher_of(n)
        return self.baseline if own == (rule.parsers[0].part, rule.normalizers[0].part, rule.matcher) else None

    def tracer(self) -> Tracer | None:
        """What says why labels changed; None where that is not wanted."""
        flips = self.flips
        if not flips.causes:
            return None
        own = flips.reference, self.baseline, flips.candidates, flips.undefined, self.signs
        if self.plan.ruled is None:
            return CauseTracer(self.plan, *own)
        return RowTracer(lambda value: CauseTracer(self.plan.under(value), *own))

    @cached_property
    def _sieve(self) -> DrawSieve:
        return DrawSieve(self.probe)

    @cached_property
    def _mismatches_shown(self) -> list[int]:
        return []

    @cached_property
    def _checked(self) -> list[None]:
        return []

    def batches_checked(self) -> int:
        """How many batches this process has verified before; counts one more."""
        before = len(self._checked)
        if before < BATCHES:
            self._checked.append(None)
        return before

    def mismatches_left(self, shown: int = 0) -> int:
        """How many more mismatches this process may show: batches come in order, and the first ones are shown."""
        self._mismatches_shown.extend([shown] if shown else [])
        return MISMATCHES_SHOWN - sum(self._mismatches_shown)

    def __call__(self, task: Task) -> ParsingCounts:
        return self.on(task(), self._kernel)

    def on(self, batch: Batch, kernel: Kernel, memo: BatchMemo | None = None) -> ParsingCounts:
        """What a batch comes to, its texts read by this kernel; `memo` is what several scorers of it share."""
        memo = BatchMemo() if memo is None else memo
        labels = Labels(self.stored_true, self.stored_false, self.counted, self.row_rules)
        trials = memo.trials_of(batch, self.truth, self.by, labels, self.plan.needs)
        own = kernel.score(trials.raw, trials.parsed, trials.truths)
        scores = without_stored(by_row(own, self.plan, trials.values), self.plan, trials.unstored, trials.values)
        whole = sound(scores.labels, len(trials.kept))
        scored = ScoredBatch(self.plan, kernel, batch, trials, scores, whole, memo, self.flips.reference, self.seed)
        done = ParsingCounts(notes=batch.notes, counts=Counter(batch.dropped))
        done.take_trials(trials)
        done.facts, done.problems = scores.facts, list(scores.problems)
        self._verify(scored, done)
        texts = trials.raw, trials.parsed
        done.signed = wrong_by_sign(self.plan, self._sign_keepers, scores.labels, texts, trials.truths)
        for _, n in self.plan.readings if trials.kept else ():  # a path that nothing took is not named
            done.paths[kernel.scorer.path(n)] += len(trials.kept)
        status = status_of(scored)
        count(scored, done, status)
        done.labels = labels_of(scored)
        done.rows = rows_of(scored, status, self.keep_text or SCORES in self.keeps)
        if SCORES in self.keeps:
            done.rows |= sample_columns(batch.columns)
        done.rows |= facts_of(scored, self.baseline)
        if TEXTS in self.keeps:
            done.texts = texts_of(scored)
        done.flips = self._bars.of(scored)
        if self.baseline is not None:
            done.mismatches = scored.mismatches(self.baseline, self.flips.undefined, self.mismatches_left())
            self.mismatches_left(len(done.mismatches))
        if self.probe and not done.without_item:
            done.probe_rows = self._probe_rows(scored, done)
        if self.early is not None and all(whole) and not own.problems:
            done.rule_draw = self._rule_draw(self.early, trials, own)
        done.alone = alone(trials, scored.labels, self.plan, scored.sound)
        return done

    def draw_early(self, draws: DrawTrials | None) -> TrialDraw | None:
        """Has the batches draw for a search while they are scored; None where that cannot be: nobody draws yet."""
        if draws is None or self.plan.needs or (draws.plan is not None and self.reading_of(draws.plan) is None):
            return None
        self.early = EarlyDraw(draws)
        return TrialDraw(draws.most)

    def _rule_draw(self, early: EarlyDraw, trials: TrialBatch, scores: Scores) -> BatchDraw | None:
        """What a batch adds to the draw of a search: its own rule's labels are among the scores."""
        number = self.reading_of(early.draws.plan)
        return early.of(trials, None if number is None else scores.labels[number])

    def _probe_rows(self, scored: ScoredBatch, done: ParsingCounts) -> ProbeRows:
        """The rows that may be drawn; a sieve that lets more through than another makes no difference to the draw."""
        key, known = (self.probe, self.seed, id(scored.trials), bytes(scored.sound)), scored.memo.probes
        if key not in known:
            items = None if done.labels is None or done.labels.items is None else done.labels.items.values
            known[key] = probe_rows(self._sieve, scored, self.seed, items)
        return known[key]

    def _verify(self, scored: ScoredBatch, done: ParsingCounts) -> None:
        """Computes a few trials again by the definitions, or the share that is asked for, and notes what differs."""
        rows = self._drawn_again(scored)
        if rows:
            done.paths["reference"] += len(rows)
        for i in rows:
            verify(scored, i, done)

    def _drawn_again(self, scored: ScoredBatch) -> list[int]:
        """The rows to compute again: a few of the first batches of this process, and the share asked for."""
        ranks, share = scored.ranks, int(self.verify * 2**64)
        drawn = {i for i, rank in enumerate(ranks) if int.from_bytes(rank) < share} if share else set()
        if ranks and self.batches_checked() < BATCHES:
            drawn.update(spaced(int.from_bytes(ranks[0]), len(ranks)))
        return [i for i in sorted(drawn) if scored.sound[i]]

    def __getstate__(self) -> dict[str, Any]:
        own = ("_kernel", "_sign_keepers", "_bars", "_sieve", "_mismatches_shown", "_checked")
        return {name: value for name, value in self.__dict__.items() if name not in own}


def scorer_of(audit: ParsingSettings, columns: Sequence[str], context: Context) -> ParsingScorer:
    """The scorer of an audit for the columns at hand, as it is sent to every process."""
    plan, names = audit.plan(columns)
    reference = audit.reference_in(plan, columns)
    return ParsingScorer(
        plan=plan,
        by=context.by,
        seed=context.seed,
        signs=audit.signs,
        kernel=kernel_name(),
        stored_true=frozenset(audit.stored_true),
        stored_false=frozenset(audit.stored_false),
        truth=audit.truth,
        baseline=audit.baseline_in(plan, columns),
        flips=FlipSettings(len(names), shown_of(context.limits, len(names)), audit.causes, audit.undefined, reference),
        keep_text=audit.keep_text,
        verify=audit.verify,
        probe=audit.probe or 0,
        counted=audit.unknown_stored == "count",
        row_rules=audit.row_rules,
        keeps=context.keeps,
    )


def shown_of(limits: ReportLimits, candidates: int) -> int:
    """How many flips of each reading and direction may be shown: those of a page, or of a section."""
    page = max(1, limits.max_exhibits // candidates) if limits.max_exhibits and candidates else 0
    return max(page, limits.max_examples)


def count(scored: ScoredBatch, done: ParsingCounts, status: Sequence[str]) -> None:
    """Counts the buckets of the rows, and the truths that matchers cannot read."""
    done.counts.update(status)
    for reading, reasons in enumerate(scored.scores.unread):
        refusals = Counter(refusal for row, refusal in reasons.items() if scored.sound[row])
        done.unread.update({(reading, refusal): n for refusal, n in refusals.items()})
    done.ruleless = scored.trials.ruleless_values()


def verify(scored: ScoredBatch, i: int, done: ParsingCounts) -> None:
    """Computes a trial again by the definitions under every reading, and notes what differs or changes.

    One on which a definition reaches its deadline has no label, whatever a quicker way gives: so it is under every
    kernel.
    """
    trials = scored.trials
    plan = scored.plan.under(trials.values[i] if trials.values else None)
    for name, reading, codes in zip(plan.names(), plan.readings, scored.labels, strict=True):
        column = trials.raw if plan.parsers[reading[0]].part.column == "raw_text" else trials.parsed
        if codes[i] == MISSING or column is None:
            continue
        text, truth = column[i] or "", trials.truths[i]
        try:
            changing = unsteady(text, truth, plan, reading)
            differs = changing is None and again(text, truth, plan, reading) != LABELS[codes[i]]
        except TimeoutError as error:
            codes[i], scored.sound[i] = TIMEOUT, False
            done.problems = [*done.problems, f"{plan.parsers[reading[0]].name}: TimeoutError: {error}"][:PROBLEMS_KEPT]
            continue
        if differs:
            changing = next(foreign_parts(plan, reading), None)
            if changing is None:
                done.differing.append(f"{trials.ids[i]}: {name}")
        if changing is not None:
            done.unsteady.append(trial_of(changing, trials.ids[i]))
